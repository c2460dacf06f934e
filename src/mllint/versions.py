"""Which versions of a library does a project allow, and do they all lie on one side of a change?

Versions are written as pip, Poetry or conda write them. A part that cannot be read is taken for one that allows
anything: what is not known to be excluded is allowed, so that nothing is claimed on the ground of it.

    before(">=2.3,<3", "2.6")    None: it may be either
    before("==1.0.*", "1.1")     True: all that are allowed
    before(">=2.4", "1.1")       False: none
"""

from __future__ import annotations

__all__ = ["before", "is_readable"]

_OPERATORS = ("===", "==", ">=", "<=", "~=", "!=", "^", ">", "<", "=", "~")
_Version = tuple[int, ...]


def before(versions: str, change: str) -> bool | None:
    """Whether what is allowed lies before a version: all of it (True), none of it (False), or who knows (None).

    Args:
        versions: what is allowed, such as `>=2.3,<3`; empty allows anything.
        change: the version that brought a change.
    """
    limit = _trimmed(_numbers(change))
    known = [bounds for part in versions.split(",") if (bounds := _bounds(part.strip())) is not None]
    if any(high is not None and _trimmed(high) <= limit for _, high in known):
        return True
    return False if any(low is not None and _trimmed(low) >= limit for low, _ in known) else None


def is_readable(versions: str) -> bool:
    """Whether each part says something that `before` can use."""
    return all(_bounds(part.strip()) is not None for part in versions.split(","))


def _bounds(part: str) -> tuple[_Version | None, _Version | None] | None:
    """The least version that a part allows and the first that it does not allow any more; None if it is unreadable."""
    operator = next((operator for operator in _OPERATORS if part.startswith(operator)), "==")
    rest = part.removeprefix(operator).strip()
    any_below = rest.endswith(".*")
    version = _numbers(rest.removesuffix(".*"))
    if not version:
        return None
    if operator in ("==", "===", "="):
        return version, _after(version) if any_below or operator == "=" else _just_after(version)
    if operator in ("~=", "~", "^"):
        return version, _compatible(operator, version)
    return {">=": (version, None), ">": (version, None), "<": (None, version), "!=": (None, None)}.get(
        operator, (None, _just_after(version))
    )


def _compatible(operator: str, version: _Version) -> _Version:
    if operator == "~=":
        return _after(version[:-1] or version)
    if operator == "~":
        return _after(version[:2])
    first = next((index for index, number in enumerate(version) if number), len(version) - 1)
    return _after(version[: first + 1])


def _after(version: _Version) -> _Version:
    """The first version that does not start like this one."""
    return (*version[:-1], version[-1] + 1)


def _just_after(version: _Version) -> _Version:
    return (*version, *(0,) * (4 - len(version)), 1)


def _trimmed(version: _Version) -> _Version:
    """Without zeros at its end, which mean nothing."""
    while version and not version[-1]:
        version = version[:-1]
    return version


def _numbers(text: str) -> _Version:
    """The leading numbers of a version: `2.4.0+cpu` is (2, 4, 0)."""
    found = []
    for piece in text.partition("+")[0].split("."):
        digits = piece[: len(piece) - len(piece.lstrip("0123456789"))]
        if not digits:
            break
        found.append(int(digits))
        if digits != piece:
            break
    return tuple(found)
