"""Which cell of a notebook does this line belong to?

The code cells of a notebook are joined into one text, to be parsed as one program; a `CellMap` leads back.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

__all__ = ["CellMap"]


class CellMap(NamedTuple):
    """Which notebook cell each document line belongs to.

    `starts[i]` is the first document line of the code cell with the number `numbers[i]` (1-based over all cells).
    """

    starts: tuple[int, ...]
    numbers: tuple[int, ...]

    def locate(self, line: int) -> tuple[int, int]:
        """The cell of a document line and the 1-based line within that cell."""
        index = max(bisect_right(self.starts, line) - 1, 0)
        return self.numbers[index], line - self.starts[index] + 1

    def document_line(self, cell: int, line: int) -> int:
        """The document line of a line within a cell: the inverse of `locate`."""
        return self.starts[self.numbers.index(cell)] + line - 1
