"""Keras layers.

`activated(by="activation")`: "softmax" (or `keras.activations.softmax`) makes the output `Probs`, "sigmoid"
`Sigmoided`, "log_softmax" `LogProbs`; None or "linear" leaves it `Raw`.
"""

from mllint.semantics.vocabulary import (
    Parameters, Probs, Random, Rows, Seed, T, activated, fits, mode_dependent, statistics,
)

class Layer:
    def __init__(
        self, *, activity_regularizer=None, trainable=True, dtype=None, autocast=True, name=None, **kwargs,
    ) -> None: ...
    def __call__(self, *args, **kwargs): ...
    def build(self, input_shape): ...
    def call(self, *args, **kwargs): ...
    def get_weights(self): ...
    def set_weights(self, weights) -> None: ...
    trainable_weights: Parameters
    trainable_variables: Parameters


def Input(
    shape=None, batch_size=None, dtype=None, sparse=None, ragged=None, batch_shape=None, name=None, tensor=None,
    optional=False,
): ...
class InputLayer(Layer):
    def __init__(
        self, shape=None, batch_size=None, dtype=None, sparse=None, ragged=None, batch_shape=None, input_tensor=None,
        optional=False, name=None, **kwargs,
    ) -> None: ...

@activated(by="activation")
class Activation(Layer):
    def __init__(self, activation, **kwargs) -> None: ...
    def call(self, inputs: T, *args, **kwargs) -> T: ...

class ActivityRegularization(Layer):
    def __init__(self, l1=0.0, l2=0.0, **kwargs) -> None: ...

class Add(Layer):
    def __init__(self, **kwargs) -> None: ...

class AdditiveAttention(Layer):
    def __init__(self, use_scale=True, dropout=0.0, **kwargs) -> None: ...

@mode_dependent
class AlphaDropout(Layer):
    def __init__(self, rate, noise_shape=None, seed: Seed = None, **kwargs) -> None: ...
    def call(self, inputs: T, *args, **kwargs) -> T: ...

class Attention(Layer):
    def __init__(self, use_scale=False, score_mode="dot", dropout=0.0, seed: Seed = None, **kwargs) -> None: ...

class Average(Layer):
    def __init__(self, **kwargs) -> None: ...

class AveragePooling1D(Layer):
    def __init__(self, pool_size, strides=None, padding="valid", data_format=None, name=None, **kwargs) -> None: ...

class AveragePooling2D(Layer):
    def __init__(self, pool_size, strides=None, padding="valid", data_format=None, name=None, **kwargs) -> None: ...

class AveragePooling3D(Layer):
    def __init__(self, pool_size, strides=None, padding="valid", data_format=None, name=None, **kwargs) -> None: ...

@mode_dependent
class BatchNormalization(Layer):
    def __init__(
        self, axis=-1, momentum=0.99, epsilon=0.001, center=True, scale=True, beta_initializer="zeros",
        gamma_initializer="ones", moving_mean_initializer="zeros", moving_variance_initializer="ones",
        beta_regularizer=None, gamma_regularizer=None, beta_constraint=None, gamma_constraint=None, renorm=False,
        renorm_clipping=None, renorm_momentum=0.99, synchronized=False, **kwargs,
    ) -> None: ...

class Bidirectional(Layer):
    def __init__(self, layer, merge_mode="concat", weights=None, backward_layer=None, **kwargs) -> None: ...

class CategoryEncoding(Layer):
    def __init__(self, num_tokens=None, output_mode="multi_hot", sparse=False, **kwargs) -> None: ...

class Concatenate(Layer):
    def __init__(self, axis=-1, **kwargs) -> None: ...

class ContrastLimitedAdaptiveHistogramEqualization(Layer):
    def __init__(
        self, value_range=(0, 255), clip_limit=4.0, tile_grid_size=(8, 8), data_format=None, **kwargs,
    ) -> None: ...

@activated(by="activation")
class Conv1D(Layer):
    def __init__(
        self, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1, groups=1,
        activation=None, use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros",
        kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
        bias_constraint=None, **kwargs,
    ) -> None: ...

@activated(by="activation")
class Conv1DTranspose(Layer):
    def __init__(
        self, filters, kernel_size, strides=1, padding="valid", output_padding=None, data_format=None,
        dilation_rate=1, activation=None, use_bias=True, kernel_initializer="glorot_uniform",
        bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
        kernel_constraint=None, bias_constraint=None, **kwargs,
    ) -> None: ...

