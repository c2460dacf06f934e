"""jax: the activations that decide what a loss is given, and the keys that random numbers come from. Arrays carry no graph,
so that nothing is said of gradients."""

from jax import nn as nn
from jax import random as random
from mllint.semantics.vocabulary import wraps

@wraps(of="fun")
def jit(
    fun=..., /, *, in_shardings=..., out_shardings=..., static_argnums=None, static_argnames=None, donate_argnums=None,
    donate_argnames=None, keep_unused=False, device=None, backend=None, inline=False, compiler_options=None,
): ...
@wraps(of="fun")
def pmap(
    fun, axis_name=None, *, in_axes=0, out_axes=0, static_broadcasted_argnums=(), devices=None, backend=None,
    axis_size=None, donate_argnums=(),
): ...
