"""Where does the order of a sequence decide something: the numbers of classes, pairs, held-out rows?

    labels = {name: i for i, name in enumerate(names)}      # NUMBERS
    for image, mask in zip(images, masks): ...              # PAIRS
    train, test = names[:n], names[n:]                      # HELD_OUT (`parting`)

Whether the sequence has an order that nothing defines is asked of `ordering`; whether numbers outlive the run of
`persistence`. Not all that looks like a choice is one: a position may be looked up only to pick what stands there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.sites import Site
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.randomness import ordering, parting, persistence, textual
from mllint.semantics.training.randomness.persistence import tables_of, written_places
from mllint.semantics.training.randomness.textual import LISTINGS
from mllint.semantics.values.library import effect_of
from mllint.semantics.values.lineage import Origin, origins, statements
from mllint.semantics.values.project import Project
from mllint.semantics.values.reach import names_called_by

__all__ = [
    "CHOOSING", "Choice", "Decides", "choice_evidence", "find_arbitrary_choices", "find_choices", "hashed_modulo",
    "may_choose", "own_expressions",
]  # fmt: skip

CHOOSING = " ".join(("enumerate zip index hash train_test_split random_split shuffle sample choice", *LISTINGS))
"""The last names of the calls in a function that may choose by an order, or number what it lists."""
_CALLS = frozenset("zip index train_test_split random_split".split())
_LISTING = frozenset(LISTINGS)
_MAKING = frozenset(("set", "hash"))
_COPYING = ("copy", "copy2", "copyfile", "move", "rename", "symlink")


class Decides(Enum):
    """What the order of a sequence decides."""

    NUMBERS = auto()
    """which number a class gets"""
    PAIRS = auto()
    """what belongs together"""
    HELD_OUT = auto()
    """which rows are held out"""


class Choice(NamedTuple):
    """A place where the order of a sequence decides something."""

    sequence: Node
    site: Node
    decides: Decides


def _has_other_listing(choice: Choice, origin: Origin, function: FunctionView) -> bool:
    """True if something else that is paired has an order of its own, from another listing, be that one sorted."""
    sequence = choice.sequence
    filled = _filling(sequence, function)
    own = {ordering.listing_of(o) for o in (origin, *ordering.unordered_origins(sequence, function))}
    for other in _paired_expressions(choice.site, function):
        if other is not sequence and not (filled and filled == _filling(other, function)):
            unordered = {ordering.listing_of(o) for o in ordering.unordered_origins(other, function)}
            listings = unordered or _sorted_behind(other, function)
            if listings and listings.isdisjoint(own):
                return True
    return False


def _pairs_listings(call: ast.Call, function: FunctionView) -> bool:
    """Do two of the arguments of `zip` come from a listing or a set, in its order or sorted? One alone has nothing to
    be out of step with, so that of two the second is mostly not followed."""
    left = len(call.args) - 1  # of which all may be without
    for sequence in call.args:
        steps = origins(sequence, function.frame, through=lambda o: ordering.keeps_order(o) or _is_sorted_call(o))
        left -= not any(map(ordering.is_unordered, steps))
        if left < 1:
            return False
    return True


def _sorted_behind(sequence: Node, function: FunctionView) -> set[tuple[int, tuple[str, ...]]]:
    """The listings whose elements a sequence has in sorted order."""
    steps = list(origins(sequence, function.frame, through=lambda o: ordering.keeps_order(o) or _is_sorted_call(o)))
    listings = {ordering.listing_of(o) for o in steps if ordering.is_unordered(o)}
    return listings if any(map(_is_sorted_call, steps)) else set()


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


def _paired_expressions(site: Node, function: FunctionView) -> list[Node]:
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


def find_arbitrary_choices(function: FunctionView) -> Iterator[tuple[Choice, Origin]]:
    """The choices in `function` that depend on an order which nothing defines.

    Yields:
        The choice, and the listing or the set in whose order the elements come. Numbers that are lost with the run, or
        that are stored beside the model, are left out, and so are pairs of which only one comes from such an order.
    """
    paired: dict[int, bool] = {}
    for choice in find_choices(function):
        numbers, pairs = choice.decides is Decides.NUMBERS, choice.decides is Decides.PAIRS
        if numbers and (_takes_truth_and_guesses(function) or not persistence.may_model_outlive_run(function)):
            continue
        if pairs and isinstance(choice.site, ast.Call):
            site = id(choice.site)
            if site not in paired:
                paired[site] = not _holds_unpaired_data(function) and _pairs_listings(choice.site, function)
            if not paired[site]:
                continue
        for origin in ordering.unordered_origins(choice.sequence, function):
            if pairs and (_holds_unpaired_data(function) or not _has_other_listing(choice, origin, function)):
                continue
            if numbers and textual.is_listing(origin) and _only_locates_rows(choice.site, function):
                continue
            if numbers and persistence.is_stored(choice.site, function):
                continue
            yield choice, origin


def _holds_unpaired_data(function: FunctionView) -> bool:
    """True if `function` is of a class for data whose parts do not belong together."""
    return function.owner is not None and topics.is_about(function.owner.name, Topic.UNPAIRED)


def find_choices(function: FunctionView) -> Iterator[Choice]:
    """The sequences in `function` of which the order matters."""
    names = {last_name(c.func) for c in function.scope.calls}
    if "len" in names and id(function.scope) in _listing(function.project)[0]:
        yield from _numbered_by_length(function)
    kept = written_places(function.module) if names & {"enumerate", "dict"} or function.scope.loops else set()
    for loop in (r.node for r in function.scope.loops if isinstance(r.node, ast.For)):
        yield from _numbered_in_loop(loop, kept)
    if names & {"enumerate", "dict"}:
        numbers = "dict" in names or ast.DictComp in function.module.comprehended
        for statement in statements(function.scope):
            nodes = own_expressions(statement) if numbers else ()
            numbered = [(s, n) for n in nodes if (s := _numbered(n)) is not None]
            targets = set(_targets(statement)) if numbered else set()
            if not targets & kept and not any(_are_numbers_characters(t, function) for t in targets):
                for sequence, node in numbered:
                    yield Choice(sequence, node, Decides.NUMBERS)
    if names & _CALLS:
        for node in function.scope.calls:
            yield from _chosen_by_call(node, function)
    for parts in (parting.find_sliced_parts(function), parting.find_picked_parts(function)):
        yield from (Choice(sequence, site, Decides.HELD_OUT) for sequence, site in parts)
    indexed = _indexed(function)
    if len(indexed) < 2:
        return
    for sequence in indexed:
        yield Choice(sequence, sequence, Decides.PAIRS)


def _takes_truth_and_guesses(function: FunctionView) -> bool:
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


def _are_numbers_characters(name: str, function: FunctionView) -> bool:
    """Are all numbers of a table turned into characters, `chr(d[word])`? Any numbering serves to compare them."""
    within = [n for c in function.scope.calls if last_name(c.func) == "chr" for a in c.args for n in walk(a)]
    if not within:
        return False
    symbols = {id(n) for n in within}
    read = [n for n in function.scope.nodes_of(ast.Name) if n.id == name]
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


def _numbered_in_loop(loop: ast.For, kept: set[str]) -> Iterator[Choice]:
    """A loop that numbers what it goes through, with `d[name] = i`, `labels.append(i)` or `rows.append((x, label))` in
    it."""
    sequence, index = _counted(loop)
    if not index:
        return
    nodes = [n for s in loop.body for n in walk(s)]
    if any(isinstance(n, ast.Call) and last_name(n.func) in _COPYING and len(n.args) > 1 for n in nodes):
        return  # the numbers are the names of files
    for node in nodes:
        if _stores_number(node, index, loop, kept):
            yield Choice(sequence, node, Decides.NUMBERS)
            return


def _counted(loop: ast.For) -> tuple[Node, str]:
    """What a loop goes through, and the name of the number of each element, empty if it has none:
    `for i, name in enumerate(names)`, `for i in range(len(names))`, or `i += 1` at the end of each iteration."""
    match loop.iter, loop.target:
        case ast.Call(func=ast.Name(id="enumerate"), args=[sequence, *_]), ast.Tuple(elts=[ast.Name(id=index), _]):
            return sequence, index
        case ast.Call(func=ast.Name(id="range"), args=[ast.Call(func=ast.Name(id="len"), args=[sequence])]), ast.Name():
            index, name = loop.target.id, place(sequence)
            looked_up = (n for s in loop.body for n in walk(s) if isinstance(n, ast.Subscript))
            if any(place(n.slice) == index and place(n.value) == name for n in looked_up):
                return sequence, index
        case _, ast.Name():
            for statement in loop.body:
                match statement:
                    case ast.AugAssign(target=ast.Name(id=index), op=ast.Add(), value=ast.Constant(value=1)):
                        return loop.iter, index
    return loop.iter, ""


def _stores_number(node: Node, index: str, loop: ast.For, kept: set[str]) -> bool:
    """True if `node` stores the number of an element as that of a class.

    Args:
        node: part of the body of the loop.
        index: the name of the number.
        loop: the loop over the numbered elements.
        kept: the places that are written to disk.
    """
    match node:
        case ast.Assign(targets=[ast.Subscript(value=base)], value=ast.Name(id=given)):
            if given != index or place(base) in kept:
                return False
            return topics.is_about(last_name(base), Topic.LABEL_TABLE)
        case ast.Call(func=ast.Attribute(value=base, attr="append"), args=[ast.Name(id=given)]):
            labels = last_name(base)
        case ast.Call(func=ast.Attribute(attr="append"), args=[ast.Tuple(elts=[_, ast.Name(id=given)])]):
            labels = index  # `samples.append((path, label))`
        case ast.Assign(targets=[base], value=value) | ast.AugAssign(target=base, value=value):
            return _repeats(value, index) and topics.is_about(last_name(base), Topic.LABELS)
        case ast.Call(func=ast.Attribute(value=base, attr="extend"), args=[value]):
            return _repeats(value, index) and topics.is_about(last_name(base), Topic.LABELS)
        case _:
            return False
    return given == index and topics.is_about(labels, Topic.LABELS) and not _collects_some_positions(node, loop)


def _repeats(value: Node, index: str) -> bool:
    """Is it a number for each of several rows: `[i for path in paths]`, `[i] * len(paths)`?"""
    match value:
        case ast.ListComp(elt=ast.Name(id=given)) | ast.BinOp(left=ast.List(elts=[ast.Name(id=given)]), op=ast.Mult()):
            return bool(given == index)
    return False


def _numbered_by_length(function: FunctionView) -> Iterator[Choice]:
    """The loops that number what they meet, `vocabulary[word] = len(vocabulary)`, in a table that nobody else gets."""
    scope = function.scope
    kept = written_places(function.module) | {
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
                yield Choice(loop.iter, node, Decides.NUMBERS)
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


def _chosen_by_call(node: ast.Call, function: FunctionView) -> Iterator[Choice]:
    match node:
        case ast.Call(func=ast.Attribute(value=sequence, attr="index"), args=[_]):
            if not _only_picks_element(node, function) and not _only_removes_element(node, sequence, function):
                yield Choice(sequence, node, Decides.NUMBERS)
        case ast.Call(func=ast.Name(id="zip")):
            yield from _paired(node)
        case ast.Call() if last_name(node.func) in ("train_test_split", "random_split"):
            split = Call(node, function.frame)
            if any(effect_of(f, "splits") for f in split.callees) and not parting.is_unseeded_split(split, function):
                for sequence in node.args[:1]:
                    yield Choice(sequence, node, Decides.HELD_OUT)


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
    names = (n for n in function.scope.nodes_of(ast.Name) if n.id in bound) if bound else ()
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


def _only_locates_rows(site: Node, function: FunctionView) -> bool:
    """Does a table of file names only tell where a file stands, `rows[row_of[name]]`, or which rows belong together?"""
    if isinstance(site, ast.Call) and isinstance(site.func, ast.Attribute):
        return False
    names = tables_of(site, function)
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


def _paired(node: Node) -> Iterator[Choice]:
    """`zip(a, b)`: the order says what belongs together."""
    if isinstance(node, ast.Call) and last_name(node.func) in ("enumerate", "tqdm", "list") and node.args:
        node = node.args[0]
    if isinstance(node, ast.Call) and last_name(node.func) == "zip" and len(node.args) > 1:
        for sequence in node.args:
            yield Choice(sequence, node, Decides.PAIRS)


def choice_evidence(site: Node, function: FunctionView) -> Answer[bool]:
    """How well it is known that something is chosen at a place: two slices may be two parts by their names alone."""
    cut = (e for _, second, e in parting.cuts(function) if any(n is second for n in walk(site)))
    return Answer(True, max(cut, default=Evidence.PROVEN), (Site(function.module, site),))


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
