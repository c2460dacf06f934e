"""Is a model asked in the words that it was tuned with?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, Site, templates, text

__all__: list[str] = []


@check("template-mismatch", calls="generate", near="Trainer SFTTrainer Seq2SeqTrainer", names="train_dataset")
def template_mismatch(call: Call) -> Iterator[Finding]:
    """A model is asked with a text that begins or ends otherwise than all that it was tuned with."""
    found = templates.other_template(call)
    if found is not None:
        asked, frame, learned = found
        yield Finding(
            Site(frame.module, asked),
            f"the prompt `{text(frame.module, asked, 40)}` does not follow the template of the training texts",
            "no training text begins like this",
            [Note(learned, "the template of the training texts"), Note(call, "generates from it here")],
        )
