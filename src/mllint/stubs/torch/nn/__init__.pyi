"""torch.nn: what each layer does to the traits of its input, what each criterion expects, and a module's methods.

A layer's call is its `forward`. Affine and normalising layers give `Raw` scores; layers that only rearrange or mask
pass the traits on. A criterion's annotations are the expectations that the loss rules compare with.
"""

from typing_extensions import Self

from mllint.semantics.vocabulary import (
    BinaryLogits,
    Bounded,
    ClassIndex,
    Closure,
    LogProbs,
    Logits,
    Loss,
    Parameters,
    Probs,
    Raw,
    Rectified,
    Sigmoided,
    T,
    Target,
    Tensor,
    chains,
    clears_grad,
    freezes,
    inert,
    mode_dependent,
    reads_state,
    restores_state,
    sets_mode,
)
import torch.nn.functional as functional
import torch.nn.init as init
import torch.nn.modules as modules
import torch.nn.parallel as parallel
import torch.nn.utils as utils
from torch.nn.parallel import DataParallel as DataParallel
from torch.nn.parameter import Buffer as Buffer
from torch.nn.parameter import Parameter as Parameter
from torch.nn.parameter import UninitializedBuffer as UninitializedBuffer
from torch.nn.parameter import UninitializedParameter as UninitializedParameter

