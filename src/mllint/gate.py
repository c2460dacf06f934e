"""Is a file about machine learning? A question to its text, before anything else is asked.

Most files of most projects are not, and reading them further would cost more than parsing them did. A file passes if it
names a library that rules know something about, anywhere: in an import, a comment or a string. What a file imports
counts too, but only the run knows what that is about (`imported`).
"""

from __future__ import annotations

__all__ = ["imported", "passes"]

_LIBRARIES = tuple(
    """torch numpy add_argument sklearn pandas torchvision transformers lightning tensorflow keras datasets accelerate
    pytorch_lightning deepspeed ignite timm xgboost lightgbm catboost imblearn torch_geometric""".split()
)


def passes(text: str) -> bool:
    """Does a text name one of the libraries, as a word of its own?"""
    for name in _LIBRARIES:
        at = text.find(name)
        while at >= 0:
            end = at + len(name)
            if not _joins(text[at - 1 : at]) and not _joins(text[end : end + 1]):
                return True
            at = text.find(name, end)
    return False


def imported(text: str) -> set[str]:
    """The words in the import statements of a text (too many rather than too few)."""
    import re

    lines = re.findall(r"^[ \t]*(?:from|import)[ \t]+(.+)$", text, re.MULTILINE)
    return set(re.findall(r"\w+", " ".join(lines)))


def _joins(character: str) -> bool:
    return character.isalnum() or character == "_"
