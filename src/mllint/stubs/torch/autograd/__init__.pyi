"""torch.autograd: backward as a function, gradients as values, functions of our own."""

from mllint.semantics.vocabulary import NonDifferentiable, T, accumulates_grad
import torch.autograd.grad_mode as grad_mode
import torch.autograd.functional as functional
import torch.autograd.profiler as profiler
import torch.autograd.function as function
from torch.autograd.grad_mode import enable_grad as enable_grad
from torch.autograd.grad_mode import inference_mode as inference_mode
from torch.autograd.grad_mode import no_grad as no_grad
from torch.autograd.grad_mode import set_grad_enabled as set_grad_enabled
from torch._tensor import Tensor as Tensor

@accumulates_grad(of="tensors")
def backward(
    tensors,
    grad_tensors=None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables=None,
    inputs=None,
) -> None: ...
def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Tensor: ...
def Variable(data: T, requires_grad=False, volatile=False) -> NonDifferentiable[T]: ...

class Function:
    @staticmethod
    def forward(*args, **kwargs) -> object: ...
    @staticmethod
    def setup_context(ctx, inputs, output) -> object: ...
    @staticmethod
    def backward(ctx, *grad_outputs) -> object: ...
    @staticmethod
    def jvp(ctx, *grad_inputs) -> object: ...
    @staticmethod
    def vjp(ctx, *grad_outputs) -> object: ...
    @classmethod
    def apply(cls, *args, **kwargs) -> Tensor: ...

class detect_anomaly:
    def __init__(self, check_nan=True) -> None: ...

class set_detect_anomaly:
    def __init__(self, mode: bool, check_nan: bool = True) -> None: ...

def gradcheck(
    func,
    inputs,
    *,
    eps: float = 1e-06,
    atol: float = 1e-05,
    rtol: float = 0.001,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> object: ...
def gradgradcheck(
    func,
    inputs,
    grad_outputs=None,
    *,
    eps: float = 1e-06,
    atol: float = 1e-05,
    rtol: float = 0.001,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> object: ...