class Module:
    training: bool
    def __init__(self, *args, **kwargs) -> None: ...
    @sets_mode("train", of="self")
    def train(self, mode: bool = True) -> Self: ...
    @sets_mode("eval", of="self")
    def eval(self) -> Self: ...
    @clears_grad(of="self")
    def zero_grad(self, set_to_none: bool = True) -> None: ...
    @freezes(of="self")
    def requires_grad_(self, requires_grad: bool = True) -> Self: ...
    def parameters(self, recurse: bool = True) -> Parameters: ...
    def named_parameters(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Parameters: ...
    def get_parameter(self, target: str) -> Parameters: ...
    @inert
    def buffers(self, recurse: bool = True) -> object: ...
    @inert
    def named_buffers(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> object: ...
    @inert
    def get_buffer(self, target: str) -> object: ...
    def children(self) -> object: ...
    def named_children(self) -> object: ...
    def modules(self, remove_duplicate: bool = True) -> object: ...
    def named_modules(self, memo=None, prefix: str = "", remove_duplicate: bool = True) -> object: ...
    def get_submodule(self, target: str) -> object: ...
    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None: ...
    def add_module(self, name: str, module: Module | None) -> None: ...
    def register_module(self, name: str, module: Module | None) -> None: ...
    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None: ...
    def register_parameter(self, name: str, param: Parameter | None) -> None: ...
    @reads_state(of="self")
    def state_dict(self, *args, destination=None, prefix="", keep_vars=False) -> object: ...
    @restores_state(of="self")
    def load_state_dict(self, state_dict, strict: bool = True, assign: bool = False) -> object: ...
    def to(self, *args, **kwargs) -> Self: ...
    def to_empty(self, *, device, recurse: bool = True) -> Self: ...
    def cuda(self, device=None) -> Self: ...
    def cpu(self) -> Self: ...
    def xpu(self, device=None) -> Self: ...
    def ipu(self, device=None) -> Self: ...
    def mtia(self, device=None) -> Self: ...
    def type(self, dst_type) -> Self: ...
    def float(self) -> Self: ...
    def double(self) -> Self: ...
    def half(self) -> Self: ...
    def bfloat16(self) -> Self: ...
    def share_memory(self) -> Self: ...
    def compile(self, *args, **kwargs) -> None: ...
    def apply(self, fn: Closure) -> Self: ...
    def register_forward_hook(
        self, hook, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> object: ...
    def register_forward_pre_hook(self, hook, *, prepend: bool = False, with_kwargs: bool = False) -> object: ...
    def register_full_backward_hook(self, hook, prepend: bool = False) -> object: ...
    def register_full_backward_pre_hook(self, hook, prepend: bool = False) -> object: ...
    def register_backward_hook(self, hook) -> object: ...
    def register_state_dict_post_hook(self, hook) -> object: ...
    def register_state_dict_pre_hook(self, hook) -> object: ...
    def register_load_state_dict_pre_hook(self, hook) -> object: ...
    def register_load_state_dict_post_hook(self, hook) -> object: ...
    @inert
    def extra_repr(self) -> str: ...
    def get_extra_state(self) -> object: ...
    def set_extra_state(self, state) -> None: ...

@chains(of="args")
class Sequential(Module):
    def __init__(self, *args) -> None: ...
    def forward(self, input) -> Tensor: ...
    def append(self, module: Module) -> Self: ...
    def insert(self, index: int, module: Module) -> Self: ...
    def extend(self, sequential) -> Self: ...
    def pop(self, key) -> object: ...
    def __getitem__(self, idx) -> object: ...
    def __len__(self) -> int: ...

class ModuleList(Module):
    def __init__(self, modules=None) -> None: ...
    def append(self, module: Module) -> Self: ...
    def insert(self, index: int, module: Module) -> None: ...
    def extend(self, modules) -> Self: ...
    def pop(self, key) -> object: ...
    def __getitem__(self, idx) -> object: ...
    def __len__(self) -> int: ...

class ModuleDict(Module):
    def __init__(self, modules=None) -> None: ...
    def update(self, modules) -> None: ...
    def keys(self) -> object: ...
    def values(self) -> object: ...
    def items(self) -> object: ...
    def pop(self, key: str) -> object: ...
    def clear(self) -> None: ...
    def __getitem__(self, key: str) -> object: ...
    def __setitem__(self, key: str, module: Module) -> None: ...
    def __len__(self) -> int: ...

class ParameterList(Module):
    def __init__(self, values=None) -> None: ...
    def append(self, value) -> Self: ...
    def extend(self, values) -> Self: ...
    def __getitem__(self, idx) -> object: ...
    def __len__(self) -> int: ...

class ParameterDict(Module):
    def __init__(self, parameters=None) -> None: ...
    def update(self, parameters) -> None: ...
    def keys(self) -> object: ...
    def values(self) -> object: ...
    def items(self) -> object: ...
    def __getitem__(self, key: str) -> object: ...
    def __setitem__(self, key: str, value) -> None: ...
    def __len__(self) -> int: ...

# affine
class _ConvNd(Module): ...

class Linear(Module):
    def __init__(self, in_features: int, out_features: int, bias: bool = True, device=None, dtype=None) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

class LazyLinear(Module):
    def __init__(self, out_features: int, bias: bool = True, device=None, dtype=None) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

class Bilinear(Module):
    def __init__(
        self, in1_features: int, in2_features: int, out_features: int, bias: bool = True, device=None, dtype=None
    ) -> None: ...
    def forward(self, input1: Tensor, input2: Tensor) -> Raw: ...

class Conv1d(_ConvNd):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups: int = 1,
        bias: bool = True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

class Conv2d(_ConvNd):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups: int = 1,
        bias: bool = True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

class Conv3d(_ConvNd):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups: int = 1,
        bias: bool = True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

class LazyConv1d(_ConvNd):
    def __init__(
        self,
        out_channels: int,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups: int = 1,
        bias: bool = True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

class LazyConv2d(_ConvNd):
    def __init__(
        self,
        out_channels: int,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups: int = 1,
        bias: bool = True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

class LazyConv3d(_ConvNd):
    def __init__(
        self,
        out_channels: int,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups: int = 1,
        bias: bool = True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

class ConvTranspose1d(_ConvNd):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups: int = 1,
        bias: bool = True,
        dilation=1,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(self, input: Tensor, output_size=None) -> Raw: ...

class ConvTranspose2d(_ConvNd):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups: int = 1,
        bias: bool = True,
        dilation=1,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(self, input: Tensor, output_size=None) -> Raw: ...

class ConvTranspose3d(_ConvNd):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups: int = 1,
        bias: bool = True,
        dilation=1,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(self, input: Tensor, output_size=None) -> Raw: ...

class LazyConvTranspose1d(_ConvNd):
    def __init__(
        self,
        out_channels: int,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups: int = 1,
        bias: bool = True,
        dilation=1,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(self, input: Tensor, output_size=None) -> Raw: ...

class LazyConvTranspose2d(_ConvNd):
    def __init__(
        self,
        out_channels: int,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups: int = 1,
        bias: bool = True,
        dilation: int = 1,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(self, input: Tensor, output_size=None) -> Raw: ...

class LazyConvTranspose3d(_ConvNd):
    def __init__(
        self,
        out_channels: int,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups: int = 1,
        bias: bool = True,
        dilation=1,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(self, input: Tensor, output_size=None) -> Raw: ...

class LayerNorm(Module):
    def __init__(
        self,
        normalized_shape,
        eps: float = 1e-05,
        elementwise_affine: bool = True,
        bias: bool = True,
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

class GroupNorm(Module):
    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-05,
        affine: bool = True,
        device=None,
        dtype=None,
        *,
        bias: bool = True,
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

class RMSNorm(Module):
    def __init__(
        self, normalized_shape, eps: float | None = None, elementwise_affine: bool = True, device=None, dtype=None
    ) -> None: ...
    def forward(self, x: Tensor) -> Raw: ...

# normalisation with running statistics
@mode_dependent
class _BatchNorm(Module): ...

@mode_dependent
class _InstanceNorm(Module): ...

@mode_dependent
class BatchNorm1d(_BatchNorm):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device=None,
        dtype=None,
        *,
        bias: bool = True,
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

@mode_dependent
class BatchNorm2d(_BatchNorm):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device=None,
        dtype=None,
        *,
        bias: bool = True,
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

@mode_dependent
class BatchNorm3d(_BatchNorm):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device=None,
        dtype=None,
        *,
        bias: bool = True,
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

@mode_dependent
class SyncBatchNorm(_BatchNorm):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group=None,
        device=None,
        dtype=None,
        *,
        bias: bool = True,
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...
    @classmethod
    def convert_sync_batchnorm(cls, module: T, process_group=None) -> T: ...

class InstanceNorm1d(_InstanceNorm):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device=None,
        dtype=None,
        *,
        bias: bool = True,
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

class InstanceNorm2d(_InstanceNorm):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device=None,
        dtype=None,
        *,
        bias: bool = True,
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

class InstanceNorm3d(_InstanceNorm):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device=None,
        dtype=None,
        *,
        bias: bool = True,
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

@mode_dependent
class LazyBatchNorm1d(_BatchNorm):
    def __init__(
        self, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

@mode_dependent
class LazyBatchNorm2d(_BatchNorm):
    def __init__(
        self, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

@mode_dependent
class LazyBatchNorm3d(_BatchNorm):
    def __init__(
        self, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

class LazyInstanceNorm1d(_BatchNorm):
    def __init__(
        self, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

class LazyInstanceNorm2d(_BatchNorm):
    def __init__(
        self, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

class LazyInstanceNorm3d(_BatchNorm):
    def __init__(
        self, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True
    ) -> None: ...
    def forward(self, input: Tensor) -> Raw: ...

# random while training
@mode_dependent
class _DropoutNd(Module): ...

@mode_dependent
class Dropout(_DropoutNd):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None: ...
    def forward(self, input: T) -> T: ...

@mode_dependent
class Dropout1d(_DropoutNd):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None: ...
    def forward(self, input: T) -> T: ...

@mode_dependent
class Dropout2d(_DropoutNd):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None: ...
    def forward(self, input: T) -> T: ...

@mode_dependent
class Dropout3d(_DropoutNd):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None: ...
    def forward(self, input: T) -> T: ...

@mode_dependent
class AlphaDropout(_DropoutNd):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None: ...
    def forward(self, input: T) -> T: ...

@mode_dependent
class FeatureAlphaDropout(_DropoutNd):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None: ...
    def forward(self, input: T) -> T: ...

@mode_dependent
class RReLU(Module):
    def __init__(self, lower: float = 0.125, upper: float = 0.3333333333333333, inplace: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

# activations

class Softmax(Module):
    def __init__(self, dim: int | None = None) -> None: ...
    def forward(self, input: Tensor) -> Probs: ...

class Softmax2d(Module):
    def __init__(self, *args, **kwargs) -> None: ...
    def forward(self, input: Tensor) -> Probs: ...

class Softmin(Module):
    def __init__(self, dim: int | None = None) -> None: ...
    def forward(self, input: Tensor) -> Probs: ...

class LogSoftmax(Module):
    def __init__(self, dim: int | None = None) -> None: ...
    def forward(self, input: Tensor) -> LogProbs: ...

class Sigmoid(Module):
    def __init__(self, *args, **kwargs) -> None: ...
    def forward(self, input: Tensor) -> Sigmoided: ...

class Hardsigmoid(Module):
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Sigmoided: ...

class ReLU(Module):
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Rectified: ...

class ReLU6(Module):
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Rectified: ...

class LeakyReLU(Module):
    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class PReLU(Module):
    def __init__(self, num_parameters: int = 1, init: float = 0.25, device=None, dtype=None) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class ELU(Module):
    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class CELU(Module):
    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class SELU(Module):
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class GELU(Module):
    def __init__(self, approximate: str = "none") -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class SiLU(Module):
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class Mish(Module):
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class GLU(Module):
    def __init__(self, dim: int = -1) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class Hardshrink(Module):
    def __init__(self, lambd: float = 0.5) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class Hardswish(Module):
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class Hardtanh(Module):
    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class LogSigmoid(Module):
    def __init__(self, *args, **kwargs) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class Softplus(Module):
    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class Softshrink(Module):
    def __init__(self, lambd: float = 0.5) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class Softsign(Module):
    def __init__(self, *args, **kwargs) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class Tanh(Module):
    def __init__(self, *args, **kwargs) -> None: ...
    def forward(self, input: Tensor) -> Bounded: ...

class Tanhshrink(Module):
    def __init__(self, *args, **kwargs) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class Threshold(Module):
    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

# shape, resolution, pooling

class Identity(Module):
    def __init__(self, *args, **kwargs) -> None: ...
    def forward(self, input: T) -> T: ...

class Flatten(Module):
    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None: ...
    def forward(self, input: T) -> T: ...

class Unflatten(Module):
    def __init__(self, dim: int, unflattened_size) -> None: ...
    def forward(self, input: T) -> T: ...

class ChannelShuffle(Module):
    def __init__(self, groups: int) -> None: ...
    def forward(self, input: T) -> T: ...

class PixelShuffle(Module):
    def __init__(self, upscale_factor: int) -> None: ...
    def forward(self, input: T) -> T: ...

class PixelUnshuffle(Module):
    def __init__(self, downscale_factor: int) -> None: ...
    def forward(self, input: T) -> T: ...

class Upsample(Module):
    def __init__(
        self,
        size=None,
        scale_factor=None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None: ...
    def forward(self, input: T) -> T: ...

class UpsamplingBilinear2d(Upsample):
    def __init__(self, size=None, scale_factor=None) -> None: ...
    def forward(self, input: T) -> T: ...

class UpsamplingNearest2d(Upsample):
    def __init__(self, size=None, scale_factor=None) -> None: ...
    def forward(self, input: T) -> T: ...

class AvgPool1d(Module):
    def __init__(
        self, kernel_size, stride=None, padding=0, ceil_mode: bool = False, count_include_pad: bool = True
    ) -> None: ...
    def forward(self, input: T) -> T: ...

class AvgPool2d(Module):
    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None: ...
    def forward(self, input: T) -> T: ...

class AvgPool3d(Module):
    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None: ...
    def forward(self, input: T) -> T: ...

class AdaptiveAvgPool1d(Module):
    def __init__(self, output_size) -> None: ...
    def forward(self, input: T) -> T: ...

class AdaptiveAvgPool2d(Module):
    def __init__(self, output_size) -> None: ...
    def forward(self, input: T) -> T: ...

class AdaptiveAvgPool3d(Module):
    def __init__(self, output_size) -> None: ...
    def forward(self, input: T) -> T: ...

class ConstantPad1d(Module):
    def __init__(self, padding, value: float) -> None: ...
    def forward(self, input: T) -> T: ...

class ConstantPad2d(Module):
    def __init__(self, padding, value: float) -> None: ...
    def forward(self, input: T) -> T: ...

class ConstantPad3d(Module):
    def __init__(self, padding, value: float) -> None: ...
    def forward(self, input: T) -> T: ...

class ZeroPad1d(ConstantPad1d):
    def __init__(self, padding) -> None: ...
    def forward(self, input: T) -> T: ...

class ZeroPad2d(ConstantPad2d):
    def __init__(self, padding) -> None: ...
    def forward(self, input: T) -> T: ...

class ZeroPad3d(ConstantPad3d):
    def __init__(self, padding) -> None: ...
    def forward(self, input: T) -> T: ...

class ReflectionPad1d(Module):
    def __init__(self, padding) -> None: ...
    def forward(self, input: T) -> T: ...

class ReflectionPad2d(Module):
    def __init__(self, padding) -> None: ...
    def forward(self, input: T) -> T: ...

class ReflectionPad3d(Module):
    def __init__(self, padding) -> None: ...
    def forward(self, input: T) -> T: ...

class ReplicationPad1d(Module):
    def __init__(self, padding) -> None: ...
    def forward(self, input: T) -> T: ...

class ReplicationPad2d(Module):
    def __init__(self, padding) -> None: ...
    def forward(self, input: T) -> T: ...

class ReplicationPad3d(Module):
    def __init__(self, padding) -> None: ...
    def forward(self, input: T) -> T: ...

class CircularPad1d(Module):
    def __init__(self, padding) -> None: ...
    def forward(self, input: T) -> T: ...

class CircularPad2d(Module):
    def __init__(self, padding) -> None: ...
    def forward(self, input: T) -> T: ...

class CircularPad3d(Module):
    def __init__(self, padding) -> None: ...
    def forward(self, input: T) -> T: ...

class MaxPool1d(Module):
    def __init__(
        self, kernel_size, stride=None, padding=0, dilation=1, return_indices: bool = False, ceil_mode: bool = False
    ) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class MaxPool2d(Module):
    def __init__(
        self, kernel_size, stride=None, padding=0, dilation=1, return_indices: bool = False, ceil_mode: bool = False
    ) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class MaxPool3d(Module):
    def __init__(
        self, kernel_size, stride=None, padding=0, dilation=1, return_indices: bool = False, ceil_mode: bool = False
    ) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class AdaptiveMaxPool1d(Module):
    def __init__(self, output_size, return_indices: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class AdaptiveMaxPool2d(Module):
    def __init__(self, output_size, return_indices: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class AdaptiveMaxPool3d(Module):
    def __init__(self, output_size, return_indices: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class FractionalMaxPool2d(Module):
    def __init__(
        self, kernel_size, output_size=None, output_ratio=None, return_indices: bool = False, _random_samples=None
    ) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class FractionalMaxPool3d(Module):
    def __init__(
        self, kernel_size, output_size=None, output_ratio=None, return_indices: bool = False, _random_samples=None
    ) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class LPPool1d(Module):
    def __init__(self, norm_type: float, kernel_size, stride=None, ceil_mode: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class LPPool2d(Module):
    def __init__(self, norm_type: float, kernel_size, stride=None, ceil_mode: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class LPPool3d(Module):
    def __init__(self, norm_type: float, kernel_size, stride=None, ceil_mode: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class MaxUnpool1d(Module):
    def __init__(self, kernel_size, stride=None, padding=0) -> None: ...
    def forward(self, input: Tensor, indices: Tensor, output_size=None) -> Tensor: ...

class MaxUnpool2d(Module):
    def __init__(self, kernel_size, stride=None, padding=0) -> None: ...
    def forward(self, input: Tensor, indices: Tensor, output_size=None) -> Tensor: ...

class MaxUnpool3d(Module):
    def __init__(self, kernel_size, stride=None, padding=0) -> None: ...
    def forward(self, input: Tensor, indices: Tensor, output_size=None) -> Tensor: ...

class Fold(Module):
    def __init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class Unfold(Module):
    def __init__(self, kernel_size, dilation=1, padding=0, stride=1) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

# embeddings, distances

class LocalResponseNorm(Module):
    def __init__(self, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class CrossMapLRN2d(Module):
    def __init__(self, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...

class CosineSimilarity(Module):
    def __init__(self, dim: int = 1, eps: float = 1e-08) -> None: ...
    def forward(self, x1: Tensor, x2: Tensor) -> Tensor: ...

class PairwiseDistance(Module):
    def __init__(self, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False) -> None: ...
    def forward(self, x1: Tensor, x2: Tensor) -> Tensor: ...

class Embedding(Module):
    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    @classmethod
    def from_pretrained(
        cls,
        embeddings,
        freeze: bool = True,
        padding_idx=None,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        sparse=False,
    ) -> Embedding: ...

class EmbeddingBag(Module):
    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor: ...

# recurrent
@mode_dependent
class RNNBase(Module):
    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device=None,
        dtype=None,
    ) -> None: ...
    @inert
    def flatten_parameters(self) -> None: ...

class RNNCellBase(Module): ...

@mode_dependent
class RNN(RNNBase):
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(self, input, hx=None) -> tuple[Tensor, Tensor]: ...

@mode_dependent
class LSTM(RNNBase):
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(self, input, hx=None) -> tuple[Tensor, tuple[Tensor, Tensor]]: ...

@mode_dependent
class GRU(RNNBase):
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(self, input, hx=None) -> tuple[Tensor, Tensor]: ...

class RNNCell(RNNCellBase):
    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", device=None, dtype=None
    ) -> None: ...
    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor: ...

class LSTMCell(RNNCellBase):
    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device=None, dtype=None) -> None: ...
    def forward(self, input: Tensor, hx=None) -> tuple[Tensor, Tensor]: ...

class GRUCell(RNNCellBase):
    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device=None, dtype=None) -> None: ...
    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor: ...

# attention

@mode_dependent
class MultiheadAttention(Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        dropout=0.0,
        bias=True,
        add_bias_kv=False,
        add_zero_attn=False,
        kdim=None,
        vdim=None,
        batch_first=False,
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor]: ...

@mode_dependent
class Transformer(Module):
    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation=...,
        custom_encoder=None,
        custom_decoder=None,
        layer_norm_eps: float = 1e-05,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor: ...

@mode_dependent
class TransformerEncoder(Module):
    def __init__(
        self, encoder_layer, num_layers: int, norm=None, enable_nested_tensor: bool = True, mask_check: bool = True
    ) -> None: ...
    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor: ...

@mode_dependent
class TransformerDecoder(Module):
    def __init__(self, decoder_layer, num_layers: int, norm=None) -> None: ...
    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor: ...

@mode_dependent
class TransformerEncoderLayer(Module):
    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation=...,
        layer_norm_eps: float = 1e-05,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor: ...

@mode_dependent
class TransformerDecoderLayer(Module):
    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation=...,
        layer_norm_eps: float = 1e-05,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor: ...

# criteria
class _Loss(Module): ...
class _WeightedLoss(_Loss): ...

class CrossEntropyLoss(_WeightedLoss):
    def __init__(
        self,
        weight: Tensor | None = None,
        size_average=None,
        ignore_index: int = -100,
        reduce=None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None: ...
    def forward(self, input: Logits, target: ClassIndex | Probs | Target) -> Loss: ...

class NLLLoss(_WeightedLoss):
    def __init__(
        self,
        weight: Tensor | None = None,
        size_average=None,
        ignore_index: int = -100,
        reduce=None,
        reduction: str = "mean",
    ) -> None: ...
    def forward(self, input: LogProbs, target: ClassIndex) -> Loss: ...

class BCELoss(_WeightedLoss):
    def __init__(
        self, weight: Tensor | None = None, size_average=None, reduce=None, reduction: str = "mean"
    ) -> None: ...
    def forward(self, input: Sigmoided | Probs, target: Target) -> Loss: ...

class BCEWithLogitsLoss(_Loss):
    def __init__(
        self,
        weight: Tensor | None = None,
        size_average=None,
        reduce=None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None: ...
    def forward(self, input: BinaryLogits, target: Target) -> Loss: ...

class MSELoss(_Loss):
    def __init__(self, size_average=None, reduce=None, reduction: str = "mean") -> None: ...
    def forward(self, input: Tensor, target: Target) -> Loss: ...

class L1Loss(_Loss):
    def __init__(self, size_average=None, reduce=None, reduction: str = "mean") -> None: ...
    def forward(self, input: Tensor, target: Target) -> Loss: ...

class SmoothL1Loss(_Loss):
    def __init__(self, size_average=None, reduce=None, reduction: str = "mean", beta: float = 1.0) -> None: ...
    def forward(self, input: Tensor, target: Target) -> Loss: ...

class HuberLoss(_Loss):
    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None: ...
    def forward(self, input: Tensor, target: Target) -> Loss: ...

class KLDivLoss(_Loss):
    def __init__(self, size_average=None, reduce=None, reduction: str = "mean", log_target: bool = False) -> None: ...
    def forward(self, input: LogProbs, target: Target) -> Loss: ...

class PoissonNLLLoss(_Loss):
    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average=None,
        eps: float = 1e-08,
        reduce=None,
        reduction: str = "mean",
    ) -> None: ...
    def forward(self, log_input: Tensor, target: Target) -> Loss: ...

class GaussianNLLLoss(_Loss):
    def __init__(self, *, full: bool = False, eps: float = 1e-06, reduction: str = "mean") -> None: ...
    def forward(self, input: Tensor, target: Target, var) -> Loss: ...

class CTCLoss(_Loss):
    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None: ...
    def forward(self, log_probs: LogProbs, targets: Target, input_lengths: Tensor, target_lengths: Tensor) -> Loss: ...

class HingeEmbeddingLoss(_Loss):
    def __init__(self, margin: float = 1.0, size_average=None, reduce=None, reduction: str = "mean") -> None: ...
    def forward(self, input: Tensor, target: Target) -> Loss: ...

class MultiLabelMarginLoss(_Loss):
    def __init__(self, size_average=None, reduce=None, reduction: str = "mean") -> None: ...
    def forward(self, input: Tensor, target: Target) -> Loss: ...

class MultiLabelSoftMarginLoss(_WeightedLoss):
    def __init__(
        self, weight: Tensor | None = None, size_average=None, reduce=None, reduction: str = "mean"
    ) -> None: ...
    def forward(self, input: BinaryLogits, target: Target) -> Loss: ...

class MultiMarginLoss(_WeightedLoss):
    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average=None,
        reduce=None,
        reduction: str = "mean",
    ) -> None: ...
    def forward(self, input: Tensor, target: ClassIndex) -> Loss: ...

class SoftMarginLoss(_Loss):
    def __init__(self, size_average=None, reduce=None, reduction: str = "mean") -> None: ...
    def forward(self, input: Tensor, target: Target) -> Loss: ...

class CosineEmbeddingLoss(_Loss):
    def __init__(self, margin: float = 0.0, size_average=None, reduce=None, reduction: str = "mean") -> None: ...
    def forward(self, input1: Tensor, input2: Tensor, target: Target) -> Loss: ...

class MarginRankingLoss(_Loss):
    def __init__(self, margin: float = 0.0, size_average=None, reduce=None, reduction: str = "mean") -> None: ...
    def forward(self, input1: Tensor, input2: Tensor, target: Target) -> Loss: ...

class TripletMarginLoss(_Loss):
    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-06,
        swap: bool = False,
        size_average=None,
        reduce=None,
        reduction: str = "mean",
    ) -> None: ...
    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Loss: ...

class TripletMarginWithDistanceLoss(_Loss):
    def __init__(
        self, *, distance_function=None, margin: float = 1.0, swap: bool = False, reduction: str = "mean"
    ) -> None: ...
    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Loss: ...

class NLLLoss2d(NLLLoss): ...

class AdaptiveLogSoftmaxWithLoss(Module):
    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs,
        div_value: float = 4.0,
        head_bias: bool = False,
        device=None,
        dtype=None,
    ) -> None: ...
    def forward(self, input_: Tensor, target_: ClassIndex) -> tuple[Tensor, Loss]: ...

class LinearCrossEntropyLoss(_WeightedLoss):
    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features=(),
        bias: bool = False,
        device=None,
        dtype=None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options=None,
    ) -> None: ...
    def forward(self, input: Tensor, target: Tensor) -> Loss: ...
