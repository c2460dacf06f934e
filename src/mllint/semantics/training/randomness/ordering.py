"""In which order do elements come, is that order the same in each run, and what depends on it?

    files = os.listdir(folder)                 # unordered: the order is the file system's
    files = sorted(os.listdir(folder))         # ordered
    labels = {name: i for i, name in enumerate(set(names))}    # the numbers of classes depend on the order of a set

What hands on the order of what it is given (a list, a filter, a slice) is looked through. An order that a draw without
a seed changes in each run anyway is not asked about.

The hash of a text differs in each process, and with it the order of a set: `textual` says whether elements are text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.names import bindings_at, bound_at, bound_expression
from mllint.semantics.syntax.nodes import Node, all_arguments, last_name, place, walk
from mllint.semantics.syntax.sites import Site
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.randomness import parting, seeds
from mllint.semantics.training.randomness.textual import LISTINGS, holds_strings, is_listing
from mllint.semantics.values.library import effect_of
from mllint.semantics.values.lineage import (
    Origin,
    bindings_of,
    may_enter,
    origins,
    owner_bindings,
    statements,
    targets_of,
)
from mllint.semantics.values.project import Project
from mllint.semantics.values.reach import names_called_by

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import ModuleScope

__all__ = [
    "CHOOSING", "NUMBERS", "PAIRS", "choice_evidence", "choices", "has_other_listing", "hashed_modulo", "is_stored",
    "may_choose", "may_model_outlive_run", "only_locates_rows", "own_expressions", "paired_expressions",
    "takes_truth_and_guesses", "unordered_origins",
]  # fmt: skip


CHOOSING = " ".join(("enumerate zip index hash train_test_split random_split shuffle sample choice", *LISTINGS))
"""The last names of the calls in a function that may choose by an order, or number what it lists."""
_PASSING = frozenset("list tuple filter map reversed array asarray enumerate zip tqdm concatenate".split())
_CALLS = frozenset("zip index train_test_split random_split".split())
_LISTING = frozenset(LISTINGS)
_MAKING = frozenset(("set", "hash"))
NUMBERS = "class indices depend on"
PAIRS = "which elements are paired depends on"
_OUTLIVING = (
    "save",
    "save_pretrained",
    "save_weights",
    "save_model",
    "save_checkpoint",
    "load_state_dict",
    "load_model",
)
_PICKLES = ("pickle", "cPickle", "pkl", "joblib", "dill", "cloudpickle")
_COPYING = ("copy", "copy2", "copyfile", "move", "rename", "symlink")
_SAME = frozenset("sorted list tuple reversed enumerate tqdm iter".split())


def unordered_origins(sequence: Node, function: FunctionView) -> list[Origin]:
    """The listings and sets whose order a sequence has."""
    if _is_element(sequence, function):
        return []
    through = origins(
        sequence, function.frame, through=lambda o: _keeps_order(o) and (o.node is sequence or not _is_table(o))
    )
    steps = list(through)
    gathered = any(isinstance(o.node, ast.Call) and last_name(o.node.func) == "set" and not o.node.args for o in steps)
    return [
        o
        for o in steps
        if _is_unordered(o)
        and not (gathered and is_listing(o))  # in a set, a listing's order is lost
        and not _is_sorted_in_place(o, sequence, steps, function)
        and not _is_shuffled_unseeded(sequence, function)
    ]


def _is_table(origin: Origin) -> bool:
    """Is it a dictionary, so that a list of such has another order than what is in one of them?"""
    node = origin.node
    if not isinstance(node, ast.Name):
        return isinstance(node, (ast.Dict, ast.DictComp))
    bound = [b.value for b in origin.frame.function.bindings.get(node.id, ()) if b.kind == "assign"]
    return bool(bound) and all(isinstance(v, (ast.Dict, ast.DictComp)) for v in bound)


def has_other_listing(sequence: Node, paired: list[Node], origin: Origin, function: FunctionView) -> bool:
    """Is something else that is paired in an order of its own, from another listing, be that one sorted?"""
    filled, own = _filling(sequence, function), {id(o.node) for o in unordered_origins(sequence, function)}
    for other in paired:
        if other is not sequence and not (filled and filled == _filling(other, function)):
            listings = {id(o.node) for o in unordered_origins(other, function)} or _sorted_behind(other, function)
            if listings and listings.isdisjoint({id(origin.node), *own}):
                return True
    return False


def _sorted_behind(sequence: Node, function: FunctionView) -> set[int]:
    """The listings whose elements a sequence has in sorted order, by their ids."""
    steps = list(origins(sequence, function.frame, through=lambda o: _keeps_order(o) or _is_sorted_call(o)))
    return {id(o.node) for o in steps if _is_unordered(o)} if any(map(_is_sorted_call, steps)) else set()


def _is_sorted_call(origin: Origin) -> bool:
    return isinstance(origin.node, ast.Call) and last_name(origin.node.func) == "sorted"


def _filling(sequence: Node, function: FunctionView) -> set[int]:
    """The blocks that append to a list, by the ids of their first statements: lists of the same blocks are in step."""
    found: set[int] = set()
    for origin in origins(sequence, function.frame, through=lambda o: isinstance(o.node, (ast.Name, ast.Attribute))):
        name, scope = place(origin.node), origin.frame.function
        scopes = list(scope.owner.methods.values()) if name and name.startswith("self.") and scope.owner else [scope]
        for loop in (loop.node for each in scopes if name for loop in each.loops):
            blocks = [b for n in walk(loop) for b in (getattr(n, "body", None), getattr(n, "orelse", None)) if b]
            found |= {id(b[0]) for b in blocks if isinstance(b, list) and any(_is_append_to(s, name) for s in b)}
    return found


def _is_append_to(statement: Node, name: str | None) -> bool:
    """Is it `name.append(x)`?"""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=base, attr="append" | "extend"))):
            return place(base) == name
    return False


def paired_expressions(site: Node, function: FunctionView) -> list[Node]:
    """All that is paired at a place: the arguments of `zip`, or what `__getitem__` reads at one index."""
    return list(site.args) if isinstance(site, ast.Call) else _indexed(function)


def _indexed(function: FunctionView) -> list[Node]:
    """`self.images` and `self.masks` of `self.images[index]` and `self.masks[index]` in a dataset's `__getitem__`."""
    if function.scope.name != "__getitem__" or function.owner is None or len(function.scope.parameters) < 2:
        return []
    index = function.scope.parameters[1].name
    found: dict[str, Node] = {}
    for node in (n for s in function.scope.body for n in walk(s)):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name) and node.slice.id == index:
            found.setdefault(place(node.value) or "", node.value)
    return [v for name, v in found.items() if name.startswith("self.")]


