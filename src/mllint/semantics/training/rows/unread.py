"""Was the wrong loader taken: is a held-out or a training loader bound, and never read?

Whoever writes `val_loader` and `train_loader` and then reads only one of them took it twice. The names say which is
which; that the other one lies unused is what makes it sure. Loaders that are read anywhere in the function say nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

# isort: off
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import Function as FunctionScope, last_name, place, turned, walk
from mllint.semantics.training import roles
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import statements, targets_of
from mllint.semantics.values.values import Value
# isort: on

__all__ = [
    "HELD_OUT", "TEST", "TRAINING", "VALIDATION", "divided_in_vain", "indexed", "loaded_in_vain",
    "measured_on_training", "only_shown", "read", "rows_name", "siblings", "words",
]  # fmt: skip


def words(name: str | None) -> str:
    """The last name of a place with its words parted by underscores: `self.valSet` as `val_Set`."""
    last = (name or "").rpartition(".")[2].partition("[")[0]
    if last.islower():
        return last
    return "".join(f"_{c}" if c.isupper() and b.islower() else c for b, c in zip(f" {last}", last, strict=False))


TRAINING = ("training", "train", "trn", "tr")
TEST = ("testing", "test", "tst", "te")
VALIDATION = ("validation", "valid", "vali", "val", "dev", "va")
HELD_OUT = (*VALIDATION, *TEST, "eval")
_ABOUT = frozenset("dataset collate_fn batch_size sampler batch_sampler num_workers classes shape columns".split())


def indexed(node: Any) -> str | None:
    """The name of the index in `X[test_index]` or `df.loc[test_index, columns]`, if it says which part it chooses."""
    index = getattr(node, "slice", None)
    if isinstance(index, ast.Tuple) and index.elts:
        index = index.elts[0]
    return (
        index.id
        if isinstance(index, ast.Name) and (roles.is_held_out_name(index.id) or roles.is_training_name(index.id))
        else None
    )


def rows_name(node: Any) -> str | None:
    """What rows are called: the index that chooses them, else the place that they are taken from."""
    while isinstance(node, (ast.Subscript, ast.Call)) or (
        isinstance(node, ast.Attribute) and node.attr in ("values", "loc", "iloc")
    ):
        if (index := indexed(node)) is not None:
            return index
        if isinstance(node, ast.Call) and last_name(node.func) in ("transform", "fit_transform") and node.args:
            node = node.args[0]
            continue
        inner = node.func if isinstance(node, ast.Call) else node.value
        node = inner.value if isinstance(node, ast.Call) and isinstance(inner, ast.Attribute) else inner
    return place(node)


def read(name: str, function: FunctionScope) -> bool:
    """Does anything in a function read a place, other than its length, whether it is there, about it, or for itself?"""
    last, plain = name.rpartition(".")[2], name.isidentifier()
    passed = {id(a) for c in function.calls if last_name(c.func) in _ASKING for a in c.args}
    for statement in function.body:
        if isinstance(statement, ast.FunctionDef) and any(n.arg == name for n in parameters(statement)):
            continue  # there it is something else
        for node in walk(statement):
            if isinstance(node, ast.Assign) and [place(t) for t in node.targets] == [name]:
                passed.update(id(n) for n in walk(node.value))  # `rows = moved(rows)`: the same rows once more
            elif isinstance(node, ast.Attribute) and node.attr in _ABOUT:
                passed.add(id(node.value))
            elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
                passed.add(id(node.left))
            elif (
                isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
                and isinstance(node.ctx, ast.Load)
                and id(node) not in passed
                and not (plain and isinstance(node, ast.Attribute))
            ):
                if last == (place(node) or "").rpartition(".")[2]:
                    return True
    return False


_ASKING = frozenset("len prepare print isinstance type hasattr callable id".split())


def parameters(function: ast.FunctionDef) -> list[ast.arg]:
    """What a function is given."""
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def divided_in_vain(call: Call) -> bool:
    """Does nobody read what a split gives, other than its size, although a model is fitted below?"""
    function = call.function
    bound = [b for found in function.bindings.values() for b in found if b.value is call.node]
    names = [b.name for b in bound if b.path]
    if not names or any(not name.isidentifier() for name in names):
        return False
    if not any(c.lineno > call.node.lineno and last_name(c.func) in _FITTING for c in function.calls):
        return False
    others = (m for m in call.project.modules if function.is_body and m is not call.module)
    if any(m.stars or any(b.kind == "from" for n in names for b in m.body.bindings.get(n, ())) for m in others):
        return False
    return not any(read(name, function) for name in names)


def loaded_in_vain(call: Call) -> bool:
    """Are all parts of a split put into loaders, in a script, and those only shown, or never read?"""
    function, module = call.function, call.module
    bound = [b for found in function.bindings.values() for b in found if b.value is call.node]
    names = [b.name for b in bound if b.path]
    if not function.is_body or not names or any(m.stars for m in call.project.modules):
        return False
    others = (m.body.bindings for m in call.project.modules if m is not module)
    imported = {b.name for bindings in others for found in bindings.values() for b in found if b.kind == "from"}
    loaders = list(names)
    for name in loaders:
        if not name.isidentifier() or name in imported or len(function.bindings.get(name, ())) != 1:
            return False
        if not all(_shows(name, s, loaders) for s in module.functions if s.is_body or name not in s.bindings):
            return False
    return len(loaders) > len(names)


def only_shown(call: Call) -> bool:
    """Is a dataset of a file that trains only looked at: counted, shown, put into loaders that are only shown?"""
    function, module = call.function, call.module
    if not function.is_body or "backward" not in module.calls_by_name:
        return False
    names = targets_of(call.node, function)
    others = (m.body.bindings for m in call.project.modules if m is not module)
    if any(b.kind == "from" for bindings in others for n in names for b in bindings.get(n, ())):
        return False
    for name in names:
        if not name.isidentifier() or len(function.bindings.get(name, ())) != 1:
            return False
        for scope in module.functions:
            if (scope.is_body or name not in scope.bindings) and not _shows(name, scope, names):
                return False
    return bool(names)


def _shows(name: str, scope: FunctionScope, loaders: list[str]) -> bool:
    """Does a scope no more than show what a name stands for? What loads it is added to a list, to be asked too."""
    if isinstance(scope.node, ast.Lambda):
        return True
    shown: set[int] = set()
    own = [s for s in scope.body if not isinstance(s, (ast.FunctionDef, ast.ClassDef))]
    for statement in own:
        for node in walk(statement):
            match node:
                case ast.Call(func=func, args=args) if last_name(func) in _SHOWS:
                    shown.update(id(a) for a in args)
                case ast.Call(func=func, args=args, keywords=keywords) if last_name(func) == "DataLoader":
                    given = [*args[:1], *(k.value for k in keywords if k.arg == "dataset")]
                    bound = targets_of(node, scope) if any(place(g) == name for g in given) else []
                    loaders += [b for b in bound if b not in loaders]
                    shown.update(id(g) for g in given if bound)
                case ast.Attribute(value=value) | ast.FormattedValue(value=value) | ast.Expr(value=value):
                    shown.add(id(value))
                    if isinstance(value, ast.Tuple):
                        shown.update(map(id, value.elts))
                case ast.Subscript(value=value, slice=ast.Constant()):
                    shown.add(id(value))
    used = (n for s in own for n in walk(s) if isinstance(n, ast.Name) and n.id == name)
    return all(id(n) in shown for n in used if isinstance(n.ctx, ast.Load))


_SHOWS = frozenset("len print type iter display".split())
_FITTING = frozenset("fit fit_transform fit_predict cross_val_score cross_validate fit_generator".split())


def siblings(
    name: str, own: tuple[str, ...], function: FunctionScope, other: tuple[str, ...], *, handed: bool = False
) -> Iterator[str]:
    """The places bound beside `name`, and never read, that are named like it but for the part that they say.

    Args:
        name: the place.
        own: the words for its part.
        function: where it is used.
        other: the words for the other part.
        handed: do parameters and variables of loops count as well as what is assigned?
    """
    wanted = stem(name, own)
    kinds = ("assign", "param", "for") if handed else ("assign",)
    scopes = homes(name, function) if wanted is not None else ()
    for found, bindings in (item for scope in scopes for item in scope.bindings.items()):
        if stem(found, other) == wanted and all(b.kind in kinds for b in bindings):
            if not any(read(found, scope) for scope in scopes):
                yield found


def homes(name: str, function: FunctionScope) -> tuple[FunctionScope, ...]:
    """Where a place is bound and may be read: the function, the file for a global, all methods for `self.x`."""
    if name in function.bindings or function.is_body:
        return (function,)
    if "." not in name:
        return (function.module.body,)
    owner = function.owner
    return tuple(owner.methods.values()) if owner is not None and name.startswith("self.") else (function,)


def stem(name: str, parts: tuple[str, ...]) -> str | None:
    """A name in lower case, without the word that says which part it is; None if it has none of these words."""
    said = words(name).lower().split("_")
    kept = [word for word in said if word not in parts]
    if len(kept) < len(said):
        return "_".join(kept)
    glued = "_".join(said)
    part = next((word for word in parts if len(word) > 2 and word in glued), None)
    return None if part is None else glued.replace(part, "", 1)


def said(call: ast.Call, function: FunctionScope, *entries: str) -> str:
    """The names and texts of the innermost statement around a call, beside the call itself and keys of some entries."""
    statement = statement_of(call, function)
    names = [n.id for n in walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    texts = [n.value for n in walk(statement) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return " ".join((*names, *(t for t in texts if not any(repr(t) in e for e in entries)))).lower()


def statement_of(call: ast.Call, function: FunctionScope) -> Any:
    """The innermost statement around a call; the call itself where there is none."""
    return [call, *(s for s in statements(function) if any(n is call for n in walk(s)))][-1]


def entry(node: Any, own: tuple[str, ...], frame: Frame, other: tuple[str, ...]) -> tuple[str, str] | None:
    """The entry that `loaders["train"]` reads, and the unread one for another part of the same dictionary."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Constant):
        return None
    key, base = node.slice.value, place(node.value)
    if not isinstance(key, str) or base is None or stem(key, own) is None:
        return None
    table = evaluate(node.value, frame)
    if table.kind != "mapping" or all(_is_words(value) for value in table.parts.values()):
        return None
    uses = [n for s in frame.function.body for n in walk(s)]
    keyed = {id(n.value): n for n in uses if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Constant)}
    if any(place(n) == base and id(n) not in keyed and isinstance(getattr(n, "ctx", None), ast.Load) for n in uses):
        return None
    for word in table.parts:
        spare = f"{base}[{word!r}]"
        if isinstance(word, str) and stem(word, other) == stem(key, own) and not read(spare, frame.function):
            return f"{base}[{key!r}]", spare
    return None


