"""Is padding a label?

The ids of a padded encoding, a copy of them, or labels that a tokenizer pads, are the labels, and nothing replaces the
padding by -100. A collator that writes the labels itself is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, tokens

__all__: list[str] = []


@check("unmasked-padding-labels", calls="pad pad_sequence", keywords="padding", names="input_ids text_target")
def unmasked_padding_labels(call: Call) -> Iterator[Finding]:
    """The ids of a padded batch are the labels, padding included."""
    read = {"pad": tokens.collated_labels, "pad_sequence": tokens.padded_labels}
    copied = read.get(call.last_name, tokens.copied_labels)(call)
    if copied is not None and not tokens.writes_labels(call):
        yield Finding(
            copied,
            "the labels are padded ids: the loss counts the padding",
            "no -100 for the padding",
            [Note(call, "padded here")],
        )
