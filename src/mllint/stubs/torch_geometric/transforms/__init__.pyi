"""torch_geometric.transforms: which draw anew each time."""

from mllint.semantics.vocabulary import Random, T, Tensor, chains, draws, splits, sometimes

class BaseTransform:
    def __call__(self, data: T) -> T: ...
    def forward(self, data: T) -> T: ...

@chains(of="transforms")
class Compose(BaseTransform):
    def __init__(self, transforms) -> None: ...

class ComposeFilters(BaseTransform):
    def __init__(self, filters) -> None: ...

class ToDevice(BaseTransform):
    def __init__(self, device, attrs=None, non_blocking: bool = False) -> None: ...

class ToSparseTensor(BaseTransform):
    def __init__(
        self, attr="edge_weight", remove_edge_index: bool = True, fill_cache: bool = True, layout=None
    ) -> None: ...

class Constant(BaseTransform):
    def __init__(self, value: float = 1.0, cat: bool = True, node_types=None) -> None: ...

class NormalizeFeatures(BaseTransform):
    def __init__(self, attrs=None) -> None: ...

class SVDFeatureReduction(BaseTransform):
    def __init__(self, out_channels: int) -> None: ...

class RemoveTrainingClasses(BaseTransform):
    def __init__(self, classes) -> None: ...

class RandomNodeSplit(BaseTransform):
    def __init__(
        self,
        split: str = "train_rest",
        num_splits: int = 1,
        num_train_per_class: int = 20,
        num_val=500,
        num_test=1000,
        key="y",
    ) -> None: ...
    @splits
    @draws("torch")
    def __call__(self, data: T) -> T: ...

class RandomLinkSplit(BaseTransform):
    def __init__(
        self,
        num_val=0.1,
        num_test=0.2,
        is_undirected: bool = False,
        key: str = "edge_label",
        split_labels: bool = False,
        add_negative_train_samples: bool = True,
        neg_sampling_ratio: float = 1.0,
        disjoint_train_ratio=0.0,
        edge_types=None,
        rev_edge_types=None,
    ) -> None: ...
    @splits
    @draws("torch")
    def __call__(self, data: T) -> T: ...

class NodePropertySplit(BaseTransform):
    def __init__(self, property_name: str, ratios, ascending: bool = True) -> None: ...

class IndexToMask(BaseTransform):
    def __init__(self, attrs=None, sizes=None, replace: bool = False) -> None: ...

class MaskToIndex(BaseTransform):
    def __init__(self, attrs=None, replace: bool = False) -> None: ...

class Pad(BaseTransform):
    def __init__(
        self,
        max_num_nodes,
        max_num_edges=None,
        node_pad_value=0.0,
        edge_pad_value=0.0,
        mask_pad_value: bool = False,
        add_pad_mask: bool = False,
        exclude_keys=None,
    ) -> None: ...

class ToUndirected(BaseTransform):
    def __init__(self, reduce: str = "add", merge: bool = True) -> None: ...

class OneHotDegree(BaseTransform):
    def __init__(self, max_degree: int, in_degree: bool = False, cat: bool = True) -> None: ...

class TargetIndegree(BaseTransform):
    def __init__(self, norm: bool = True, max_value=None, cat: bool = True) -> None: ...

class LocalDegreeProfile(BaseTransform):
    def __init__(self) -> None: ...

class AddSelfLoops(BaseTransform):
    def __init__(self, attr: str = "edge_weight", fill_value=1.0) -> None: ...

class AddRemainingSelfLoops(BaseTransform):
    def __init__(self, attr: str = "edge_weight", fill_value=1.0) -> None: ...

class RemoveSelfLoops(BaseTransform):
    def __init__(self, attr: str = "edge_weight") -> None: ...

class RemoveIsolatedNodes(BaseTransform):
    def __init__(self, /, *args, **kwargs) -> None: ...

class RemoveDuplicatedEdges(BaseTransform):
    def __init__(self, key=None, reduce: str = "add") -> None: ...

class KNNGraph(BaseTransform):
    def __init__(
        self,
        k: int = 6,
        loop: bool = False,
        force_undirected: bool = False,
        flow: str = "source_to_target",
        cosine: bool = False,
        num_workers: int = 1,
    ) -> None: ...

class RadiusGraph(BaseTransform):
    def __init__(
        self,
        r: float,
        loop: bool = False,
        max_num_neighbors: int = 32,
        flow: str = "source_to_target",
        num_workers: int = 1,
    ) -> None: ...

class ToDense(BaseTransform):
    def __init__(self, num_nodes=None) -> None: ...

class TwoHop(BaseTransform):
    def __init__(self, /, *args, **kwargs) -> None: ...

class LineGraph(BaseTransform):
    def __init__(self, force_directed: bool = False) -> None: ...

class LaplacianLambdaMax(BaseTransform):
    def __init__(self, normalization=None, is_undirected: bool = False) -> None: ...

