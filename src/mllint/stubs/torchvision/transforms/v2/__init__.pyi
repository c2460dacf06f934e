"""torchvision.transforms.v2: which transforms draw anew each time, and which always do the same."""

from mllint.semantics.vocabulary import Random, T, Tensor, chains, sometimes
from torch.nn import Module as Module
import torchvision.transforms.v2.functional as functional
from torchvision.transforms.functional import InterpolationMode as InterpolationMode
from torchvision.transforms import AutoAugmentPolicy as AutoAugmentPolicy

class Transform(Module):
    def __init__(self) -> None: ...
    def forward(self, *inputs: T) -> T: ...
    def transform(self, inpt: T, params) -> T: ...
    def make_params(self, flat_inputs) -> object: ...

@Random
class AugMix(Transform):
    def __init__(
        self,
        severity: int = 3,
        mixture_width: int = 3,
        chain_depth: int = -1,
        alpha: float = 1.0,
        all_ops: bool = True,
        interpolation="bilinear",
        fill=None,
    ) -> None: ...

@Random
class AutoAugment(Transform):
    def __init__(self, policy=..., interpolation="nearest", fill=None) -> None: ...

class CenterCrop(Transform):
    def __init__(self, size) -> None: ...

class ClampBoundingBoxes(Transform):
    def __init__(self, clamping_mode="auto") -> None: ...

class ClampKeyPoints(Transform):
    def __init__(self) -> None: ...

@Random
class ColorJitter(Transform):
    def __init__(self, brightness=None, contrast=None, saturation=None, hue=None) -> None: ...

@chains(of="transforms")
class Compose(Transform):
    def __init__(self, transforms) -> None: ...

class ConvertBoundingBoxFormat(Transform):
    def __init__(self, format) -> None: ...

class ConvertImageDtype(Transform):
    def __init__(self, dtype=...) -> None: ...

@Random
class CutMix(Transform):
    def __init__(self, *, alpha: float = 1.0, num_classes=None, labels_getter="default") -> None: ...

@Random
class ElasticTransform(Transform):
    def __init__(self, alpha=50.0, sigma=5.0, interpolation="bilinear", fill=0) -> None: ...

class FiveCrop(Transform):
    def __init__(self, size) -> None: ...

@Random
class GaussianBlur(Transform):
    def __init__(self, kernel_size, sigma=(0.1, 2.0)) -> None: ...

@Random
class GaussianNoise(Transform):
    def __init__(self, mean: float = 0.0, sigma: float = 0.1, clip=True) -> None: ...

class Grayscale(Transform):
    def __init__(self, num_output_channels: int = 1) -> None: ...

class Identity(Transform):
    def __init__(self) -> None: ...

@Random
class JPEG(Transform):
    def __init__(self, quality) -> None: ...

class Lambda(Transform):
    def __init__(self, lambd, *types) -> None: ...

class LinearTransformation(Transform):
    def __init__(self, transformation_matrix: Tensor, mean_vector: Tensor) -> None: ...

@Random
class MixUp(Transform):
    def __init__(self, *, alpha: float = 1.0, num_classes=None, labels_getter="default") -> None: ...

class Normalize(Transform):
    def __init__(self, mean, std, inplace: bool = False) -> None: ...

class PILToTensor(Transform):
    def __init__(self) -> None: ...

class Pad(Transform):
    def __init__(self, padding, fill=0, padding_mode="constant") -> None: ...

class RGB(Transform):
    def __init__(self) -> None: ...

@Random
class RandAugment(Transform):
    def __init__(
        self, num_ops: int = 2, magnitude: int = 9, num_magnitude_bins: int = 31, interpolation="nearest", fill=None
    ) -> None: ...

@Random
@sometimes(of="p")
class RandomAdjustSharpness(Transform):
    def __init__(self, sharpness_factor: float, p: float = 0.5) -> None: ...

@Random
class RandomAffine(Transform):
    def __init__(
        self, degrees, translate=None, scale=None, shear=None, interpolation="nearest", fill=0, center=None
    ) -> None: ...

@Random
@chains(of="transforms")
class RandomApply(Transform):
    def __init__(self, transforms, p: float = 0.5) -> None: ...

@Random
@sometimes(of="p")
class RandomAutocontrast(Transform):
    def __init__(self, p: float = 0.5) -> None: ...

@Random
class RandomChannelPermutation(Transform):
    def __init__(self) -> None: ...

@Random
@chains(of="transforms")
class RandomChoice(Transform):
    def __init__(self, transforms, p=None) -> None: ...