def may_choose(function: FunctionView) -> bool:
    """A cheap look: is there something without an order, in it or in what it is given?"""
    scope, owner = function.scope, function.owner
    listing, given = _listing(function.project)
    found = id(scope) in listing or id(function.module.body) in listing
    if not found and owner is not None:
        found = any(id(f) in listing for f in owner.methods.values())
    if not found:
        name = owner.name if scope.name == "__init__" and owner else scope.name
        found = name in given and bool(scope.parameters)
    chosen = scope.slices > 1 or not scope.called_names.isdisjoint(("enumerate", "sample", *_CALLS))
    return found or (chosen and ast.SetComp in function.module.comprehended)


@cached()
def _listing(project: Project) -> tuple[frozenset[int], set[str]]:
    """The ids of the functions that list files or make a set, themselves or in a callee, and the names of all that
    they call, by the names of what is called: an order may come from nowhere else."""
    sources = project.reach.functions(_LISTING, 2)
    given: set[str] = set()
    for scope in (f for m in project.modules for f in m.functions if id(f) in sources):
        given |= names_called_by(scope)
    return sources | frozenset(project.reach.calling(_MAKING)), given


def choices(function: FunctionView) -> Iterator[tuple[Node, Node, str]]:
    """The sequences of which the order matters: the sequence, the place, and what it decides."""
    names = {last_name(c.func) for c in function.scope.calls}
    if "len" in names and id(function.scope) in _listing(function.project)[0]:
        yield from _numbered_by_length(function)
    if names & {"enumerate", "dict"}:
        kept = _written_names(function.module)
        numbers = "dict" in names or ast.DictComp in function.module.comprehended
        for statement in statements(function.scope):
            if isinstance(statement, ast.For):
                yield from _numbered_in_loop(statement, kept)
            nodes = own_expressions(statement) if numbers else ()
            numbered = [(s, n) for n in nodes if (s := _numbered(n)) is not None]
            targets = set(_targets(statement)) if numbered else set()
            if not targets & kept and not any(_are_numbers_characters(t, function) for t in targets):
                for sequence, node in numbered:
                    yield sequence, node, NUMBERS
    for node in function.scope.calls if names & _CALLS else ():
        yield from _chosen_by_call(node, function)
    yield from parting.find_sliced_parts(function)
    yield from parting.find_picked_parts(function)
    indexed = _indexed(function)
    for sequence in indexed if len(indexed) > 1 else ():
        yield sequence, sequence, PAIRS


