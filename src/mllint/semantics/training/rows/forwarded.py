"""Is what a function hands on ever read?

    def load(rows):
        train_set, val_set = random_split(rows, [80, 20])
        return DataLoader(train_set), DataLoader(val_set)

    train_loader, val_loader = load(rows)      # and nobody reads the second

A place that is read by nothing but a loader, another split or the `return` of its function is read where that is: the
loader, the parts, or what each caller binds it to. If all of these lie unread, nothing depends on it. A `Trainer` of
transformers that is never asked to evaluate does not read its `eval_dataset`.

Unknown: an attribute, what a caller does not unpack by its place, what another file imports, and a caller in a file
that neither trains nor shows anything, a fragment. These count as read.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import TRAINER
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import FunctionScope, ModuleScope
from mllint.semantics.syntax.nodes import Node, all_arguments, last_name, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.training.rows.usage import TRAINING_CALLS, is_held_out_unused, is_read, parts_of
from mllint.semantics.values.lineage import bindings_of

__all__ = [
    "are_parts_read",
    "is_any_read",
    "is_evaluated",
    "is_held_out_unread",
    "is_unread_at_last",
    "never_evaluates",
]

_STEPS = 3  # callers above each other
_ASKING = frozenset("len print type isinstance".split())
_DIVIDING = ("train_test_split", "random_split")
_JOINING = ("concat", "concatenate", "hstack", "column_stack")
_EVALUATING = frozenset("eval_strategy evaluation_strategy do_eval eval_on_start evaluate_during_training".split())


def is_unread_at_last(name: str, function: FunctionScope, steps: int = _STEPS) -> bool:
    """Whether nothing reads what a name stands for, be it in the function or where that hands it on.

    Args:
        name: a name of the function.
        function: where it is bound.
        steps: how many callers to look at, one above the other.
    """
    names = [name]
    for each in names:
        if not each.isidentifier():
            return False
        if not is_read(each, function):
            continue
        excused = _idle(each, function)
        for target, node in _made_of(each, function, excused):
            excused.update(id(n) for n in walk(node) if isinstance(n, ast.Name) and n.id == each)
            names += [target] if target not in names else []
        for position, node in _returned(each, function):
            if not steps or not _is_unread_by_callers(function, position, steps - 1):
                return False
            excused.update(id(n) for n in walk(node))
        if any(id(n) not in excused for n in _loads(each, function)):
            return False
    return not any(_is_imported(each, function) for each in names)


def is_held_out_unread(call: Call) -> bool:
    """Whether nothing reads what a split holds out, every second part of its result, here or where it is handed on.

    A name that is all underscores says so itself, as Python has it: `sample, _ = random_split(rows, [100, rest])`. Not
    beside a split of the same sizes that does hold rows out, with which this one has to agree.
    """
    held_out = [name for at, name in parts_of(call).items() if at % 2]
    if _is_thrown_away(held_out, call.function):
        alike = (
            c for c in call.function.calls if last_name(c.func) == call.last_name and _sizes(c) == _sizes(call.node)
        )
        kept = ([n for at, n in parts_of(Call(c, call.frame)).items() if at % 2] for c in alike)
        return all(_is_thrown_away(names, call.function) for names in kept)
    if is_held_out_unused(call):
        return True
    trains = not call.function.called_names.isdisjoint(TRAINING_CALLS)
    handed_on = bool(call.function.returns) and any(is_read(name, call.function) for name in held_out)
    if not held_out or not (trains or handed_on):
        return False  # a fragment
    return all(is_unread_at_last(name, call.function) for name in held_out)


def is_any_read(names: Collection[str], function: FunctionScope) -> Answer[bool]:
    """How well it is known that some data matter: POSSIBLE where a whole program leaves all of them unread.

    Args:
        names: the places of the function that they are bound to.
        function: where they are bound.
    """
    whole = _does_something(function.module)
    return proven_unless(whole and all(is_unread_at_last(name, function) for name in names), True)


def _is_thrown_away(held_out: Collection[str], function: FunctionScope) -> bool:
    """Whether all names that some rows are bound to are underscores, and nobody reads them."""
    return not any(name.strip("_") or is_read(name, function) for name in held_out) if held_out else False


def _sizes(call: ast.Call) -> list[str]:
    """What a split is told beside the rows, as it is written."""
    return [ast.dump(given) for given in (*call.args[1:], *(k.value for k in call.keywords))]


def are_parts_read(call: Call) -> Answer[bool]:
    """How well it is known that what a split gives matters: POSSIBLE where a whole program leaves all of it unread."""
    names = parts_of(call).values()
    return is_any_read(names, call.function) if names else proven_unless(False, True)


def is_evaluated(name: str, function: FunctionScope) -> Answer[bool]:
    """How well it is known that held-out data matter: POSSIBLE where nothing but trainers that are never asked to
    evaluate gets them.

    Args:
        name: the place of the function that they are bound to.
        function: where they are bound.
    """
    idle = _idle(name, function)
    return proven_unless(bool(idle) and all(id(n) in idle for n in _loads(name, function)), True)


def never_evaluates(call: Call) -> bool:
    """Whether a call builds a `Trainer` of transformers whose arguments ask for no evaluation, in a file that calls
    none."""
    given = call.argument("args")
    built = given.value.built_with if given is not None else None
    if built is None or built.open or not call.value.instance_of(TRAINER):
        return False
    return _EVALUATING.isdisjoint(built.keywords) and "evaluate" not in call.module.calls_by_name


def _does_something(module: ModuleScope) -> bool:
    """Whether a file trains, shows or writes something: no fragment, whose reader is elsewhere."""
    called = module.calls_by_name
    if any(word in called for word in TRAINING_CALLS):
        return True
    return any(topics.is_about(name, topic) for name in called for topic in (Topic.SHOWING, Topic.WRITING))


def _is_imported(name: str, function: FunctionScope) -> bool:
    """Whether another file may import a name of a script."""
    project = function.module.project
    if not function.is_body:
        return False
    others = (m for m in project.modules if m is not function.module)
    return any(m.stars or any(b.kind == "from" for b in m.body.bindings.get(name, ())) for m in others)


def _loads(name: str, function: FunctionScope) -> Iterator[ast.Name]:
    """Where a function reads a name, other than to ask about it."""
    asked = {id(a) for c in function.calls if last_name(c.func) in _ASKING for a in c.args}
    for node in walk(function.node):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) and id(node) not in asked:
            yield node


def _idle(name: str, function: FunctionScope) -> set[int]:
    """The ids of the nodes by which a name is given to trainers that are never asked to evaluate it."""
    project, found = function.module.project, set()
    for call in function.calls:
        given = next((k.value for k in call.keywords if k.arg == "eval_dataset"), None)
        if isinstance(given, ast.Name) and given.id == name:
            found |= {id(given)} if never_evaluates(Call(call, project.frame(function))) else set()
    return found


def _made_of(name: str, function: FunctionScope, excused: Collection[int]) -> Iterator[tuple[str, ast.Call]]:
    """What is bound to loaders of a name, to objects that are built of it, to tables that it is joined into, and to its
    parts, with the call of each, but for what is given it by nodes with some ids."""
    for call in function.calls:
        called = last_name(call.func)
        if called in _DIVIDING or called in _JOINING or called[:1].isupper():
            given = [part for a in all_arguments(call) for part in (a.elts if isinstance(a, ast.List) else [a])]
            if any(isinstance(n, ast.Name) and n.id == name and id(n) not in excused for n in given):
                for binding in bindings_of(call, function):
                    yield binding.name, call


def _returned(name: str, function: FunctionScope) -> Iterator[tuple[int, Node]]:
    """At which places of the tuples that a function returns a name, or a loader of it, stands, each with what stands
    there."""
    for returned in function.returns:
        parts = returned.value.elts if isinstance(returned.value, ast.Tuple) else []
        for position, part in enumerate(parts):
            given = part.args[:1] if isinstance(part, ast.Call) and last_name(part.func) == "DataLoader" else [part]
            if any(isinstance(n, ast.Name) and n.id == name for n in given):
                yield position, part


def _is_unread_by_callers(function: FunctionScope, position: int, steps: int) -> bool:
    """Whether each caller unpacks what a function returns, and leaves one part of it unread."""
    project = function.module.project
    if project.passed_around(function) or project.has_more_callers(function):
        return False
    callers = project.callers(function)
    for call, frame in callers:
        bound = [b for b in bindings_of(call, frame.function) if b.path]
        names = [b.name for b in bound if b.path == (position,)]
        if not bound or len(names) != 1 or not _does_something(frame.function.module):
            return False
        if not is_unread_at_last(names[0], frame.function, steps):
            return False
    return bool(callers)
