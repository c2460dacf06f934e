"""flax.nnx: modules that hold their parameters, and are called."""

from jax.nn import log_softmax as log_softmax
from jax.nn import sigmoid as sigmoid
from jax.nn import softmax as softmax

class Module: ...
