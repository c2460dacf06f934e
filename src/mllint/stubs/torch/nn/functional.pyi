"""torch.nn.functional: layers and losses as functions.

The annotations say the same as the classes of `torch/nn/__init__.pyi`. `training` is a parameter here: nothing
knows the mode of a module.
"""

from mllint.semantics.vocabulary import (
    BinaryLogits,
    Bounded,
    ClassIndex,
    NonDifferentiable,
    LogProbs,
    Logits,
    Loss,
    Probs,
    Raw,
    Rectified,
    Sigmoided,
    T,
    Target,
    Tensor,
    draws,
    pure,
)

# activations
@pure
def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: int | None = None) -> Probs: ...
@pure
def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: int | None = None) -> Probs: ...
@draws("torch")
def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Probs: ...
@pure
def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: int | None = None) -> LogProbs: ...
@pure
def sigmoid(input) -> Sigmoided: ...
@pure
def hardsigmoid(input: Tensor, inplace: bool = False) -> Sigmoided: ...
@pure
def relu(input: Tensor, inplace: bool = False) -> Rectified: ...
@pure
def relu6(input: Tensor, inplace: bool = False) -> Rectified: ...
@pure
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor: ...
@pure
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor: ...
@pure
def selu(input: Tensor, inplace: bool = False) -> Tensor: ...
@pure
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor: ...
@pure
def gelu(input: Tensor, approximate: str = ...) -> Tensor: ...
@pure
def silu(input: Tensor, inplace: bool = False) -> Tensor: ...
@pure
def mish(input: Tensor, inplace: bool = False) -> Tensor: ...
@pure
def glu(input: Tensor, dim: int = -1) -> Tensor: ...
@pure
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor: ...
@pure
def hardswish(input: Tensor, inplace: bool = False) -> Tensor: ...
@pure
def hardshrink(input: Tensor, lambd=0.5, *, out: Tensor | None = None) -> Tensor: ...
@pure
def softshrink(input: Tensor, lambd: float = ...) -> Tensor: ...
@pure
def tanhshrink(input) -> Tensor: ...
@pure
def softsign(input) -> Tensor: ...
@pure
def softplus(input: Tensor, beta: float = ..., threshold: float = ...) -> Tensor: ...
@pure
def tanh(input) -> Bounded: ...
@pure
def prelu(input: Tensor, weight: Tensor) -> Tensor: ...
@pure
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor: ...
@pure
def logsigmoid(input) -> Tensor: ...
@draws("torch")
def rrelu(
    input: Tensor,
    lower: float = 0.125,
    upper: float = 0.3333333333333333,
    training: bool = False,
    inplace: bool = False,
) -> Tensor: ...
def relu_(input: Tensor) -> Rectified: ...
def elu_(input: Tensor, alpha: float = ...) -> Tensor: ...
def selu_(input: Tensor) -> Tensor: ...
def celu_(input: Tensor, alpha=1.0) -> Tensor: ...
def leaky_relu_(input: Tensor, negative_slope: float = ...) -> Tensor: ...
def hardtanh_(input: Tensor, min_val: float = ..., max_val: float = ...) -> Tensor: ...
def threshold_(input: Tensor, threshold, value) -> Tensor: ...

# random while training
@draws("torch", when="training")
def dropout(input: T, p: float = 0.5, training: bool = True, inplace: bool = False) -> T: ...
@draws("torch", when="training")
def dropout1d(input: T, p: float = 0.5, training: bool = True, inplace: bool = False) -> T: ...
@draws("torch", when="training")
def dropout2d(input: T, p: float = 0.5, training: bool = True, inplace: bool = False) -> T: ...
@draws("torch", when="training")
def dropout3d(input: T, p: float = 0.5, training: bool = True, inplace: bool = False) -> T: ...
@draws("torch", when="training")
def alpha_dropout(input: T, p: float = 0.5, training: bool = False, inplace: bool = False) -> T: ...
@draws("torch", when="training")
def feature_alpha_dropout(input: T, p: float = 0.5, training: bool = False, inplace: bool = False) -> T: ...

# affine and normalising
@pure
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Raw: ...
@pure
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Raw: ...
@pure
def conv1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0, dilation=1, groups=1
) -> Raw: ...
@pure
def conv2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0, dilation=1, groups=1
) -> Raw: ...
@pure
def conv3d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0, dilation=1, groups=1
) -> Raw: ...
@pure
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Raw: ...
@pure
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride=1,
    padding=0,
    output_padding=0,
    groups=1,
    dilation=1,
) -> Raw: ...
@pure
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride=1,
    padding=0,
    output_padding=0,
    groups=1,
    dilation=1,
) -> Raw: ...
@pure
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride=1,
    padding=0,
    output_padding=0,
    groups=1,
    dilation=1,
) -> Raw: ...
@pure
def layer_norm(
    input: Tensor, normalized_shape, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05
) -> Raw: ...
@pure
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05
) -> Raw: ...
@pure
def rms_norm(input: Tensor, normalized_shape, weight: Tensor | None = None, eps: float | None = None) -> Raw: ...
@pure
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Raw: ...
@pure
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Raw: ...
@pure
def local_response_norm(
    input: Tensor, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0
) -> Tensor: ...
@pure
def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor: ...

