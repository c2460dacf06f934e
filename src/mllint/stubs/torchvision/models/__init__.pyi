"""torchvision.models: builders give modules, which end in an affine layer. Their heads are often replaced: what the
call of a model gives is for `heads` to say.

Every family but the vision transformer has dropout, batch norm or stochastic depth by default, so its mode matters.
"""

from typing import Any

from mllint.semantics.vocabulary import Raw, Tensor, mode_dependent
from torch.nn import Module as Module
import torchvision.models.segmentation as segmentation
import torchvision.models.detection as detection
import torchvision.models.video as video

@mode_dependent
class AlexNet(Module):
    def __init__(self, num_classes: int = 1000, dropout: float = 0.5) -> None: ...
    def forward(self, x) -> Raw: ...

@mode_dependent
class ConvNeXt(Module):
    def __init__(
        self,
        block_setting,
        stochastic_depth_prob: float = 0.0,
        layer_scale: float = 1e-06,
        num_classes: int = 1000,
        block=None,
        norm_layer=None,
        **kwargs,
    ) -> None: ...
    def forward(self, x) -> Raw: ...

@mode_dependent
class DenseNet(Module):
    def __init__(
        self,
        growth_rate: int = 32,
        block_config=(6, 12, 24, 16),
        num_init_features: int = 64,
        bn_size: int = 4,
        drop_rate: float = 0,
        num_classes: int = 1000,
        memory_efficient: bool = False,
    ) -> None: ...
    def forward(self, x) -> Raw: ...

@mode_dependent
class EfficientNet(Module):
    def __init__(
        self,
        inverted_residual_setting,
        dropout: float,
        stochastic_depth_prob: float = 0.2,
        num_classes: int = 1000,
        norm_layer=None,
        last_channel=None,
    ) -> None: ...
    def forward(self, x) -> Raw: ...

@mode_dependent
class GoogLeNet(Module):
    def __init__(
        self,
        num_classes: int = 1000,
        aux_logits: bool = True,
        transform_input: bool = False,
        init_weights=None,
        blocks=None,
        dropout: float = 0.2,
        dropout_aux: float = 0.7,
    ) -> None: ...
    def forward(self, x) -> object: ...

@mode_dependent
class Inception3(Module):
    def __init__(
        self,
        num_classes: int = 1000,
        aux_logits: bool = True,
        transform_input: bool = False,
        inception_blocks=None,
        init_weights=None,
        dropout: float = 0.5,
    ) -> None: ...
    def forward(self, x) -> object: ...

@mode_dependent
class MaxVit(Module):
    def __init__(
        self,
        input_size,
        stem_channels: int,
        partition_size: int,
        block_channels,
        block_layers,
        head_dim: int,
        stochastic_depth_prob: float,
        norm_layer=None,
        activation_layer=...,
        squeeze_ratio: float = 0.25,
        expansion_ratio: float = 4,
        mlp_ratio: int = 4,
        mlp_dropout: float = 0.0,
        attention_dropout: float = 0.0,
        num_classes: int = 1000,
    ) -> None: ...
    def forward(self, x) -> Raw: ...

@mode_dependent
class MNASNet(Module):
    def __init__(self, alpha: float, num_classes: int = 1000, dropout: float = 0.2) -> None: ...
    def forward(self, x) -> Raw: ...

@mode_dependent
class MobileNetV2(Module):
    def __init__(
        self,
        num_classes: int = 1000,
        width_mult: float = 1.0,
        inverted_residual_setting=None,
        round_nearest: int = 8,
        block=None,
        norm_layer=None,
        dropout: float = 0.2,
    ) -> None: ...
    def forward(self, x) -> Raw: ...

@mode_dependent
class MobileNetV3(Module):
    def __init__(
        self,
        inverted_residual_setting,
        last_channel: int,
        num_classes: int = 1000,
        block=None,
        norm_layer=None,
        dropout: float = 0.2,
        **kwargs,
    ) -> None: ...
    def forward(self, x) -> Raw: ...

@mode_dependent
class RegNet(Module):
    def __init__(
        self,
        block_params,
        num_classes: int = 1000,
        stem_width: int = 32,
        stem_type=None,
        block_type=None,
        norm_layer=None,
        activation=None,
    ) -> None: ...
    def forward(self, x) -> Raw: ...

