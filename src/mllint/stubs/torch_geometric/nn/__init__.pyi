"""torch_geometric.nn: convolutions and pools are modules; those that end in an affine layer give logits."""

from typing import Any

from mllint.semantics.vocabulary import NonDifferentiable, Model, Raw, T, Tensor, mode_dependent, pure, wraps
from torch.nn import Module as Module

class MessagePassing(Module):
    def __init__(
        self,
        aggr="sum",
        *,
        aggr_kwargs=None,
        flow: str = "source_to_target",
        node_dim: int = -2,
        decomposed_layers: int = 1,
    ) -> None: ...
    def propagate(self, edge_index, size=None, **kwargs) -> Tensor: ...
    def message(self, x_j: Tensor) -> Tensor: ...
    def update(self, inputs: Tensor) -> Tensor: ...
    def aggregate(self, inputs: Tensor, index: Tensor, ptr=None, dim_size=None) -> Tensor: ...

class SimpleConv(MessagePassing):
    def __init__(self, aggr="sum", combine_root=None, **kwargs) -> None: ...
    def forward(self, x, edge_index, edge_weight=None, size=None) -> Tensor: ...

class GCNConv(MessagePassing):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        improved: bool = False,
        cached: bool = False,
        add_self_loops=None,
        normalize: bool = True,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x: Tensor, edge_index, edge_weight=None) -> Raw: ...

class ChebConv(MessagePassing):
    def __init__(
        self, in_channels: int, out_channels: int, K: int, normalization="sym", bias: bool = True, **kwargs
    ) -> None: ...
    def forward(self, x: Tensor, edge_index: Tensor, edge_weight=None, batch=None, lambda_max=None) -> Raw: ...

class SAGEConv(MessagePassing):
    def __init__(
        self,
        in_channels,
        out_channels: int,
        aggr="mean",
        normalize: bool = False,
        root_weight: bool = True,
        project: bool = False,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x, edge_index, size=None) -> Raw: ...

class GraphConv(MessagePassing):
    def __init__(self, in_channels, out_channels: int, aggr: str = "add", bias: bool = True, **kwargs) -> None: ...
    def forward(self, x, edge_index, edge_weight=None, size=None) -> Raw: ...

class GravNetConv(MessagePassing):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        space_dimensions: int,
        propagate_dimensions: int,
        k: int,
        num_workers=None,
        **kwargs,
    ) -> None: ...
    def forward(self, x, batch=None) -> Tensor: ...

class GatedGraphConv(MessagePassing):
    def __init__(self, out_channels: int, num_layers: int, aggr: str = "add", bias: bool = True, **kwargs) -> None: ...
    def forward(self, x: Tensor, edge_index, edge_weight=None) -> Tensor: ...

class ResGatedGraphConv(MessagePassing):
    def __init__(
        self,
        in_channels,
        out_channels: int,
        act=...,
        edge_dim=None,
        root_weight: bool = True,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x, edge_index, edge_attr=None) -> Tensor: ...

class GATConv(MessagePassing):
    def __init__(
        self,
        in_channels,
        out_channels: int,
        heads: int = 1,
        concat: bool = True,
        negative_slope: float = 0.2,
        dropout: float = 0.0,
        add_self_loops: bool = True,
        edge_dim=None,
        fill_value="mean",
        bias: bool = True,
        residual: bool = False,
        **kwargs,
    ) -> None: ...
    def forward(self, x, edge_index, edge_attr=None, size=None, return_attention_weights=None) -> Raw: ...

class FusedGATConv(MessagePassing):
    def __init__(self, *args, **kwargs) -> None: ...
    def forward(self, x: Tensor, csr, csc, perm: Tensor) -> Tensor: ...

class GATv2Conv(MessagePassing):
    def __init__(
        self,
        in_channels,
        out_channels: int,
        heads: int = 1,
        concat: bool = True,
        negative_slope: float = 0.2,
        dropout: float = 0.0,
        add_self_loops: bool = True,
        edge_dim=None,
        fill_value="mean",
        bias: bool = True,
        share_weights: bool = False,
        residual: bool = False,
        **kwargs,
    ) -> None: ...
    def forward(self, x, edge_index, edge_attr=None, return_attention_weights=None) -> Raw: ...