class GDC(BaseTransform):
    def __init__(
        self,
        self_loop_weight: float = 1.0,
        normalization_in: str = "sym",
        normalization_out: str = "col",
        diffusion_kwargs=None,
        sparsification_kwargs=None,
        exact: bool = True,
    ) -> None: ...

class SIGN(BaseTransform):
    def __init__(self, K: int) -> None: ...

class GCNNorm(BaseTransform):
    def __init__(self, add_self_loops: bool = True) -> None: ...

class AddMetaPaths(BaseTransform):
    def __init__(
        self,
        metapaths,
        drop_orig_edge_types: bool = False,
        keep_same_node_type: bool = False,
        drop_unconnected_node_types: bool = False,
        max_sample=None,
        weighted: bool = False,
        **kwargs: bool,
    ) -> None: ...

@Random
class AddRandomMetaPaths(BaseTransform):
    def __init__(
        self,
        metapaths,
        drop_orig_edge_types: bool = False,
        keep_same_node_type: bool = False,
        drop_unconnected_node_types: bool = False,
        walks_per_node=1,
        sample_ratio: float = 1.0,
    ) -> None: ...

class RootedEgoNets(BaseTransform):
    def __init__(self, num_hops: int) -> None: ...

class RootedRWSubgraph(BaseTransform):
    def __init__(self, walk_length: int, repeat: int = 1) -> None: ...

class LargestConnectedComponents(BaseTransform):
    def __init__(self, num_components: int = 1, connection: str = "weak") -> None: ...

class VirtualNode(BaseTransform):
    def __init__(self, /, *args, **kwargs) -> None: ...

class AddLaplacianEigenvectorPE(BaseTransform):
    def __init__(self, k: int, attr_name="laplacian_eigenvector_pe", is_undirected: bool = False, **kwargs) -> None: ...

class AddRandomWalkPE(BaseTransform):
    def __init__(self, walk_length: int, attr_name="random_walk_pe") -> None: ...

class FeaturePropagation(BaseTransform):
    def __init__(self, missing_mask: Tensor, num_iterations: int = 40) -> None: ...

@Random
class HalfHop(BaseTransform):
    def __init__(self, alpha: float = 0.5, p: float = 1.0) -> None: ...

class Distance(BaseTransform):
    def __init__(self, norm: bool = True, max_value=None, cat: bool = True, interval=(0.0, 1.0)) -> None: ...

class Cartesian(BaseTransform):
    def __init__(self, norm: bool = True, max_value=None, cat: bool = True, interval=(0.0, 1.0)) -> None: ...

class LocalCartesian(BaseTransform):
    def __init__(self, norm: bool = True, cat: bool = True, interval=(0.0, 1.0)) -> None: ...

class Polar(BaseTransform):
    def __init__(self, norm: bool = True, max_value=None, cat: bool = True) -> None: ...

class Spherical(BaseTransform):
    def __init__(self, norm: bool = True, max_value=None, cat: bool = True) -> None: ...

class PointPairFeatures(BaseTransform):
    def __init__(self, cat: bool = True) -> None: ...

class Center(BaseTransform):
    def __init__(self, /, *args, **kwargs) -> None: ...

class NormalizeRotation(BaseTransform):
    def __init__(self, max_points: int = -1, sort: bool = False) -> None: ...

class NormalizeScale(BaseTransform):
    def __init__(self) -> None: ...

@Random
class RandomJitter(BaseTransform):
    def __init__(self, translate) -> None: ...

@Random
@sometimes(of="p")
class RandomFlip(BaseTransform):
    def __init__(self, axis: int, p: float = 0.5) -> None: ...

class LinearTransformation(BaseTransform):
    def __init__(self, matrix: Tensor) -> None: ...

@Random
class RandomScale(BaseTransform):
    def __init__(self, scales) -> None: ...

@Random
class RandomRotate(BaseTransform):
    def __init__(self, degrees, axis: int = 0) -> None: ...

@Random
class RandomShear(BaseTransform):
    def __init__(self, shear) -> None: ...

class FaceToEdge(BaseTransform):
    def __init__(self, remove_faces: bool = True) -> None: ...

@Random
class SamplePoints(BaseTransform):
    def __init__(self, num: int, remove_faces: bool = True, include_normals: bool = False) -> None: ...

@Random
class FixedPoints(BaseTransform):
    def __init__(self, num: int, replace: bool = True, allow_duplicates: bool = False) -> None: ...

class GenerateMeshNormals(BaseTransform):
    def __init__(self, /, *args, **kwargs) -> None: ...

class Delaunay(BaseTransform):
    def __init__(self) -> None: ...

class ToSLIC(BaseTransform):
    def __init__(self, add_seg: bool = False, add_img: bool = False, **kwargs) -> None: ...

class GridSampling(BaseTransform):
    def __init__(self, size, start=None, end=None) -> None: ...
