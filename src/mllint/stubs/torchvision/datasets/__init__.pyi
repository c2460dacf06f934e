"""torchvision.datasets: which parameter selects the part of the data, and what is drawn.

`train` or `split` is the `Flag`; a dataset without one is whole.
"""

from typing import Any

from mllint.semantics.vocabulary import Flag, T, transforms
from torch.utils.data import Dataset as Dataset
import torchvision.datasets.folder as folder

class VisionDataset(Dataset):
    root: Any
    transform: Any
    target_transform: Any
    transforms: Any
    def __init__(self, root=None, transforms=None, transform=None, target_transform=None) -> None: ...
    def __getitem__(self, index: int) -> object: ...
    def __len__(self) -> int: ...

class LSUN(VisionDataset):
    def __init__(self, root, classes="train", transform=None, target_transform=None) -> None: ...

class LSUNClass(VisionDataset):
    def __init__(self, root: str, transform=None, target_transform=None) -> None: ...

class DatasetFolder(VisionDataset):
    def __init__(
        self,
        root,
        loader,
        extensions=None,
        transform=None,
        target_transform=None,
        is_valid_file=None,
        allow_empty: bool = False,
    ) -> None: ...

class ImageFolder(DatasetFolder):
    def __init__(
        self, root, transform=None, target_transform=None, loader=..., is_valid_file=None, allow_empty: bool = False
    ) -> None: ...

class FakeData(VisionDataset):
    def __init__(
        self,
        size: int = 1000,
        image_size=(3, 224, 224),
        num_classes: int = 10,
        transform=None,
        target_transform=None,
        random_offset: int = 0,
    ) -> None: ...

class CocoDetection(VisionDataset):
    def __init__(self, root, annFile: str, transform=None, target_transform=None, transforms=None) -> None: ...

class CocoCaptions(CocoDetection):
    def __init__(self, root, annFile: str, transform=None, target_transform=None, transforms=None) -> None: ...

class CIFAR10(VisionDataset):
    def __init__(
        self, root, train: Flag = True, transform=None, target_transform=None, download: bool = False
    ) -> None: ...

class CIFAR100(CIFAR10):
    def __init__(
        self, root, train: Flag = True, transform=None, target_transform=None, download: bool = False
    ) -> None: ...

class MNIST(VisionDataset):
    def __init__(
        self, root, train: Flag = True, transform=None, target_transform=None, download: bool = False
    ) -> None: ...

class EMNIST(MNIST):
    def __init__(
        self, root, split: str, *, train: Flag = True, transform=None, target_transform=None, download: bool = False
    ) -> None: ...

class FashionMNIST(MNIST):
    def __init__(
        self, root, train: Flag = True, transform=None, target_transform=None, download: bool = False
    ) -> None: ...

class QMNIST(MNIST):
    def __init__(
        self,
        root,
        what=None,
        compat: bool = True,
        train: Flag = True,
        *,
        transform=None,
        target_transform=None,
        download: bool = False,
    ) -> None: ...

class KMNIST(MNIST):
    def __init__(
        self, root, train: Flag = True, transform=None, target_transform=None, download: bool = False
    ) -> None: ...

class MovingMNIST(VisionDataset):
    def __init__(
        self, root, split: Flag = None, split_ratio: int = 10, download: bool = False, transform=None
    ) -> None: ...

class StanfordCars(VisionDataset):
    def __init__(
        self, root, split: Flag = "train", transform=None, target_transform=None, download: bool = False, loader=...
    ) -> None: ...

class STL10(VisionDataset):
    def __init__(
        self, root, split: Flag = "train", folds=None, transform=None, target_transform=None, download: bool = False
    ) -> None: ...

class SUN397(VisionDataset):
    def __init__(self, root, transform=None, target_transform=None, download: bool = False, loader=...) -> None: ...

class SVHN(VisionDataset):
    def __init__(
        self, root, split: Flag = "train", transform=None, target_transform=None, download: bool = False
    ) -> None: ...

class PhotoTour(VisionDataset):
    def __init__(self, root, name: str, train: Flag = True, transform=None, download: bool = False) -> None: ...

class SEMEION(VisionDataset):
    def __init__(self, root, transform=None, target_transform=None, download: bool = True) -> None: ...

class Omniglot(VisionDataset):
    def __init__(
        self, root, background: bool = True, transform=None, target_transform=None, download: bool = False, loader=None
    ) -> None: ...

class SBU(VisionDataset):
    def __init__(self, root, transform=None, target_transform=None, download: bool = True, loader=...) -> None: ...

class Flickr8k(VisionDataset):
    def __init__(self, root, ann_file: str, transform=None, target_transform=None, loader=...) -> None: ...