class TransformerConv(MessagePassing):
    def __init__(
        self,
        in_channels,
        out_channels: int,
        heads: int = 1,
        concat: bool = True,
        beta: bool = False,
        dropout: float = 0.0,
        edge_dim=None,
        bias: bool = True,
        root_weight: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x, edge_index, edge_attr=None, return_attention_weights=None) -> Raw: ...

class AGNNConv(MessagePassing):
    def __init__(self, requires_grad: bool = True, add_self_loops: bool = True, **kwargs) -> None: ...
    def forward(self, x: Tensor, edge_index) -> Tensor: ...

class TAGConv(MessagePassing):
    def __init__(
        self, in_channels: int, out_channels: int, K: int = 3, bias: bool = True, normalize: bool = True, **kwargs
    ) -> None: ...
    def forward(self, x: Tensor, edge_index, edge_weight=None) -> Raw: ...

class GINConv(MessagePassing):
    def __init__(self, nn, eps: float = 0.0, train_eps: bool = False, **kwargs) -> None: ...
    def forward(self, x, edge_index, size=None) -> Tensor: ...

class GINEConv(MessagePassing):
    def __init__(self, nn, eps: float = 0.0, train_eps: bool = False, edge_dim=None, **kwargs) -> None: ...
    def forward(self, x, edge_index, edge_attr=None, size=None) -> Tensor: ...

class ARMAConv(MessagePassing):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        num_stacks: int = 1,
        num_layers: int = 1,
        shared_weights: bool = False,
        act=...,
        dropout: float = 0.0,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x: Tensor, edge_index, edge_weight=None) -> Raw: ...

class SGConv(MessagePassing):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        K: int = 1,
        cached: bool = False,
        add_self_loops: bool = True,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x: Tensor, edge_index, edge_weight=None) -> Raw: ...

class SSGConv(MessagePassing):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        alpha: float,
        K: int = 1,
        cached: bool = False,
        add_self_loops: bool = True,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x: Tensor, edge_index, edge_weight=None) -> Tensor: ...

class APPNP(MessagePassing):
    def __init__(
        self,
        K: int,
        alpha: float,
        dropout: float = 0.0,
        cached: bool = False,
        add_self_loops: bool = True,
        normalize: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x: Tensor, edge_index, edge_weight=None) -> Tensor: ...

class MFConv(MessagePassing):
    def __init__(self, in_channels, out_channels: int, max_degree: int = 10, bias=True, **kwargs) -> None: ...
    def forward(self, x, edge_index, size=None) -> Tensor: ...

class RGCNConv(MessagePassing):
    def __init__(
        self,
        in_channels,
        out_channels: int,
        num_relations: int,
        num_bases=None,
        num_blocks=None,
        aggr: str = "mean",
        root_weight: bool = True,
        is_sorted: bool = False,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x, edge_index, edge_type=None) -> Raw: ...

class FastRGCNConv(MessagePassing):
    def __init__(
        self,
        in_channels,
        out_channels: int,
        num_relations: int,
        num_bases=None,
        num_blocks=None,
        aggr: str = "mean",
        root_weight: bool = True,
        is_sorted: bool = False,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x, edge_index, edge_type=None) -> Tensor: ...

class RGATConv(MessagePassing):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        num_relations: int,
        num_bases=None,
        num_blocks=None,
        mod=None,
        attention_mechanism: str = "across-relation",
        attention_mode: str = "additive-self-attention",
        heads: int = 1,
        dim: int = 1,
        concat: bool = True,
        negative_slope: float = 0.2,
        dropout: float = 0.0,
        edge_dim=None,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(
        self, x: Tensor, edge_index, edge_type=None, edge_attr=None, size=None, return_attention_weights=None
    ) -> Tensor: ...

class SignedConv(MessagePassing):
    def __init__(self, in_channels: int, out_channels: int, first_aggr: bool, bias: bool = True, **kwargs) -> None: ...
    def forward(self, x, pos_edge_index, neg_edge_index) -> Tensor: ...

