"""keras.preprocessing under its TensorFlow name."""

from keras.preprocessing import image as image
from keras.preprocessing import image_dataset_from_directory as image_dataset_from_directory
from keras.preprocessing import text_dataset_from_directory as text_dataset_from_directory
from keras.preprocessing import timeseries_dataset_from_array as timeseries_dataset_from_array
