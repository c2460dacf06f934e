"""Does a language model learn where its answers end?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Function, endings, text

__all__: list[str] = []

_LEARNED = "the labels reach to the end of the answer"
_GENERATES = "generates without having learned where to stop"


@check(
    "missing-eos", words="tokenizer AutoTokenizer input_ids", names="labels DataCollatorForLanguageModeling SFTTrainer"
)
def missing_eos(function: Function) -> Iterator[Finding]:
    """What is learned of a text ends with the answer, and no token says that it ends."""
    for learned, because in endings.find_unended_texts(function):
        yield Finding(
            function.at(learned),
            f"`{text(function.module, learned, 40)}` ends with the answer, without a token that ends the text",
            "no end-of-sequence token after it",
            [Note(because, _GENERATES if isinstance(because.node, ast.Call) else _LEARNED)],
        )