# shape, resolution, pooling
@pure
def interpolate(
    input: T,
    size: int | None = None,
    scale_factor=None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> T: ...
@pure
def upsample(input: T, size=None, scale_factor=None, mode="nearest", align_corners=None) -> T: ...
@pure
def upsample_bilinear(input: T, size=None, scale_factor=None) -> T: ...
@pure
def upsample_nearest(input: T, size=None, scale_factor=None) -> T: ...
@pure
def pad(input: T, pad, mode: str = "constant", value: float | None = None) -> T: ...
@pure
def pixel_shuffle(input: T, upscale_factor: int) -> T: ...
@pure
def pixel_unshuffle(input: T, downscale_factor: int) -> T: ...
@pure
def channel_shuffle(input: T, groups) -> T: ...
@pure
def avg_pool1d(
    input: T, kernel_size, stride=(), padding=0, ceil_mode: bool = False, count_include_pad: bool = True
) -> T: ...
@pure
def avg_pool2d(
    input: T,
    kernel_size,
    stride=None,
    padding=0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> T: ...
@pure
def avg_pool3d(
    input: T,
    kernel_size,
    stride=None,
    padding=0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> T: ...
@pure
def adaptive_avg_pool1d(input: T, output_size) -> T: ...
@pure
def adaptive_avg_pool2d(input: T, output_size) -> T: ...
@pure
def adaptive_avg_pool3d(input: T, output_size) -> T: ...
@pure
def max_pool1d(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
) -> Tensor: ...
@pure
def max_pool2d(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
) -> Tensor: ...
@pure
def max_pool3d(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
) -> Tensor: ...
@pure
def adaptive_max_pool1d(input, output_size, return_indices=False) -> Tensor: ...
@pure
def adaptive_max_pool2d(input, output_size, return_indices=False) -> Tensor: ...
@pure
def adaptive_max_pool3d(input, output_size, return_indices=False) -> Tensor: ...
def fractional_max_pool2d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
) -> Tensor: ...
def fractional_max_pool3d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
) -> Tensor: ...
@pure
def max_unpool1d(input: Tensor, indices: Tensor, kernel_size, stride=None, padding=0, output_size=None) -> Tensor: ...
@pure
def max_unpool2d(input: Tensor, indices: Tensor, kernel_size, stride=None, padding=0, output_size=None) -> Tensor: ...
@pure
def max_unpool3d(input: Tensor, indices: Tensor, kernel_size, stride=None, padding=0, output_size=None) -> Tensor: ...
@pure
def lp_pool1d(input: Tensor, norm_type, kernel_size: int, stride=None, ceil_mode: bool = False) -> Tensor: ...
@pure
def lp_pool2d(input: Tensor, norm_type, kernel_size, stride=None, ceil_mode: bool = False) -> Tensor: ...
@pure
def lp_pool3d(input: Tensor, norm_type, kernel_size, stride=None, ceil_mode: bool = False) -> Tensor: ...
@pure
def fold(input: Tensor, output_size, kernel_size, dilation=1, padding=0, stride=1) -> Tensor: ...
@pure
def unfold(input: Tensor, kernel_size, dilation=1, padding=0, stride=1) -> Tensor: ...
@pure
def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor: ...
@pure
def affine_grid(theta: Tensor, size, align_corners: bool | None = None) -> Tensor: ...

# embeddings, attention, distances
@pure
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor: ...
@pure
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor: ...
@pure
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-08) -> Tensor: ...
@pure
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2, eps: float = 1e-06, keepdim: bool = False) -> Tensor: ...
@pure
def pdist(input: Tensor, p: float = 2) -> Tensor: ...
@pure
def one_hot(tensor: T, num_classes: int = ...) -> NonDifferentiable[T]: ...
@draws("torch", when="dropout_p")
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor: ...
@pure
def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor]: ...

# losses
@pure
def cross_entropy(
    input: Logits,
    target: ClassIndex | Probs | Target,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Loss: ...
@pure
def nll_loss(
    input: LogProbs,
    target: ClassIndex,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Loss: ...
@pure
def binary_cross_entropy(
    input: Sigmoided | Probs,
    target: Target,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Loss: ...
@pure
def binary_cross_entropy_with_logits(
    input: BinaryLogits,
    target: Target,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Loss: ...
@pure
def mse_loss(
    input: Tensor,
    target: Target,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Loss: ...
@pure
def l1_loss(
    input: Tensor,
    target: Target,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Loss: ...
@pure
def smooth_l1_loss(
    input: Tensor,
    target: Target,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Loss: ...
@pure
def huber_loss(
    input: Tensor, target: Target, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Loss: ...
@pure
def kl_div(
    input: LogProbs,
    target: Target,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Loss: ...
@pure
def poisson_nll_loss(
    input: Tensor,
    target: Target,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-08,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Loss: ...
@pure
def gaussian_nll_loss(
    input: Tensor, target: Target, var, full: bool = False, eps: float = 1e-06, reduction: str = "mean"
) -> Loss: ...
@pure
def ctc_loss(
    log_probs: LogProbs,
    targets: Target,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Loss: ...
@pure
def hinge_embedding_loss(
    input: Tensor,
    target: Target,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Loss: ...
@pure
def multilabel_margin_loss(
    input: Tensor,
    target: Target,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Loss: ...
@pure
def multilabel_soft_margin_loss(
    input: BinaryLogits,
    target: Target,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Loss: ...
@pure
def multi_margin_loss(
    input: Tensor,
    target: ClassIndex,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Loss: ...
@pure
def soft_margin_loss(
    input: Tensor,
    target: Target,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Loss: ...
@pure
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Target,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Loss: ...
@pure
def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Target,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Loss: ...
@pure
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-06,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Loss: ...
@pure
def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function=None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Loss: ...
@pure
def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: ClassIndex | Probs | Target,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options=None,
) -> Loss: ...
