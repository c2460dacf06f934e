"""What do programs read that take one finding at a time?

One JSON object a line, each as in the `diagnostics` of `json`; nothing at all if nothing was found. The summary and the
notes have no line: a reader counts lines without looking into them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mllint.report.json import one

if TYPE_CHECKING:
    from mllint.report import Results

__all__ = ["render"]


def render(results: Results) -> str:
    """A line for each finding."""
    return "".join(f"{json.dumps(one(diagnostic))}\n" for diagnostic in results.diagnostics)
