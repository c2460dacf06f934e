"""Are the embeddings of new tokens trained?

Adapters leave the embeddings as they are, unless they are told to train and to save them. Rows that were added for new
tokens then stay what they were initialised with. A token that only pads has nothing to learn.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, adapters

__all__: list[str] = []

_NAMED = (
    'save embeddings and any `lm_head`: `modules_to_save=["{}", "lm_head"]`; '
    "if they are tied, add `ensure_weight_tying=True`"
)


@check("embeddings-not-saved", calls="LoraConfig")
def embeddings_not_saved(call: Call) -> Iterator[Finding]:
    """Tokens are added to a model whose adapters leave the embeddings as they are."""
    found = adapters.untrained_tokens(call)
    if found is not None:
        added, model = found
        layer = adapters.embedding_of(model)
        yield Finding(
            call,
            "tokens were added, but the adapters do not train the embeddings",
            "no `modules_to_save`",
            [Note(added, "new tokens, whose embeddings are not trained")],
            help=_NAMED.format(layer) if layer else "",
        )
