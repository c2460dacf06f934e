"""Which number or name is a setting, unless somebody asks for another?

    parser.add_argument("--dropout", type=float, default=0.0)
    net = Net(args.dropout)              # 0.0, unless somebody types another one

The default of an option of argparse, or that of the only field of that name in the dataclasses of the project, answers.
Where a number was written to the place itself, that number is the answer. What is typed on a command line is unknown;
whether anybody can type an option at all is asked of the calls that parse: `parse_args([])` reads no command line.
Whether anybody reads it is asked of the attributes that the project reads (`is_never_read`): the other options of its
file are read by their names, and this one is not. Where what is parsed never leaves its file, that file alone is asked.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.caches import cached, cached_per_scope
from mllint.semantics.syntax.module import FunctionScope, ModuleScope
from mllint.semantics.syntax.nodes import Constant, Node, all_arguments, called_name, last_name, walk
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, bindings_of
from mllint.semantics.values.reach import imported_names
from mllint.semantics.values.values import SequenceValue, UnknownValue, Value

if TYPE_CHECKING:
    from mllint.semantics.values.project import Project

__all__ = [
    "default_name", "default_number", "default_parts", "is_never_read", "is_never_typed", "largest", "written_number",
]  # fmt: skip

_PARSING = ("parse_args", "parse_known_args")
_PUBLISHING = ("vars(", "__dict__", "_get_kwargs", "import_module", "__import__")


def default_number(origin: Origin) -> float | None:
    """What an attribute such as `args.step_size` is: a number that is known, or the default of an option or a field."""
    if not isinstance(origin.node, ast.Attribute):
        return None
    if not isinstance(origin.value, UnknownValue):
        return written_number(origin.value)
    option = _option(origin.node.attr, origin)
    if option is not None and isinstance(option.value, (int, float)):
        return float(option.value)
    given = _field(origin.node.attr, origin)
    parts = given.elts if isinstance(given, (ast.Tuple, ast.List)) else [given]
    return largest([p.value if isinstance(p, ast.Constant) else None for p in parts])


def default_name(origin: Origin) -> str:
    """The text that a setting such as `"gpt2"`, `BASE`, `args.model` or a parameter with a default is, unless somebody
    asks for another one; empty where none is written."""
    known, default = origin.value.literal, None
    if known is None and isinstance(origin.node, ast.Attribute):
        name = origin.node.attr
        default = _option(name, origin) or _field(name, origin)
    elif known is None and isinstance(origin.node, ast.Name):
        default = _default_of_parameter(origin.node.id, origin.frame)
    known = default.value if isinstance(default, ast.Constant) else known
    return known if isinstance(known, str) else ""


def default_parts(origin: Origin) -> tuple[Value, ...]:
    """The parts of a list that is a setting, unless somebody asks for another one, or the one thing that stands for it:
    `["q", "v"]`, `TARGETS`, `config.targets` with `field(default_factory=lambda: ["q", "v"])`, and a parameter that is
    `["q", "v"]` unless a call says otherwise."""
    value = origin.value
    if not isinstance(value, SequenceValue) and value.literal is None:
        match origin.node:
            case ast.Name(id=name):
                made = _default_of_parameter(name, origin.frame)
            case ast.Attribute(attr=name):
                made = _made_by_field(_field(name, origin))
            case _:
                made = None
        value = Origin(made, origin.frame).value if isinstance(made, ast.List) else value
    return value.parts if isinstance(value, SequenceValue) else (value,)


def _made_by_field(field: Node) -> Node:
    """What `field(default_factory=lambda: ...)` makes."""
    match field:
        case ast.Call(keywords=[*_, ast.keyword(arg="default_factory", value=ast.Lambda(body=made))]):
            return made
    return None


def _default_of_parameter(name: str, frame: Frame) -> Node:
    """The default of a parameter that the function never binds anew, and that none of its calls passes, if the program
    calls it at all: what a command line or a library calls is called as somebody asks."""
    function = frame.function
    parameter = function.parameter(name)
    if parameter is None or any(b.kind != "param" for b in function.bindings.get(name, ())):
        return None
    passed = (name in bind(function, *call)[0] for call in frame.project.callers(function))
    return None if any(passed) else parameter.default


def is_never_typed(call: Call, names: list[str]) -> bool:
    """Whether nobody can type an option, since its file parses nothing but words that it writes down itself.

    Args:
        call: the call that adds the option to a parser.
        names: the names of the option, with their dashes.
    """
    parsing = (c for word in _PARSING for c, _ in call.module.calls_by_name.get(word, ()))
    given = [_words(c) for c in parsing if isinstance(c.func, ast.Attribute)]
    words = [word for written in given if written is not None for word in written]
    return bool(given) and None not in given and not any(w.partition("=")[0] in names for w in words)


def _words(call: ast.Call) -> list[str] | None:
    """The words that a call parses, `[]`, `""` or `"--epochs 3".split()`; None for those of the command line."""
    match next(iter(call.args), next((k.value for k in call.keywords if k.arg == "args"), None)):
        case ast.Constant(value=str(text)):
            return list(text)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="split"), args=[]):
            return text.split()
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            words = [p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)]
            return words if len(words) == len(parts) else None
    return None


def is_never_read(call: Call) -> bool:
    """Whether nobody reads what an option was given, although others that its file adds are read.

    What is handed as a whole to somebody else's function, or published by `vars`, may be read there.

    Args:
        call: the call that adds the option to a parser.
    """
    modules = [call.module] if _stays_in_file(call.module) else call.project.modules
    own = _destination(call.node)
    others = {_destination(c) for c, _ in call.module.calls_by_name.get("add_argument", ())} - {own}
    if own is None or any(m.source.holds(text) for m in modules for text in _PUBLISHING):
        return False
    read = frozenset[tuple[str, str]]().union(*(_attributes(m.body) for m in modules))
    if any(attr == own for _, attr in read) or any(_is_text(own, m.body) for m in modules if m.source.holds(own)):
        return False
    counts = Counter(holder for holder, attr in read if attr in others and holder not in ("", "self", "cls"))
    namespaces = {holder for holder, count in counts.items() if count > 1} & _holders(call.project)
    known = {*call.project.reach.own_names(), "print"}
    strange = (c for m in modules for name, found in m.calls_by_name.items() if name not in known for c, _ in found)
    return bool(namespaces) and not any(called_name(a) in namespaces for c in strange for a in all_arguments(c))


@cached()
def _holders(project: Project) -> frozenset[str]:
    """The last names by which a project may have what is parsed: what it is bound to, the parameters that it is handed
    to, and the functions that give it back."""
    leads: dict[str, set[str]] = {}
    functions = [f for module in project.modules for f in (module.body, *module.functions)]
    for function in functions:
        pairs = [(b.name, b.value) for bound in function.bindings.values() for b in bound if b.kind == "assign"]
        pairs += [(function.name, returned.value) for returned in function.returns]
        for name, value in pairs:
            for part in _handed_on(value):
                leads.setdefault(called_name(part), set()).add(name.rpartition(".")[2])
    for function in functions:
        called = function.owner.name if function.owner is not None and function.name == "__init__" else function.name
        given = [p.name for p in function.parameters][function.owner is not None :]
        for call, _ in project.calls_named(called):
            pairs = [*zip(given, call.args, strict=False), *((k.arg or "", k.value) for k in call.keywords)]
            for name, value in pairs:
                leads.setdefault(called_name(value), set()).add(name)
    for module in project.modules:
        for binding in (b for bound in module.body.bindings.values() for b in bound if b.kind == "from"):
            leads.setdefault(binding.extra[2], set()).add(binding.name)
    found, ahead = set(_PARSING), list(_PARSING)
    while ahead:
        ahead += (new := leads.get(ahead.pop(), set()) - found)
        found |= new
    return frozenset(found)


def _handed_on(value: Node) -> Iterator[Node]:
    """What a value may be: itself, a part of it, or what a call is given that makes it."""
    yield value
    match value:
        case ast.Call():
            yield from all_arguments(value)
        case ast.BoolOp(values=parts) | ast.Tuple(elts=parts):
            yield from parts
        case ast.IfExp(body=body, orelse=orelse):
            yield from (body, orelse)


def _stays_in_file(module: ModuleScope) -> bool:
    """Whether nothing but the attributes of what a file parses is ever used, and no other file may import it: whoever
    else has an attribute of that name is something else."""
    parsing = [c for word in _PARSING for c, _ in module.calls_by_name.get(word, ())]
    names = {b.name for c in parsing for b in bindings_of(c, module.body)}
    if not names or len(parsing) != len(names):
        return False
    asked = {id(n.value) for n in module.body.nodes_of(ast.Attribute)}
    if any(n.id in names and id(n) not in asked for n in _loads(module)):
        return False
    return not any(_may_be_imported(name, module) for name in names)


def _loads(module: ModuleScope) -> Iterator[ast.Name]:
    """Where a file reads a name."""
    return (n for n in module.body.nodes_of(ast.Name) if isinstance(n.ctx, ast.Load))


def _may_be_imported(name: str, module: ModuleScope) -> bool:
    """Whether another file of the project may import a name of a file."""
    own = module.name.rpartition(".")[2]
    others = [m for m in module.project.modules if m is not module]
    starred = (source for m in others for source, _ in m.stars)
    return any(name in imported_names(m) for m in others) or any(s.rpartition(".")[2] == own for s in starred)


@cached_per_scope(local=True)
def _attributes(body: FunctionScope) -> frozenset[tuple[str, str]]:
    """The attributes that a file reads or writes, each with the last name of what it is an attribute of; not what is
    only kept under a name that the project never uses, nor what its classes give their own objects."""
    kept: dict[str, int] = {}
    for statement in body.nodes_of(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute() as value):
                kept[name] = id(value)
    used = {n.id for n in _loads(body.module)} if kept else set[str]()
    idle = {at for name, at in kept.items() if name not in used and not _may_be_imported(name, body.module)}
    found = {(called_name(n.value), n.attr) for n in body.nodes_of(ast.Attribute) if id(n) not in idle}
    if not body.module.calls_by_keyword.get("namespace"):
        targets = (t for s in body.nodes_of(ast.Assign) for t in s.targets if isinstance(t, ast.Attribute))
        found -= {("self", t.attr) for t in targets if last_name(t.value) == "self"}
    return frozenset(found)


def _is_text(word: str, body: FunctionScope) -> bool:
    """Does a file write a word as a text: `args["resume"]`, `getattr(args, "resume")`? Not where an option is added
    that is stored so: `add_argument("-r", dest="resume")`."""
    adding = [c for c, _ in body.module.calls_by_name.get("add_argument", ()) if _destination(c) == word]
    own = {id(n) for c in adding for n in (*c.args, *(k.value for k in c.keywords if k.arg == "dest"))}
    return any(isinstance(n, ast.Constant) and n.value == word and id(n) not in own for n in walk(body.node))


def _destination(call: ast.Call) -> str | None:
    """The attribute that an option is stored as."""
    given = next((k.value for k in call.keywords if k.arg == "dest"), None)
    if given is not None:
        return given.value if isinstance(given, ast.Constant) and isinstance(given.value, str) else None
    names = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    name = next((n for n in names if n.startswith("--")), next(iter(names), None))
    return name.lstrip("-").replace("-", "_") if name else None


def _option(wanted: str, origin: Origin) -> ast.Constant | None:
    """The default of an option of argparse, those of the same file first."""
    calls = origin.frame.project.calls_named("add_argument")
    for call, _ in sorted(calls, key=lambda found: found[1].module is not origin.frame.module):
        names = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        if wanted in {n.lstrip("-").replace("-", "_") for n in names}:
            value = next((k.value for k in call.keywords if k.arg == "default"), None)
            if isinstance(value, ast.Constant):
                return value
    return None


def written_number(value: Value) -> float | None:
    """The number that a field holds, the largest of a tuple."""
    parts = value.parts if isinstance(value, SequenceValue) else (value,)
    return largest([v.literal for v in parts])


def _field(name: str, origin: Origin) -> Node:
    """The default of the only field of that name in the dataclasses of the project."""
    fields = [
        binding.value
        for module in origin.frame.project.modules
        for cls in module.classes
        if any(called_name(d) == "dataclass" for d in cls.node.decorator_list)
        for binding in cls.bindings.get(name, ())
    ]
    return fields[0] if len(fields) == 1 else None


def largest(values: Sequence[Constant]) -> float | None:
    """The largest of some numbers; None where one is no number."""
    numbers = [float(v) for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)]
    return max(numbers) if numbers and len(numbers) == len(values) else None
