"""What does a transform do to rows, and who is given which? Whether a step draws at random, and for which part it is.

    Compose([RandomCrop(32), ToTensor()])      # `random_step`: the crop draws anew each time a sample is read
    Compose([Resize(32), ToTensor()])          # `_is_plain`: every step is known, and none is random

A transform draws at random if one of its steps does, on every alternative; a step that always does the same (`p=0`,
`degrees=0`) draws nothing. What is held out is known by provenance, by the folder that it is read from, or by two names
that agree: that of the transform, or of an unused plain one next to it, and that of the data.

An option that chooses between transforms is no excuse (`random_on_request`), unless it may say which part is read.

What makes it unknown: a step of no known library, a dataset that asks for its part before it does anything but choose
its files.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.libraries.classes import DATASET
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at, reaching
from mllint.semantics.syntax.nodes import (
    Node,
    assigned_pairs,
    is_within,
    iterable_of,
    last_name,
    mentions_place,
    place,
    walk,
)
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles
from mllint.semantics.training.role_names import Role
from mllint.semantics.training.roles import rest_of_name
from mllint.semantics.training.rows import built_alike
from mllint.semantics.training.rows.usage import HELD_OUT, TRAINING, is_only_shown
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.classes import constructor_argument, stub_effect
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import origins, statements, targets_of
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import InstanceValue, LiteralValue, SequenceValue, Value

__all__ = [
    "CLASSES", "NAMED", "entries", "find_default_on_switch", "has_held_out_name", "has_random_step_by_name",
    "held_targets", "is_called_for_each_part", "is_disturbed_on_purpose", "is_held_out", "is_in_evaluation_branch",
    "is_mistaken", "is_named_for_held_out", "is_one_value", "is_read_from_held_out_folder", "is_read_in_file",
    "is_trained_on", "is_transformed_as_held_out", "key_of", "last_word", "loaders_of", "may_read_entry",
    "may_transform_by_part", "parts_by_caller", "random_on_request", "random_step", "scopes_of", "uses_of",
]  # fmt: skip

NAMED = "ImageFolder DatasetFolder MNIST FashionMNIST KMNIST EMNIST CIFAR10 CIFAR100 SVHN STL10 ImageNet"
CLASSES = frozenset(NAMED.split())


def is_named_for_held_out(name: str) -> bool:
    """Does a name say that it is the transform of held-out data: `val_tf`, `test_transform`?"""
    rest = roles.rest_of_name(name, Role.VALIDATION_ROWS, Role.TEST_ROWS)
    return rest is not None and topics.is_about(rest, Topic.TRANSFORMS)


def random_step(transform: Value, depth: int = 0) -> InstanceValue | None:
    """A step that certainly draws at random each time, on every alternative of a transform; None if one has none."""
    found: InstanceValue | None = None
    step: InstanceValue | None
    for v in transform.alternatives:
        if not isinstance(v, InstanceValue) or depth > 4:
            return None
        if stub_effect(v.cls, "Random"):
            step = None if _is_deterministic_step(v) else v
        elif (chain := stub_effect(v.cls, "chains")) is not None:
            steps = constructor_argument(v, chain.of)
            inner = v.contents or (steps.parts if isinstance(steps, SequenceValue) else ())
            step = next((s for p in inner if (s := random_step(p, depth + 1)) is not None), None)
        else:
            step = None
        if step is None:
            return None
        found = found or step
    return found


def _is_deterministic_step(step: Value) -> bool:
    """`p=0`, `p=1` of what is only applied or not, `degrees=0`, `degrees=(a, a)`: nothing is drawn."""
    p, degrees = constructor_argument(step, "p"), constructor_argument(step, "degrees")
    whether = any(stub_effect(cls, "sometimes") for cls in step.classes)
    never = p is not None and (p.literal == 0 or (p.literal == 1 and whether))
    return never or (degrees is not None and (degrees.literal == 0 or is_one_value(degrees)))


def is_one_value(bounds: Value) -> bool:
    """Are both ends of a range the same?"""
    if not isinstance(bounds, SequenceValue) or len(bounds.parts) != 2:
        return False
    low, high = ([(v.__class__, v.literal, v.identity) for v in end.alternatives] for end in bounds.parts)
    return low == high and all(kind is LiteralValue or identity for kind, _, identity in low)


def random_on_request(given: Argument, function: FunctionScope) -> Value | None:
    """The random step of one of several transforms among which an option chooses that says nothing of the part of the
    data, `if args.augment: tf = ...`; None where there is no such step, or where the part may choose."""
    bound = bound_at(given.node, function)
    if len(bound) < 2 or any(b.kind != "assign" for b in bound):
        return None
    chosen = {id(b.node) for b in bound}
    for branch in (s for s in statements(function) if isinstance(s, ast.If)):
        if any(id(n) in chosen for s in (*branch.body, *branch.orelse) for n in walk(s)) and _tests_for_part(
            branch.test
        ):
            return None
    return next((step for v in given.value.alternatives if (step := random_step(v)) is not None), None)


def _tests_for_part(test: Node) -> bool:
    """Does a test name a part of the data, or augmentation of it while it is tested, by a place or by a word?"""
    tested = (n.value if isinstance(n, ast.Constant) else place(n) for n in walk(test))
    topic = (Topic.PARTS, Topic.TEST_TIME_AUGMENTATION)
    return any(isinstance(word, str) and topics.is_about(word.rpartition(".")[2], *topic) for word in tested)


def is_held_out(call: Call) -> bool:
    """Is it held-out data, by the argument that chooses the part, or by the folder that it is read from?"""
    value = call.value
    if not value.instance_of(DATASET):
        return False
    if value.comes_from("heldout", "test"):
        return True
    if call.last_name in ("ImageFolder", "DatasetFolder"):
        return is_read_from_held_out_folder(call, "root")
    named = any(map(roles.is_training_name, held_targets(call.node, call.function)))
    own = bool(value.classes) and not any(cls.module.is_stub for cls in value.classes)
    return own and not named and any(_has_held_out_folder(_texts(a.node, call)) for a in call.arguments)


def is_read_from_held_out_folder(call: Call, parameter: str) -> bool:
    """Does the argument that says from where to read name a folder of held-out data, "data/val"?"""
    root = call.argument(parameter)
    if root is None:
        return False
    successive = any(_has_held_out_folder([text]) for text in _successive_texts(root.node, call))
    return successive or _has_held_out_folder(_texts(root.node, call)[-1:])


def _texts(node: Node, call: Call) -> list[str]:
    """The texts in an expression, or in what its name is bound to once: `valdir = os.path.join(data, "val")`."""
    bound = call.function.bindings.get(node.id, ()) if isinstance(node, ast.Name) else ()
    if len(bound) == 1 and bound[0].kind == "assign" and isinstance(bound[0].value, ast.Call):
        node = bound[0].value
    return [n.value for n in walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]


def _successive_texts(node: Node, call: Call) -> list[str]:
    """The texts that a name in a path stands for, one after the other, where nothing else of the call is chosen by it:
    `[Folder(os.path.join(root, part), transform) for part in ("train", "val")]`."""
    at = reaching(call.function).at
    for name in (n for n in walk(node) if isinstance(n, ast.Name)):
        others = (n for a in call.arguments if a.node is not node for n in walk(a.node))
        for binding in at.get(id(name), ()):
            listed = binding.value if binding.kind in ("comp", "for") and not binding.path else None
            if isinstance(listed, (ast.List, ast.Tuple)):
                if any(isinstance(n, ast.Name) and n.id == name.id for n in others):
                    return []
                return [e.value for e in listed.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
    return []


def _has_held_out_folder(texts: list[str]) -> bool:
    """Does a folder or a file in some paths bear the name of held-out data, and none that of training data?"""
    parts = {rows for text in texts for part in text.split("/") if (rows := roles.file_rows(part)) is not None}
    return bool(parts) and parts <= roles.HELD_OUT


def is_disturbed_on_purpose(call: Call, random: Argument, names: list[str]) -> bool:
    """Is held-out data disturbed on purpose, by what its transform or the data is called, or since the same data is
    also read without it: `clean = MNIST(root, train=False, transform=plain)`?"""
    if any(topics.is_about(n, Topic.DISTURBANCE) for n in (*names, *targets_of(call.node, call.function))):
        return True
    for node in call.function.calls:
        other = Call(node, call.frame)
        if node is call.node or other.last_name != call.last_name:
            continue
        given = other.argument(random.parameter)
        if given is not None and is_held_out(other) and _is_plain(given.value):
            if _but_transform(other, given) == _but_transform(call, random):
                return True
    return False


def is_trained_on(call: Call) -> bool:
    """Is a dataset trained on, whatever its part is called: does it give its samples beside those of training data, as
    `ConcatDataset([train, val])` or one of the user's own does, or does every loop over its loader train?"""
    rows = targets_of(call.node, call.function)
    for node in call.function.calls:
        values = (*node.args, *(k.value for k in node.keywords))
        given = {place(n) for v in values for n in getattr(v, "elts", (v,))} - {None}
        if not given.isdisjoint(rows) and any(roles.is_training_name(n) for n in given.difference(rows)):
            made = Call(node, call.frame).value
            if made.instance_of(DATASET) or any("__getitem__" in c.methods for c in made.classes):
                return True
    return _is_read_to_train(rows, call.function)


