"""The same activations under `tf.math`, and its metrics."""

from mllint.semantics.vocabulary import Array, Prediction, Target
from tensorflow.nn import log_softmax as log_softmax
from tensorflow.nn import sigmoid as sigmoid
from tensorflow.nn import softmax as softmax

def confusion_matrix(
    labels: Target, predictions: Prediction, num_classes=None, weights=None, dtype=..., name=None,
) -> Array: ...
