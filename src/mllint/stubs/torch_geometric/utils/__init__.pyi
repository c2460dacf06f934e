"""torch_geometric.utils: what draws, and what is used in training code."""

from mllint.semantics.vocabulary import NonDifferentiable, Tensor, draws, pure

@draws("torch", when="training")
def dropout_node(
    edge_index: Tensor, p: float = 0.5, num_nodes=None, training: bool = True, relabel_nodes: bool = False
) -> object: ...
@draws("torch", when="training")
def dropout_edge(
    edge_index: Tensor, p: float = 0.5, force_undirected: bool = False, training: bool = True
) -> object: ...
@draws("torch", when="training")
def dropout_path(
    edge_index: Tensor,
    p: float = 0.2,
    walks_per_node: int = 1,
    walk_length: int = 3,
    num_nodes=None,
    is_sorted: bool = False,
    training: bool = True,
) -> object: ...
@draws("torch", when="training")
def dropout_adj(
    edge_index: Tensor,
    edge_attr=None,
    p: float = 0.5,
    force_undirected: bool = False,
    num_nodes=None,
    training: bool = True,
) -> object: ...
@draws("torch")
def negative_sampling(
    edge_index: Tensor, num_nodes=None, num_neg_samples=None, method: str = "sparse", force_undirected: bool = False
) -> NonDifferentiable[Tensor]: ...
@draws("torch")
def batched_negative_sampling(
    edge_index: Tensor, batch, num_neg_samples=None, method: str = "sparse", force_undirected: bool = False
) -> NonDifferentiable[Tensor]: ...
@draws("torch")
def structured_negative_sampling(
    edge_index: Tensor, num_nodes=None, contains_neg_self_loops: bool = True
) -> NonDifferentiable[Tensor]: ...
@draws("torch")
def shuffle_node(x: Tensor, batch=None, training: bool = True) -> object: ...
@draws("torch")
def mask_feature(
    x: Tensor, p: float = 0.5, mode: str = "col", fill_value: float = 0.0, training: bool = True
) -> object: ...
@draws("torch")
def add_random_edge(
    edge_index: Tensor, p: float = 0.5, force_undirected: bool = False, num_nodes=None, training: bool = True
) -> object: ...
@draws("torch")
def train_test_split_edges(data, val_ratio: float = 0.05, test_ratio: float = 0.1) -> object: ...
@pure
def softmax(src: Tensor, index=None, ptr=None, num_nodes=None, dim: int = 0) -> Tensor: ...
@pure
def scatter(src: Tensor, index: Tensor, dim: int = 0, dim_size=None, reduce: str = "sum") -> Tensor: ...
def degree(index: Tensor, num_nodes=None, dtype=None) -> object: ...
def add_self_loops(edge_index: Tensor, edge_attr=None, fill_value=None, num_nodes=None) -> object: ...
def remove_self_loops(edge_index: Tensor, edge_attr=None) -> object: ...
def add_remaining_self_loops(edge_index: Tensor, edge_attr=None, fill_value=None, num_nodes=None) -> object: ...
def to_undirected(edge_index: Tensor, edge_attr="???", num_nodes=None, reduce: str = "add") -> object: ...
def coalesce(
    edge_index: Tensor,
    edge_attr="???",
    num_nodes=None,
    reduce: str = "sum",
    is_sorted: bool = False,
    sort_by_row: bool = True,
) -> object: ...
def subgraph(
    subset,
    edge_index: Tensor,
    edge_attr=None,
    relabel_nodes: bool = False,
    num_nodes=None,
    *,
    return_edge_mask: bool = False,
) -> object: ...
def k_hop_subgraph(
    node_idx,
    num_hops: int,
    edge_index: Tensor,
    relabel_nodes: bool = False,
    num_nodes=None,
    flow: str = "source_to_target",
    directed: bool = False,
) -> object: ...
def to_dense_adj(edge_index: Tensor, batch=None, edge_attr=None, max_num_nodes=None, batch_size=None) -> object: ...
def to_dense_batch(x: Tensor, batch=None, fill_value: float = 0.0, max_num_nodes=None, batch_size=None) -> object: ...
def dense_to_sparse(adj: Tensor, mask=None) -> object: ...
def to_networkx(
    data,
    node_attrs=None,
    edge_attrs=None,
    graph_attrs=None,
    to_undirected=False,
    to_multi: bool = False,
    remove_self_loops: bool = False,
) -> object: ...
def from_networkx(G, group_node_attrs=None, group_edge_attrs=None) -> object: ...
def index_to_mask(index: Tensor, size=None) -> object: ...
def mask_to_index(mask: Tensor) -> object: ...
def one_hot(index: Tensor, num_classes=None, dtype=None) -> object: ...
