"""A script trains a model, and no code that it can reach seeds PyTorch."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from mllint.rule import Finding, Options, check
from mllint.semantics.api import (
    STEPS,
    AppliesGrad,
    Call,
    Event,
    Flow,
    FunctionScope,
    Once,
    OwnsLoop,
    Project,
    classes,
    functions_around,
    last_name,
    origins,
    seeds,
)

__all__: list[str] = []

_NAMES = {"numpy": "NumPy", "random": "Python's `random`"}
_KERAS = "seed at the start of the program: `keras.utils.set_random_seed(seed)` seeds Python and NumPy as well"
_ONCE = Once()
_UNSEEDED = {"lightning": "torch", "pytorch_lightning": "torch", "keras": "tensorflow"}


@check("unseeded-training")
def unseeded_training(flow: Flow, options: Options) -> Iterator[Finding]:
    """A script trains a model, and no code that it can reach seeds PyTorch."""
    root, known = flow.root, options["seeding-functions"]
    if root.name in STEPS:
        yield from _unseeded_fits(root, flow.frame.project, known)
    if not root.is_body or seeds.is_test_code(root.module):
        return
    step, library = next(flow.events(AppliesGrad), None), "torch"
    if step is None:
        fits = (e for e in flow.events(OwnsLoop) if e.call is not None)
        handed = ((e, _to_seed(Call(e.call, e.frame))) for e in fits)
        step, library = next(((e, library) for e, library in handed if library), (None, ""))
    if step is not None and not seeds.seeding_calls(root.module, library, flow.frame.project, known=known):
        mixing = _mixing_loader(step) if library == "torch" else None
        other = next(
            (s for s in ("numpy", "random") if mixing and seeds.seeding_calls(root.module, s, mixing.project)), ""
        )
        yield _mixed_freely(mixing, other) if mixing is not None and other else _never_seeded(step, library)


def _mixing_loader(step: Event) -> Call | None:
    """The loader that shuffles the batches of a step."""
    run = step.in_loop("batch")
    if run is None or not isinstance(run.node, ast.For):
        return None
    for origin in origins(run.node.iter, run.frame):
        if isinstance(origin.node, ast.Call) and last_name(origin.node.func) == "DataLoader":
            loader = Call(origin.node, origin.frame)
            shuffle = loader.argument("shuffle")
            if loader.callee.is_class(classes.LOADER) and shuffle is not None and shuffle.value.truth:
                return loader if loader.argument("generator") is None else None
    return None


def _mixed_freely(loader: Call, other: str) -> Finding:
    """Somebody wanted the same numbers in each run, and seeded a library that the loader does not draw from."""
    return Finding(
        loader,
        f"the loader shuffles with PyTorch, but only {_NAMES[other]} is seeded: every run has a different order",
        "PyTorch is unseeded",
        help="call `torch.manual_seed(seed)` as well, at the start of the program",
        why=f"seeding {_NAMES[other]} does not seed PyTorch: the order of the samples differs in each run",
    )


def _never_seeded(at: Event | Call, library: str) -> Finding:
    keras = library == "tensorflow"
    what, seeded = ("a Keras model", "Keras") if keras else ("a model", "PyTorch")
    message = f"this program trains {what} and never seeds {seeded}: each run gives a different result"
    return Finding(at, message, "unseeded", help=_KERAS if keras else "")


def _unseeded_fits(root: FunctionScope, project: Project, known: Collection[str]) -> Iterator[Finding]:
    """The fits of a framework whose training step is in the project, in programs that seed nothing: reported once."""
    if not _ONCE.is_of(root, project):
        return
    reported: set[int] = set()
    for node, scope in project.calls_named("fit"):
        for function in functions_around(scope):
            call = Call(node, project.frame(function))
            if seeds.is_test_code(call.module) or _to_seed(call) != "torch":
                continue
            reached = [m for m in seeds.programs(function, project) if not seeds.is_test_code(m)]
            if reached and not any(seeds.seeding_calls(m, "torch", project, call.module, known=known) for m in reached):
                if not reported.intersection(map(id, reached)):
                    yield _never_seeded(call, "torch")
                reported.update(map(id, reached))


def _to_seed(call: Call) -> str:
    """The library to seed where a framework is told to train that seeds nothing by itself, else an empty text."""
    if call.last_name != "fit" and call.last_name != "fit_generator":
        return ""
    names = {_UNSEEDED.get(f.module.name.partition(".")[0], "") for f in call.callees}
    return names.pop() if len(names) == 1 else ""