def _is_read_to_train(rows: Collection[str], function: FunctionScope) -> bool:
    """Does a function loop over what loads some rows, and call `backward()` in each of these loops?"""
    read = [c for c in function.calls if last_name(c.func) == "DataLoader" and c.args and place(c.args[0]) in rows]
    loaders = {name for c in read for name in targets_of(c, function)}
    loops = [r.node for r in function.loops if isinstance(r.node, (ast.For, ast.AsyncFor))]
    loops = [loop for loop in loops if place(iterable_of(loop.iter)) in loaders]
    backwards = [c for c in function.calls if last_name(c.func) == "backward"]
    return bool(loops) and all(any(is_within(c, loop) for c in backwards) for loop in loops)


def _but_transform(call: Call, transform: Argument) -> list[tuple[str, str]]:
    """What a dataset is built of, but for its transforms."""
    given = [(a.parameter, built_alike.normalised_text(a.node)) for a in call.arguments if a.node is not transform.node]
    rows = [(name, value) for name, value in given if not topics.is_about(name, Topic.TRANSFORMS)]
    return sorted((name, value) for name, value in rows if name != "download")


def is_transformed_as_held_out(call: Call, transform: Argument) -> bool:
    """Is it transformed as held-out data, by the name of the transform, and is a part of it held out by name?"""
    if not any(is_named_for_held_out(last_word(o.node)) for o in origins(transform.node, transform.frame)):
        return False
    rows = targets_of(call.node, call.function)
    parts = [c for c in call.function.calls if last_name(c.func) in ("Subset", "DataLoader") and c.args]
    read = [c for c in parts if place(c.args[0]) in rows]
    named = [
        t for s in statements(call.function) if read for t, v in assigned_pairs(s) if any(n in read for n in walk(v))
    ]
    return bool(named) and all(roles.is_held_out_name(place(target)) for target in named)


