"""Where does a file choose on test data, by what names say, while the validation data lies unused next to it?

    trainer = Trainer(eval_dataset=test_set, ...)              # `find_validation_on_test`
    fit(model, train_loader, test_loader)                      # `find_test_loaders_in_training`
    val_loader = DataLoader(test_set)                          # `find_tests_read_as_validation`
    def val_dataloader(self): return load(self.test)           # `find_reused_test_sets`
    train(model, load("train"), load("test"))                  # `find_tests_given`: the parameter is `dev_set`
    val_set = load("test")                                     # `find_renamed_tests`

The forms are those of `selection` and `wrong_part`. Here stands in which files they mean a choice: in those that
remember a best, stop early or keep a checkpoint.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.nodes import Node, place, walk
from mllint.semantics.syntax.sites import text
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles
from mllint.semantics.training.rows import selection, wrong_part
from mllint.semantics.values.lineage import statements

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import FunctionScope, ModuleScope
    from mllint.semantics.values.project import Project

__all__ = [
    "RenamedTest", "find_renamed_tests", "find_reused_test_sets", "find_test_loaders_in_training", "find_tests_given",
    "find_tests_read_as_validation",
]  # fmt: skip

_TESTS = tuple(quote + word + quote for word in ("test", "Test", "TEST") for quote in "\"'")


def find_test_loaders_in_training(module: ModuleScope, project: Project) -> Iterator[tuple[Node, str, str]]:
    """The test loaders that are given to what trains and chooses: the argument, its name, and that of the validation
    loader that is never read."""
    for function in (f for f in module.functions if f.speaks_of_training):
        for argument, name, spare, callees in selection.test_loaders_in_training(function, project):
            if any(selection.stops_early_or_keeps_best(m) for m in {f.module for f in callees}):
                yield argument, name, spare


def find_tests_read_as_validation(module: ModuleScope, project: Project) -> Iterator[tuple[Node, str, str, str]]:
    """What is named for validation and built of test data: where, its name, the place that it is built of, and that of
    the validation data that is never read."""
    for function in module.functions:
        for found in wrong_part.find_test_as_validation(function):
            if _loads_for_selection(function, project) or selection.selects_model(module):
                yield found


def find_reused_test_sets(module: ModuleScope, project: Project) -> Iterator[tuple[Node, str, str]]:
    """The data sets that a data module gives for both validation and testing: where, the name, and that of the data set
    that is never read."""
    for function in module.functions:
        if function.name == "val_dataloader" and function.owner is not None and _loads_for_selection(function, project):
            yield from wrong_part.reused_dataset(function.owner, "val_dataloader", "test_dataloader")


def _loads_for_selection(function: FunctionScope, project: Project) -> bool:
    """Does a function give loaders to a project that selects a model?"""
    return topics.is_about(function.name, Topic.LOADERS) and any(map(selection.selects_model, project.modules))


# -------------------------------------------------------------------------------------------- test data by another name
class RenamedTest(NamedTuple):
    """Test data that gets the name of validation data."""

    statement: ast.Assign
    name: str
    speaking: tuple[str, ...]
    """The name, if it speaks of held-out rows."""


@cached()
def find_tests_given(module: ModuleScope) -> list[tuple[Node, str]]:
    """The arguments with test data for a parameter that is for validation data, and the name of that."""
    names_tests = module.source is not None and any(module.source.holds(word) for word in _TESTS)
    return [g for f in _choosing_functions(module) if names_tests for g in selection.test_data_as_validation(f)]


@cached()
def find_renamed_tests(module: ModuleScope) -> list[RenamedTest]:
    """The assignments of test data to a name of validation data that may decide."""
    assigned = ((s, f) for f in _choosing_functions(module) for s in statements(f) if isinstance(s, ast.Assign))
    found = (s for s, f in assigned if selection.is_test_named_validation(s, f) and selection.may_decide(s, f))
    return [_renamed(statement, module) for statement in found]


def _renamed(statement: ast.Assign, module: ModuleScope) -> RenamedTest:
    """With the last name that speaks of held-out rows: of the rows and their loader, the loader."""
    target = statement.targets[0]
    names = [name for n in walk(target) if (name := place(n)) and roles.is_held_out_name(name)]
    return RenamedTest(statement, names[-1] if names else text(module, target, 40), tuple(names[-1:]))


def _choosing_functions(module: ModuleScope) -> list[FunctionScope]:
    """The functions of a file that remembers a best or stops early."""
    if not selection.stops_early_or_keeps_best(module):
        return []
    return [f for f in module.functions if not isinstance(f.node, ast.Lambda)]
