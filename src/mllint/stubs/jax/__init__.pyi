"""jax: the activations that decide what a loss is given. Arrays carry no graph, so that nothing is said of gradients."""

from jax import nn as nn
