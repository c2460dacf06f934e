"""A model of Keras is measured with its layers as in training.

setting: Keras on JAX, 10 classes of handwritten digits, a network with dropout, 5 epochs of Adam
figure: accuracy on held-out rows, %
worse: lower
needs: keras, jax
backend: jax
"""

import keras
from keras import layers
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def run(seed):
    keras.utils.set_random_seed(seed)
    images, labels = load_digits(return_X_y=True)
    x_train, x_test, y_train, y_test = train_test_split(images / 16, labels, test_size=0.5, random_state=seed)
    net = keras.Sequential([layers.Dense(64, activation="relu"), layers.Dropout(0.5), layers.Dense(10)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    net.compile(optimizer=keras.optimizers.Adam(0.01), loss=loss)
    net.fit(x_train, y_train, epochs=5, verbose=0)
    hits = keras.metrics.SparseCategoricalAccuracy()
    for start in range(0, len(x_test), 100):
        x, y = x_test[start : start + 100], y_test[start : start + 100]
        hits.update_state(y, net(x, training=False))  # right
        hits.update_state(y, net(x, training=True))  # wrong
    return 100 * float(hits.result())
