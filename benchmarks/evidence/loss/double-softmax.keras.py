"""A softmax behind the last layer, and a loss that applies one itself.

setting: Keras on JAX, 10 classes of handwritten digits, 10 epochs of Adam
figure: accuracy on held-out rows, %
worse: lower
needs: keras, jax
backend: jax
"""

import jax
import keras
from keras import layers
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def run(seed):
    assert keras.backend.backend() == "jax" and jax.devices()
    keras.utils.set_random_seed(seed)
    images, labels = load_digits(return_X_y=True)
    parts = train_test_split(images / 16, labels, test_size=0.5, random_state=seed)
    x_train, x_test, y_train, y_test = parts
    model = keras.Sequential()
    model.add(layers.Dense(64, activation="relu"))
    model.add(layers.Dense(10))  # right
    model.add(layers.Dense(10, activation="softmax"))  # wrong
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer="adam", loss=loss, metrics=["accuracy"])
    model.fit(x_train, y_train, epochs=10, verbose=0)
    return 100 * model.evaluate(x_test, y_test, verbose=0)[1]