@activated(by="activation")
class Conv2D(Layer):
    def __init__(
        self, filters, kernel_size, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1), groups=1,
        activation=None, use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros",
        kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
        bias_constraint=None, **kwargs,
    ) -> None: ...

@activated(by="activation")
class Conv2DTranspose(Layer):
    def __init__(
        self, filters, kernel_size, strides=(1, 1), padding="valid", output_padding=None, data_format=None,
        dilation_rate=(1, 1), activation=None, use_bias=True, kernel_initializer="glorot_uniform",
        bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
        kernel_constraint=None, bias_constraint=None, **kwargs,
    ) -> None: ...

@activated(by="activation")
class Conv3D(Layer):
    def __init__(
        self, filters, kernel_size, strides=(1, 1, 1), padding="valid", data_format=None, dilation_rate=(1, 1, 1),
        groups=1, activation=None, use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros",
        kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
        bias_constraint=None, **kwargs,
    ) -> None: ...

@activated(by="activation")
class Conv3DTranspose(Layer):
    def __init__(
        self, filters, kernel_size, strides=(1, 1, 1), padding="valid", data_format=None, output_padding=None,
        dilation_rate=(1, 1, 1), activation=None, use_bias=True, kernel_initializer="glorot_uniform",
        bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
        kernel_constraint=None, bias_constraint=None, **kwargs,
    ) -> None: ...

class Cropping1D(Layer):
    def __init__(self, cropping=(1, 1), **kwargs) -> None: ...

class Cropping2D(Layer):
    def __init__(self, cropping=..., data_format=None, **kwargs) -> None: ...

class Cropping3D(Layer):
    def __init__(self, cropping=..., data_format=None, **kwargs) -> None: ...

@activated(by="activation")
class Dense(Layer):
    def __init__(
        self, units, activation=None, use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros",
        kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
        bias_constraint=None, lora_rank=None, lora_alpha=None, quantization_config=None, **kwargs,
    ) -> None: ...

@activated(by="activation")
class DepthwiseConv1D(Layer):
    def __init__(
        self, kernel_size, strides=1, padding="valid", depth_multiplier=1, data_format=None, dilation_rate=1,
        activation=None, use_bias=True, depthwise_initializer="glorot_uniform", bias_initializer="zeros",
        depthwise_regularizer=None, bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None,
        bias_constraint=None, **kwargs,
    ) -> None: ...

@activated(by="activation")
class DepthwiseConv2D(Layer):
    def __init__(
        self, kernel_size, strides=(1, 1), padding="valid", depth_multiplier=1, data_format=None,
        dilation_rate=(1, 1), activation=None, use_bias=True, depthwise_initializer="glorot_uniform",
        bias_initializer="zeros", depthwise_regularizer=None, bias_regularizer=None, activity_regularizer=None,
        depthwise_constraint=None, bias_constraint=None, **kwargs,
    ) -> None: ...

@statistics
class Discretization(Layer):
    def __init__(
        self, bin_boundaries=None, num_bins=None, epsilon=0.01, output_mode="int", sparse=False, dtype=None,
        name=None,
    ) -> None: ...
    @fits(of="self", on="data")
    def adapt(self, data: Rows, steps=None) -> None: ...

class Dot(Layer):
    def __init__(self, axes, normalize=False, **kwargs) -> None: ...

@mode_dependent
class Dropout(Layer):
    def __init__(self, rate, noise_shape=None, seed: Seed = None, **kwargs) -> None: ...
    def call(self, inputs: T, *args, **kwargs) -> T: ...

class ELU(Layer):
    def __init__(self, alpha=1.0, **kwargs) -> None: ...

@activated(by="activation")
class EinsumDense(Layer):
    def __init__(
        self, equation, output_shape, activation=None, bias_axes=None, kernel_initializer="glorot_uniform",
        bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None, kernel_constraint=None,
        bias_constraint=None, lora_rank=None, lora_alpha=None, gptq_unpacked_column_size=None,
        quantization_config=None, **kwargs,
    ) -> None: ...

class Embedding(Layer):
    def __init__(
        self, input_dim, output_dim, embeddings_initializer="uniform", embeddings_regularizer=None,
        embeddings_constraint=None, mask_zero=False, weights=None, lora_rank=None, lora_alpha=None,
        quantization_config=None, **kwargs,
    ) -> None: ...

class Flatten(Layer):
    def __init__(self, data_format=None, **kwargs) -> None: ...
    def call(self, inputs: T, *args, **kwargs) -> T: ...

