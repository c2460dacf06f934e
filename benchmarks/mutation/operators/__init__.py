"""The operators of the mutation benchmark: edits that turn correct training code into a real, silent bug.

Each operator goes through the places of a file that it can edit, under a precondition that makes the edit a bug there,
and puts the bug in several forms: deleted, commented out, moved, guarded, written as a method or as a function. One
module per family of rules.
"""

from benchmarks.mutation.operators import (  # noqa: F401
    autograd,
    data,
    evaluation,
    finetuning,
    labels,
    loss,
    metrics,
    optimizer,
    others,
    randomness,
    robustness,
    scheduler,
)