class DNAConv(MessagePassing):
    def __init__(
        self,
        channels: int,
        heads: int = 1,
        groups: int = 1,
        dropout: float = 0.0,
        cached: bool = False,
        normalize: bool = True,
        add_self_loops: bool = True,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x: Tensor, edge_index, edge_weight=None) -> Tensor: ...

class PointNetConv(MessagePassing):
    def __init__(self, local_nn=None, global_nn=None, add_self_loops: bool = True, **kwargs) -> None: ...
    def forward(self, x, pos, edge_index) -> Tensor: ...

class GMMConv(MessagePassing):
    def __init__(
        self,
        in_channels,
        out_channels: int,
        dim: int,
        kernel_size: int,
        separate_gaussians: bool = False,
        aggr: str = "mean",
        root_weight: bool = True,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x, edge_index, edge_attr=None, size=None) -> Tensor: ...

class SplineConv(MessagePassing):
    def __init__(
        self,
        in_channels,
        out_channels: int,
        dim: int,
        kernel_size,
        is_open_spline: bool = True,
        degree: int = 1,
        aggr: str = "mean",
        root_weight: bool = True,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x, edge_index, edge_attr=None, size=None) -> Tensor: ...

class NNConv(MessagePassing):
    def __init__(
        self,
        in_channels,
        out_channels: int,
        nn,
        aggr: str = "add",
        root_weight: bool = True,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x, edge_index, edge_attr=None, size=None) -> Tensor: ...

class CGConv(MessagePassing):
    def __init__(
        self, channels, dim: int = 0, aggr: str = "add", batch_norm: bool = False, bias: bool = True, **kwargs
    ) -> None: ...
    def forward(self, x, edge_index, edge_attr=None) -> Tensor: ...

class EdgeConv(MessagePassing):
    def __init__(self, nn, aggr: str = "max", **kwargs) -> None: ...
    def forward(self, x, edge_index) -> Tensor: ...

class DynamicEdgeConv(MessagePassing):
    def __init__(self, nn, k: int, aggr: str = "max", num_workers: int = 1, **kwargs) -> None: ...
    def forward(self, x, batch=None) -> Tensor: ...

class XConv(Module):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        dim: int,
        kernel_size: int,
        hidden_channels=None,
        dilation: int = 1,
        bias: bool = True,
        num_workers: int = 1,
    ) -> None: ...
    def forward(self, x: Tensor, pos: Tensor, batch=None) -> Tensor: ...

class PPFConv(MessagePassing):
    def __init__(self, local_nn=None, global_nn=None, add_self_loops: bool = True, **kwargs) -> None: ...
    def forward(self, x, pos, normal, edge_index) -> Tensor: ...

class FeaStConv(MessagePassing):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        heads: int = 1,
        add_self_loops: bool = True,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x, edge_index) -> Tensor: ...

class PointTransformerConv(MessagePassing):
    def __init__(
        self, in_channels, out_channels: int, pos_nn=None, attn_nn=None, add_self_loops: bool = True, **kwargs
    ) -> None: ...
    def forward(self, x, pos, edge_index) -> Tensor: ...

class HypergraphConv(MessagePassing):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        use_attention: bool = False,
        attention_mode: str = "node",
        heads: int = 1,
        concat: bool = True,
        negative_slope: float = 0.2,
        dropout: float = 0,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(
        self, x: Tensor, hyperedge_index: Tensor, hyperedge_weight=None, hyperedge_attr=None, num_edges=None
    ) -> Tensor: ...

class LEConv(MessagePassing):
    def __init__(self, in_channels, out_channels: int, bias: bool = True, **kwargs) -> None: ...
    def forward(self, x, edge_index, edge_weight=None) -> Tensor: ...

class PNAConv(MessagePassing):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        aggregators,
        scalers,
        deg: Tensor,
        edge_dim=None,
        towers: int = 1,
        pre_layers: int = 1,
        post_layers: int = 1,
        divide_input: bool = False,
        act="relu",
        act_kwargs=None,
        train_norm: bool = False,
        **kwargs,
    ) -> None: ...
    def forward(self, x: Tensor, edge_index, edge_attr=None) -> Tensor: ...