def _is_words(value: Value) -> bool:
    """Is it text or numbers, or a list of them, and no data: names of metrics, counts?"""
    return value.kind == "literal" or (value.kind == "sequence" and all(_is_words(part) for part in value.parts))


def measured_on_training(function: FunctionScope, frame: Frame) -> Iterator[tuple[Any, str, str, str]]:
    """`val_loss = evaluate(model, train_loader)`: the argument, the function, its name, what the other loader does."""
    yield from looped_over_training(function)
    yield from _predicted_on_training(function)
    own = frame.project.reach.own_names()
    for call in function.calls:
        called = last_name(call.func)
        if not call.args or not (called in own or topics.is_about(called, Topic.MEASURING)):
            continue
        given = [argument for argument in call.args if for_training(argument)]
        if not given or not (topics.is_about(called, Topic.MEASURING) or measuring(call, frame)):
            continue
        for argument in given:
            name = place(argument)
            if (
                name
                and roles.is_training_name(name)
                and topics.is_about(name, Topic.LOADING)
                and "train" not in said(call, function)
            ):
                spare = next(siblings(name, TRAINING, function, HELD_OUT), None)
                other = measured_elsewhere(call, argument, function) if spare is None else None
                meant = named_otherwise(call, name, function) if spare is None and other is None else None
                if spare is not None or other is not None:
                    clause = f"nobody reads `{spare}`" if other is None else f"elsewhere on `{other}`"
                    yield argument, called, name, clause
                elif meant is not None:
                    yield argument, called, name, f"the result is named like `{meant}`"
            elif (found := entry(argument, TRAINING, frame, HELD_OUT)) and "train" not in said(call, function, *found):
                yield argument, called, found[0], f"nobody reads `{found[1]}`"


