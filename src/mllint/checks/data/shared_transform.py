"""Is the transform of one part set on the dataset that both parts share?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, shared_transforms

__all__: list[str] = []

_SECOND = "build a second dataset with that transform, and take its samples: `Subset(second, {}.indices)`"


@check("shared-transform", calls="random_split Subset")
def shared_transform(call: Call) -> Iterator[Finding]:
    """A transform is set for one part of a dataset, and replaces that of the other part."""
    found = shared_transforms.replaced(call)
    if found is not None:
        notes = [Note(call, "both parts share one dataset")]
        notes += [Note(found.before, "this transform is replaced")] if found.before is not None else []
        yield Finding(
            found.site,
            f"`{found.part}.dataset` is the dataset of `{found.other}`, too: this sets the transform of both",
            "sets the transform of both parts",
            notes,
            help=_SECOND.format(found.part),
        )