def may_model_outlive_run(function: FunctionView) -> bool:
    """Does a model outlive the program, so that it may meet other numbers: is one saved or loaded?"""
    modules = [
        function.module,
        *(m for p in seeds.programs(function.scope, function.project) for m in seeds.imported_modules(p)),
    ]
    notebook = function.module.source is not None and function.module.source.cells is not None
    if function.owner is not None and not notebook and not any("backward" in m.calls_by_name for m in modules):
        return True  # a data set by itself, for whoever trains
    saving = (c for m in modules for name in _OUTLIVING for c, _ in m.calls_by_name.get(name, ()))
    if any(not _saves_only_scores(c) for c in saving):
        return True
    dumps = (c.func for m in modules for c, _ in m.calls_by_name.get("dump", ()))
    return any(isinstance(f, ast.Attribute) and place(f.value) in _PICKLES for f in dumps)


def _saves_only_scores(call: ast.Call) -> bool:
    """Is nothing but scores saved: `torch.save(mean_acc, path)`, `torch.save({"loss": losses}, path)`?"""
    given = call.args[0] if call.args and last_name(call.func) == "save" else None
    names = [n.id for n in walk(given) if isinstance(n, ast.Name)] if given is not None else []
    called = given is not None and any(isinstance(n, ast.Call) for n in walk(given))
    return bool(names) and not called and all(topics.is_about(name, Topic.SCORES) for name in names)


def takes_truth_and_guesses(function: FunctionView) -> bool:
    """Is it given the truth and what was predicted? The numbers then only tell the rows of a table apart."""
    names = [p.name.lower() for p in function.scope.parameters]
    guesses = [name for name in names if topics.is_about(name, Topic.GUESSES)]
    return bool(guesses) and any(topics.is_about(name, Topic.TRUTH) for name in names if name not in guesses)


def own_expressions(statement: Node) -> Iterator[Node]:
    """The expressions of a statement, without those of the statements in its body."""
    for field in ("value", "test", "iter", "items", "targets"):
        child = getattr(statement, field, None)
        for item in child if isinstance(child, list) else [child]:
            if isinstance(item, ast.AST):
                yield from walk(item)


def is_stored(site: Node, function: FunctionView) -> bool:
    """Is a table of numbers written to disk by another file, or, if the function returns it, under the name that its
    caller gives it? Its numbers are stored with the model then."""
    names = _tables(site, function)
    returned = {place(n) for r in function.scope.returns for n in walk(r.value)}
    given = {name.rpartition(".")[2] for name in names if "." in name}
    for call, frame in function.project.callers(function.scope) if not returned.isdisjoint(names) else ():
        given.update(target.rpartition(".")[2] for target in targets_of(call, frame.function))
    naming = (m for m in function.project.modules if any(map(m.source.holds, given)))
    return any(not given.isdisjoint(_written_names(m)) for m in naming)


def _tables(site: Node, function: FunctionView) -> list[str]:
    """The places of the table that holds the numbers."""
    if isinstance(site, ast.Assign):
        return [place(getattr(site.targets[0], "value", None)) or ""]
    return [b.name for b in bindings_of(site, function.scope)]