def may_transform_by_part(dataset: Value) -> bool:
    """May the user's own dataset transform its parts differently: does it look at its part where it gives samples, or,
    where it is built, around anything but a choice of files?"""
    if all(c.module.is_stub for c in dataset.classes):
        return False
    for cls in dataset.classes:
        init = cls.methods.get("__init__")
        selecting = _attributes_of_part(init) if init is not None else set()
        if cls.module.is_stub:
            continue
        for function in cls.methods.values():
            for node in (n for s in statements(function) for n in walk(s) if isinstance(n, (ast.If, ast.IfExp))):
                tested = [last_name(n) for n in walk(node.test)]
                if any(topics.is_about(name, Topic.PARTS) or name in selecting for name in tested):
                    if function is not init or not _only_chooses_files(node):
                        return True
    return False


def find_default_on_switch(dataset: Value) -> str | None:
    """The switch of the user's own dataset that is on by default, `augment=True`, tested where samples are
    given, and that the construction of this one does not mention; None if it has none."""
    if not isinstance(dataset, InstanceValue) or dataset.cls.module.is_stub or dataset.built_with is None:
        return None
    init = dataset.cls.methods.get("__init__")
    if init is None or dataset.built_with.open:
        return None
    for parameter in init.parameters:
        on = isinstance(parameter.default, ast.Constant) and parameter.default.value is True
        if (
            on
            and constructor_argument(dataset, parameter.name) is None
            and topics.is_about(parameter.name, Topic.AUGMENTATION)
        ):
            if any(_tests_switch(method, f"self.{parameter.name}") for method in dataset.cls.methods.values()):
                return parameter.name
    return None


