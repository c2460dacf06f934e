"""torch_geometric.loader: loaders stand for the graphs that they were built from."""

from mllint.semantics.vocabulary import Rows, Seed, batches, draws, wraps
from torch.utils.data import DataLoader as _DataLoader

@batches
@wraps(of="dataset")
class DataLoader(_DataLoader):
    @draws("torch", unless="generator", when="shuffle")
    def __init__(
        self,
        dataset: Rows,
        batch_size: int = 1,
        shuffle: bool = False,
        follow_batch=None,
        exclude_keys=None,
        *,
        sampler=None,  # these are handed on
        batch_sampler=None,
        num_workers: int = 0,
        drop_last: bool = False,
        worker_init_fn=None,
        generator: Seed | None = None,
        **kwargs,
    ) -> None: ...

@batches
@wraps(of="data")
class NeighborLoader(_DataLoader):
    def __init__(
        self,
        data: Rows,
        num_neighbors,
        input_nodes=None,
        input_time=None,
        replace: bool = False,
        subgraph_type="directional",
        disjoint: bool = False,
        temporal_strategy: str = "uniform",
        time_attr=None,
        weight_attr=None,
        transform=None,
        transform_sampler_output=None,
        is_sorted: bool = False,
        filter_per_worker=None,
        neighbor_sampler=None,
        directed: bool = True,
        **kwargs,
    ) -> None: ...

@batches
@wraps(of="data")
class LinkNeighborLoader(_DataLoader):
    def __init__(
        self,
        data: Rows,
        num_neighbors,
        edge_label_index=None,
        edge_label=None,
        edge_label_time=None,
        replace: bool = False,
        subgraph_type="directional",
        disjoint: bool = False,
        temporal_strategy: str = "uniform",
        neg_sampling=None,
        neg_sampling_ratio=None,
        time_attr=None,
        weight_attr=None,
        transform=None,
        transform_sampler_output=None,
        is_sorted: bool = False,
        filter_per_worker=None,
        neighbor_sampler=None,
        directed: bool = True,
        **kwargs,
    ) -> None: ...

@batches
@wraps(of="data")
class HGTLoader(_DataLoader):
    def __init__(
        self,
        data: Rows,
        num_samples,
        input_nodes,
        is_sorted: bool = False,
        transform=None,
        transform_sampler_output=None,
        filter_per_worker=None,
        **kwargs,
    ) -> None: ...

@batches
@wraps(of="data")
class NodeLoader(_DataLoader):
    def __init__(
        self,
        data: Rows,
        node_sampler,
        input_nodes=None,
        input_time=None,
        transform=None,
        transform_sampler_output=None,
        filter_per_worker=None,
        custom_cls=None,
        input_id=None,
        **kwargs,
    ) -> None: ...

@batches
@wraps(of="data")
class LinkLoader(_DataLoader):
    def __init__(
        self,
        data: Rows,
        link_sampler,
        edge_label_index=None,
        edge_label=None,
        edge_label_time=None,
        neg_sampling=None,
        neg_sampling_ratio=None,
        transform=None,
        transform_sampler_output=None,
        filter_per_worker=None,
        custom_cls=None,
        input_id=None,
        **kwargs,
    ) -> None: ...

@batches
@wraps(of="cluster_data")
class ClusterLoader(_DataLoader):
    def __init__(self, cluster_data: Rows, **kwargs) -> None: ...

@batches
@wraps(of="data")
class GraphSAINTRandomWalkSampler(_DataLoader):
    def __init__(
        self,
        data: Rows,
        batch_size: int,
        walk_length: int,
        num_steps: int = 1,
        sample_coverage: int = 0,
        save_dir=None,
        log: bool = True,
        **kwargs,
    ) -> None: ...

@batches
@wraps(of="data")
class GraphSAINTNodeSampler(_DataLoader):
    def __init__(
        self,
        data: Rows,
        batch_size: int,
        num_steps: int = 1,
        sample_coverage: int = 0,
        save_dir=None,
        log: bool = True,
        **kwargs,
    ) -> None: ...

@batches
@wraps(of="data")
class GraphSAINTEdgeSampler(_DataLoader):
    def __init__(
        self,
        data: Rows,
        batch_size: int,
        num_steps: int = 1,
        sample_coverage: int = 0,
        save_dir=None,
        log: bool = True,
        **kwargs,
    ) -> None: ...

@batches
@wraps(of="data")
class ShaDowKHopSampler(_DataLoader):
    def __init__(
        self, data: Rows, depth: int, num_neighbors: int, node_idx=None, replace: bool = False, **kwargs
    ) -> None: ...

@batches
@wraps(of="data")
class RandomNodeLoader(_DataLoader):
    def __init__(self, data: Rows, num_parts: int, **kwargs) -> None: ...

@batches
@wraps(of="dataset")
class DataListLoader(_DataLoader):
    def __init__(self, dataset: Rows, batch_size: int = 1, shuffle: bool = False, **kwargs) -> None: ...

@batches
@wraps(of="dataset")
class DenseDataLoader(_DataLoader):
    def __init__(self, dataset: Rows, batch_size: int = 1, shuffle: bool = False, **kwargs) -> None: ...

@wraps(of="data")
class ClusterData:
    def __init__(
        self,
        data: Rows,
        num_parts: int,
        recursive: bool = False,
        save_dir=None,
        filename=None,
        log: bool = True,
        keep_inter_cluster_edges: bool = False,
        sparse_format="csr",
    ) -> None: ...