@mode_dependent
class ResNet(Module):
    def __init__(
        self,
        block,
        layers,
        num_classes: int = 1000,
        zero_init_residual: bool = False,
        groups: int = 1,
        width_per_group: int = 64,
        replace_stride_with_dilation=None,
        norm_layer=None,
    ) -> None: ...
    def forward(self, x) -> Raw: ...

@mode_dependent
class ShuffleNetV2(Module):
    def __init__(self, stages_repeats, stages_out_channels, num_classes: int = 1000, inverted_residual=...) -> None: ...
    def forward(self, x) -> Raw: ...

@mode_dependent
class SqueezeNet(Module):
    def __init__(self, version: str = "1_0", num_classes: int = 1000, dropout: float = 0.5) -> None: ...
    def forward(self, x) -> Tensor: ...

@mode_dependent
class SwinTransformer(Module):
    def __init__(
        self,
        patch_size,
        embed_dim: int,
        depths,
        num_heads,
        window_size,
        mlp_ratio: float = 4.0,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        stochastic_depth_prob: float = 0.1,
        num_classes: int = 1000,
        norm_layer=None,
        block=None,
        downsample_layer=...,
    ) -> None: ...
    def forward(self, x) -> Raw: ...

@mode_dependent
class VGG(Module):
    def __init__(self, features, num_classes: int = 1000, init_weights: bool = True, dropout: float = 0.5) -> None: ...
    def forward(self, x) -> Raw: ...

class VisionTransformer(Module):
    def __init__(
        self,
        image_size: int,
        patch_size: int,
        num_layers: int,
        num_heads: int,
        hidden_dim: int,
        mlp_dim: int,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        num_classes: int = 1000,
        representation_size=None,
        norm_layer=...,
        conv_stem_configs=None,
    ) -> None: ...
    def forward(self, x) -> Raw: ...

