"""optax: losses that apply softmax or sigmoid themselves, and updates that give new parameters."""

from mllint.semantics.vocabulary import pure
from optax import losses as losses
from optax.losses import sigmoid_binary_cross_entropy as sigmoid_binary_cross_entropy
from optax.losses import softmax_cross_entropy as softmax_cross_entropy
from optax.losses import softmax_cross_entropy_with_integer_labels as softmax_cross_entropy_with_integer_labels

@pure
def apply_updates(params, updates): ...
@pure
def incremental_update(new_tensors, old_tensors, step_size): ...
