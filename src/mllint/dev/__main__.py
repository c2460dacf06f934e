"""Reads the command line of developers; the exit code is 2 for what cannot be done."""

from __future__ import annotations

import sys

from mllint.dev import new_rule, write_tables
from mllint.errors import MllintError

USAGE = """\
usage: python -m mllint.dev new-rule FAMILY/NAME    write the page and the module of a new rule, and the tables
       python -m mllint.dev tables                  write what is generated from stubs, pages and rules"""


def main(words: list[str]) -> int:
    """Run one command; gives the exit code."""
    try:
        match words:
            case ["new-rule", place]:
                sys.stdout.write(new_rule(place))
            case ["tables"]:
                written = write_tables()
                sys.stdout.writelines([f"wrote {path}\n" for path in written] or ["nothing has changed\n"])
            case _:
                sys.stderr.write(f"{USAGE}\n")
                return 2
    except MllintError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