def alexnet(*, weights=None, progress: bool = True, **kwargs) -> AlexNet: ...
def convnext_base(*, weights=None, progress: bool = True, **kwargs) -> ConvNeXt: ...
def convnext_large(*, weights=None, progress: bool = True, **kwargs) -> ConvNeXt: ...
def convnext_small(*, weights=None, progress: bool = True, **kwargs) -> ConvNeXt: ...
def convnext_tiny(*, weights=None, progress: bool = True, **kwargs) -> ConvNeXt: ...
def densenet121(*, weights=None, progress: bool = True, **kwargs) -> DenseNet: ...
def densenet161(*, weights=None, progress: bool = True, **kwargs) -> DenseNet: ...
def densenet169(*, weights=None, progress: bool = True, **kwargs) -> DenseNet: ...
def densenet201(*, weights=None, progress: bool = True, **kwargs) -> DenseNet: ...
def efficientnet_b0(*, weights=None, progress: bool = True, **kwargs) -> EfficientNet: ...
def efficientnet_b1(*, weights=None, progress: bool = True, **kwargs) -> EfficientNet: ...
def efficientnet_b2(*, weights=None, progress: bool = True, **kwargs) -> EfficientNet: ...
def efficientnet_b3(*, weights=None, progress: bool = True, **kwargs) -> EfficientNet: ...
def efficientnet_b4(*, weights=None, progress: bool = True, **kwargs) -> EfficientNet: ...
def efficientnet_b5(*, weights=None, progress: bool = True, **kwargs) -> EfficientNet: ...
def efficientnet_b6(*, weights=None, progress: bool = True, **kwargs) -> EfficientNet: ...
def efficientnet_b7(*, weights=None, progress: bool = True, **kwargs) -> EfficientNet: ...
def efficientnet_v2_l(*, weights=None, progress: bool = True, **kwargs) -> EfficientNet: ...
def efficientnet_v2_m(*, weights=None, progress: bool = True, **kwargs) -> EfficientNet: ...
def efficientnet_v2_s(*, weights=None, progress: bool = True, **kwargs) -> EfficientNet: ...
def googlenet(*, weights=None, progress: bool = True, **kwargs) -> GoogLeNet: ...
def inception_v3(*, weights=None, progress: bool = True, **kwargs) -> Inception3: ...
def maxvit_t(*, weights=None, progress: bool = True, **kwargs) -> MaxVit: ...
def mnasnet0_5(*, weights=None, progress: bool = True, **kwargs) -> MNASNet: ...
def mnasnet0_75(*, weights=None, progress: bool = True, **kwargs) -> MNASNet: ...
def mnasnet1_0(*, weights=None, progress: bool = True, **kwargs) -> MNASNet: ...
def mnasnet1_3(*, weights=None, progress: bool = True, **kwargs) -> MNASNet: ...
def mobilenet_v2(*, weights=None, progress: bool = True, **kwargs) -> MobileNetV2: ...
def mobilenet_v3_large(*, weights=None, progress: bool = True, **kwargs) -> MobileNetV3: ...
def mobilenet_v3_small(*, weights=None, progress: bool = True, **kwargs) -> MobileNetV3: ...
def regnet_x_16gf(*, weights=None, progress: bool = True, **kwargs) -> RegNet: ...
def regnet_x_1_6gf(*, weights=None, progress: bool = True, **kwargs) -> RegNet: ...
def regnet_x_32gf(*, weights=None, progress: bool = True, **kwargs) -> RegNet: ...
def regnet_x_3_2gf(*, weights=None, progress: bool = True, **kwargs) -> RegNet: ...
def regnet_x_400mf(*, weights=None, progress: bool = True, **kwargs) -> RegNet: ...
def regnet_x_800mf(*, weights=None, progress: bool = True, **kwargs) -> RegNet: ...
def regnet_x_8gf(*, weights=None, progress: bool = True, **kwargs) -> RegNet: ...
def regnet_y_128gf(*, weights=None, progress: bool = True, **kwargs) -> RegNet: ...
def regnet_y_16gf(*, weights=None, progress: bool = True, **kwargs) -> RegNet: ...
def regnet_y_1_6gf(*, weights=None, progress: bool = True, **kwargs) -> RegNet: ...
def regnet_y_32gf(*, weights=None, progress: bool = True, **kwargs) -> RegNet: ...
def regnet_y_3_2gf(*, weights=None, progress: bool = True, **kwargs) -> RegNet: ...
def regnet_y_400mf(*, weights=None, progress: bool = True, **kwargs) -> RegNet: ...
def regnet_y_800mf(*, weights=None, progress: bool = True, **kwargs) -> RegNet: ...
def regnet_y_8gf(*, weights=None, progress: bool = True, **kwargs) -> RegNet: ...
def resnet101(*, weights=None, progress: bool = True, **kwargs) -> ResNet: ...
def resnet152(*, weights=None, progress: bool = True, **kwargs) -> ResNet: ...
def resnet18(*, weights=None, progress: bool = True, **kwargs) -> ResNet: ...
def resnet34(*, weights=None, progress: bool = True, **kwargs) -> ResNet: ...
def resnet50(*, weights=None, progress: bool = True, **kwargs) -> ResNet: ...
def resnext101_32x8d(*, weights=None, progress: bool = True, **kwargs) -> ResNet: ...
def resnext101_64x4d(*, weights=None, progress: bool = True, **kwargs) -> ResNet: ...
def resnext50_32x4d(*, weights=None, progress: bool = True, **kwargs) -> ResNet: ...
def shufflenet_v2_x0_5(*, weights=None, progress: bool = True, **kwargs) -> ShuffleNetV2: ...
def shufflenet_v2_x1_0(*, weights=None, progress: bool = True, **kwargs) -> ShuffleNetV2: ...
def shufflenet_v2_x1_5(*, weights=None, progress: bool = True, **kwargs) -> ShuffleNetV2: ...
def shufflenet_v2_x2_0(*, weights=None, progress: bool = True, **kwargs) -> ShuffleNetV2: ...
def squeezenet1_0(*, weights=None, progress: bool = True, **kwargs) -> SqueezeNet: ...
def squeezenet1_1(*, weights=None, progress: bool = True, **kwargs) -> SqueezeNet: ...
def swin_b(*, weights=None, progress: bool = True, **kwargs) -> SwinTransformer: ...
def swin_s(*, weights=None, progress: bool = True, **kwargs) -> SwinTransformer: ...
def swin_t(*, weights=None, progress: bool = True, **kwargs) -> SwinTransformer: ...
def swin_v2_b(*, weights=None, progress: bool = True, **kwargs) -> SwinTransformer: ...
def swin_v2_s(*, weights=None, progress: bool = True, **kwargs) -> SwinTransformer: ...
def swin_v2_t(*, weights=None, progress: bool = True, **kwargs) -> SwinTransformer: ...
def vgg11(*, weights=None, progress: bool = True, **kwargs) -> VGG: ...
def vgg11_bn(*, weights=None, progress: bool = True, **kwargs) -> VGG: ...
def vgg13(*, weights=None, progress: bool = True, **kwargs) -> VGG: ...
def vgg13_bn(*, weights=None, progress: bool = True, **kwargs) -> VGG: ...
def vgg16(*, weights=None, progress: bool = True, **kwargs) -> VGG: ...
def vgg16_bn(*, weights=None, progress: bool = True, **kwargs) -> VGG: ...
def vgg19(*, weights=None, progress: bool = True, **kwargs) -> VGG: ...
def vgg19_bn(*, weights=None, progress: bool = True, **kwargs) -> VGG: ...
def vit_b_16(*, weights=None, progress: bool = True, **kwargs) -> VisionTransformer: ...
def vit_b_32(*, weights=None, progress: bool = True, **kwargs) -> VisionTransformer: ...
def vit_h_14(*, weights=None, progress: bool = True, **kwargs) -> VisionTransformer: ...
def vit_l_16(*, weights=None, progress: bool = True, **kwargs) -> VisionTransformer: ...
def vit_l_32(*, weights=None, progress: bool = True, **kwargs) -> VisionTransformer: ...
def wide_resnet101_2(*, weights=None, progress: bool = True, **kwargs) -> ResNet: ...
def wide_resnet50_2(*, weights=None, progress: bool = True, **kwargs) -> ResNet: ...
@mode_dependent
class _SomeModel(Module):
    def forward(self, x) -> Tensor: ...

