"""The words of the core: traits describe values, effects describe what a call does.

Stubs are never imported or run; mllint reads them as syntax. The definitions here exist so that a stub is ordinary,
lintable Python, so that a misspelt word is caught by a test, and so that each word has one place that says what it
means.

**Traits** stand in annotations. On a parameter a trait is an *expectation* (`input: Logits`), on a return annotation it
is a *fact* (`-> Probs`). A type variable `T` in both places says that the traits of the argument pass through to the
result. `tuple[A, B]` gives the traits by position.

Some traits are in no stub: the core gives them itself (`Batch`, `Leaf`, `Given` ...). `TRAITS` says what every trait
means; the type checker refuses a `Trait` that is none of them.

**Effects** are decorators. `of=` names what the effect is about: `"self"`, a parameter of the function itself, or
`"self.<parameter of __init__>"` (what the object was built from).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, Literal, TypeVar, get_args

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
U = TypeVar("U")
StubTrait = Literal[
    "Array", "BinaryLogits", "Bounded", "ClassIndex", "Closure", "Copied", "Decided", "Detached", "Filled", "Flag",
    "Folds", "HeldOut", "Horizon", "Labels", "LogProbs", "Logits", "Loss", "Model", "NonDifferentiable", "Packed",
    "Pairs", "Parameters", "Prediction", "Probs", "Random", "Raw", "Rectified", "Rows", "Scaled", "Scores", "Seed",
    "Sigmoided", "Statistic", "Target", "Tensor", "Test", "Train",
]  # fmt: skip
"""The traits that a stub may say: each is a class below, whose docstring says what it means."""
CoreTrait = Literal[
    "Batch", "Divided", "Fitted", "Given", "Holds", "Inputs", "Leaf", "PartlyCut", "PartlyHard",
    "PartlyUnrecorded", "Repeated", "Split", "SumLoss", "Unordered", "Wrapped",
]  # fmt: skip
"""The traits that the core alone gives."""
Trait = Literal[StubTrait, CoreTrait]
"""The name of a trait."""

CORE_TRAITS: Mapping[CoreTrait, str] = {
    "Batch": "What iterating over a loader gives: inputs and labels, not yet told apart.",
    "Divided": "Divided by a number, such as the number of summed terms or of accumulation steps.",
    "Fitted": "Computed with statistics learned from rows (`fit`), so that it contains information about them.",
    "Given": "A setting from outside (a command-line argument, a configuration entry): no gradients.",
    "Holds": "An unknown object that may keep the arguments it was given.",
    "Inputs": "The part of a batch that goes into a model.",
    "Leaf": "A tensor with `requires_grad` that is not the result of a computation.",
    "PartlyCut": "A sum with a term whose gradients were cut.",
    "PartlyHard": "A sum with a term without a gradient, such as one of class indices.",
    "PartlyUnrecorded": "A sum with a term that was computed without a graph (`no_grad`).",
    "Repeated": "A sequence that repeats the same objects: `[layer] * 3`.",
    "Split": "A part of the data that a split returned.",
    "SumLoss": "A loss that was summed, not averaged, over its batch.",
    "Unordered": "A sequence whose order is not defined: a set, a directory listing.",
    "Wrapped": "A model inside a wrapper (`DataParallel`, `compile`).",
}


# ---------------------------------------------------------------------------------------------- values: activation
class Raw:
    """Unbounded scores, as returned by an affine layer."""


class Logits:
    """Expectation: logits, any numbers; the callee applies (log-)softmax itself."""


class BinaryLogits:
    """Expectation: logits, any numbers; the callee applies the sigmoid itself."""


class Probs:
    """Softmax-normalised along one dimension."""


class LogProbs:
    """Logarithms of probabilities."""


class Sigmoided:
    """Element-wise squashed into (0, 1)."""


class Rectified:
    """Element-wise, negative values have become zero, or nearly so (ReLU and similar)."""


class Bounded:
    """Element-wise squashed into (-1, 1) (tanh)."""


class Decided(Generic[T]):
    """T after the decision: classes, by `argmax`, a threshold or `predict` of a classifier; the scores are gone."""


class Copied(Generic[T]):
    """A copy of T that is an object of its own."""


class Scores(Generic[T]):
    """Expectation: scores or probabilities, whose order or size is what is measured."""


class Loss:
    """A value to be minimised; keeps the graph of its inputs."""


class ClassIndex:
    """Expectation: integer class labels."""


class Target:
    """Expectation: the ground truth side of a loss or a metric."""


class Tensor:
    """A tensor without further properties; gradients of the inputs flow through."""


class Array:
    """A NumPy array or plain Python data: no autograd graph."""


# ------------------------------------------------------------------------------------------------- values: autograd
class Detached(Generic[T]):
    """The value of T, cut from the graph on purpose (`detach`, `.data`)."""


class NonDifferentiable(Generic[T]):
    """A value that no gradient flows through: indices, booleans, rounded numbers, Python numbers, NumPy arrays."""


class Filled:
    """A new tensor: of the arguments it has the shape and the numbers, no gradients and no data."""


class Scaled(Generic[T]):
    """T multiplied by a gradient scaler."""


class Packed(Generic[T]):
    """T as a packed sequence, whose `data` are its rows, with their graph."""


# ----------------------------------------------------------------------------------------- values: parameters, data
class Parameters:
    """The trainable tensors of what it was taken from."""


class Model:
    """Expectation: a module whose parameters or mode are concerned."""


class Rows(Generic[T]):
    """Data samples; on a parameter: the samples that the callee reads (`Dataset`, `X`)."""


class Statistic:
    """A number, or one for each column, that was computed over rows: no rows itself."""


class Labels:
    """Ground truth that belongs to `Rows`."""


class Train:
    """The part of the data that is trained on."""


class HeldOut:
    """A part of the data that is held out (validation or test)."""


class Test:
    """The part of the data that is for the final test."""


class Folds:
    """Iterates pairs of (train, held-out) indices."""


class Flag:
    """Parameter: selects a part of a dataset, by truth (`train=True`, `train=False`) or by name (`split="test"`)."""


class Pairs(Generic[T, U]):
    """A sequence with two results for each positional argument of the call: its T part, then its U part."""


class Prediction:
    """What a model predicts; on a parameter: the prediction side of a loss or a metric that is not symmetric."""


class Random:
    """A transform, sampler or source that draws random numbers each time it is used."""


class Seed:
    """Parameter: a seed or a generator; given and not None, the callee's randomness is fixed."""


