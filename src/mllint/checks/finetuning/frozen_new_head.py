"""Do adapters train the new head of a classifier?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, adapters

__all__: list[str] = []

_HEAD = '`modules_to_save=["classifier"]` (in some models `"score"`)'


@check("frozen-new-head", calls="LoraConfig AdaLoraConfig IA3Config")
def frozen_new_head(config: Call) -> Iterator[Finding]:
    """Adapters freeze a model, and with it the head that was made anew for its classes."""
    loaded = adapters.frozen_head(config)
    if loaded is not None:
        task = adapters.task_of_head(loaded)
        yield Finding(
            config,
            f"`{config.text.partition('(')[0]}` freezes the new head of the classifier, and does not save it",
            "neither a classification task nor `modules_to_save`",
            [Note(loaded, "the head is new, with random weights")],
            help=f'name the task, `task_type="{task}"`, or the head: {_HEAD}' if task else f"name the head: {_HEAD}",
        )