def _predicted_on_training(function: FunctionScope) -> Iterator[tuple[Any, str, str, str]]:
    """`test_scores = model.predict(X_train)`, while `X_test` lies unused; as `measured_on_training`."""
    project = function.module.project
    said = project is not None and id(function) in project.reach.functions(_PREDICTS, 0)
    for statement in statements(function) if said else ():
        if not isinstance(statement, ast.Assign) or not roles.is_held_out_name(place(statement.targets[0])):
            continue
        for call in (n for n in walk(statement.value) if isinstance(n, ast.Call) and last_name(n.func) in _PREDICTS):
            name = place(call.args[0]) if call.args else None
            spare = (
                next(siblings(name, TRAINING, function, HELD_OUT), None)
                if name and roles.is_training_name(name)
                else None
            )
            if name is not None and spare is not None:
                yield call.args[0], last_name(call.func), name, f"nobody reads `{spare}`"


_PREDICTS = frozenset("predict predict_proba decision_function score evaluate predict_on_batch".split())


def measured_elsewhere(call: ast.Call, argument: Any, function: FunctionScope) -> str | None:
    """The held-out loader that the same measurement, named for validation, is given in another block."""
    names = {stem(n.id, HELD_OUT) and n.id for n in walk(statement_of(call, function)) if isinstance(n, ast.Name)}
    stored_to = said(call, function).split()
    if stem(last_name(call.func), HELD_OUT) is None and not any(n and n.lower() in stored_to for n in names):
        return None
    if asked_for(call, function):
        return None
    wanted, position = stem(place(argument) or "", TRAINING), call.args.index(argument)
    found = None
    for other in function.calls:
        if other is not call and last_name(other.func) == last_name(call.func) and len(other.args) > position:
            name = place(other.args[position])
            if name and stem(name, HELD_OUT) == wanted is not None:
                if beside(call, other, function):
                    return None  # each part is measured, one after the other
                found = found or name
    return found