class Horizon:
    """Parameter: the length of a schedule, in steps of that schedule."""


class Closure:
    """Parameter: a function that the callee calls, once, during the call."""


# ------------------------------------------------------------------------------------------------- effects: gradients
def clears_grad(*, of: str) -> Callable[[F], F]:
    """Sets gradients to None or zero."""
    raise NotImplementedError


def accumulates_grad(*, of: str) -> Callable[[F], F]:
    """Runs backward: adds gradients to what `of` was computed from."""
    raise NotImplementedError


def applies_grad(*, of: str) -> Callable[[F], F]:
    """Updates parameters from their gradients."""
    raise NotImplementedError


def clips_grad(*, of: str) -> Callable[[F], F]:
    """Clips gradients in place."""
    raise NotImplementedError


def unscales_grad(*, of: str) -> Callable[[F], F]:
    """Divides gradients by the scale of the gradient scaler."""
    raise NotImplementedError


def updates_scale(function: F) -> F:
    """Adjusts the scale of the gradient scaler for the next step."""
    raise NotImplementedError


def ticks(*, of: str) -> Callable[[F], F]:
    """Advances a learning-rate schedule by one."""
    raise NotImplementedError


def disables_grad(function: F) -> F:
    """On a class: within its `with` block, or in the function it decorates, no graph is built."""
    raise NotImplementedError


def enables_grad(function: F) -> F:
    """On a class: within its `with` block a graph is built again."""
    raise NotImplementedError


def gradient_switch(*, by: str) -> Callable[[F], F]:
    """On a class: builds a graph if the parameter `by` is true, none if it is false."""
    raise NotImplementedError


def pauses_sync(*, of: str) -> Callable[[F], F]:
    """A context that accumulates gradients (`accelerator.accumulate`, `no_sync`)."""
    raise NotImplementedError


# ----------------------------------------------------------------------------------------- effects: modes, parameters
def sets_mode(mode: str, *, of: str) -> Callable[[F], F]:
    """Puts a module into `mode`: "train" or "eval"."""
    raise NotImplementedError


def mode_dependent(cls: F) -> F:
    """On a class: the module behaves differently in train and eval mode (dropout, batch norm)."""
    raise NotImplementedError


def freezes(*, of: str) -> Callable[[F], F]:
    """Sets `requires_grad` of the parameters to the function's first argument."""
    raise NotImplementedError


def wraps(*, of: str) -> Callable[[F], F]:
    """The result stands for the argument `of` (DDP, DataLoader, compile, prepare, tqdm): same parameters, same data."""
    raise NotImplementedError


def answers(method: str) -> Callable[[F], F]:
    """The result is what another method, which the user writes, returns (`optimizers` and `configure_optimizers`)."""
    raise NotImplementedError


def chains(*, of: str) -> Callable[[F], F]:
    """On a class: a container whose call runs the modules of `of` one after the other."""
    raise NotImplementedError


def sometimes(*, of: str) -> Callable[[F], F]:
    """On a class that is `Random`: all that it draws is whether it is applied, with the probability `of`."""
    raise NotImplementedError


def reads_state(*, of: str) -> Callable[[F], F]:
    """Returns references to the live state (`state_dict`)."""
    raise NotImplementedError


def restores_state(*, of: str) -> Callable[[F], F]:
    """Loads state into `of` (`load_state_dict`)."""
    raise NotImplementedError


