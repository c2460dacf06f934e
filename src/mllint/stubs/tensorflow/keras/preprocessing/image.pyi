"""keras.preprocessing.image under its TensorFlow name."""

from keras.preprocessing.image import ImageDataGenerator as ImageDataGenerator