@cached()
def _written_names(module: ModuleScope) -> set[str]:
    """The places that are written to disk somewhere in a file, and the last parts of their names."""
    written = (c for n, calls in module.calls_by_name.items() if topics.is_about(n, Topic.WRITING) for c, _ in calls)
    nodes = [n for c in written for a in all_arguments(c) for n in walk(a)]
    return {place(n) or "" for n in nodes} | {last_name(n) for n in nodes}


def _are_numbers_characters(name: str, function: FunctionView) -> bool:
    """Are all numbers of a table turned into characters, `chr(d[word])`? Any numbering serves to compare them."""
    within = [n for c in function.scope.calls if last_name(c.func) == "chr" for a in c.args for n in walk(a)]
    if not within:
        return False
    symbols = {id(n) for n in within}
    read = [n for n in walk(function.scope.node) if isinstance(n, ast.Name) and n.id == name]
    return all(id(n) in symbols for n in read if isinstance(n.ctx, ast.Load))


def _targets(statement: Node) -> list[str]:
    return [place(t) or "" for t in getattr(statement, "targets", ())]


def _numbered(node: Node) -> Node:
    """`{name: i for i, name in enumerate(names)}`, its inverse, `dict(zip(names, range(n)))`: the names."""
    match node:
        case ast.Call(func=ast.Name(id="dict"), args=[ast.Call(func=ast.Name(id="zip"), args=[sequence, numbers])]):
            return sequence if _has_counting_call(numbers) else None
        case ast.DictComp():
            generator = node.generators[0]
        case _:
            return None
    match generator.iter, generator.target:
        case ast.Call(func=ast.Name(id="enumerate"), args=[sequence, *_]), ast.Tuple(elts=[ast.Name(id=index), _]):
            kept = [n for part in (node.key, node.value) for n in walk(part)]
            looked_up = {id(n) for outer in kept if isinstance(outer, ast.Subscript) for n in walk(outer.slice)}
            looked_up |= {id(n) for outer in kept if isinstance(outer, ast.JoinedStr) for n in walk(outer)}  # a name
            if any(isinstance(n, ast.Name) and n.id == index and id(n) not in looked_up for n in kept):
                return sequence
    return None


def _numbered_in_loop(loop: ast.For, kept: set[str]) -> Iterator[tuple[Node, Node, str]]:
    """`for i, name in enumerate(names):` with `d[name] = i`, `labels.append(i)` or `rows.append((x, label))` in it."""
    match loop.iter, loop.target:
        case ast.Call(func=ast.Name(id="enumerate"), args=[sequence, *_]), ast.Tuple(elts=[ast.Name(id=index), _]):
            nodes = [n for s in loop.body for n in walk(s)]
            if any(isinstance(n, ast.Call) and last_name(n.func) in _COPYING and len(n.args) > 1 for n in nodes):
                return  # the numbers are the names of files
            for node in nodes:
                match node:
                    case ast.Assign(targets=[ast.Subscript(value=base)], value=ast.Name(id=given)) if given == index:
                        if place(base) not in kept and topics.is_about(last_name(base), Topic.LABEL_TABLE):
                            yield sequence, node, NUMBERS
                            return
                    case ast.Call(func=ast.Attribute(value=base, attr="append"), args=[ast.Name(id=given)]):
                        if (
                            given == index
                            and topics.is_about(last_name(base), Topic.LABELS)
                            and not _collects_some_positions(node, loop)
                        ):
                            yield sequence, node, NUMBERS
                            return
                    case ast.Call(func=ast.Attribute(attr="append"), args=[ast.Tuple(elts=[_, ast.Name(id=given)])]):
                        if (
                            given == index
                            and topics.is_about(index, Topic.LABELS)
                            and not _collects_some_positions(node, loop)
                        ):
                            yield sequence, node, NUMBERS  # `samples.append((path, label))`
                            return


