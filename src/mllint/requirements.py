"""Which versions of a library does a project allow, and do they all lie on one side of a change?

Versions are written as pip, Poetry or conda write them, and read by packaging. A part that cannot be read is taken for
one that allows anything: what is not known to be excluded is allowed, so that nothing is claimed because of it.

    before(">=2.3,<3", "2.6")    None: it may be either
    before("==1.0.*", "1.1")     True: all that are allowed
    before(">=2.4", "1.1")       False: none
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packaging.specifiers import Specifier
    from packaging.version import Version

__all__ = ["before", "is_readable", "required", "span"]

_OPERATOR = re.compile(r"[<>=!~^]*")
_CONDA = re.compile(r"[-\w]+\s*=\s*[^=\s]")
"""conda's `pytorch=2.3=cuda`: a single `=`, and perhaps a build behind the version."""


def before(versions: str, change: str) -> bool | None:
    """Whether what is allowed lies before a version: all of it (True), none of it (False), or unknown (None).

    Args:
        versions: what is allowed, such as `>=2.3,<3`; empty allows anything.
        change: the version that brought a change.
    """
    from packaging.version import Version

    limit = Version(change)
    known = [specifier for part in versions.split(",") for specifier in _specifiers(part.strip())]
    if any(_is_below(specifier, limit) for specifier in known):
        return True
    return False if any(_is_above(specifier, limit) for specifier in known) else None


def is_readable(versions: str) -> bool:
    """Whether each part says something that `before` can use."""
    return all(_specifiers(part.strip()) for part in versions.split(","))


def required(line: str, names: Sequence[str]) -> str:
    """The versions in a line such as `torch[opt]>=2.3,<3 ; python_version > "3.9"` or `- pytorch::pytorch=2.3=cuda`.

    Args:
        line: a line of a file of requirements or of a conda environment.
        names: the names of the library.

    Returns:
        The versions; empty if the line is about something else, allows anything, or cannot be read.
    """
    from packaging.requirements import InvalidRequirement, Requirement

    text = line.partition("#")[0].partition(";")[0].strip().removeprefix("- ")
    text = text.partition(" -")[0].strip(" \"'").rpartition("::")[2]
    if _CONDA.match(text):
        name, _, rest = text.partition("=")
        versions = f"={rest.strip().partition('=')[0]}"
        return versions if name.strip().lower() in names and is_readable(versions) else ""
    head, caret, rest = text.partition("^")  # Poetry's operator, which packaging does not know
    if caret:
        return f"^{rest}" if head.strip().lower() in names and is_readable(f"^{rest}") else ""
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return ""
    if requirement.name.lower() not in names:
        return ""
    return ",".join(sorted(map(str, requirement.specifier), reverse=True))  # `>=` before `<`


def span(versions: Sequence[str]) -> str:
    """What allows exactly these versions, or all from the first to the last; empty if none of them can be read."""
    from packaging.version import Version

    found = set()
    for text in versions:
        try:
            found.add(Version(text.partition("+")[0]))
        except ValueError:  # `InvalidVersion`, or a number of thousands of digits
            continue
    if len(found) > 1:
        return f">={min(found)},<={max(found)}"
    return f"=={found.pop()}" if found else ""


def _specifiers(part: str) -> list[Specifier]:
    """A part in packaging's terms; empty if it is unreadable."""
    from packaging.specifiers import InvalidSpecifier, Specifier

    operator = _OPERATOR.match(part)
    sign = operator.group() if operator else ""
    version = part.removeprefix(sign).strip()
    if sign == "^":
        written = [f">={version}", f"<{_next_breaking(version)}"]
    elif sign == "~":
        written = [f">={version}", f"=={'.'.join(version.split('.')[:2])}.*"]
    elif sign == "=":
        written = [f"=={version.removesuffix('.*')}.*"]
    else:
        written = [f"{sign or '=='}{version}"]
    try:
        return [Specifier(text) for text in written]
    except InvalidSpecifier:
        return []


def _next_breaking(version: str) -> str:
    """The first version that `^` does not allow: the first number that is not zero is raised."""
    numbers = [int(number) if number.isdecimal() and len(number) < 20 else 0 for number in version.split(".")]
    first = next((index for index, number in enumerate(numbers) if number), len(numbers) - 1)
    return ".".join(map(str, [*numbers[:first], numbers[first] + 1]))


def _is_below(specifier: Specifier, limit: Version) -> bool:
    """Whether everything that a specifier allows is older than a version."""
    operator, version = specifier.operator, _release(specifier)
    if operator == "<":
        return version <= limit
    if operator == "~=" or specifier.version.endswith(".*"):
        return operator != "!=" and version < limit and not specifier.contains(limit, prereleases=True)
    return operator in ("==", "===", "<=") and version < limit


def _is_above(specifier: Specifier, limit: Version) -> bool:
    """Whether everything that a specifier allows is a version or newer."""
    return specifier.operator in ("==", "===", ">=", ">", "~=") and _release(specifier) >= limit


def _release(specifier: Specifier) -> Version:
    """The release that a specifier names; its candidates and post-releases count as the release itself."""
    from packaging.version import Version

    return Version(Version(specifier.version.removesuffix(".*")).base_version)