class ClusterGCNConv(MessagePassing):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        diag_lambda: float = 0.0,
        add_self_loops: bool = True,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x: Tensor, edge_index) -> Tensor: ...

class GENConv(MessagePassing):
    def __init__(
        self,
        in_channels,
        out_channels: int,
        aggr="softmax",
        t: float = 1.0,
        learn_t: bool = False,
        p: float = 1.0,
        learn_p: bool = False,
        msg_norm: bool = False,
        learn_msg_scale: bool = False,
        norm: str = "batch",
        num_layers: int = 2,
        expansion: int = 2,
        eps: float = 1e-07,
        bias: bool = False,
        edge_dim=None,
        **kwargs,
    ) -> None: ...
    def forward(self, x, edge_index, edge_attr=None, size=None) -> Tensor: ...

class GCN2Conv(MessagePassing):
    def __init__(
        self,
        channels: int,
        alpha: float,
        theta: float = None,
        layer: int = None,
        shared_weights: bool = True,
        cached: bool = False,
        add_self_loops: bool = True,
        normalize: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x: Tensor, x_0: Tensor, edge_index, edge_weight=None) -> Tensor: ...

class PANConv(MessagePassing):
    def __init__(self, in_channels: int, out_channels: int, filter_size: int, **kwargs) -> None: ...
    def forward(self, x: Tensor, edge_index) -> Tensor: ...

class WLConv(Module):
    def __init__(self) -> None: ...
    def forward(self, x: Tensor, edge_index) -> Tensor: ...

class WLConvContinuous(MessagePassing):
    def __init__(self, **kwargs) -> None: ...
    def forward(self, x, edge_index, edge_weight=None, size=None) -> Tensor: ...

class FiLMConv(MessagePassing):
    def __init__(
        self, in_channels, out_channels: int, num_relations: int = 1, nn=None, act=..., aggr: str = "mean", **kwargs
    ) -> None: ...
    def forward(self, x, edge_index, edge_type=None) -> Tensor: ...

class SuperGATConv(MessagePassing):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        heads: int = 1,
        concat: bool = True,
        negative_slope: float = 0.2,
        dropout: float = 0.0,
        add_self_loops: bool = True,
        bias: bool = True,
        attention_type: str = "MX",
        neg_sample_ratio: float = 0.5,
        edge_sample_ratio: float = 1.0,
        is_undirected: bool = False,
        **kwargs,
    ) -> None: ...
    def forward(self, x: Tensor, edge_index, neg_edge_index=None, batch=None) -> Raw: ...

class FAConv(MessagePassing):
    def __init__(
        self,
        channels: int,
        eps: float = 0.1,
        dropout: float = 0.0,
        cached: bool = False,
        add_self_loops: bool = True,
        normalize: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(
        self, x: Tensor, x_0: Tensor, edge_index, edge_weight=None, return_attention_weights=None
    ) -> Tensor: ...

class EGConv(MessagePassing):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        aggregators=None,
        num_heads: int = 8,
        num_bases: int = 4,
        cached: bool = False,
        add_self_loops: bool = True,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x: Tensor, edge_index) -> Tensor: ...

class PDNConv(MessagePassing):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        edge_dim: int,
        hidden_channels: int,
        add_self_loops: bool = True,
        normalize: bool = True,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x: Tensor, edge_index, edge_attr=None) -> Tensor: ...

class GeneralConv(MessagePassing):
    def __init__(
        self,
        in_channels,
        out_channels,
        in_edge_channels=None,
        aggr: str = "add",
        skip_linear: str = False,
        directed_msg: bool = True,
        heads: int = 1,
        attention: bool = False,
        attention_type: str = "additive",
        l2_normalize: bool = False,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x, edge_index, edge_attr=None, size=None) -> Tensor: ...

class HGTConv(MessagePassing):
    def __init__(self, in_channels, out_channels: int, metadata, heads: int = 1, **kwargs) -> None: ...
    def forward(self, x_dict, edge_index_dict) -> Tensor: ...