def _tests_switch(method: FunctionScope, switch: str) -> bool:
    """Is a switch asked in a method, other than the constructor?"""
    tests = (n.test for s in statements(method) for n in walk(s) if isinstance(n, (ast.If, ast.IfExp)))
    return method.name != "__init__" and any(mentions_place(test, switch) for test in tests)


def _attributes_of_part(init: FunctionScope) -> set[str]:
    """The attributes that a constructor computes from what names the part: `self.flips` of `self.flips = train`."""
    pairs = [(place(t) or "", v) for s in statements(init) for t, v in assigned_pairs(s)]
    plain = [(name, v) for name, v in pairs if name.startswith("self.") and not isinstance(v, (ast.Call, ast.IfExp))]
    return {name[5:] for name, v in plain if any(topics.is_about(last_name(n), Topic.PARTS) for n in walk(v))}


def _only_chooses_files(choice: ast.If | ast.IfExp) -> bool:
    """Do the branches speak of no transform, and set no switch?"""
    sides = [choice.body, choice.orelse]
    nodes = [n for side in sides for part in (side if isinstance(side, list) else [side]) for n in walk(part)]
    names = [last_name(n) for n in nodes if isinstance(n, (ast.Name, ast.Attribute))]
    switches = [
        v for n in nodes if isinstance(n, ast.stmt) for _, v in assigned_pairs(n) if isinstance(v, ast.Constant)
    ]
    return not any(isinstance(v.value, (bool, int, float, type(None))) for v in switches) and not any(
        topics.is_about(name, Topic.TRANSFORMS, Topic.AUGMENTATION) for name in names
    )


def last_word(node: Node) -> str:
    """The name that an expression goes by: `val_tf`, the key of `tf["val"]`."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return last_name(node)


# ------------------------------------------------------------------------------------- a transform, and who is given it
def has_held_out_name(name: str, call: Call, given: ast.AST) -> bool:
    """Is a transform for held-out data, by its name, given by position to a dataset of the user's that is held out by
    its name too? What is given by keyword is asked about by itself."""
    rows = targets_of(call.node, call.function)
    if last_name(call.node.func) in CLASSES or not any(given is a for a in call.node.args):
        return False
    if (
        not is_named_for_held_out(name.rpartition(".")[2])
        or not rows
        or not all(roles.is_held_out_name(r) for r in rows)
    ):
        return False
    return not may_transform_by_part(call.value) and not is_only_shown(call)


def is_read_in_file(name: str, function: FunctionScope) -> bool:
    """Does anything in the file read a place, so that its use may say more than its name?"""
    last, nodes = name.rpartition(".")[2], walk(function.module.body.node)
    return any(
        isinstance(n, (ast.Name, ast.Attribute)) and isinstance(n.ctx, ast.Load) and last_name(n) == last for n in nodes
    )


def entries(name: str, function: FunctionScope) -> Iterator[tuple[ast.Dict, str]]:
    """The dictionaries with one transform for each part in which a name stands for held-out data, and its key."""
    for statement in statements(function):
        for table in (n for n in walk(statement) if isinstance(n, ast.Dict)):
            keys = [k.value if isinstance(k, ast.Constant) else None for k in table.keys]
            pairs = [(k, v) for k, v in zip(keys, table.values, strict=True) if isinstance(k, str)]
            own = next((k for k, v in pairs if place(v) == name), None)
            if (
                own is not None
                and roles.is_held_out_name(own)
                and any(_is_training_sibling(own, k, v, name) for k, v in pairs)
            ):
                yield table, own


def _is_training_sibling(own: str, key: str, value: Node, name: str) -> bool:
    """Is it the entry of another transform, called as the one for held-out data, but for training?"""
    return (
        roles.is_training_name(key)
        and rest_of_name(key, *TRAINING) == rest_of_name(own, *HELD_OUT)
        and place(value) not in (None, name)
    )


def has_random_step_by_name(chain: ast.Call) -> bool:
    """Does a step of a chain say by its name that it is random?"""
    steps = (n for given in chain.args for n in walk(given) if isinstance(n, ast.Call))
    return any(last_name(step.func).startswith(("Rand", "rand")) for step in steps)


def is_in_evaluation_branch(node: Node, name: str, function: FunctionScope) -> bool:
    """Is it bound where rows are not for training: `if train: tf = ... else: tf = ...`?"""
    for branch in statements(function):
        if isinstance(branch, ast.If) and branch.orelse:
            test, other, own = branch.test, branch.body, branch.orelse
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                test, other, own = test.operand, own, other
            bound = [s for s in own if any(v is node for _, v in assigned_pairs(s))]
            if (
                bound
                and _tests_for_training(test)
                and any(place(t) == name for s in other for t, _ in assigned_pairs(s))
            ):
                return True
    return False


def _tests_for_training(test: Node) -> bool:
    """`train`, `self.is_train`, `split == "train"`."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
        constant = test.comparators[0]
        return isinstance(constant, ast.Constant) and constant.value == "train" and place(test.left) is not None
    return isinstance(test, (ast.Name, ast.Attribute)) and bool(
        topics.is_about((place(test) or "").rpartition(".")[2], Topic.FITTING)
    )


