"""Packs the stubs while a wheel with the compiled core is built: `python -m mllint.semantics.packstubs FOLDER`.

A script needs a hundred entries of the stubs, and parsing them takes as long as parsing the script. Beside each stub
`x.pyi` lies then `x.packed`, a marshalled tuple: the size of the stub in bytes, the names of the classes of nodes, all
names and constants, and what the stub defines, by name, as `lazystub.cut` says it, each tree packed. A packed tree is
its first node:

    0                       None
    1 <count>               a list, and then its items
    2 <number>              a name or constant
    3 + <number of class>   a node: four numbers if it has a place (lines and columns), and then its fields

Numbers have two bytes, the lower one first. `unpack` of `_compact.c` reads it.
"""

from __future__ import annotations

import marshal
import os
import sys

from mllint import tree as ast
from mllint._typing import Any
from mllint.semantics.lazystub import cut, parse, pieces

__all__ = ["packed", "write"]


class _Packer:
    """Packs the trees of one stub."""

    def __init__(self) -> None:
        self.classes: dict[str, int] = {}
        self.constants: dict[tuple[type, Any], int] = {}
        self.out = bytearray()

    def tree(self, text: str) -> bytes:
        """The packed tree of a piece of the stub."""
        self.out = bytearray()
        self.add(parse(text))
        return bytes(self.out)

    def add(self, thing: Any) -> None:
        """Append a node, or what a field of one holds."""
        if thing is None:
            self.out.append(0)
        elif isinstance(thing, list):
            self.out.append(1)
            self.number(len(thing))
            for inner in thing:
                self.add(inner)
        elif isinstance(thing, ast.AST):
            self.out.append(3 + self.classes.setdefault(type(thing).__name__, len(self.classes)))
            for name in type(thing)._attributes:
                self.number(getattr(thing, name))
            for name in type(thing)._fields:
                self.add(getattr(thing, name))
        else:
            self.out.append(2)
            self.number(self.constants.setdefault((type(thing), thing), len(self.constants)))

    def number(self, value: int) -> None:
        """Append a number."""
        self.out += value.to_bytes(2, "little")


def packed(data: bytes) -> bytes:
    """What is written beside a stub of these bytes.

    Raises:
        OverflowError: a piece of it has more than 65,535 lines, columns, items or constants.
    """
    packer = _Packer()
    entries: dict[str, Any] = {}
    for name, text in pieces(data.decode("utf-8")).items():
        piece = cut(text)
        if name == "*":
            entries[name] = text
        elif isinstance(piece, str):
            entries[name] = packer.tree(piece)
        else:
            header, members = piece
            entries[name] = packer.tree(header), {key: packer.tree(member) for key, member in members.items()}
    constants = tuple(constant for _, constant in packer.constants)
    return marshal.dumps((len(data), tuple(packer.classes), constants, entries))


def write(source: str, target: str) -> None:
    """Pack all stubs below a folder into the same places below another."""
    for folder, _, names in os.walk(source):
        for name in sorted(n for n in names if n.endswith(".pyi")):
            with open(os.path.join(folder, name), "rb") as file:
                data = packed(file.read())
            place = os.path.join(target, os.path.relpath(folder, source))
            os.makedirs(place, exist_ok=True)
            with open(os.path.join(place, f"{name.removesuffix('.pyi')}.packed"), "wb") as file:
                file.write(data)


if __name__ == "__main__":
    write(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "stubs"), sys.argv[1])