def saves(*, of: str) -> Callable[[F], F]:
    """Writes `of` to disk."""
    raise NotImplementedError


def loads(function: F) -> F:
    """Reads a saved object from disk."""
    raise NotImplementedError


# ------------------------------------------------------------------------------------------------ effects: schedules
def activated(*, by: str) -> Callable[[F], F]:
    """On a layer class: its output has passed the activation that the parameter `by` names ("softmax"; None is Raw)."""
    raise NotImplementedError


def expects_logits(*, by: str, binary: bool = False) -> Callable[[F], F]:
    """On a loss (class): its prediction is to be logits if the parameter `by` is true, probabilities if it
    is false; `binary` says that the probabilities are those of a sigmoid."""
    raise NotImplementedError


def cadence(unit: str) -> Callable[[F], F]:
    """On a scheduler class: what one `step()` means: "epoch", "step" or "any" (decided by the arguments)."""
    raise NotImplementedError


def wants_metric(function: F) -> F:
    """On a scheduler class: `step` takes the monitored metric."""
    raise NotImplementedError


# ------------------------------------------------------------------------------------------------ effects: randomness
def seeds(*streams: str) -> Callable[[F], F]:
    """Fixes the global random streams: "torch", "numpy", "random", "tensorflow"."""
    raise NotImplementedError


def draws(stream: str, *, unless: str = "", when: str = "") -> Callable[[F], F]:
    """Uses the global random stream, unless the parameter `unless` (or another one marked `Seed`) is given, and only
    when the parameter `when` is true.

    The stream "os" is fresh entropy of the operating system, which no seed call fixes.
    """
    raise NotImplementedError


def spends_key(what: str, *, of: str) -> Callable[[F], F]:
    """Uses up the random key `of`: called with it again, it gives the same `what` ("numbers", "order" or "keys")."""
    raise NotImplementedError


def splits(function: F) -> F:
    """Decides which rows are trained on and which are held out."""
    raise NotImplementedError


def unordered(function: F) -> F:
    """The order of the result is not defined (directory listings, sets)."""
    raise NotImplementedError


# ------------------------------------------------------------------------------------------------------ effects: data
def fits(*, of: str, on: str) -> Callable[[F], F]:
    """Learns the state of `of` from the rows `on`."""
    raise NotImplementedError


def transforms(*, of: str, on: str) -> Callable[[F], F]:
    """Applies what `of` has learned to the rows `on`."""
    raise NotImplementedError


def statistics(cls: F) -> F:
    """On an estimator class: `fit` learns statistics of the rows that `transform` applies to others (scaler, PCA). On a
    function: learns them from its first parameter, and applies them to the same rows (`scale`)."""
    raise NotImplementedError


def numbers_categories(cls: F) -> F:
    """On an estimator class: `fit` gives each category that it sees a number, or a column."""
    raise NotImplementedError


def rescales(cls: F) -> F:
    """On an estimator class: `transform` gives each column another scale, and keeps the order of its values."""
    raise NotImplementedError


def scale_free(cls: F) -> F:
    """On a predictor: what it predicts does not depend on the scale of a column (trees, naive Bayes)."""
    raise NotImplementedError


def predictor(cls: F) -> F:
    """On an estimator class: `fit` trains a model to predict (classifier, regressor)."""
    raise NotImplementedError


def composes(*, of: str) -> Callable[[F], F]:
    """On an estimator class or a function that returns one: learns what the estimators in the parameter `of` learn."""
    raise NotImplementedError


def resamples(*, on: str) -> Callable[[F], F]:
    """Duplicates, synthesises or removes rows of `on` (SMOTE, oversampling, bootstrap)."""
    raise NotImplementedError


def batches(cls: F) -> F:
    """On a class: iterating over an instance gives batches of the rows that it was built from (`DataLoader`)."""
    raise NotImplementedError


def samples(cls: F) -> F:
    """On a class: iterating over an instance gives its samples one by one (`Dataset`)."""
    raise NotImplementedError


def sets_epoch(*, of: str) -> Callable[[F], F]:
    """Tells a sampler which epoch it is."""
    raise NotImplementedError


# ------------------------------------------------------------------------------------------------ effects: everything
def pure(function: F) -> F:
    """Only computes (unless its parameter `inplace` is true): a call whose result is not used does nothing."""
    raise NotImplementedError


def inert(function: F) -> F:
    """Receives objects without touching gradients, modes, parameters or data (logging, saving, counting)."""
    raise NotImplementedError


def owns_loop(*, of: str) -> Callable[[F], F]:
    """A framework's entry (`Trainer.fit`, DeepSpeed): runs forward, backward and step itself."""
    raise NotImplementedError


def automatic(cls: F) -> F:
    """On a class: the framework calls its methods and runs the optimisation (LightningModule)."""
    raise NotImplementedError


TRAITS: Mapping[Trait, str] = {word: globals()[word].__doc__ or "" for word in get_args(StubTrait)} | dict(
    CORE_TRAITS.items()
)
"""What every trait means."""
