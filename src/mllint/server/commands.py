"""What may an editor have done by name, besides what the protocol knows? An extension shows the answers in its panels.

mllint.trace  [uri]     the training loops of a file, as it is in the editor, as a picture: `svg`, or a `problem`
mllint.page   [rule]    the page of a rule as Markdown: `text`; empty where there is no such rule
mllint.rules  []        all rules, each with `name`, `family`, `severity`, `headline`
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mllint.catalogue import pages
from mllint.errors import MllintError
from mllint.server import assist

if TYPE_CHECKING:
    from mllint.server.document_store import DocumentStore

__all__ = ["COMMANDS"]


def _trace(store: DocumentStore, uri: str) -> Mapping[str, Any]:
    from mllint.engine.trace import stories
    from mllint.report.drawing import draw

    folder, path = store.folder_of(store.file_of(uri))
    texts = {os.path.abspath(one): data for one, data in folder.session.component(path).items()}
    try:
        return {"svg": draw(stories(path, "", folder.session.config, texts))}
    except MllintError as error:
        return {"problem": str(error)}


def _page(store: DocumentStore, rule: str) -> Mapping[str, Any]:
    named = next((info.name for info in pages.rules().values() if rule in (info.name, *info.aliases)), rule)
    return {"text": assist.page_of(named)}


def _rules(store: DocumentStore) -> list[Mapping[str, Any]]:
    shown = ("name", "family", "severity", "headline")
    return [{name: getattr(info, name) for name in shown} for info in pages.rules().values()]


COMMANDS: Mapping[str, Callable[..., Any]] = {"mllint.trace": _trace, "mllint.page": _page, "mllint.rules": _rules}
"""What answers by name: takes the texts that are open, then what the editor sends."""