def asked_for(call: ast.Call, function: FunctionScope) -> bool:
    """Does a test around a call ask for training data: `if args.evaluate == "train":`?"""
    for branch in (s for s in statements(function) if isinstance(s, ast.If)):
        if any(n is call for s in branch.body for n in walk(s)):
            for n in walk(branch.test):
                word = n.value if isinstance(n, ast.Constant) else last_name(n)
                if isinstance(word, str) and "train" in word.lower():
                    return True
    return False


def named_otherwise(call: ast.Call, loader: str, function: FunctionScope) -> str | None:
    """The held-out loader beside a training loader, if what is measured is stored as held-out: `test_loss = ...`."""
    stored_to = {n.id for n in walk(statement_of(call, function)) if isinstance(n, ast.Name) and _stores(n)}
    if not any(roles.is_held_out_name(name) for name in stored_to) or any(
        roles.is_training_name(name) for name in stored_to
    ):
        return None
    wanted = stem(loader, TRAINING)
    return next((n for home in homes(loader, function) for n in home.bindings if stem(n, HELD_OUT) == wanted), None)


def _stores(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def beside(call: ast.Call, other: ast.Call, function: FunctionScope) -> bool:
    """Do two calls stand in one block, as where both scores are wanted?"""
    one, two = statement_of(call, function), statement_of(other, function)
    around = [function.body, *(getattr(s, f, None) or [] for s in statements(function) for f in ("body", "orelse"))]
    return any({id(one), id(two)} <= {id(s) for s in block} for block in around)


def for_training(argument: Any) -> bool:
    """May an argument be a loader of training data, by its name or by its key?"""
    if argument.__class__ is ast.Subscript:
        key = argument.slice
        return isinstance(key, ast.Constant) and isinstance(key.value, str) and stem(key.value, TRAINING) is not None
    if argument.__class__ is not ast.Name and argument.__class__ is not ast.Attribute:
        return False
    name = place(argument)
    return name is not None and roles.is_training_name(name) and topics.is_about(name, Topic.LOADING)


def measuring(call: ast.Call, frame: Frame) -> bool:
    """Does a call enter a function of the user's that sets a model to evaluation, and trains nothing?"""
    callees = [f for f in Call(call, frame).callees if not f.stubbed]
    return bool(callees) and all("eval" in f.called_names and not _trains(f.called_names) for f in callees)


def _trains(names: Iterable[str]) -> bool:
    return not {"backward", "step", "zero_grad", "fit", "train"}.isdisjoint(names)


def looped_over_training(function: FunctionScope) -> Iterator[tuple[Any, str, str, str]]:
    """`model.eval()`, then a loop over the training loader in which nothing is trained; as `measured_on_training`."""
    if "eval" not in function.module.calls_by_name or "eval" not in function.called_names:
        return
    if "train" in function.name.lower():
        return  # `train_metrics` says what it measures on
    switches = [c for c in function.calls if isinstance(c.func, ast.Attribute) and c.func.attr in ("eval", "train")]
    modes = sorted(c.lineno for c in switches if last_name(c.func) == "eval")
    if not modes or isinstance(function.node, ast.Lambda):
        return
    comprehensions = (ast.ListComp, ast.GeneratorExp, ast.SetComp)
    for node in (n for s in function.body for n in walk(s) if isinstance(n, (ast.For, *comprehensions))):
        iterated = turned(node.iter if isinstance(node, ast.For) else node.generators[0].iter)
        name = place(iterated)
        if (
            not name
            or not roles.is_training_name(name)
            or not topics.is_about(name, Topic.LOADING)
            or node.lineno < modes[0]
        ):
            continue
        called = [last_name(n.func) for n in walk(node) if isinstance(n, ast.Call)]
        if any(isinstance(n, ast.AugAssign) and roles.is_training_name(place(n.target)) for n in walk(node)):
            continue  # `train_loss += ...` says so as well
        if _trains(called) or any(last_name(c.func) == "train" and modes[0] < c.lineno < node.lineno for c in switches):
            continue
        spare = next(siblings(name, TRAINING, function, HELD_OUT), None)
        if spare is not None:
            yield iterated, "the loop", name, f"nobody reads `{spare}`"


def trained_on_held(node: Any, frame: Frame) -> tuple[str, str] | None:
    """A held-out loader in what a training loop iterates over (or was given), and the unread training loader."""
    function = frame.function
    for inner in walk(node):
        if (found := entry(inner, HELD_OUT, frame, TRAINING)) is not None:
            return found
        name = place(inner) if isinstance(inner, (ast.Name, ast.Attribute)) else None
        if name and roles.is_held_out_name(name) and topics.is_about(name, Topic.HOLDING_ROWS):
            spare = next(siblings(name, HELD_OUT, function, TRAINING), None)
            if spare is not None:
                return name, spare
    return None


def untrained(node: Any, frame: Frame, looped: set[str]) -> tuple[str, str] | None:
    """A held-out loader that a training loop goes through, and the training loader that no training loop goes through.

    Args:
        node: what the loop goes through.
        frame: its context.
        looped: the last names of what all training loops go through.
    """
    name = place(turned(node))
    if not name or not roles.is_held_out_name(name) or not topics.is_about(name, Topic.LOADING):
        return None
    wanted = stem(name, HELD_OUT)
    owner = frame.function.owner
    for function in (frame.function, frame.module.body, *(owner.methods.values() if owner is not None else ())):
        for found in function.bindings:
            if stem(found, TRAINING) == wanted is not None and found.rpartition(".")[2] not in looped:
                if not any(trains_on(found, f) for f in frame.module.functions if not isinstance(f.node, ast.Lambda)):
                    return name, found
    return None


def trains_on(name: str, function: FunctionScope) -> bool:
    """Is there a loop over a loader that trains, be it in a branch that a constant switches off?"""
    loops = [s for s in statements(function) if isinstance(s, ast.For) and place(turned(s.iter)) == name]
    return any(_trains([last_name(n.func) for n in walk(s) if isinstance(n, ast.Call)]) for s in loops)


def selected_on_test(function: FunctionScope) -> Iterator[tuple[Any, Any, str, str]]:
    """`loss = evaluate(model, test_loader)` that is compared with a best so far, while the validation loader is unread.

    Yields:
        The argument, the comparison, the name of the loader and that of the unread one.
    """
    for statement in statements(function):
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
            continue
        parts = [place(given) or "" for given in _given(statement.value)]
        for given in _given(statement.value):
            name = place(given)
            if any(_says_validation(p) and stem(p, VALIDATION) == stem(name or "", TEST) for p in parts):
                continue  # both parts in one call: either score may be the one of validation
            if not name or not any(w in name.lower() for w in TEST) or not topics.is_about(name, Topic.HOLDING_ROWS):
                continue
            spare = next(siblings(name, TEST, function, VALIDATION), None) or measured_as_well(name, function)
            scores = {place(n) for t in statement.targets for n in walk(t)}
            choice = compared(scores, function)
            if spare is None and choice is not None:
                spare = called_validation(name, scores, choice, function)
            if spare is not None and choice is not None:
                yield given, choice, name, spare


def beside_validation(function: FunctionScope) -> Iterator[tuple[Any, Any, str, str]]:
    """`train_acc, val_acc, test_acc = test()`, and a choice by `test_acc` and none by `val_acc`.

    Yields:
        What gives the scores, the comparison, and both names.
    """
    for statement in statements(function):
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Tuple):
            continue
        names = [place(t) or "" for t in statement.targets[0].elts]
        for name in (n for n in names if stem(n, TEST) is not None and roles.is_held_out_name(n)):
            spare = next((n for n in names if stem(n, VALIDATION) == stem(name, TEST) and n != name), None)
            choice = compared({name}, function) if spare is not None else None
            if spare is not None and choice is not None and compared({spare}, function) is None:
                yield statement.value, choice, name, spare


