"""Is a file about machine learning, and may it hold suppressions? Questions to its text, asked before any other.

Most files of most projects are not, and reading them further would cost more than parsing them did. A file passes if it
names a library that rules know something about, anywhere: in an import, a comment or a string; or one of the methods
that only optimizers and models of PyTorch have, or tokenizers, which an `engine.py` calls on what it is handed. What a
file imports counts too, but only the run knows what that is about (`imported`).
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["imported", "may_suppress", "names_library", "names_model_handling"]

_LIBRARIES = tuple(
    """torch numpy add_argument sklearn pandas torchvision transformers lightning tensorflow keras datasets accelerate
    pytorch_lightning deepspeed ignite timm xgboost lightgbm catboost imblearn torch_geometric jax optax peft trl
    torchmetrics torchdata zero_grad apply_chat_template input_ids pad_token_id""".split()
)


_HANDLING = tuple(
    """requires_grad state_dict load_state_dict backward eval model loss criterion optimizer tensor logits view reshape
    permute cuda softmax squeeze unsqueeze transpose flatten contiguous detach parameters step fit fit_transform predict
    predict_proba train nan""".split()
)
"""What is done with models, estimators and numbers, in a file that is handed them and need not import anything."""


def names_library(text: str) -> bool:
    """Does a text name one of the libraries, as a word of its own?"""
    return _names(text, _LIBRARIES)


def names_model_handling(text: str) -> bool:
    """Does a text name what is done with models, as a word of its own?"""
    return _names(text, _HANDLING)


def _names(text: str, words: Iterable[str]) -> bool:
    for name in words:
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


def may_suppress(text: str, rules: Iterable[str]) -> bool:
    """May a comment in a text suppress one of the rules? (`noqa` mostly speaks to other tools.)"""
    if "mllint:" in text:
        return True
    if "noqa" not in text.lower():
        return False
    import re

    comments = " ".join(re.findall(r"noqa:(.*)", text, re.IGNORECASE))
    return bool(comments) and any(rule in comments for rule in rules)


def _joins(character: str) -> bool:
    return character.isalnum() or character == "_"