@mode_dependent
class GRU(Layer):
    def __init__(
        self, units, activation="tanh", recurrent_activation="sigmoid", use_bias=True,
        kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal", bias_initializer="zeros",
        kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None, activity_regularizer=None,
        kernel_constraint=None, recurrent_constraint=None, bias_constraint=None, dropout=0.0, recurrent_dropout=0.0,
        seed: Seed = None, return_sequences=False, return_state=False, go_backwards=False, stateful=False,
        unroll=False, reset_after=True, use_cudnn="auto", **kwargs,
    ) -> None: ...

@mode_dependent
class GaussianDropout(Layer):
    def __init__(self, rate, seed: Seed = None, **kwargs) -> None: ...
    def call(self, inputs: T, *args, **kwargs) -> T: ...

@mode_dependent
class GaussianNoise(Layer):
    def __init__(self, stddev, seed: Seed = None, **kwargs) -> None: ...

class GlobalAveragePooling1D(Layer):
    def __init__(self, data_format=None, keepdims=False, **kwargs) -> None: ...

class GlobalAveragePooling2D(Layer):
    def __init__(self, data_format=None, keepdims=False, **kwargs) -> None: ...

class GlobalAveragePooling3D(Layer):
    def __init__(self, data_format=None, keepdims=False, **kwargs) -> None: ...

class GlobalMaxPooling1D(Layer):
    def __init__(self, data_format=None, keepdims=False, **kwargs) -> None: ...

class GlobalMaxPooling2D(Layer):
    def __init__(self, data_format=None, keepdims=False, **kwargs) -> None: ...

class GlobalMaxPooling3D(Layer):
    def __init__(self, data_format=None, keepdims=False, **kwargs) -> None: ...

class GroupNormalization(Layer):
    def __init__(
        self, groups=32, axis=-1, epsilon=0.001, center=True, scale=True, beta_initializer="zeros",
        gamma_initializer="ones", beta_regularizer=None, gamma_regularizer=None, beta_constraint=None,
        gamma_constraint=None, **kwargs,
    ) -> None: ...

class Hashing(Layer):
    def __init__(self, num_bins, mask_value=None, salt=None, output_mode="int", sparse=False, **kwargs) -> None: ...

class Identity(Layer):
    def __init__(self, **kwargs) -> None: ...
    def call(self, inputs: T, *args, **kwargs) -> T: ...

class IntegerLookup(Layer):
    def __init__(
        self, max_tokens=None, num_oov_indices=1, mask_token=None, oov_token=-1, vocabulary=None,
        vocabulary_dtype="int64", idf_weights=None, invert=False, output_mode="int", sparse=False,
        pad_to_max_tokens=False, oov_method="floormod", salt=None, name=None, **kwargs,
    ) -> None: ...

@mode_dependent
class LSTM(Layer):
    def __init__(
        self, units, activation="tanh", recurrent_activation="sigmoid", use_bias=True,
        kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal", bias_initializer="zeros",
        unit_forget_bias=True, kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None,
        activity_regularizer=None, kernel_constraint=None, recurrent_constraint=None, bias_constraint=None,
        dropout=0.0, recurrent_dropout=0.0, seed: Seed = None, return_sequences=False, return_state=False,
        go_backwards=False, stateful=False, unroll=False, use_cudnn="auto", **kwargs,
    ) -> None: ...

class Lambda(Layer):
    def __init__(self, function, output_shape=None, mask=None, arguments=None, **kwargs) -> None: ...

class LayerNormalization(Layer):
    def __init__(
        self, axis=-1, epsilon=0.001, center=True, scale=True, beta_initializer="zeros", gamma_initializer="ones",
        beta_regularizer=None, gamma_regularizer=None, beta_constraint=None, gamma_constraint=None, **kwargs,
    ) -> None: ...

class LeakyReLU(Layer):
    def __init__(self, negative_slope=0.3, **kwargs) -> None: ...

class Masking(Layer):
    def __init__(self, mask_value=0.0, **kwargs) -> None: ...
    def call(self, inputs: T, *args, **kwargs) -> T: ...

class MaxPooling1D(Layer):
    def __init__(self, pool_size=2, strides=None, padding="valid", data_format=None, name=None, **kwargs) -> None: ...

class MaxPooling2D(Layer):
    def __init__(
        self, pool_size=(2, 2), strides=None, padding="valid", data_format=None, name=None, **kwargs,
    ) -> None: ...

class MaxPooling3D(Layer):
    def __init__(
        self, pool_size=(2, 2, 2), strides=None, padding="valid", data_format=None, name=None, **kwargs,
    ) -> None: ...

class Maximum(Layer):
    def __init__(self, **kwargs) -> None: ...

