"""Pictures that are changed at random while they are read; deprecated, and still the usual way."""

class ImageDataGenerator:
    def __init__(
        self, featurewise_center=False, samplewise_center=False, featurewise_std_normalization=False,
        samplewise_std_normalization=False, zca_whitening=False, zca_epsilon=1e-06, rotation_range=0,
        width_shift_range=0.0, height_shift_range=0.0, brightness_range=None, shear_range=0.0, zoom_range=0.0,
        channel_shift_range=0.0, fill_mode="nearest", cval=0.0, horizontal_flip=False, vertical_flip=False, rescale=None,
        preprocessing_function=None, data_format=None, validation_split=0.0, interpolation_order=1, dtype=None,
    ) -> None: ...
    def flow(
        self, x, y=None, batch_size=32, shuffle=True, sample_weight=None, seed=None, save_to_dir=None, save_prefix="",
        save_format="png", ignore_class_split=False, subset=None,
    ): ...
    def flow_from_directory(
        self, directory, target_size=(256, 256), color_mode="rgb", classes=None, class_mode="categorical", batch_size=32,
        shuffle=True, seed=None, save_to_dir=None, save_prefix="", save_format="png", follow_links=False, subset=None,
        interpolation="nearest", keep_aspect_ratio=False,
    ): ...
    def flow_from_dataframe(
        self, dataframe, directory=None, x_col="filename", y_col="class", weight_col=None, target_size=(256, 256),
        color_mode="rgb", classes=None, class_mode="categorical", batch_size=32, shuffle=True, seed=None, save_to_dir=None,
        save_prefix="", save_format="png", subset=None, interpolation="nearest", validate_filenames=True, **kwargs,
    ): ...
    def fit(self, x, augment=False, rounds=1, seed=None): ...