@Random
class RandomCrop(Transform):
    def __init__(self, size, padding=None, pad_if_needed: bool = False, fill=0, padding_mode="constant") -> None: ...

@Random
@sometimes(of="p")
class RandomEqualize(Transform):
    def __init__(self, p: float = 0.5) -> None: ...

@Random
class RandomErasing(Transform):
    def __init__(
        self, p: float = 0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value: float = 0.0, inplace: bool = False
    ) -> None: ...

@Random
@sometimes(of="p")
class RandomGrayscale(Transform):
    def __init__(self, p: float = 0.1) -> None: ...

@Random
@sometimes(of="p")
class RandomHorizontalFlip(Transform):
    def __init__(self, p: float = 0.5) -> None: ...

@Random
@sometimes(of="p")
class RandomInvert(Transform):
    def __init__(self, p: float = 0.5) -> None: ...

@Random
class RandomIoUCrop(Transform):
    def __init__(
        self,
        min_scale: float = 0.3,
        max_scale: float = 1.0,
        min_aspect_ratio: float = 0.5,
        max_aspect_ratio: float = 2.0,
        sampler_options=None,
        trials: int = 40,
    ) -> None: ...

@Random
@chains(of="transforms")
class RandomOrder(Transform):
    def __init__(self, transforms) -> None: ...

@Random
class RandomPerspective(Transform):
    def __init__(self, distortion_scale: float = 0.5, p: float = 0.5, interpolation="bilinear", fill=0) -> None: ...

@Random
class RandomPhotometricDistort(Transform):
    def __init__(
        self, brightness=(0.875, 1.125), contrast=(0.5, 1.5), saturation=(0.5, 1.5), hue=(-0.05, 0.05), p: float = 0.5
    ) -> None: ...

@Random
@sometimes(of="p")
class RandomPosterize(Transform):
    def __init__(self, bits: int, p: float = 0.5) -> None: ...

@Random
class RandomResize(Transform):
    def __init__(self, min_size: int, max_size: int, interpolation="bilinear", antialias=True) -> None: ...

@Random
class RandomResizedCrop(Transform):
    def __init__(
        self, size, scale=(0.08, 1.0), ratio=(0.75, 1.3333333333333333), interpolation="bilinear", antialias=True
    ) -> None: ...

@Random
class RandomRotation(Transform):
    def __init__(self, degrees, interpolation="nearest", expand: bool = False, center=None, fill=0) -> None: ...

@Random
class RandomShortestSize(Transform):
    def __init__(self, min_size, max_size=None, interpolation="bilinear", antialias=True) -> None: ...

@Random
@sometimes(of="p")
class RandomSolarize(Transform):
    def __init__(self, threshold: float, p: float = 0.5) -> None: ...

@Random
@sometimes(of="p")
class RandomVerticalFlip(Transform):
    def __init__(self, p: float = 0.5) -> None: ...

@Random
class RandomZoomOut(Transform):
    def __init__(self, fill=0, side_range=(1.0, 4.0), p: float = 0.5) -> None: ...

class Resize(Transform):
    def __init__(self, size, interpolation="bilinear", max_size=None, antialias=True) -> None: ...

class SanitizeBoundingBoxes(Transform):
    def __init__(self, min_size: float = 1.0, min_area: float = 1.0, labels_getter="default") -> None: ...

class SanitizeKeyPoints(Transform):
    def __init__(self, labels_getter=None) -> None: ...

@Random
class ScaleJitter(Transform):
    def __init__(self, target_size, scale_range=(0.1, 2.0), interpolation="bilinear", antialias=True) -> None: ...

class SetClampingMode(Transform):
    def __init__(self, clamping_mode) -> None: ...

class TenCrop(Transform):
    def __init__(self, size, vertical_flip: bool = False) -> None: ...

class ToDtype(Transform):
    def __init__(self, dtype, scale: bool = False) -> None: ...

class ToImage(Transform):
    def __init__(self) -> None: ...

class ToPILImage(Transform):
    def __init__(self, mode=None) -> None: ...

class ToPureTensor(Transform):
    def __init__(self) -> None: ...

class ToTensor(Transform):
    def __init__(self) -> None: ...

@Random
class TrivialAugmentWide(Transform):
    def __init__(self, num_magnitude_bins: int = 31, interpolation="nearest", fill=None) -> None: ...

class UniformTemporalSubsample(Transform):
    def __init__(self, num_samples: int) -> None: ...

def query_chw(flat_inputs) -> object: ...
def query_size(flat_inputs) -> object: ...