class Flickr30k(VisionDataset):
    def __init__(self, root: str, ann_file: str, transform=None, target_transform=None, loader=...) -> None: ...

class Flowers102(VisionDataset):
    def __init__(
        self, root, split: Flag = "train", transform=None, target_transform=None, download: bool = False, loader=...
    ) -> None: ...

class VOCSegmentation(VisionDataset):
    def __init__(
        self,
        root,
        year: str = "2012",
        image_set: Flag = "train",
        download: bool = False,
        transform=None,
        target_transform=None,
        transforms=None,
    ) -> None: ...

class VOCDetection(VisionDataset):
    def __init__(
        self,
        root,
        year: str = "2012",
        image_set: Flag = "train",
        download: bool = False,
        transform=None,
        target_transform=None,
        transforms=None,
    ) -> None: ...

class Cityscapes(VisionDataset):
    def __init__(
        self,
        root,
        split: Flag = "train",
        mode: str = "fine",
        target_type="instance",
        transform=None,
        target_transform=None,
        transforms=None,
    ) -> None: ...

class ImageNet(ImageFolder):
    def __init__(self, root, split: Flag = "train", **kwargs) -> None: ...

class Caltech101(VisionDataset):
    def __init__(
        self, root, target_type="category", transform=None, target_transform=None, download: bool = False
    ) -> None: ...

class Caltech256(VisionDataset):
    def __init__(self, root: str, transform=None, target_transform=None, download: bool = False) -> None: ...

class CelebA(VisionDataset):
    def __init__(
        self,
        root,
        split: Flag = "train",
        target_type="attr",
        transform=None,
        target_transform=None,
        download: bool = False,
    ) -> None: ...

class WIDERFace(VisionDataset):
    def __init__(
        self, root, split: Flag = "train", transform=None, target_transform=None, download: bool = False
    ) -> None: ...

class SBDataset(VisionDataset):
    def __init__(
        self, root, image_set: Flag = "train", mode: str = "boundaries", download: bool = False, transforms=None
    ) -> None: ...

class USPS(VisionDataset):
    def __init__(
        self, root, train: Flag = True, transform=None, target_transform=None, download: bool = False
    ) -> None: ...

class Kinetics(VisionDataset):
    def __init__(
        self,
        root,
        frames_per_clip: int,
        num_classes: str = "400",
        split: Flag = "train",
        frame_rate=None,
        step_between_clips: int = 1,
        transform=None,
        extensions=("avi", "mp4"),
        download: bool = False,
        num_download_workers: int = 1,
        num_workers: int = 1,
        _precomputed_metadata=None,
        _video_width: int = 0,
        _video_height: int = 0,
        _video_min_dimension: int = 0,
        _audio_samples: int = 0,
        _audio_channels: int = 0,
        _legacy: bool = False,
        output_format: str = "TCHW",
    ) -> None: ...

class HMDB51(VisionDataset):
    def __init__(
        self,
        root,
        annotation_path: str,
        frames_per_clip: int,
        step_between_clips: int = 1,
        frame_rate=None,
        fold: int = 1,
        train: Flag = True,
        transform=None,
        _precomputed_metadata=None,
        num_workers: int = 1,
        _video_width: int = 0,
        _video_height: int = 0,
        _video_min_dimension: int = 0,
        _audio_samples: int = 0,
        output_format: str = "THWC",
    ) -> None: ...

class UCF101(VisionDataset):
    def __init__(
        self,
        root,
        annotation_path: str,
        frames_per_clip: int,
        step_between_clips: int = 1,
        frame_rate=None,
        fold: int = 1,
        train: Flag = True,
        transform=None,
        _precomputed_metadata=None,
        num_workers: int = 1,
        _video_width: int = 0,
        _video_height: int = 0,
        _video_min_dimension: int = 0,
        _audio_samples: int = 0,
        output_format: str = "THWC",
    ) -> None: ...

class Places365(VisionDataset):
    def __init__(
        self,
        root,
        split: Flag = "train-standard",
        small: bool = False,
        download: bool = False,
        transform=None,
        target_transform=None,
        loader=...,
    ) -> None: ...

class Kitti(VisionDataset):
    def __init__(
        self, root, train: Flag = True, transform=None, target_transform=None, transforms=None, download: bool = False
    ) -> None: ...

class INaturalist(VisionDataset):
    def __init__(
        self,
        root,
        version: str = "2021_train",
        target_type="full",
        transform=None,
        target_transform=None,
        download: bool = False,
        loader=None,
    ) -> None: ...

class LFWPeople(VisionDataset):
    def __init__(
        self,
        root: str,
        split: Flag = "10fold",
        image_set: str = "funneled",
        transform=None,
        target_transform=None,
        download: bool = False,
        loader=...,
    ) -> None: ...