def _numbered_by_length(function: FunctionView) -> Iterator[tuple[Node, Node, str]]:
    """The loops that number what they meet, `vocabulary[word] = len(vocabulary)`, in a table that nobody else gets."""
    scope = function.scope
    kept = _written_names(function.module) | {
        place(n) for r in scope.returns if r.value is not None for n in walk(r.value)
    }
    for loop in (r.node for r in scope.loops if isinstance(r.node, ast.For)):
        for node in (n for s in loop.body for n in walk(s)):
            match node:
                case ast.Assign(targets=[ast.Subscript(value=ast.Name() as table)], value=number):
                    pass
                case ast.Call(func=ast.Attribute(value=ast.Name() as table, attr="setdefault"), args=[_, number]):
                    pass
                case _:
                    continue
            if _is_length_of(number, table.id) and table.id not in kept:
                yield loop.iter, node, NUMBERS
                break


def _is_length_of(node: Node, name: str) -> bool:
    """Is it `len(name)`?"""
    return isinstance(node, ast.Call) and last_name(node.func) == "len" and [place(a) for a in node.args] == [name]


def _collects_some_positions(append: ast.Call, loop: ast.For) -> bool:
    """Are the positions of some elements collected, and nothing besides them: `if broken(x): found.append(i)`?"""
    for test in (s for s in loop.body if isinstance(s, ast.If)):
        calls = [n for s in test.body for n in walk(s) if isinstance(n, ast.Call)]
        looped = any(isinstance(n, (ast.For, ast.While)) for s in test.body for n in walk(s))
        if any(c is append for c in calls):
            return not looped and not any(last_name(c.func) == "append" for c in calls if c is not append)
    return False


def _chosen_by_call(node: ast.Call, function: FunctionView) -> Iterator[tuple[Node, Node, str]]:
    match node:
        case ast.Call(func=ast.Attribute(value=sequence, attr="index"), args=[_]):
            if not _only_picks_element(node, function) and not _only_removes_element(node, sequence, function):
                yield sequence, node, NUMBERS
        case ast.Call(func=ast.Name(id="zip")):
            yield from _paired(node)
        case ast.Call() if last_name(node.func) in ("train_test_split", "random_split"):
            split = Call(node, function.frame)
            if any(effect_of(f, "splits") for f in split.callees) and not parting.is_unseeded_split(split, function):
                for sequence in node.args[:1]:
                    yield sequence, node, "the held-out samples depend on"


def _only_picks_element(node: ast.Call, function: FunctionView) -> bool:
    """Is a position looked up only to pick what stands there, to go on from there, to compare or to show it:
    `files[times.index(max(times))]`, `at = names.index(name)` and `self.paths[at]`?"""
    picked, shown = _placing(function.scope.node)
    if id(node) in picked or id(node) in shown:
        return True
    read = {id(n) for n in _reads_of(node, function)}
    return bool(read) and (not read.isdisjoint(picked) or read <= shown)


def _reads_of(node: Node, function: FunctionView) -> list[ast.Name]:
    """Where the names are read that an expression, or a number next to it, is bound to."""
    bound = set()
    for name, found in function.scope.bindings.items():
        for value in (b.value for b in found if not b.path and b.value is not None):
            if value is node or (isinstance(value, ast.BinOp) and node in (value.left, value.right)):
                bound.add(name)
    names = (n for n in walk(function.scope.node) if isinstance(n, ast.Name) and n.id in bound) if bound else ()
    return [n for n in names if isinstance(n.ctx, ast.Load)]


def _placing(top: Node) -> tuple[set[int], set[int]]:
    """The ids of what stands for a place in a sequence, and of what is compared or shown: none is the number of a
    class."""
    picked: set[int] = set()
    shown: set[int] = set()
    for node in walk(top):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            picked |= {id(n) for n in walk(node.slice)}
        elif isinstance(node, (ast.Compare, ast.JoinedStr)):
            shown |= {id(n) for n in walk(node)}
        elif isinstance(node, ast.Call) and last_name(node.func) in ("print", "range", "islice"):
            (shown if last_name(node.func) == "print" else picked).update(id(n) for a in node.args for n in walk(a))
    return picked, shown


