"""Is the model that is tested the one that was chosen?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Flow, ModuleScope, Once, keras_tests, last_weights, text, trainer_tests

__all__: list[str] = []

_ONCE = Once()
_LOAD_WEIGHTS = "load the best weights before the test: `{}.load_state_dict(torch.load({}))`"
_LOAD_MODEL = "test the model that was kept: `{} = torch.load({}, weights_only=False)`"
_REMEMBER = "keep the name of the file that is saved last, and load that file before the test"
_BY_KERAS = "before the test, load the weights that were kept; or stop with `EarlyStopping(restore_best_weights=True)`"
_BY_TRAINER = 'pass `ckpt_path="best"` to the test'


@check("tested-on-last-weights")
def tested_on_last_weights(flow: Flow) -> Iterator[Finding]:
    """A run keeps its best weights, and is tested with those of its last epoch."""
    for found in last_weights.find_tests_of_last_weights(flow):
        kept = found.guard.kept
        rows = text(found.rows.frame.module, found.rows.node, 40)
        yield Finding(
            found.rows,
            f"the weights of the last epoch are tested on `{rows}`, not the best ones that were kept",
            "the last weights",
            [Note(kept, "the best weights are kept here")],
            help=_from_file(last_weights.find_kept_file(found, flow), found.rows.frame.module),
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
    tests = (m for m in project.modules if not m.calls_by_name.keys().isdisjoint(keras_tests.TESTS))
    for function in (f for m in tests for f in m.functions):
        for tested in keras_tests.find_keras_tests(function, project.frame(function)):
            rows = text(tested.rows.module, tested.rows.node, 40)
            yield Finding(
                tested.test,
                f"the weights of the last epoch are tested on `{rows}`, not the best ones that were kept",
                "the last weights",
                [Note(tested.kept, "the best weights are kept by this callback")],
                help=_BY_KERAS,
                evidence=(tested.named,),
            )


def _from_file(kept: last_weights.KeptFile | None, module: ModuleScope) -> str:
    """How what a file keeps is read back; empty if it is not known what the file holds."""
    if kept is None:
        return ""
    if kept.is_renamed:
        return _REMEMBER
    name, path = text(module, kept.model, 30), text(module, kept.path, 50)
    return (_LOAD_MODEL if kept.is_whole else _LOAD_WEIGHTS).format(name, path)