def is_mistaken(call: Call, name: str, function: FunctionScope) -> bool:
    """Is a dataset held out by its name, and the transform meant for it as well, or another, plain one at hand?"""
    if not call.value.instance_of(DATASET) or may_transform_by_part(call.value):
        return False
    argument = call.argument("transform")
    if argument is not None and (is_held_out(call) or is_transformed_as_held_out(call, argument)):
        return False  # known by provenance
    targets = held_targets(call.node, function)
    if len(targets) == 1 and not roles.is_held_out_name(targets[0]):
        targets = _parts_of(targets[0], function)
    if not targets or not all(roles.is_held_out_name(t) for t in targets):
        return False
    meant = bool(is_named_for_held_out(name.rpartition(".")[2])) or _has_plain_alternative(call, name, function)
    return meant and not is_only_shown(call)


def _has_plain_alternative(call: Call, name: str, function: FunctionScope) -> bool:
    """Is there another transform next to it, without a random step, and is the random one given to training data?"""
    frame = call.frame
    scopes = scopes_of(name, function)
    plain = False
    for scope in scopes:
        for other, bindings in scope.bindings.items():
            if other != name and len(bindings) == 1 and bindings[0].kind == "assign" and bindings[0].value is not None:
                value = bindings[0].value
                if isinstance(value, ast.Call) and last_name(value.func) == "Compose":
                    plain |= _is_plain(evaluate(value, frame.project.frame(scope)))
    users = [(t, f) for use, f in uses_of(name, function) if use is not call.node for t in held_targets(use, f)]
    trains = (part for t, f in users for part in (t, *_parts_of(t, f)))
    return plain and any(roles.is_training_name(t) for t in trains)


def _is_plain(transform: Value) -> bool:
    """Is each step of a transform known, and none of them random?"""
    for v in transform.alternatives:
        if not isinstance(v, InstanceValue) or not v.cls.module.is_stub:
            return False
        if stub_effect(v.cls, "Random"):
            return False
        if (chain := stub_effect(v.cls, "chains")) is not None:
            steps = constructor_argument(v, chain.of)
            inner = v.contents or (steps.parts if isinstance(steps, SequenceValue) else ())
            if not inner or not all(_is_plain(p) for p in inner):
                return False
    return True


def scopes_of(name: str, function: FunctionScope) -> list[FunctionScope]:
    """Where a place can be used: the function, all methods for `self.x`, the whole file for a global."""
    if name.startswith("self.") and function.owner is not None:
        return list(function.owner.methods.values())
    if "." not in name and name in function.module.body.bindings:
        return [f for f in function.module.functions if f.is_body or name not in f.bindings]
    return [function]


def uses_of(name: str, function: FunctionScope) -> Iterator[tuple[ast.Call, FunctionScope]]:
    """The calls that are given a place."""
    for scope in scopes_of(name, function):
        for call in scope.calls:
            if any(place(a) == name for a in (*call.args, *(k.value for k in call.keywords))):
                yield call, scope


def held_targets(node: Node, function: FunctionScope) -> list[str]:
    """The places that a call, or what is built around it, is bound to."""
    for statement in statements(function):
        for target, value in assigned_pairs(statement):
            if any(n is node for n in walk(value)):
                parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
                if len(parts) > 1 and isinstance(value, ast.Tuple) and len(value.elts) == len(parts):
                    parts = [p for p, v in zip(parts, value.elts, strict=True) if any(n is node for n in walk(v))]
                return [place(p) or "" for p in parts]
    return []


