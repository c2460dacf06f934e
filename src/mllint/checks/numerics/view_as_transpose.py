"""Do the sizes of a tensor come back in another order?

`view` and `reshape` read the numbers in their stored order, whatever the sizes are called: to exchange dimensions takes
`transpose` or `permute`. What is asked: are the sizes the unpacked shape of this very tensor, each once, in another
order, with more than the place of a one changed?
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, shapes

__all__: list[str] = []


@check("view-as-transpose", calls="view reshape")
def view_as_transpose(call: Call) -> Iterator[Finding]:
    """`view` or `reshape` is given the sizes of the tensor in another order."""
    found = shapes.permuted_sizes(call)
    if found is not None:
        yield Finding(
            call,
            f"`{call.text}` swaps the sizes, not the dimensions",
            "mixes the values up",
            [Note(found, "its sizes, in this order")],
        )