def called_validation(loader: str, scores: set[str | None], choice: Any, function: FunctionScope) -> str | None:
    """The validation loader beside a test loader, if what is measured on the latter, or the best of it, is called
    validation: `valid_loss = evaluate(model, test_loader)`, `if score > best_valid_score`."""
    compare = choice if isinstance(choice, ast.Compare) else None
    sides = [place(n) for n in (compare.left, *compare.comparators)] if compare is not None else []
    if not any(name and _says_validation(name) for name in (*scores, *sides)):
        return None
    wanted = stem(loader, TEST)
    if wanted is None:
        return None
    return next((n for home in homes(loader, function) for n in home.bindings if stem(n, VALIDATION) == wanted), None)


def _says_validation(name: str) -> bool:
    said = words(name).lower().split("_")
    return not set(said).isdisjoint(VALIDATION) and set(said).isdisjoint(TEST)


def _given(call: ast.Call) -> list[Any]:
    """The places that a measurement is given, by itself or in its arguments: `loss(model(x_test), y_test)`."""
    given = list(call.args)
    if isinstance(call.func, ast.Attribute) and call.func.attr == "item" and isinstance(call.func.value, ast.Call):
        given = list(call.func.value.args)
    return given + [inner for a in given if isinstance(a, ast.Call) for inner in a.args]


def measured_as_well(name: str, function: FunctionScope) -> str | None:
    """The validation loader beside a test loader, if it is measured too, and no choice is made by that score."""
    wanted, measured = stem(name, TEST), None
    for statement in statements(function):
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            for given in statement.value.args:
                other = place(given)
                if (
                    other
                    and stem(other, VALIDATION) == wanted is not None
                    and topics.is_about(other, Topic.HOLDING_ROWS)
                ):
                    scores = {place(n) for t in statement.targets for n in walk(t)}
                    if compared(scores, function) is not None:
                        return None
                    measured = other
    return measured


def compared(names: set[str | None], function: FunctionScope) -> Any:
    """The test of a branch that compares one of some names with a best so far, or the call of a stopper with one."""
    for statement in statements(function):
        for test in walk(statement.test) if isinstance(statement, ast.If) else ():
            if isinstance(test, ast.Compare):
                sides = [place(n) or "" for n in (test.left, *test.comparators)]
                if names & set(sides) and any("best" in side.lower() for side in sides):
                    return test
    for call in function.calls:
        if "stop" in (place(call.func) or "").lower() and names & {place(a) for a in call.args}:
            return call
    return None