class HEATConv(MessagePassing):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        num_node_types: int,
        num_edge_types: int,
        edge_type_emb_dim: int,
        edge_dim: int,
        edge_attr_emb_dim: int,
        heads: int = 1,
        concat: bool = True,
        negative_slope: float = 0.2,
        dropout: float = 0.0,
        root_weight: bool = True,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x: Tensor, edge_index, node_type: Tensor, edge_type: Tensor, edge_attr=None) -> Tensor: ...

class HeteroConv(Module):
    def __init__(self, convs, aggr="sum") -> None: ...
    def forward(self, *args_dict, **kwargs_dict) -> Tensor: ...

class HANConv(MessagePassing):
    def __init__(
        self,
        in_channels,
        out_channels: int,
        metadata,
        heads: int = 1,
        negative_slope=0.2,
        dropout: float = 0.0,
        **kwargs,
    ) -> None: ...
    def forward(self, x_dict, edge_index_dict, return_semantic_attention_weights: bool = False) -> Tensor: ...

class LGConv(MessagePassing):
    def __init__(self, normalize: bool = True, **kwargs) -> None: ...
    def forward(self, x: Tensor, edge_index, edge_weight=None) -> Tensor: ...

class PointGNNConv(MessagePassing):
    def __init__(self, mlp_h, mlp_f, mlp_g, **kwargs) -> None: ...
    def forward(self, x: Tensor, pos: Tensor, edge_index) -> Tensor: ...

class GPSConv(Module):
    def __init__(
        self,
        channels: int,
        conv,
        heads: int = 1,
        dropout: float = 0.0,
        act: str = "relu",
        act_kwargs=None,
        norm="batch_norm",
        norm_kwargs=None,
        attn_type: str = "multihead",
        attn_kwargs=None,
    ) -> None: ...
    def forward(self, x: Tensor, edge_index, batch=None, **kwargs) -> Tensor: ...

class AntiSymmetricConv(Module):
    def __init__(
        self,
        in_channels: int,
        phi=None,
        num_iters: int = 1,
        epsilon: float = 0.1,
        gamma: float = 0.1,
        act="tanh",
        act_kwargs=None,
        bias: bool = True,
    ) -> None: ...
    def forward(self, x: Tensor, edge_index, *args, **kwargs) -> Tensor: ...

class DirGNNConv(Module):
    def __init__(self, conv, alpha: float = 0.5, root_weight: bool = True) -> None: ...
    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor: ...

class MixHopConv(MessagePassing):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        powers=None,
        add_self_loops: bool = True,
        bias: bool = True,
        **kwargs,
    ) -> None: ...
    def forward(self, x: Tensor, edge_index, edge_weight=None) -> Tensor: ...

class MeshCNNConv(MessagePassing):
    def __init__(self, in_channels: int, out_channels: int, kernels=None) -> None: ...
    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor: ...

@mode_dependent
class BatchNorm(Module):
    def __init__(
        self,
        in_channels: int,
        eps: float = 1e-05,
        momentum=0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        allow_single_element: bool = False,
        device=None,
    ) -> None: ...
    def forward(self, x: Tensor) -> Raw: ...

@mode_dependent
class HeteroBatchNorm(Module):
    def __init__(
        self,
        in_channels: int,
        num_types: int,
        eps: float = 1e-05,
        momentum=0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device=None,
    ) -> None: ...
    def forward(self, x: Tensor, type_vec: Tensor) -> Raw: ...

class GraphNorm(Module):
    def __init__(self, in_channels: int, eps: float = 1e-05, device=None) -> None: ...
    def forward(self, x: Tensor, batch=None, batch_size=None) -> Raw: ...

class InstanceNorm(Module):
    def __init__(
        self,
        in_channels: int,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device=None,
    ) -> None: ...
    def forward(self, x: Tensor, batch=None, batch_size=None) -> Raw: ...

class LayerNorm(Module):
    def __init__(
        self, in_channels: int, eps: float = 1e-05, affine: bool = True, mode: str = "graph", device=None
    ) -> None: ...
    def forward(self, x: Tensor, batch=None, batch_size=None) -> Raw: ...

