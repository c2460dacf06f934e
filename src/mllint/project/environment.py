"""Where are the libraries that the code runs with? The folder into which pip installs, of an environment.

What no stub covers is Unknown: whoever derives a model from `mmengine.model.BaseModel` has a class of which nothing is
known. With an environment the source of such a library is read like the project's own files, as far as somebody asks,
so that `BaseModel` is the `nn.Module` that it is. Nothing is imported or run, and nothing is reported about it.

    folder_of("auto", "project")               the environment that is activated, else `.venv` of the project
    folder_of("/opt/envs/train", "")           /opt/envs/train/lib/python3.12/site-packages

What a project has installed by a link to its source (`pip install -e`) is not followed.
"""

from __future__ import annotations

import os
import re
from glob import escape, glob

from mllint.errors import UsageError

__all__ = ["AUTOMATIC", "folder_of", "is_installed"]

AUTOMATIC = "auto"
"""Asks for the environment that is activated, or the one in the project's folder."""
_FOLDERS = ("site-packages", "dist-packages")
_PLACES = ("lib/python3*/site-packages", "Lib/site-packages", "lib/python3/dist-packages")
_USUAL = (".venv", "venv")
_NUMBER = re.compile(r"\d+")


def folder_of(environment: str, root: str) -> str:
    """The folder of an environment that holds the libraries.

    Args:
        environment: the folder of an environment, the folder that holds its libraries, or "auto".
        root: the folder of the project, whose own environment "auto" finds.

    Returns:
        The absolute path of the folder; empty where "auto" finds none.

    Raises:
        UsageError: there is no environment in the folder.
    """
    if environment != AUTOMATIC:
        found = _libraries(environment)
        if not found:
            raise UsageError(f"`{environment}` is not an environment: it has no folder site-packages")
        return found
    activated = [os.environ.get(name, "") for name in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    places = [*(place for place in activated if place), *(os.path.join(root, name) for name in _USUAL)]
    return next((found for found in map(_libraries, places) if found), "")


def is_installed(path: str, folder: str) -> bool:
    """Is a file in the folder that holds the libraries?"""
    return os.path.abspath(path).startswith(f"{folder}{os.sep}")


def _libraries(environment: str) -> str:
    """The folder of an environment that holds the libraries, of the newest Python in it; empty if there is none."""
    folder = os.path.abspath(environment)
    if os.path.basename(folder) in _FOLDERS and os.path.isdir(folder):
        return folder
    for place in _PLACES:
        found = [path for path in glob(os.path.join(escape(folder), place)) if os.path.isdir(path)]
        if found:
            return max(found, key=lambda path: [int(number) for number in _NUMBER.findall(path.removeprefix(folder))])
    return ""