class Minimum(Layer):
    def __init__(self, **kwargs) -> None: ...

@mode_dependent
class MultiHeadAttention(Layer):
    def __init__(
        self, num_heads, key_dim, value_dim=None, dropout=0.0, use_bias=True, output_shape=None, attention_axes=None,
        sliding_window=None, flash_attention=None, kernel_initializer="glorot_uniform", bias_initializer="zeros",
        kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
        bias_constraint=None, use_gate=False, seed: Seed = None, **kwargs,
    ) -> None: ...

class Multiply(Layer):
    def __init__(self, **kwargs) -> None: ...

@statistics
class Normalization(Layer):
    def __init__(self, axis=-1, mean=None, variance=None, invert=False, **kwargs) -> None: ...
    @fits(of="self", on="data")
    def adapt(self, data: Rows) -> None: ...

class PReLU(Layer):
    def __init__(
        self, alpha_initializer="Zeros", alpha_regularizer=None, alpha_constraint=None, shared_axes=None, **kwargs,
    ) -> None: ...

class Permute(Layer):
    def __init__(self, dims, **kwargs) -> None: ...
    def call(self, inputs: T, *args, **kwargs) -> T: ...

class RMSNormalization(Layer):
    def __init__(self, axis=-1, epsilon=1e-06, **kwargs) -> None: ...

@Random
class RandomBrightness(Layer):
    def __init__(self, factor, value_range=(0, 255), seed: Seed = None, **kwargs) -> None: ...

@Random
class RandomContrast(Layer):
    def __init__(self, factor, value_range=(0, 255), seed: Seed = None, **kwargs) -> None: ...

@Random
class RandomCrop(Layer):
    def __init__(self, height, width, seed: Seed = None, data_format=None, name=None, **kwargs) -> None: ...

@Random
class RandomFlip(Layer):
    def __init__(self, mode="horizontal_and_vertical", seed: Seed = None, data_format=None, **kwargs) -> None: ...

@Random
class RandomRotation(Layer):
    def __init__(
        self, factor, fill_mode="reflect", interpolation="bilinear", seed: Seed = None, fill_value=0.0,
        data_format=None, **kwargs,
    ) -> None: ...

@Random
class RandomTranslation(Layer):
    def __init__(
        self, height_factor, width_factor, fill_mode="reflect", interpolation="bilinear", seed: Seed = None,
        fill_value=0.0, data_format=None, **kwargs,
    ) -> None: ...

@Random
class RandomZoom(Layer):
    def __init__(
        self, height_factor, width_factor=None, fill_mode="reflect", interpolation="bilinear", seed: Seed = None,
        fill_value=0.0, data_format=None, **kwargs,
    ) -> None: ...

class ReLU(Layer):
    def __init__(self, max_value=None, negative_slope=0.0, threshold=0.0, **kwargs) -> None: ...

class RepeatVector(Layer):
    def __init__(self, n, **kwargs) -> None: ...
    def call(self, inputs: T, *args, **kwargs) -> T: ...

class Rescaling(Layer):
    def __init__(self, scale, offset=0.0, **kwargs) -> None: ...

class Reshape(Layer):
    def __init__(self, target_shape, **kwargs) -> None: ...
    def call(self, inputs: T, *args, **kwargs) -> T: ...

class Resizing(Layer):
    def __init__(
        self, height, width, interpolation="bilinear", crop_to_aspect_ratio=False, pad_to_aspect_ratio=False,
        fill_mode="constant", fill_value=0.0, antialias=False, data_format=None, **kwargs,
    ) -> None: ...

@activated(by="activation")
class SeparableConv1D(Layer):
    def __init__(
        self, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1, depth_multiplier=1,
        activation=None, use_bias=True, depthwise_initializer="glorot_uniform",
        pointwise_initializer="glorot_uniform", bias_initializer="zeros", depthwise_regularizer=None,
        pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None,
        pointwise_constraint=None, bias_constraint=None, **kwargs,
    ) -> None: ...

@activated(by="activation")
class SeparableConv2D(Layer):
    def __init__(
        self, filters, kernel_size, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1),
        depth_multiplier=1, activation=None, use_bias=True, depthwise_initializer="glorot_uniform",
        pointwise_initializer="glorot_uniform", bias_initializer="zeros", depthwise_regularizer=None,
        pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None,
        pointwise_constraint=None, bias_constraint=None, **kwargs,
    ) -> None: ...