class PairNorm(Module):
    def __init__(self, scale: float = 1.0, scale_individually: bool = False, eps: float = 1e-05) -> None: ...
    def forward(self, x: Tensor, batch=None, batch_size=None) -> Raw: ...

class GraphSizeNorm(Module):
    def __init__(self) -> None: ...
    def forward(self, x: Tensor, batch=None, batch_size=None) -> Raw: ...

class Linear(Module):
    def __init__(
        self, in_channels: int, out_channels: int, bias: bool = True, weight_initializer=None, bias_initializer=None
    ) -> None: ...
    def forward(self, x: Tensor) -> Raw: ...

@mode_dependent
class GCN(Module):
    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        num_layers: int,
        out_channels=None,
        dropout: float = 0.0,
        act="relu",
        act_first: bool = False,
        act_kwargs=None,
        norm=None,
        norm_kwargs=None,
        jk=None,
        **kwargs,
    ) -> None: ...
    def forward(
        self,
        x,
        edge_index,
        edge_weight=None,
        edge_attr=None,
        batch=None,
        batch_size=None,
        num_sampled_nodes_per_hop=None,
        num_sampled_edges_per_hop=None,
    ) -> Tensor: ...

@mode_dependent
class GAT(Module):
    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        num_layers: int,
        out_channels=None,
        dropout: float = 0.0,
        act="relu",
        act_first: bool = False,
        act_kwargs=None,
        norm=None,
        norm_kwargs=None,
        jk=None,
        **kwargs,
    ) -> None: ...
    def forward(
        self,
        x,
        edge_index,
        edge_weight=None,
        edge_attr=None,
        batch=None,
        batch_size=None,
        num_sampled_nodes_per_hop=None,
        num_sampled_edges_per_hop=None,
    ) -> Tensor: ...

@mode_dependent
class GIN(Module):
    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        num_layers: int,
        out_channels=None,
        dropout: float = 0.0,
        act="relu",
        act_first: bool = False,
        act_kwargs=None,
        norm=None,
        norm_kwargs=None,
        jk=None,
        **kwargs,
    ) -> None: ...
    def forward(
        self,
        x,
        edge_index,
        edge_weight=None,
        edge_attr=None,
        batch=None,
        batch_size=None,
        num_sampled_nodes_per_hop=None,
        num_sampled_edges_per_hop=None,
    ) -> Tensor: ...

@mode_dependent
class GraphSAGE(Module):
    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        num_layers: int,
        out_channels=None,
        dropout: float = 0.0,
        act="relu",
        act_first: bool = False,
        act_kwargs=None,
        norm=None,
        norm_kwargs=None,
        jk=None,
        **kwargs,
    ) -> None: ...
    def forward(
        self,
        x,
        edge_index,
        edge_weight=None,
        edge_attr=None,
        batch=None,
        batch_size=None,
        num_sampled_nodes_per_hop=None,
        num_sampled_edges_per_hop=None,
    ) -> Tensor: ...

@mode_dependent
class PNA(Module):
    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        num_layers: int,
        out_channels=None,
        dropout: float = 0.0,
        act="relu",
        act_first: bool = False,
        act_kwargs=None,
        norm=None,
        norm_kwargs=None,
        jk=None,
        **kwargs,
    ) -> None: ...
    def forward(
        self,
        x,
        edge_index,
        edge_weight=None,
        edge_attr=None,
        batch=None,
        batch_size=None,
        num_sampled_nodes_per_hop=None,
        num_sampled_edges_per_hop=None,
    ) -> Tensor: ...

@mode_dependent
class MLP(Module):
    def __init__(
        self,
        channel_list=None,
        *,
        in_channels=None,
        hidden_channels=None,
        out_channels=None,
        num_layers=None,
        dropout=0.0,
        act="relu",
        act_first: bool = False,
        act_kwargs=None,
        norm="batch_norm",
        norm_kwargs=None,
        plain_last: bool = True,
        bias=True,
        **kwargs,
    ) -> None: ...
    def forward(self, x: Tensor, batch=None, batch_size=None, return_emb=None) -> Tensor: ...

