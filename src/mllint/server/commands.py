"""What may an editor have done by name, besides what the protocol knows? An extension shows the answers in its panels.

mllint.trace  [uri]     the training loops of a file, as it is in the editor, as a picture: `svg`, or a `problem`
mllint.page   [rule]    the page of a rule as Markdown: `text`; empty where there is no such rule
mllint.rules  []        all rules, each with `name`, `family`, `severity`, `headline`
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mllint.catalogue import pages as catalogue
from mllint.errors import MllintError
from mllint.server import assist

if TYPE_CHECKING:
    from mllint.server.desk import Desk

__all__ = ["COMMANDS"]


def _trace(desk: Desk, uri: str) -> Mapping[str, Any]:
    from mllint.engine.trace import stories
    from mllint.report.drawing import draw

    room, path = desk.home(desk.file_of(uri))
    texts = {os.path.abspath(one): data for one, data in room.session.component(path).items()}
    try:
        return {"svg": draw(stories(path, "", room.session.config, texts))}
    except MllintError as error:
        return {"problem": str(error)}


def _page(desk: Desk, rule: str) -> Mapping[str, Any]:
    named = next((info.name for info in catalogue.rules().values() if rule in (info.name, *info.aliases)), rule)
    return {"text": assist.page_of(named)}


def _rules(desk: Desk) -> list[Mapping[str, Any]]:
    shown = ("name", "family", "severity", "headline")
    return [{name: getattr(info, name) for name in shown} for info in catalogue.rules().values()]


COMMANDS: Mapping[str, Callable[..., Any]] = {"mllint.trace": _trace, "mllint.page": _page, "mllint.rules": _rules}
"""What answers by name: takes the texts that are open, then what the editor sends."""
