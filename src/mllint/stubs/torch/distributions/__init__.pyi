"""torch.distributions: `log_prob` is differentiable, `sample` is not, `rsample` is; both draw."""

from typing import Any

from mllint.semantics.vocabulary import BinaryLogits, NonDifferentiable, Logits, Probs, Tensor, draws, pure
import torch.distributions.kl as kl

class Distribution:
    mean: Any
    variance: Any
    stddev: Any
    mode: Any
    batch_shape: Any
    event_shape: Any
    has_rsample: bool
    def __init__(self, batch_shape=..., event_shape=..., validate_args: bool | None = None) -> None: ...
    @draws("torch")
    def sample(self, sample_shape=...) -> NonDifferentiable[Tensor]: ...
    @draws("torch")
    def rsample(self, sample_shape=...) -> Tensor: ...
    @pure
    def log_prob(self, value: Tensor) -> Tensor: ...
    @pure
    def cdf(self, value: Tensor) -> Tensor: ...
    @pure
    def icdf(self, value: Tensor) -> Tensor: ...
    @pure
    def entropy(self) -> Tensor: ...
    def enumerate_support(self, expand: bool = True) -> Tensor: ...
    def expand(self, batch_shape, _instance=None) -> object: ...

class Bernoulli(Distribution):
    def __init__(self, probs=None, logits: BinaryLogits | None = None, validate_args: bool | None = None) -> None: ...

class Beta(Distribution):
    def __init__(self, concentration1, concentration0, validate_args: bool | None = None) -> None: ...

class Binomial(Distribution):
    def __init__(
        self,
        total_count=1,
        probs: Tensor | None = None,
        logits: BinaryLogits | None = None,
        validate_args: bool | None = None,
    ) -> None: ...

class Categorical(Distribution):
    def __init__(
        self, probs: Probs | None = None, logits: Logits | None = None, validate_args: bool | None = None
    ) -> None: ...

class Cauchy(Distribution):
    def __init__(self, loc, scale, validate_args: bool | None = None) -> None: ...

class Chi2(Distribution):
    def __init__(self, df, validate_args: bool | None = None) -> None: ...

class ContinuousBernoulli(Distribution):
    def __init__(
        self, probs=None, logits: BinaryLogits | None = None, lims=(0.499, 0.501), validate_args: bool | None = None
    ) -> None: ...

class Dirichlet(Distribution):
    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None: ...

class Exponential(Distribution):
    def __init__(self, rate, validate_args: bool | None = None) -> None: ...

class ExponentialFamily(Distribution):
    def __init__(self, batch_shape=..., event_shape=..., validate_args: bool | None = None) -> None: ...

class FisherSnedecor(Distribution):
    def __init__(self, df1, df2, validate_args: bool | None = None) -> None: ...

class Gamma(Distribution):
    def __init__(self, concentration, rate, validate_args: bool | None = None) -> None: ...

class GeneralizedPareto(Distribution):
    def __init__(self, loc, scale, concentration, validate_args=None) -> None: ...

class Geometric(Distribution):
    def __init__(self, probs=None, logits: BinaryLogits | None = None, validate_args: bool | None = None) -> None: ...

class Gumbel(TransformedDistribution):
    def __init__(self, loc, scale, validate_args: bool | None = None) -> None: ...

class HalfCauchy(TransformedDistribution):
    def __init__(self, scale, validate_args: bool | None = None) -> None: ...

class HalfNormal(TransformedDistribution):
    def __init__(self, scale, validate_args: bool | None = None) -> None: ...

class Independent(Distribution):
    def __init__(
        self, base_distribution, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None: ...

class InverseGamma(TransformedDistribution):
    def __init__(self, concentration, rate, validate_args: bool | None = None) -> None: ...

class Kumaraswamy(TransformedDistribution):
    def __init__(self, concentration1, concentration0, validate_args: bool | None = None) -> None: ...

class LKJCholesky(Distribution):
    def __init__(self, dim: int, concentration=1.0, validate_args: bool | None = None) -> None: ...

class Laplace(Distribution):
    def __init__(self, loc, scale, validate_args: bool | None = None) -> None: ...

class LogNormal(TransformedDistribution):
    def __init__(self, loc, scale, validate_args: bool | None = None) -> None: ...

class LogisticNormal(TransformedDistribution):
    def __init__(self, loc, scale, validate_args: bool | None = None) -> None: ...

class LowRankMultivariateNormal(Distribution):
    def __init__(
        self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None
    ) -> None: ...

class MixtureSameFamily(Distribution):
    def __init__(self, mixture_distribution, component_distribution, validate_args: bool | None = None) -> None: ...

class Multinomial(Distribution):
    def __init__(
        self,
        total_count: int = 1,
        probs: Probs | None = None,
        logits: Logits | None = None,
        validate_args: bool | None = None,
    ) -> None: ...

class MultivariateNormal(Distribution):
    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None: ...

class NegativeBinomial(Distribution):
    def __init__(
        self,
        total_count,
        probs: Tensor | None = None,
        logits: BinaryLogits | None = None,
        validate_args: bool | None = None,
    ) -> None: ...

class Normal(Distribution):
    def __init__(self, loc, scale, validate_args: bool | None = None) -> None: ...

class OneHotCategorical(Distribution):
    def __init__(
        self, probs: Probs | None = None, logits: Logits | None = None, validate_args: bool | None = None
    ) -> None: ...

class OneHotCategoricalStraightThrough(Distribution):
    def __init__(
        self, probs: Probs | None = None, logits: Logits | None = None, validate_args: bool | None = None
    ) -> None: ...

class Pareto(TransformedDistribution):
    def __init__(self, scale, alpha, validate_args: bool | None = None) -> None: ...

class RelaxedBernoulli(TransformedDistribution):
    def __init__(
        self, temperature: Tensor, probs=None, logits: BinaryLogits | None = None, validate_args: bool | None = None
    ) -> None: ...

class RelaxedOneHotCategorical(TransformedDistribution):
    def __init__(
        self,
        temperature: Tensor,
        probs: Probs | None = None,
        logits: Logits | None = None,
        validate_args: bool | None = None,
    ) -> None: ...

class StudentT(Distribution):
    def __init__(self, df, loc=0.0, scale=1.0, validate_args: bool | None = None) -> None: ...

class Poisson(Distribution):
    def __init__(self, rate, validate_args: bool | None = None) -> None: ...

class Uniform(Distribution):
    def __init__(self, low, high, validate_args: bool | None = None) -> None: ...

class VonMises(Distribution):
    def __init__(self, loc: Tensor, concentration: Tensor, validate_args: bool | None = None) -> None: ...

class Weibull(TransformedDistribution):
    def __init__(self, scale, concentration, validate_args: bool | None = None) -> None: ...

class Wishart(Distribution):
    def __init__(
        self,
        df,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None: ...

class TransformedDistribution(Distribution):
    def __init__(self, base_distribution, transforms, validate_args: bool | None = None) -> None: ...

@pure
def kl_divergence(p, q) -> Tensor: ...
