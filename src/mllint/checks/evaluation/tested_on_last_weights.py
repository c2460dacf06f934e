"""Is the model that is tested the one that was chosen?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Event, Flow, Once, Saves, keras_tests, last_weights, text, trainer_tests

__all__: list[str] = []

_ONCE = Once()
_BY_KERAS = "load the weights that were kept before the test, or pass `restore_best_weights=True` to `EarlyStopping`"
_BY_TRAINER = 'pass `ckpt_path="best"` to the test'


@check("tested-on-last-weights")
def tested_on_last_weights(flow: Flow) -> Iterator[Finding]:
    """A run keeps its best weights, and is tested with those of its last epoch."""
    for found in last_weights.find_tests_of_last_weights(flow):
        kept = found.guard.kept
        saved = next((s for s in flow.events(Saves) if s.conditions == kept.conditions), None)
        rows = text(found.rows.frame.module, found.rows.node, 40)
        yield Finding(
            found.rows,
            f"the weights of the last epoch are tested on `{rows}`, not the best ones that were kept",
            "the last weights",
            [Note(kept, "the best weights are kept here")],
            help=_from_file(saved) if saved is not None and saved.function is found.rows.frame.function else "",
            evidence=(found.named,),
        )
    yield from _by_trainer(flow)


def _by_trainer(flow: Flow) -> Iterator[Finding]:
    """The tests by a trainer of Lightning, of the module that it fitted, and by Keras: found once for all flows."""
    project = flow.frame.project
    if not _ONCE.is_of(flow, project):
        return
    for function in (f for m in project.modules if "test" in m.calls_by_name for f in m.functions):
        for found in trainer_tests.find_trainer_tests(function, project.frame(function)):
            model = text(function.module, found.model, 40)
            yield Finding(
                found.test,
                f"`{found.test.name}` is given `{model}` with the weights of its last epoch, not the best ones",
                "the last weights",
                [Note(found.kept, "the best weights are kept by this callback")],
                help=_BY_TRAINER,
            )
    for function in (f for m in project.modules if "evaluate" in m.calls_by_name for f in m.functions):
        for tested in keras_tests.find_keras_tests(function, project.frame(function)):
            rows = text(function.module, tested.rows, 40)
            yield Finding(
                tested.test,
                f"the weights of the last epoch are tested on `{rows}`, not the best ones that were kept",
                "the last weights",
                [Note(tested.kept, "the best weights are kept by this callback")],
                help=_BY_KERAS,
                evidence=(tested.named,),
            )


def _from_file(saved: Event) -> str:
    """What reads weights back that `torch.save(net.state_dict(), path)` keeps; empty for other contents of a file."""
    match saved.call:
        case ast.Call(args=[ast.Call(func=ast.Attribute(value=model, attr="state_dict"), args=[]), path]):
            name, file = text(saved.frame.module, model, 30), text(saved.frame.module, path, 50)
            return f"load the best weights before the test: `{name}.load_state_dict(torch.load({file}))`"
    return ""
