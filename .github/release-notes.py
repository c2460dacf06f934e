#!/usr/bin/env python3
"""The part of CHANGELOG.md about this version, for the page of a release.

`--check` prints nothing. It fails where the tag (`GITHUB_REF_NAME`), `version.py` and the change log do not agree.
"""

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def main() -> int:
    """Print the notes, or check them; gives the exit code."""
    source = (ROOT / "src" / "mllint" / "version.py").read_text(encoding="utf-8")
    version = re.search(r'^__version__ = "(.+)"$', source, re.MULTILINE).group(1)
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(rf"^## \[{re.escape(version)}\].*\n((?:(?!## |\[).*\n)*)", changes, re.MULTILINE)
    if found is None or not found.group(1).strip():
        return fail(f"CHANGELOG.md says nothing about {version}: move what is under Unreleased there")
    tag = os.environ.get("GITHUB_REF_NAME", "")
    if os.environ.get("GITHUB_REF_TYPE") == "tag" and tag != f"v{version}":
        return fail(f"the tag is {tag}, and src/mllint/version.py says {version}")
    if "--check" not in sys.argv[1:]:
        sys.stdout.write(found.group(1).strip() + "\n")
    return 0


def fail(message: str) -> int:
    """Say what is wrong; gives the exit code."""
    sys.stderr.write(f"error: {message}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
