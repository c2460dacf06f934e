"""What does a method of a tensor, an array or a module do with it, by its name?

The receiver is often unknown, so that no stub says what `x.view(-1)` gives. What it means for the entries of a tensor
is clear from the word alone. These are the words, each in one set; a domain writes a union of those that keep what it
asks about. May import: nothing.
"""

from __future__ import annotations

__all__ = [
    "CASTS", "COPIES", "DETACHES", "DRAWS", "ELEMENTWISE", "EXPANDS", "FLATTENS", "FLOATS", "INTEGERS", "JOINS",
    "LISTS_PARAMETERS", "LISTS_PARTS", "MAKES", "MOVES", "NORMALIZES", "PAIRS", "REDUCES", "RESHAPES", "RETURNS_MODULE",
    "SAME_ENTRIES", "SAMPLES", "TRANSPOSES", "UNPACKS",
]  # fmt: skip

MOVES = frozenset("to cuda cpu".split())
"""To another device; `to` casts as well."""
FLOATS = frozenset("float half double bfloat16".split())
"""To another type of floating-point numbers."""
INTEGERS = frozenset("long int short bool".split())
"""To whole numbers or truth values."""
CASTS = FLOATS | INTEGERS | frozenset("type type_as astype".split())
"""To another type, whichever."""
COPIES = frozenset("clone copy contiguous".split())
"""The same entries and the same shape, in memory of their own."""
DETACHES = frozenset("detach numpy".split())
"""The same entries and the same shape, outside of the graph."""
UNPACKS = frozenset("item tolist".split())
"""The same entries as numbers of Python, which have no graph."""
FLATTENS = frozenset("view reshape flatten ravel".split())
"""The same entries in the same order, in another shape: in one dimension perhaps."""
RESHAPES = FLATTENS | frozenset("squeeze unsqueeze".split())
"""The same entries in the same order, in another shape."""
TRANSPOSES = frozenset("t transpose permute swapaxes swapdims movedim".split())
"""The same entries, with the dimensions in another order."""
EXPANDS = frozenset("expand expand_as".split())
"""Each entry several times, without a copy of it."""
SAME_ENTRIES = MOVES | CASTS | COPIES | DETACHES | UNPACKS | RESHAPES
"""The same entries in the same order, wherever, of whichever type and shape."""
ELEMENTWISE = frozenset(
    """relu leaky_relu elu gelu silu tanh sigmoid softplus hardtanh dropout exp expm1 log log1p sqrt rsqrt abs neg sign
    square pow round floor ceil clamp clamp_min clamp_max clip""".split()
)
"""Each entry by itself becomes another one."""
NORMALIZES = frozenset("softmax log_softmax normalize layer_norm batch_norm".split())
"""The shape stays, and each entry depends on others."""
REDUCES = frozenset("mean sum max min amax amin argmax argmin prod norm std var logsumexp any all".split())
"""One entry is computed of many, along a dimension or of all."""
MAKES = frozenset("tensor as_tensor from_numpy Tensor FloatTensor LongTensor array asarray".split())
"""Functions that make a tensor or an array of the same entries."""
DRAWS = frozenset("randn rand randint normal uniform random standard_normal".split())
"""Functions that make a tensor or an array of numbers drawn at random."""
SAMPLES = frozenset("bernoulli multinomial poisson".split())
"""What is drawn from probabilities, or rates, which get no gradient through it."""
PAIRS = frozenset("max min topk sort kthvalue median mode".split())
"""Methods that give values, which carry the graph, and indices, which do not."""
JOINS = frozenset("cat concat concatenate stack vstack hstack".split())
"""Functions that make one tensor or array of several."""

RETURNS_MODULE = MOVES | FLOATS | {"type", "train", "eval"}
"""Methods that move a module or switch its mode in place, and give it back: the same parameters, trained or not."""
LISTS_PARAMETERS = frozenset(("parameters", "named_parameters"))
"""Methods that list what a module trains."""
LISTS_PARTS = frozenset(("children", "modules", "named_children", "named_modules"))
"""Methods that list the modules in a module."""