def only_locates_rows(site: Node, function: FunctionView) -> bool:
    """Does a table of file names only tell where a file stands, `rows[row_of[name]]`, or which rows belong together?"""
    if isinstance(site, ast.Call) and isinstance(site.func, ast.Attribute):
        return False
    names = _tables(site, function)
    if any(topics.is_about(name, Topic.GROUPS) for name in names):
        return True
    tables = {name.rpartition(".")[2] for name in names}
    tree = function.module.body.node
    read = [n for n in walk(tree) if isinstance(n, ast.Subscript) and last_name(n.value) in tables]
    read = [n for n in read if isinstance(n.ctx, ast.Load)]
    picked = _placing(tree)[0] if read else set()
    return bool(read) and all(id(n) in picked for n in read)


def _only_removes_element(node: ast.Call, sequence: Node, function: FunctionView) -> bool:
    """Is a position looked up only to take out what stands there: `at = words.index(""); words.pop(at)`?"""
    listed = place(sequence)
    given = [c.args[0] for c in function.scope.calls if last_name(c.func) == "pop" and len(c.args) == 1
             and isinstance(c.func, ast.Attribute) and place(c.func.value) == listed]  # fmt: skip
    if any(a is node for a in given):
        return True
    read = _reads_of(node, function)
    return listed is not None and bool(read) and all(any(n is a for a in given) for n in read)


def _has_counting_call(node: Node) -> bool:
    """`range(n)`, `itertools.count()`, `list(range(n))`."""
    return any(isinstance(n, ast.Call) and last_name(n.func) in ("range", "count") for n in walk(node))


def _paired(node: Node) -> Iterator[tuple[Node, Node, str]]:
    """`zip(a, b)`: the order says what belongs together."""
    if isinstance(node, ast.Call) and last_name(node.func) in ("enumerate", "tqdm", "list") and node.args:
        node = node.args[0]
    if isinstance(node, ast.Call) and last_name(node.func) == "zip" and len(node.args) > 1:
        for sequence in node.args:
            yield sequence, node, PAIRS


def choice_evidence(site: Node, function: FunctionView) -> Answer[bool]:
    """How well it is known that something is chosen at a place: two slices may be two parts by their names alone."""
    cut = (e for _, second, e in parting.cuts(function) if any(n is second for n in walk(site)))
    return Answer(True, max(cut, default=Evidence.PROVEN), (Site(function.module, site),))


# ----------------------------------------------------------------------------------------------------------- the order
def _keeps_order(origin: Origin) -> bool:
    """Does what lies behind an origin hand on its order: a copy, a filter, a slice, the user's own helper?"""
    node = origin.node
    if _is_unordered(origin):
        return False
    if isinstance(node, ast.Call):
        if last_name(node.func) in _PASSING or last_name(node.func) == "join":
            return True
        return may_enter(node, origin.frame) and any(not f.stubbed for f in Call(node, origin.frame).callees)
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Slice)
    if isinstance(node, ast.ListComp) and _is_unordered(Origin(node.elt, origin.frame)):
        return False  # a list of listings has the order of what they were asked for
    return not isinstance(node, (ast.BinOp, ast.Compare, ast.IfExp, ast.BoolOp))


def _is_unordered(origin: Origin) -> bool:
    """A listing of files, or a set of strings."""
    node = origin.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "set":
        if not node.args:
            added = _added(origin)
            return bool(added) and all(holds_strings(each) and not _is_unpacked(each) for each in added)
        return origin.value.has("Unordered") and holds_strings(Origin(node.args[0], origin.frame))
    if isinstance(node, ast.SetComp):
        return holds_strings(Origin(node.elt, origin.frame))
    if not isinstance(node, ast.Call) or last_name(node.func) not in LISTINGS:
        return False
    callees = Call(node, origin.frame).callees
    return bool(callees) and all(effect_of(f, "unordered") for f in callees)


