"""The old place of the data utilities."""

from keras.preprocessing import image as image
from keras.utils import image_dataset_from_directory as image_dataset_from_directory
from keras.utils import text_dataset_from_directory as text_dataset_from_directory
from keras.utils import timeseries_dataset_from_array as timeseries_dataset_from_array