class JumpingKnowledge(Module):
    def __init__(self, mode: str, channels=None, num_layers=None) -> None: ...
    def forward(self, xs) -> object: ...

class TopKPooling(Module):
    def __init__(
        self, in_channels: int, ratio=0.5, min_score=None, multiplier: float = 1.0, nonlinearity="tanh"
    ) -> None: ...
    def forward(self, x: Tensor, edge_index: Tensor, edge_attr=None, batch=None, attn=None) -> object: ...

class SAGPooling(Module):
    def __init__(
        self,
        in_channels: int,
        ratio=0.5,
        GNN=...,
        min_score=None,
        multiplier: float = 1.0,
        nonlinearity="tanh",
        **kwargs,
    ) -> None: ...
    def forward(self, x: Tensor, edge_index: Tensor, edge_attr=None, batch=None, attn=None) -> object: ...

class Set2Set(Module):
    def __init__(self, in_channels: int, processing_steps: int, **kwargs) -> None: ...
    def forward(self, x: Tensor, index=None, ptr=None, dim_size=None, dim: int = -2) -> object: ...

class GAE(Module):
    def __init__(self, encoder, decoder=None) -> None: ...
    def forward(self, *args, **kwargs) -> object: ...

class VGAE(Module):
    def __init__(self, encoder, decoder=None) -> None: ...
    def forward(self, *args, **kwargs) -> object: ...

class Node2Vec(Module):
    def __init__(
        self,
        edge_index: Tensor,
        embedding_dim: int,
        walk_length: int,
        context_size: int,
        walks_per_node: int = 1,
        p: float = 1.0,
        q: float = 1.0,
        num_negative_samples: int = 1,
        num_nodes=None,
        sparse: bool = False,
    ) -> None: ...
    def forward(self, batch=None) -> object: ...

class DeepGraphInfomax(Module):
    def __init__(self, hidden_channels: int, encoder, summary, corruption) -> None: ...
    def forward(self, *args, **kwargs) -> object: ...

class Sequential(Module):
    def __init__(self, input_args: str, modules) -> None: ...
    def forward(self, *args, **kwargs) -> Tensor: ...

@wraps(of="module")
class DataParallel(Module):
    module: Any
    def __init__(
        self, module: Model, device_ids=None, output_device=None, follow_batch=None, exclude_keys=None
    ) -> None: ...

@pure
def global_add_pool(x: T, batch, size=None) -> T: ...
@pure
def global_mean_pool(x: T, batch, size=None) -> T: ...
@pure
def global_max_pool(x: Tensor, batch, size=None) -> Tensor: ...
@pure
def global_sort_pool(x, index, k) -> Tensor: ...
def knn_graph(
    x: Tensor,
    k: int,
    batch=None,
    loop: bool = False,
    flow: str = "source_to_target",
    cosine: bool = False,
    num_workers: int = 1,
    batch_size=None,
) -> NonDifferentiable[Tensor]: ...
def radius_graph(
    x: Tensor,
    r: float,
    batch=None,
    loop: bool = False,
    max_num_neighbors: int = 32,
    flow: str = "source_to_target",
    num_workers: int = 1,
    batch_size=None,
) -> NonDifferentiable[Tensor]: ...
def knn(
    x: Tensor,
    y: Tensor,
    k: int,
    batch_x=None,
    batch_y=None,
    cosine: bool = False,
    num_workers: int = 1,
    batch_size=None,
) -> NonDifferentiable[Tensor]: ...
def radius(
    x: Tensor,
    y: Tensor,
    r: float,
    batch_x=None,
    batch_y=None,
    max_num_neighbors: int = 32,
    num_workers: int = 1,
    batch_size=None,
) -> NonDifferentiable[Tensor]: ...
def fps(x: Tensor, batch=None, ratio: float = 0.5, random_start: bool = True, batch_size=None) -> NonDifferentiable[Tensor]: ...
@wraps(of="module")
def to_hetero(module: Model, metadata, aggr: str = "sum", input_map=None, debug: bool = False): ...