def _added(origin: Origin) -> list[Origin]:
    """What `add` and `update` put into a set that begins empty."""
    scope = origin.frame.function
    names = {name for name, found in scope.bindings.items() if any(bound_expression(b) is origin.node for b in found)}
    owned = scope.owner is not None and any(name.startswith("self.") for name in names)
    added = []
    for function in scope.owner.methods.values() if owned and scope.owner is not None else (scope,):
        for call in function.calls:
            if last_name(call.func) in ("add", "update") and isinstance(call.func, ast.Attribute) and call.args:
                if place(call.func.value) in names:
                    frame = origin.frame if function is scope else origin.frame.project.frame(function)
                    added.append(Origin(call.args[0], frame))
    return added


def _is_unpacked(origin: Origin) -> bool:
    """Is it one part of what a loop or an assignment takes apart, so that what made the whole may not have made it?"""
    found = bound_at(origin.node, origin.frame.function)  # of a name; anything else has no bindings
    return any(isinstance(part, int) for binding in found for part in binding.path)


def _is_sorted_in_place(origin: Origin, sequence: Node, steps: list[Origin], function: FunctionView) -> bool:
    """Whether what has the order of an origin is sorted by `.sort()`, under one of the names that it has on its way."""
    scopes = ((function.module, function.scope), (origin.frame.module, origin.frame.function))
    sorted_places = {
        place(call.func.value)
        for module, scope in scopes
        for call, owner in module.calls_by_name.get("sort", ())
        if owner is scope and isinstance(call.func, ast.Attribute)
    }
    if not sorted_places:
        return False
    nodes = (sequence, *(step.node for step in steps))
    bound = ((name, bound_expression(b)) for _, scope in scopes for name, kept in scope.bindings.items() for b in kept)
    named = {name for name, expression in bound if any(expression is node for node in nodes)}
    return not sorted_places.isdisjoint(named.union(filter(None, map(place, nodes))))


def _is_shuffled_unseeded(sequence: Node, function: FunctionView) -> bool:
    """Is the list shuffled before it is used, and by nothing that is known to repeat? Its first order is lost then."""
    name = place(sequence)
    if name is None or "shuffle" not in function.scope.called_names:
        return False
    for call in function.scope.calls:
        if last_name(call.func) == "shuffle" and call.args and place(call.args[0]) == name:
            callees = Call(call, function.frame).callees
            drawn = [effect_of(f, "draws") for f in callees]
            streams = [str(d.values[0]) for d in drawn if d is not None and d.values]
            return not callees or (bool(streams) and not parting.is_repeatable(streams[0], function))
    return False


def hashed_modulo(node: Node) -> Node:
    """The `hash(x)` of `hash(x) % n` and `abs(hash(x)) % n`, None of anything else."""
    call: Node
    match node:
        case ast.BinOp(left=ast.Call(func=ast.Name(id="abs"), args=[inner]), op=ast.Mod()):
            call = inner
        case ast.BinOp(left=inner, op=ast.Mod()):
            call = inner
        case _:
            return None
    hashed = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "hash"
    return call if hashed and len(call.args) == 1 else None


def _is_element(node: Node, function: FunctionView) -> bool:
    """Is it one element of a listing or a set, `for name in os.listdir(folder)`: a text, whose order is defined?"""
    if not isinstance(node, ast.Name):
        return False
    found = bindings_at(node, function.scope)
    bound = list(found) if found is not None else [b for b, _ in owner_bindings(node.id, function.frame)]
    return bool(bound) and all(b.kind in ("for", "comp") and _is_listing_or_set(b.value, function) for b in bound)


def _is_listing_or_set(iterated: Node, function: FunctionView) -> bool:
    """Is it a listing of files or a set, copied or sorted perhaps, and nothing that was gathered of such?"""
    steps = origins(iterated, function.frame, through=_keeps_elements)
    ends = [o.node for o in steps if not _keeps_elements(o)]
    made = [last_name(n.func) if isinstance(n, ast.Call) else "set" if isinstance(n, ast.SetComp) else "" for n in ends]
    return bool(made) and all(name == "set" or name in LISTINGS for name in made)


def _keeps_elements(origin: Origin) -> bool:
    """A name, or a call that gives the same elements."""
    node = origin.node
    if isinstance(node, ast.Call):
        return last_name(node.func) in _SAME
    return isinstance(node, (ast.Name, ast.Attribute))
