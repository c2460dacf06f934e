"""What the findings are known to depend on, with the reason: transformation -> specimens, by mechanism.

Each entry fails on the day it does not hold any more. An entry is a limit of mllint, not a fact about the programs:
a rewritten program is as wrong, or as right, as it was.
"""

from __future__ import annotations

__all__ = ["KNOWN"]

_BY_REASON: dict[str, dict[str, list[str]]] = {
    "only what stands directly in __init__ is put in order": {
        "on-one-line": [
            "missing-super-init: Fires > The call comes too late, or is not one",
        ],
        "if-true": [
            "missing-super-init: Fires > The call comes too late, or is not one",
        ],
        "in-try-finally": [
            "missing-super-init: Fires > The call comes too late, or is not one",
        ],
        "null-context": [
            "missing-super-init: Fires > The call comes too late, or is not one",
        ],
    },
    "a file is about training if its text says so, be it in a comment": {
        "commented": [
            "unordered-data: Fires > hash() of a string",
        ],
    },
    "the order of two places on one line is not told apart": {
        "on-one-line": [
            "stale-parameters: Fires > In a trainer class",
        ],
    },
    "the value is read where it is written, not through a name": {
        "constants-named": [
            "bool-argument: Fires > A flag that sets its own default",
            "fit-before-split: Fires > Statistics by hand",
            "ignored-load-result: Fires > The run goes on with it",
            "model-selection-on-test: Fires > The validation set is the test set under another name",
            "resample-before-split: Fires > Rows of a class are copied",
            "same-data-for-both: Fires > Nothing reads the test part",
            "training-on-evaluation-data: Fires > A copied loop",
            "unregistered-submodule: Fires > Parameters",
        ],
    },
    "what is read, or bound twice, counts as used": {
        "constants-named": [
            "ignored-load-result: Fires > It is bound and never read",
            "ignored-load-result: Fix (before)",
        ],
        "second-names": [
            "ignored-load-result: Fires > It is bound and never read",
        ],
        "assigned-together": [
            "scheduler-never-stepped: Fires > Only the first of two is stepped",
        ],
        "assigned-twice": [
            "scheduler-never-stepped: Fires > Built and forgotten",
            "scheduler-never-stepped: Fires > Only the first of two is stepped",
            "scheduler-never-stepped: Fix (before)",
        ],
        "class-with-state": [
            "ignored-load-result: Fires > It is bound and never read",
        ],
    },
    "the rule wants the name of the module in front": {
        "import-members": [
            "masked-nan: Fires > Gradients",
            "masked-nan: Fires > In a loss of its own, in another file",
            "masked-nan: Fires > Replaced",
        ],
    },
    "the pattern is recognised within one function and loop": {
        "import-members": [
            "unordered-data: Fires > The first files are for training",
        ],
        "second-names": [
            "swallowed-data-error: Fires > A row that keeps its initial value",
        ],
        "body-in-helper": [
            "loss-keeps-graph: Fix (before)",
            "missing-no-grad: Fires > In one function",
            "model-selection-on-test: Fires > test() saves by itself, with a global best",
            "swallowed-data-error: Fires > An average over the survivors",
            "train-mode-not-restored: Fires > In one function",
            "train-mode-not-restored: Fires > In the middle of an epoch",
            "train-mode-not-restored: Fix (before)",
            "uneven-accumulation: Fires > Computed from the epoch",
            "unordered-data: Fires > Labels in a loop",
        ],
        "body-in-helper-of-another-file": [
            "fit-on-test: Fires > Categories that each part numbers for itself",
            "ineffective-freeze: Fires > Misspelt",
            "model-selection-on-test: Fires > The validation set is the test set under another name",
            "unordered-data: Fires > Labels in a loop",
        ],
        "body-in-method": [
            "epoch-scheduler-per-batch: Fires > In a trainer class, in the method that handles one batch",
            "loss-keeps-graph: Fix (before)",
            "missing-no-grad: Fires > In one function",
            "model-selection-on-test: Fires > test() saves by itself, with a global best",
            "swallowed-data-error: Fires > An average over the survivors",
            "train-mode-not-restored: Fires > In one function",
            "train-mode-not-restored: Fires > In the middle of an epoch",
            "train-mode-not-restored: Fix (before)",
            "uneven-accumulation: Fires > Computed from the epoch",
            "unordered-data: Fires > Labels in a loop",
            "unregistered-submodule: Fires > A dict, a tuple, a list that grows",
        ],
        "in-main-class": [
            "swallowed-data-error: Fires > A row that keeps its initial value",
        ],
        "outer-body-in-helper": [
            "loss-keeps-graph: Fix (before)",
            "missing-no-grad: Fires > In one function",
            "model-selection-on-test: Fires > test() saves by itself, with a global best",
            "swallowed-data-error: Fires > An average over the survivors",
        ],
        "functions-as-methods": [
            "shared-layer-instances: Fires > In a function that clones what it is given",
        ],
        "functions-as-static-methods": [
            "shared-layer-instances: Fires > In a function that clones what it is given",
        ],
        "class-with-state": [
            "metric-of-last-batch: Fires > A function that evaluates",
        ],
    },
    "the file itself has to import the library": {
        "imports-shared": [
            "bool-argument: Stays quiet > Parsers that understand booleans",
        ],
    },
    "windows and lags are recognised by the shape of the code": {
        "imports-shared": [
            "shuffled-time-series: Fires > Across files",
            "shuffled-time-series: Fires > Lagged features",
        ],
        "counted": [
            "shuffled-time-series: Fires > Sliding windows",
            "shuffled-time-series: Fires > Windows from a helper",
        ],
        "progress-bar": [
            "shuffled-time-series: Fires > Sliding windows",
            "shuffled-time-series: Fires > Windows from a helper",
        ],
        "zipped": [
            "shuffled-time-series: Fires > Sliding windows",
            "shuffled-time-series: Fires > Windows from a helper",
        ],
        "body-in-helper": [
            "shuffled-time-series: Fires > Sliding windows",
            "shuffled-time-series: Fires > Windows from a helper",
        ],
        "body-in-helper-of-another-file": [
            "shuffled-time-series: Fires > Windows from a helper",
        ],
        "body-in-method": [
            "shuffled-time-series: Fires > Sliding windows",
            "shuffled-time-series: Fires > Windows from a helper",
        ],
        "class-with-state": [
            "shuffled-time-series: Fires > Windows from a helper",
        ],
        "outer-body-in-helper": [
            "shuffled-time-series: Fires > Sliding windows",
            "shuffled-time-series: Fires > Windows from a helper",
        ],
    },
    "the rule follows one name": {
        "second-names": [
            "aliased-best-weights: Fires > The weights to start again from",
            "augmented-evaluation: Fires > In a table of parts",
            "augmented-evaluation: Fires > The other transform is never read",
            "shared-layer-instances: Fires > Built once, before the loop",
            "softmax-over-batch: Fires > Into a loss over classes",
            "stale-parameters: Fires > An iterator was read before",
        ],
        "assigned-together": [
            "detached-loss: Fires > Without the model's output",
            "fit-on-test: Fires > Each part normalised by its own statistics",
            "stale-parameters: Fires > Between two optimizers",
        ],
        "temporaries": [
            "aliased-best-weights: Fires > A copy that is not one",
            "augmented-evaluation: Fires > The other transform is never read",
            "fit-on-test: Fires > The parts are told apart by name alone",
            "stale-parameters: Fires > An iterator was read before",
        ],
    },
    "the rule reads what the name says": {
        "variables-numbered": [
            "augmented-evaluation: Fires > A random step in the evaluation transform",
            "augmented-evaluation: Fires > The other transform is never read",
            "augmented-evaluation: Stays quiet > Test-time augmentation",
            "discarded-result: Fires > A hidden state that keeps its history",
            "same-data-for-both: Fires > The loader reads all rows, after a split",
            "shared-layer-instances: Stays quiet > Tied on purpose",
            "swapped-loss-arguments: Fires > Both parameters are named for what the other is",
            "unshuffled-training: Stays quiet > The steps of an agent",
        ],
        "variables-suffixed": [
            "model-selection-on-test: Fires > The validation set is the test set under another name",
            "swapped-loss-arguments: Fires > Both parameters are named for what the other is",
        ],
    },
    "an override that does nothing on purpose is one `return` or `pass`": {
        "if-true": [
            "mode-toggled-in-forward: Stays quiet > Never to be switched",
        ],
        "in-try-finally": [
            "mode-toggled-in-forward: Stays quiet > Never to be switched",
        ],
        "null-context": [
            "mode-toggled-in-forward: Stays quiet > Never to be switched",
        ],
    },
    "a loop or handler that measures is recognised in the same function": {
        "body-in-helper": [
            "discarded-result: Stays quiet > Asked for the error or the time",
        ],
        "body-in-helper-of-another-file": [
            "discarded-result: Fires > Weights that are never clipped",
        ],
        "body-in-method": [
            "discarded-result: Stays quiet > Asked for the error or the time",
        ],
        "outer-body-in-helper": [
            "discarded-result: Stays quiet > Asked for the error or the time",
        ],
    },
    "what `__init__` does is not part of the flow of `run`": {
        "class-with-state": [
            "augmented-evaluation: Fires > In a table of parts",
            "fit-on-test: Fires > Inside a helper that is called once per part",
            "ignored-load-result: Fires > The run goes on with it",
            "missing-no-grad: Fires > All rows at once",
            "optimizer-recreated: Fires > In the function that trains one epoch",
            "same-data-for-both: Fires > Nothing reads the test part",
            "shared-layer-instances: Fires > In a function that clones what it is given",
            "swapped-loss-arguments: Fires > Both parameters are named for what the other is",
        ],
        "in-main-class": [
            "augmented-evaluation: Stays quiet > The held-out part gets its own transform after the split",
            "stale-parameters: Fires > The head is swapped afterwards",
            "stale-parameters: Fix (before)",
        ],
    },
    "only evaluation: a function that evaluates, and that something calls, makes no flow": {
        "in-main-class": [
            "missing-no-grad: Fires > In one function",
        ],
    },
    "a random key in an attribute may be replaced by any method": {
        "class-with-state": [
            "key-reuse: Fires > Two draws",
        ],
    },
    "a chain of calls is read by the names of the libraries, within one function": {
        "imports-renamed": [
            "swapped-loss-arguments: Fires > Wrapped as before PyTorch 0.4",
        ],
        "import-members": [
            "swapped-loss-arguments: Fires > Wrapped as before PyTorch 0.4",
        ],
        "temporaries": [
            "swapped-loss-arguments: Fires > Wrapped as before PyTorch 0.4",
        ],
        "body-in-helper": [
            "swapped-loss-arguments: Fires > Wrapped as before PyTorch 0.4",
        ],
        "body-in-helper-of-another-file": [
            "swapped-loss-arguments: Fires > Wrapped as before PyTorch 0.4",
        ],
        "body-in-method": [
            "swapped-loss-arguments: Fires > Wrapped as before PyTorch 0.4",
        ],
        "outer-body-in-helper": [
            "swapped-loss-arguments: Fires > Wrapped as before PyTorch 0.4",
        ],
    },
}

KNOWN: dict[str, dict[str, str]] = {}
"""Transformation -> specimen -> reason."""
for _reason, _found in _BY_REASON.items():
    for _name, _ids in _found.items():
        KNOWN.setdefault(_name, {}).update(dict.fromkeys(_ids, _reason))
