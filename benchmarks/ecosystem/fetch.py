"""Where do the checked packages come from, and are they the ones that were labelled?

`packages.txt` is a requirements file: one pinned package per line, with the sha256 of the one archive that was read.
pip fetches it from whatever index it is configured for and compares the hash; what comes out is a folder of sources. A
comment `# sdist` asks for the source archive, else it is a wheel.

No code of a package is run. Wheels are only unpacked. pip would run `setup.py` of a source archive to learn its
metadata, so it is given a `setuptools` that refuses: pip then gives up *after* it has checked and unpacked the archive,
and `--no-clean` leaves the sources behind.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import zipfile
from typing import NamedTuple

__all__ = ["Package", "fetch", "parse", "pin"]

_LINE = re.compile(r"(?P<name>[\w.-]+)==(?P<version>\S+) --hash=sha256:(?P<digest>[0-9a-f]{64})(?P<sdist>\s+# sdist)?")
_REFUSAL = "raise ImportError('the benchmark reads packages and runs none of their code')\n"
_NO_HASH = "0" * 64
_LIMIT = 600  # seconds for one download
_KEPT = (".py", ".ipynb", "pyproject.toml", "setup.cfg", "LICENSE", "LICENSE.txt", "PKG-INFO", "METADATA")


class Package(NamedTuple):
    """One line of the list."""

    name: str
    version: str
    digest: str
    is_sdist: bool

    @property
    def line(self) -> str:
        """As it is written in the list."""
        return f"{self.name}=={self.version} --hash=sha256:{self.digest}" + ("  # sdist" if self.is_sdist else "")


def parse(text: str) -> list[Package]:
    """The packages of a list; empty lines and comments are skipped, anything else is an error."""
    packages = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line.rstrip())
        if match is None:
            raise ValueError(f"line {number}: not `name==version --hash=sha256:...`: {line}")
        packages.append(Package(match["name"], match["version"], match["digest"], match["sdist"] is not None))
    return packages


def fetch(package: Package, cache: str) -> tuple[str, str]:
    """The folder with the sources of a package, downloaded unless it is there, and what went wrong (or "")."""
    target = os.path.join(cache, f"{package.name}-{package.version}-{package.digest[:12]}")
    if os.path.isdir(target):
        return target, ""
    os.makedirs(cache, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="fetching-") as folder:
        said = _download(package, folder)
        sources = _unpacked(package, folder)
        if not sources:
            return "", (said.strip().splitlines() or ["pip said nothing"])[-1]
        _keep_python(sources)
        os.rename(sources, target)
    return target, ""


def pin(name: str, version: str, is_sdist: bool) -> Package | str:
    """A package with the hash that the index serves now, or what pip says instead."""
    with tempfile.TemporaryDirectory() as folder:
        said = _download(Package(name, version, _NO_HASH, is_sdist), folder)
    got = re.search(r"Got\s+([0-9a-f]{64})", said)
    return Package(name, version, got[1], is_sdist) if got else said


def _download(package: Package, folder: str) -> str:
    """Let pip fetch, check and unpack one archive below a folder; returns what it said."""
    refusing = os.path.join(folder, "refusing")
    os.makedirs(os.path.join(refusing, "setuptools"))
    with open(os.path.join(refusing, "setuptools", "__init__.py"), "w", encoding="utf-8") as file:
        file.write(_REFUSAL)
    wanted = os.path.join(folder, "wanted.txt")
    with open(wanted, "w", encoding="utf-8") as file:
        file.write(package.line + "\n")
    kind = ["--no-binary", ":all:", "--use-pep517"] if package.is_sdist else ["--only-binary", ":all:"]
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes", "--no-build-isolation"]
    command += ["--no-clean", "--disable-pip-version-check", *kind, "-r", wanted, "-d", os.path.join(folder, "out")]
    environment = {**os.environ, "TMPDIR": folder, "PYTHONPATH": refusing, "PIP_NO_INPUT": "1"}
    try:
        run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=_LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return f"pip took longer than {_LIMIT} s"
    return run.stdout + run.stderr


def _unpacked(package: Package, folder: str) -> str:
    """The folder of the sources that pip left behind, or ""."""
    out = os.path.join(folder, "out")
    for name in sorted(os.listdir(out)) if os.path.isdir(out) else ():
        if name.endswith(".whl"):
            target = os.path.join(folder, "wheel")
            with zipfile.ZipFile(os.path.join(out, name)) as archive:
                archive.extractall(target)
            return target
    wanted = re.sub(r"[-_.]+", "-", package.name).lower()
    for place in sorted(os.listdir(folder)):
        if place.startswith("pip-download-"):
            for name in sorted(os.listdir(os.path.join(folder, place))):
                if re.sub(r"[-_.]+", "-", name).lower().startswith(wanted):
                    return os.path.join(folder, place, name)
    return ""


def _keep_python(top: str) -> None:
    """Drop what mllint never reads (and lists of what git ignores, so that every file counts)."""
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.islink(path) or not name.endswith(_KEPT):
                os.unlink(path)
