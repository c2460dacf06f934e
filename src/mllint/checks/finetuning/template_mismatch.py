"""Is a model prompted in the words that it was tuned with?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, Site, templates, text

__all__: list[str] = []


@check("template-mismatch", calls="generate")
def template_mismatch(call: Call) -> Iterator[Finding]:
    """A model is prompted with a text that begins or ends otherwise than all that it was tuned with."""
    found = templates.other_template(call)
    if found is not None:
        prompt, frame, learned = found
        yield Finding(
            Site(frame.module, prompt),
            f"the prompt `{text(frame.module, prompt, 40)}` does not follow the template of the training texts",
            "no training text reads like this up to its answer",
            [Note(learned, "the template of the training texts"), Note(call, "generates from it here")],
        )
