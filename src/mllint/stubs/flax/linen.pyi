"""flax.linen: a module is applied to parameters that are handed in."""

from jax.nn import log_softmax as log_softmax
from jax.nn import sigmoid as sigmoid
from jax.nn import softmax as softmax
from mllint.semantics.vocabulary import answers

class Module:
    @answers("__call__")
    def apply(
        self, variables, *args, rngs=None, method=None, mutable=False, capture_intermediates=False, **kwargs
    ) -> object: ...
