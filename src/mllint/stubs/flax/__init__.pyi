"""flax: modules whose `__call__` the user writes."""

from flax import linen as linen
from flax import nnx as nnx
