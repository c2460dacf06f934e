"""Which text do these bytes hold? As Python would read them: PEP 263 cookie, byte order mark, UTF-8 otherwise."""

from __future__ import annotations

from mllint.errors import SourceError

__all__ = ["decode"]

_BOM = b"\xef\xbb\xbf"
_OF_ENCODINGS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."


def decode(data: bytes) -> str:
    """Decode a Python file as Python would.

    Args:
        data: the raw file.

    Returns:
        The text, with its line ends as they are and without a byte order mark.

    Raises:
        SourceError: the bytes are no text in the declared encoding; with line and column of the byte.
    """
    null = data.find(b"\0")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SourceError("the file is UTF-16, which Python cannot read: save it as UTF-8")
    if null >= 0:
        line = data.count(b"\n", 0, null) + 1
        column = null - data.rfind(b"\n", 0, null)
        raise SourceError("the file contains a null byte: it is binary or damaged", line, column)
    encoding = _declared_encoding(data)
    if data.startswith(_BOM):
        if encoding not in (None, "utf-8", "utf8", "utf-8-sig"):
            raise SourceError(f"the file starts with a UTF-8 mark but declares the encoding `{encoding}`")
        data, encoding = data[len(_BOM) :], None
    try:
        return data.decode(encoding or "utf-8")
    except LookupError:
        raise SourceError(f"the file declares the encoding `{encoding}`, which Python does not know") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        byte = data[error.start]
        if encoding is None:
            advice = "save it as UTF-8 or declare its encoding in the first line"
            message = f"the file is not UTF-8 (byte 0x{byte:02x}): {advice}"
        else:
            message = f"the file declares the encoding `{encoding}` but byte 0x{byte:02x} is none of it"
        raise SourceError(message, line, column) from None
    except ValueError as error:
        raise SourceError(f"the file cannot be decoded as `{encoding}`: {error}") from None


def _declared_encoding(data: bytes) -> str | None:
    """The encoding named in a comment in one of the first two lines (PEP 263)."""
    if b"coding" not in data[:512]:
        return None
    first, _, rest = data[:512].removeprefix(_BOM).replace(b"\r\n", b"\n").replace(b"\r", b"\n").partition(b"\n")
    found = _cookie(first)
    if found is None and first.strip(b" \t\f")[:1] in (b"", b"#"):
        found = _cookie(rest.partition(b"\n")[0])
    return found.decode("ascii").lower().replace("_", "-") if found else None


def _cookie(line: bytes) -> bytes | None:
    """The name in `# -*- coding: latin-1 -*-`; by hand, for `re` costs more than reading the file."""
    if not line.lstrip(b" \t\f").startswith(b"#"):
        return None
    at = line.find(b"coding")
    while at >= 0:
        at += len(b"coding")
        if line.startswith((b":", b"="), at):
            name = line[at + 1 :].lstrip(b" \t")
            end = len(name) - len(name.lstrip(_OF_ENCODINGS))
            if end:
                return name[:end]
        at = line.find(b"coding", at)
    return None