@mode_dependent
class SimpleRNN(Layer):
    def __init__(
        self, units, activation="tanh", use_bias=True, kernel_initializer="glorot_uniform",
        recurrent_initializer="orthogonal", bias_initializer="zeros", kernel_regularizer=None,
        recurrent_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
        recurrent_constraint=None, bias_constraint=None, dropout=0.0, recurrent_dropout=0.0, return_sequences=False,
        return_state=False, go_backwards=False, stateful=False, unroll=False, seed: Seed = None, **kwargs,
    ) -> None: ...

class Softmax(Layer):
    def __init__(self, axis=-1, **kwargs) -> None: ...
    def call(self, inputs, mask=None) -> Probs: ...

@mode_dependent
class SpatialDropout1D(Layer):
    def __init__(self, rate, seed: Seed = None, name=None, dtype=None) -> None: ...
    def call(self, inputs: T, *args, **kwargs) -> T: ...

@mode_dependent
class SpatialDropout2D(Layer):
    def __init__(self, rate, data_format=None, seed: Seed = None, name=None, dtype=None) -> None: ...
    def call(self, inputs: T, *args, **kwargs) -> T: ...

@mode_dependent
class SpatialDropout3D(Layer):
    def __init__(self, rate, data_format=None, seed: Seed = None, name=None, dtype=None) -> None: ...
    def call(self, inputs: T, *args, **kwargs) -> T: ...

class StringLookup(Layer):
    def __init__(
        self, max_tokens=None, num_oov_indices=1, mask_token=None, oov_token="[UNK]", vocabulary=None,
        idf_weights=None, invert=False, output_mode="int", pad_to_max_tokens=False, sparse=False, encoding="utf-8",
        name=None, salt=None, **kwargs,
    ) -> None: ...

class Subtract(Layer):
    def __init__(self, **kwargs) -> None: ...

@statistics
class TextVectorization(Layer):
    def __init__(
        self, max_tokens=None, standardize="lower_and_strip_punctuation", split="whitespace", ngrams=None,
        output_mode="int", output_sequence_length=None, pad_to_max_tokens=False, vocabulary=None, idf_weights=None,
        sparse=False, ragged=False, encoding="utf-8", name=None, **kwargs,
    ) -> None: ...
    @fits(of="self", on="data")
    def adapt(self, data: Rows, batch_size=None, steps=None) -> None: ...

class TimeDistributed(Layer):
    def __init__(self, layer, **kwargs) -> None: ...

class UnitNormalization(Layer):
    def __init__(self, axis=-1, **kwargs) -> None: ...

class UpSampling1D(Layer):
    def __init__(self, size=2, **kwargs) -> None: ...

class UpSampling2D(Layer):
    def __init__(self, size=(2, 2), data_format=None, interpolation="nearest", **kwargs) -> None: ...

class UpSampling3D(Layer):
    def __init__(self, size=(2, 2, 2), data_format=None, **kwargs) -> None: ...

class ZeroPadding1D(Layer):
    def __init__(self, padding=1, data_format=None, **kwargs) -> None: ...

class ZeroPadding2D(Layer):
    def __init__(self, padding=(1, 1), data_format=None, **kwargs) -> None: ...

class ZeroPadding3D(Layer):
    def __init__(self, padding=..., data_format=None, **kwargs) -> None: ...

AvgPool1D = AveragePooling1D
AvgPool2D = AveragePooling2D
AvgPool3D = AveragePooling3D
Convolution1D = Conv1D
Convolution1DTranspose = Conv1DTranspose
Convolution2D = Conv2D
Convolution2DTranspose = Conv2DTranspose
Convolution3D = Conv3D
Convolution3DTranspose = Conv3DTranspose
GlobalAvgPool1D = GlobalAveragePooling1D
GlobalAvgPool2D = GlobalAveragePooling2D
GlobalAvgPool3D = GlobalAveragePooling3D
GlobalMaxPool1D = GlobalMaxPooling1D
GlobalMaxPool2D = GlobalMaxPooling2D
GlobalMaxPool3D = GlobalMaxPooling3D
MaxPool1D = MaxPooling1D
MaxPool2D = MaxPooling2D
MaxPool3D = MaxPooling3D
SeparableConvolution1D = SeparableConv1D
SeparableConvolution2D = SeparableConv2D
def add(inputs, **kwargs): ...
def average(inputs, **kwargs): ...
def concatenate(inputs, axis=-1, **kwargs): ...
def dot(inputs, axes=-1, **kwargs): ...
def maximum(inputs, **kwargs): ...
def minimum(inputs, **kwargs): ...
def multiply(inputs, **kwargs): ...
def subtract(inputs, **kwargs): ...