def _parts_of(name: str, function: FunctionScope) -> list[str]:
    """What the subsets of a dataset are called, if nothing else is done with it."""
    if not name or len(function.bindings.get(name, ())) != 1:
        return []
    found: list[str] = []
    for use, scope in uses_of(name, function):
        if last_name(use.func) == "Subset":
            found += held_targets(use, scope)
        elif last_name(use.func) != "len":
            return []
    return found


def key_of(node: Node, function: FunctionScope) -> tuple[Node, str, list[str]] | None:
    """The dictionary that an expression stands in as a value, its key, and the other keys."""
    for statement in statements(function):
        for target, value in assigned_pairs(statement):
            if isinstance(value, ast.Dict) and place(target) and any(v is node for v in value.values):
                keys = [k.value if isinstance(k, ast.Constant) else None for k in value.keys]
                own = next(k for k, v in zip(keys, value.values, strict=True) if v is node)
                if isinstance(own, str) and all(isinstance(k, str) for k in keys):
                    return value, own, [str(k) for k in keys if k != own]
    return None


def is_called_for_each_part(node: Node, function: FunctionScope) -> bool:
    """Is a call made once for each of some parts that are written out, a held-out one among them?"""
    for statement in statements(function):
        for outer in walk(statement):
            if isinstance(outer, ast.DictComp) and any(n is node for n in walk(outer.value)):
                words = [n.value for n in walk(outer.generators[0].iter) if isinstance(n, ast.Constant)]
                return any(isinstance(w, str) and roles.is_held_out_name(w) for w in words)
    return False


def may_read_entry(table: str, words: list[str], function: FunctionScope) -> bool:
    """May one of some entries of a dictionary be read, by its key or by a computed one?"""
    for scope in scopes_of(table, function):
        for node in (n for s in scope.body if not isinstance(scope.node, ast.Lambda) for n in walk(s)):
            if isinstance(node, ast.Subscript) and place(node.value) == table:
                if not isinstance(node.slice, ast.Constant) or node.slice.value in words:
                    return True
    return False


def parts_by_caller(subset: Call) -> list[tuple[Call, list[str]]]:
    """The calls of a function that takes a subset by indices which it is handed, each with what these, and the result,
    are called, as far as they have names that say which part of the data it is."""
    indices, function = subset.argument("indices"), subset.function
    rows = subset.argument("dataset")
    bound = bound_at(indices.node, function) if indices is not None else ()
    if len(bound) != 1 or bound[0].kind != "param" or rows is None:
        return []
    given = bound_at(rows.node, function)
    parts, datasets = [], set()
    for node, frame in _calls_of(function, subset.project):
        handed, _ = bind(function, node, frame)
        chosen = handed.get(bound[0].name)
        dataset = handed.get(given[0].name) if len(given) == 1 and given[0].kind == "param" else None
        datasets.add(place(dataset.node) if isinstance(dataset, Passed) else place(rows.node))
        names = [place(chosen.node) if isinstance(chosen, Passed) else None, *held_targets(node, frame.function)]
        parts.append((Call(node, frame), [n for n in names if n and roles.rows_by_name(n) is not None]))
    return [part for part in parts if part[1]] if len(datasets) == 1 and None not in datasets else []


def _calls_of(function: FunctionScope, project: Project) -> list[tuple[ast.Call, Frame]]:
    """The calls of a function; of a lambda, those by its only name in the function around it."""
    outer = function.parent
    if not isinstance(function.node, ast.Lambda) or not isinstance(outer, FunctionScope):
        return project.callers(function)
    names = [n for n, bound in outer.bindings.items() if len(bound) == 1 and bound[0].value is function.node]
    return [(c, project.frame(outer)) for c in outer.calls if isinstance(c.func, ast.Name) and c.func.id in names]


def loaders_of(part: str, function: FunctionScope) -> Iterator[str]:
    """What the loaders are called that read a part of a dataset."""
    for call in function.calls:
        if last_name(call.func) == "DataLoader" and call.args and place(call.args[0]) == part:
            yield from targets_of(call, function)
