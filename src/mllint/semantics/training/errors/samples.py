"""What becomes of a sample that cannot be read: skipped, replaced, marked, or made up?

    except OSError: return self[index + 1]     # another sample
    except OSError: image = np.zeros(...)      # a filler, which nothing marks

Which functions read samples (`reads_samples`), and what a handler in one gives instead.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import FunctionView, Handler
from mllint.semantics.libraries.classes import DATASET, ITERABLE_DATASET
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.nodes import Node, all_arguments, is_within, last_name, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.errors import handlers, omitted
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.values.bases import ancestors

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import ClassScope

__all__ = ["gives_none", "hides_sample", "is_lost", "is_way_out", "reads_samples"]

_DATASETS = (DATASET, ITERABLE_DATASET, "torch.utils.data.dataset.Dataset")
_SAMPLING = frozenset("__getitem__ __getitems__ __iter__ __next__".split())
_SAMPLE_ERRORS = frozenset("OSError IOError RuntimeError ValueError UnidentifiedImageError error".split())  # cv2.error


def is_way_out(handler: Handler, found: list[Handler]) -> bool:
    """Does it stand in another handler, whose `try` was to do the work?"""
    return any(is_within(handler.statement, other.node) for other in found if other is not handler)


def reads_samples(function: FunctionView) -> str:
    """The part of a function in reading samples: a method of a data set, or a collate function; else empty."""
    scope = function.scope
    owner = scope.owner
    if owner is not None:
        if not _is_dataset(owner):
            return ""
        if scope.name in _SAMPLING:
            return "sample"
        users = (f for name, f in owner.methods.items() if name in _SAMPLING)
        return "helper" if any(scope.name in f.called_names for f in users) else ""
    if topics.is_about(scope.name, Topic.COLLATING):
        return "collate"
    return ""


def _is_dataset(owner: ClassScope) -> bool:
    """Is it a data set: a class derived from PyTorch's, or one that is called so and has its methods,
    in a file that uses PyTorch? A loader asks for no more."""
    if ancestors(owner) & set(_DATASETS):
        return True
    own = owner.methods
    named = owner.name.endswith("Dataset") and "__getitem__" in own and "__len__" in own
    return named and any(name.partition(".")[0] == "torch" for name, _ in owner.module.imports)


def hides_sample(handler: Handler) -> bool:
    """Does it go on without the sample, or with another one?"""
    if (
        handlers.raises_or_counts(handler)
        or _is_in_retry_loop(handler)
        or _only_converts_values(handler.statement)
        or _only_tests_presence(handler.statement)
    ):
        return False
    if _is_about_part(handler) or omitted.only_manages_files(handler):
        return False
    if any(is_within(handler.statement, h) for _, h in handler.function.handlers):
        return False  # it is a part of the answer to another error
    everything = handlers.catches_any_of(handler, handlers.ANY)
    logged = any(
        isinstance(n, ast.Call) and last_name(n.func) in handlers.LOGS for s in handler.node.body for n in walk(s)
    )
    if not everything and (
        logged or not handlers.catches_any_of(handler, _SAMPLE_ERRORS) or not _reads_anything(handler.statement)
    ):
        return False
    if handlers.swallows_error(handler, returning=True):
        return True
    own = handler.function.parameters[0].name if handler.function.parameters else ""
    return any(_chooses_other_sample(s, own, handler) or _returns_filler(s) for s in handler.node.body)


def _is_about_part(handler: Handler) -> bool:
    """Is one part of a sample left out, of those that a loop in `__getitem__` puts together: a word, a frame?"""
    loops = handler.loops() if handler.function.name == "__getitem__" else []
    if not loops or not isinstance(loops[-1], ast.For):
        return False
    ends = (ast.Return, ast.Break)  # of a loop that tries one sample after the other
    nodes = (n for s in handler.statement.body for n in walk(s))
    return not any(isinstance(n, ends) for n in nodes) and all(
        isinstance(s, (ast.Pass, ast.Continue)) for s in handler.node.body
    )


def gives_none(handler: Handler) -> bool:
    """True if the `handler` of a `__getitem__` ends with `return None`."""
    last = handler.node.body[-1]
    if handler.function.name != "__getitem__" or not isinstance(last, ast.Return):
        return False
    return last.value is None or (isinstance(last.value, ast.Constant) and last.value.value is None)


def is_lost(handler: Handler) -> Answer[bool]:
    """Whether nobody can know that a sample failed; perhaps where the handler logs it, marks it, answers an error that
    is expected by another sample, or ends the generator."""
    known = (
        handlers.logs_anything(handlers.statements_of_handler(handler))
        or _returns_other_sample(handler)
        or _flags_bad_sample(handler)
        or _ends_generator(handler)
    )
    return proven_unless(known, True)


def _reads_anything(statement: Node) -> bool:
    """Is anything read in a `try`, by its name, or by an index? One error of what is only computed has one meaning."""
    nodes = [n for s in statement.body for n in walk(s)]
    called = [last_name(n.func) for n in nodes if isinstance(n, ast.Call)]
    return any(isinstance(n, ast.Subscript) for n in nodes) or any(topics.is_about(c, Topic.FETCHING) for c in called)


def _returns_other_sample(handler: Handler) -> bool:
    """Is one kind of error, which is expected, answered by another sample: `except OSError: return self[i + 1]`?"""
    own = handler.function.parameters[0].name if handler.function.parameters else ""
    last = handler.node.body[-1]
    return (
        not handlers.catches_any_of(handler, handlers.ANY)
        and isinstance(last, ast.Return)
        and _chooses_other_sample(last, own, handler)
    )


def _ends_generator(handler: Handler) -> bool:
    """Does one kind of error end a generator, as when there are too few rows left to draw from?"""
    last = handler.node.body[-1]
    plain = isinstance(last, ast.Return) and last.value is None
    return plain and handler.function.is_generator and not handlers.catches_any_of(handler, handlers.ANY)


def _flags_bad_sample(handler: Handler) -> bool:
    """Is the sample marked as a bad one: `ok = True` at the end of the `try`, `ok = False` in the handler?"""
    flags: list[set[str]] = []
    for block in (handler.statement.body, handler.node.body):
        plain = (s for s in block if isinstance(s, ast.Assign) and isinstance(s.value, ast.Constant))
        flags.append({place(t) or "" for s in plain for t in s.targets})
    return bool(flags[0] & flags[1])


def _only_tests_presence(statement: Node) -> bool:
    """Does a `try` only look whether something is there: `record["mask"]`, and no more?"""
    looked = [s.value for s in statement.body if isinstance(s, ast.Expr)]
    plain = all(isinstance(v, (ast.Subscript, ast.Attribute, ast.Name)) for v in looked)
    return bool(looked) and plain and len(looked) == len(statement.body)


def _only_converts_values(statement: Node) -> bool:
    """Does a `try` only give names another form, so that what it fails for keeps its form: `x = torch.stack(x)`,
    `xs = parse(x); x = xs[0]`?"""
    last = statement.body[-1]
    chain = {place(last.targets[0]) or ""} if isinstance(last, ast.Assign) else set()
    if chain:
        for s in statement.body:
            read = {n.id for n in walk(s.value) if isinstance(n, ast.Name)} if isinstance(s, ast.Assign) else set()
            chain = chain | {place(t) or "" for t in s.targets} if not chain.isdisjoint(read) else set()
    return bool(chain) or all(_is_of_itself(s) for s in statement.body)


def _is_of_itself(statement: Node) -> bool:
    """Does a statement compute something of what it was: `x = f(x)`, `d[key] = f(d[key])`?"""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    if isinstance(target, ast.Subscript):
        written = ast.dump(target.value), ast.dump(target.slice)
        parts = (n for n in walk(statement.value) if isinstance(n, ast.Subscript))
        return any((ast.dump(n.value), ast.dump(n.slice)) == written for n in parts)
    names = (n.id for n in walk(statement.value) if isinstance(n, ast.Name))
    return isinstance(target, ast.Name) and target.id in names


def _chooses_other_sample(statement: Node, own: str, handler: Handler) -> bool:
    """Does a statement of a handler choose another sample: `return self[i]`, `index = random(...)`?"""
    if isinstance(statement, ast.Return) and handler.function.owner is not None:
        node = statement.value
        if isinstance(node, ast.Subscript):
            return place(node.value) == own
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return False
        is_method = place(node.func.value) == own or node.func.attr == "__getitem__"
        return is_method and not _reads_again(node, handler)
    if isinstance(statement, ast.Assign) and handler.loops():
        names = {p.name for p in handler.function.parameters[1:]}
        return (place(statement.targets[0]) or "") in names
    return _assigns_filler(statement, handler)


def _reads_again(call: ast.Call, handler: Handler) -> bool:
    """Does a call of a handler read what the `try` was to read, in another way: is it given nothing but places that
    the `try` gives as well, none of which the handler binds anew?"""
    given = {place(a) for a in all_arguments(call)}
    tried = [n for s in handler.statement.body for n in walk(s) if isinstance(n, ast.Call)]
    bound = {place(n) for s in handler.node.body for n in walk(s) if isinstance(getattr(n, "ctx", None), ast.Store)}
    read = {place(a) for c in tried for a in all_arguments(c)}
    return bool(given) and None not in given and given <= read and given.isdisjoint(bound)


def _assigns_filler(statement: Node, handler: Handler) -> bool:
    """Does it give a name that the `try` reads a sample into a filler instead: `image = np.zeros(...)`?"""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return False
    if not _is_filler(statement.value):
        return False
    read = (t for s in handler.statement.body if isinstance(s, ast.Assign) for t in s.targets)
    return bool({place(n) for t in read for n in walk(t)} & {place(n) for t in statement.targets for n in walk(t)})


def _returns_filler(statement: Node) -> bool:
    """Does it return a filler, with no constant next to it that could mark it as one?"""
    node = statement.value if isinstance(statement, ast.Return) else None
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return bool(parts) and _is_filler(parts[0]) and not any(isinstance(p, (ast.Constant, ast.UnaryOp)) for p in parts)


def _is_filler(node: Node) -> bool:
    """Is it data without content: `np.zeros(...)`, a black `Image.new(...)`?"""
    func = node.func if isinstance(node, ast.Call) else None
    return last_name(func) in omitted.FILLED or (
        last_name(func) == "new" and last_name(getattr(func, "value", None)) == "Image"
    )


def _is_in_retry_loop(handler: Handler) -> bool:
    """Is the `try` inside a counted loop of attempts?"""
    return any(
        isinstance(r, ast.For) and isinstance(r.iter, ast.Call) and last_name(r.iter.func) == "range"
        for r in handler.loops()
    )