class LFWPairs(VisionDataset):
    def __init__(
        self,
        root: str,
        split: Flag = "10fold",
        image_set: str = "funneled",
        transform=None,
        target_transform=None,
        download: bool = False,
        loader=...,
    ) -> None: ...

class KittiFlow(VisionDataset):
    def __init__(self, root, split: Flag = "train", transforms=None, loader=...) -> None: ...

class Sintel(VisionDataset):
    def __init__(self, root, split: Flag = "train", pass_name: str = "clean", transforms=None, loader=...) -> None: ...

class FlyingChairs(VisionDataset):
    def __init__(self, root, split: Flag = "train", transforms=None) -> None: ...

class FlyingThings3D(VisionDataset):
    def __init__(
        self, root, split: Flag = "train", pass_name: str = "clean", camera: str = "left", transforms=None, loader=...
    ) -> None: ...

class HD1K(VisionDataset):
    def __init__(self, root, split: Flag = "train", transforms=None, loader=...) -> None: ...

class Food101(VisionDataset):
    def __init__(
        self, root, split: Flag = "train", transform=None, target_transform=None, download: bool = False, loader=...
    ) -> None: ...

class DTD(VisionDataset):
    def __init__(
        self,
        root,
        split: Flag = "train",
        partition: int = 1,
        transform=None,
        target_transform=None,
        download: bool = False,
        loader=...,
    ) -> None: ...

class FER2013(VisionDataset):
    def __init__(self, root, split: Flag = "train", transform=None, target_transform=None) -> None: ...

class GTSRB(VisionDataset):
    def __init__(
        self, root, split: Flag = "train", transform=None, target_transform=None, download: bool = False
    ) -> None: ...

class CLEVRClassification(VisionDataset):
    def __init__(
        self, root, split: Flag = "train", transform=None, target_transform=None, download: bool = False, loader=...
    ) -> None: ...

class OxfordIIITPet(VisionDataset):
    def __init__(
        self,
        root,
        split: Flag = "trainval",
        target_types="category",
        transforms=None,
        transform=None,
        target_transform=None,
        download: bool = False,
    ) -> None: ...

class PCAM(VisionDataset):
    def __init__(
        self, root, split: Flag = "train", transform=None, target_transform=None, download: bool = False
    ) -> None: ...

class Country211(ImageFolder):
    def __init__(
        self, root, split: Flag = "train", transform=None, target_transform=None, download: bool = False, loader=...
    ) -> None: ...

class FGVCAircraft(VisionDataset):
    def __init__(
        self,
        root,
        split: Flag = "trainval",
        annotation_level: str = "variant",
        transform=None,
        target_transform=None,
        download: bool = False,
        loader=...,
    ) -> None: ...

class EuroSAT(ImageFolder):
    def __init__(self, root, transform=None, target_transform=None, download: bool = False, loader=...) -> None: ...

class RenderedSST2(VisionDataset):
    def __init__(
        self, root, split: Flag = "train", transform=None, target_transform=None, download: bool = False, loader=...
    ) -> None: ...

class Kitti2012Stereo(VisionDataset):
    def __init__(self, root, split: Flag = "train", transforms=None) -> None: ...

class Kitti2015Stereo(VisionDataset):
    def __init__(self, root, split: Flag = "train", transforms=None) -> None: ...

class CarlaStereo(VisionDataset):
    def __init__(self, root, transforms=None) -> None: ...

class Middlebury2014Stereo(VisionDataset):
    def __init__(
        self,
        root,
        split: Flag = "train",
        calibration="perfect",
        use_ambient_views: bool = False,
        transforms=None,
        download: bool = False,
    ) -> None: ...

class CREStereo(VisionDataset):
    def __init__(self, root, transforms=None) -> None: ...

class FallingThingsStereo(VisionDataset):
    def __init__(self, root, variant: str = "single", transforms=None) -> None: ...

class SceneFlowStereo(VisionDataset):
    def __init__(self, root, variant: str = "FlyingThings3D", pass_name: str = "clean", transforms=None) -> None: ...

class SintelStereo(VisionDataset):
    def __init__(self, root, pass_name: str = "final", transforms=None) -> None: ...

class InStereo2k(VisionDataset):
    def __init__(self, root, split: Flag = "train", transforms=None) -> None: ...

class ETH3DStereo(VisionDataset):
    def __init__(self, root, split: Flag = "train", transforms=None) -> None: ...

class Imagenette(VisionDataset):
    def __init__(
        self,
        root,
        split: Flag = "train",
        size: str = "full",
        download=False,
        transform=None,
        target_transform=None,
        loader=...,
    ) -> None: ...

def wrap_dataset_for_transforms_v2(dataset: T, target_keys=None) -> T: ...