def get_model(name: str, **config) -> _SomeModel: ...
def get_model_weights(name) -> object: ...
def get_weight(name: str) -> object: ...
def list_models(module=None, include=None, exclude=None) -> object: ...

class AlexNet_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ConvNeXt_Base_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ConvNeXt_Large_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ConvNeXt_Small_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ConvNeXt_Tiny_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class DenseNet121_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class DenseNet161_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class DenseNet169_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class DenseNet201_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class EfficientNet_B0_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class EfficientNet_B1_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class EfficientNet_B2_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class EfficientNet_B3_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class EfficientNet_B4_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class EfficientNet_B5_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class EfficientNet_B6_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class EfficientNet_B7_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class EfficientNet_V2_L_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class EfficientNet_V2_M_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class EfficientNet_V2_S_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class GoogLeNet_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class Inception_V3_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class MNASNet0_5_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class MNASNet0_75_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class MNASNet1_0_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class MNASNet1_3_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class MaxVit_T_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class MobileNet_V2_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class MobileNet_V3_Large_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class MobileNet_V3_Small_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class RegNet_X_16GF_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class RegNet_X_1_6GF_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class RegNet_X_32GF_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class RegNet_X_3_2GF_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class RegNet_X_400MF_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class RegNet_X_800MF_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class RegNet_X_8GF_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class RegNet_Y_128GF_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class RegNet_Y_16GF_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class RegNet_Y_1_6GF_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class RegNet_Y_32GF_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class RegNet_Y_3_2GF_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class RegNet_Y_400MF_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class RegNet_Y_800MF_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class RegNet_Y_8GF_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ResNeXt101_32X8D_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ResNeXt101_64X4D_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ResNeXt50_32X4D_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ResNet101_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ResNet152_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ResNet18_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ResNet34_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ResNet50_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ShuffleNet_V2_X0_5_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ShuffleNet_V2_X1_0_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ShuffleNet_V2_X1_5_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ShuffleNet_V2_X2_0_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class SqueezeNet1_0_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class SqueezeNet1_1_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class Swin_B_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class Swin_S_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class Swin_T_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class Swin_V2_B_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class Swin_V2_S_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class Swin_V2_T_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class VGG11_BN_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class VGG11_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class VGG13_BN_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class VGG13_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class VGG16_BN_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class VGG16_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class VGG19_BN_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class VGG19_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ViT_B_16_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ViT_B_32_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ViT_H_14_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ViT_L_16_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class ViT_L_32_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class Wide_ResNet101_2_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any

class Wide_ResNet50_2_Weights:
    DEFAULT: Any
    IMAGENET1K_V1: Any
    IMAGENET1K_V2: Any
