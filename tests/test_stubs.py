"""Do the library stubs hold together?

Stubs are data that nobody runs, so nothing but these tests notices a misspelt word of the vocabulary, a re-export of a
name that is not there, or an effect about a parameter that the function does not have. Whether a stub agrees with its
library is asked in `test_stub_signatures.py`; whether its traits are *right* is asked by the pages of the rules.
"""

from __future__ import annotations

import ast
import builtins
import math
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

import mllint.semantics.vocabulary as vocabulary
from mllint.semantics.libraries import _names, classes, stubnames

ROOT = Path(vocabulary.__file__).parents[1] / "stubs"
FILES = sorted(ROOT.rglob("*.pyi"))
WORDS = frozenset(name for name in vars(vocabulary) if not name.startswith("_"))
TYPING = frozenset({"typing", "typing_extensions", "collections.abc", "__future__"})
STANDARD_DECORATORS = frozenset({"overload", "property", "staticmethod", "classmethod"})
SUBJECTS = frozenset({"of", "on", "unless", "by", "when"})  # keywords of effects that name a parameter

Definition = tuple[ast.ClassDef | ast.FunctionDef, ast.ClassDef | None]

pytestmark = pytest.mark.skipif(not FILES, reason="no stubs are installed beside the vocabulary")


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def label(path: Path) -> str:
    return os.path.relpath(path, ROOT)


MODULES = {module_name(path): path for path in FILES}
each_stub = pytest.mark.parametrize("path", FILES, ids=label)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def origin(path: Path, node: ast.ImportFrom) -> str:
    """The absolute name of the module that a `from ... import` of this stub takes from."""
    if not node.level:
        return node.module or ""
    package = module_name(path).split(".")
    if path.name != "__init__.pyi":
        package = package[:-1]
    base = package[: len(package) - node.level + 1]
    return ".".join([*base, node.module] if node.module else base)


@cache
def exported(path: Path) -> dict[str, ast.stmt]:
    """What a stub offers to importers: its top-level names."""
    names: dict[str, ast.stmt] = {}
    for node in tree(path).body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                names[name] = node
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                names[name] = node
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names.update({alias.asname or alias.name.split(".")[0]: node for alias in aliases})
    return names


def resolves(module: str, name: str, seen: frozenset[tuple[str, str]] = frozenset()) -> bool:
    """Whether `from module import name` ends at a definition, through any number of re-exports."""
    if (module, name) in seen:
        return False
    if f"{module}.{name}" in MODULES:
        return True
    if module not in MODULES:
        return False
    path = MODULES[module]
    node = exported(path).get(name)
    if not isinstance(node, ast.ImportFrom):
        return node is not None
    source = origin(path, node)
    if source == vocabulary.__name__ or source in TYPING:
        return True
    original = next(alias.name for alias in node.names if (alias.asname or alias.name) == name)
    return resolves(source, original, seen | {(module, name)})


def definitions(body: list[ast.stmt], owner: ast.ClassDef | None = None) -> Iterator[Definition]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield node, owner
            yield from definitions(node.body, node)
        elif isinstance(node, ast.FunctionDef):
            yield node, owner


def parameters(function: ast.FunctionDef) -> list[str]:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return [argument.arg for argument in every if argument is not None]


def find_class(path: Path, name: str) -> tuple[Path, ast.ClassDef] | None:
    """The class that a base's name stands for in this stub, and the stub that defines it."""
    head, _, rest = name.partition(".")
    node = exported(path).get(head)
    if isinstance(node, ast.ClassDef):
        return path, node
    if isinstance(node, ast.ImportFrom) and origin(path, node) in MODULES:
        original = next(alias.name for alias in node.names if (alias.asname or alias.name) == head)
        return find_class(MODULES[origin(path, node)], original)
    if isinstance(node, ast.Import) and rest:
        module = next(a.name for a in node.names if (a.asname or a.name.split(".")[0]) == head)
        target = MODULES.get(module)
        return find_class(target, rest.rpartition(".")[2]) if target else None
    return None


def constructor_parameters(path: Path, cls: ast.ClassDef) -> list[str]:
    """The parameters of `__init__`, taken from the bases when the class has none of its own."""
    for node in cls.body:
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            return parameters(node)
    for base in cls.bases:
        if found := find_class(path, ast.unparse(base)):
            return constructor_parameters(*found)
    return []


@each_stub
def test_stub_is_plain(path: Path) -> None:
    """A stub opens with what it describes, and contains definitions only: the resolver knows no conditions."""
    module = tree(path)
    assert ast.get_docstring(module), "no docstring"
    allowed = (ast.ClassDef, ast.FunctionDef, ast.Import, ast.ImportFrom, ast.AnnAssign, ast.Assign)
    for node in module.body[1:]:
        assert isinstance(node, allowed), f"line {node.lineno}: {type(node).__name__}"
    for inner in ast.walk(module):
        if isinstance(inner, ast.Assign):
            assert isinstance(inner.value, ast.Name | ast.Attribute), f"line {inner.lineno}: only `A = B` is an alias"


@each_stub
def test_imports_resolve(path: Path) -> None:
    """Each import of a stub ends at a definition in a stub, the vocabulary, `typing`, or a constant of `math`."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                assert alias.name in MODULES or alias.name in TYPING, f"line {node.lineno}: {alias.name}"
        elif isinstance(node, ast.ImportFrom):
            source = origin(path, node)
            for alias in node.names:
                where = f"line {node.lineno}: {source}.{alias.name}"
                if source == vocabulary.__name__:
                    assert alias.name in WORDS, where
                elif source == "math":
                    assert isinstance(getattr(math, alias.name), float), where
                elif source not in TYPING:
                    assert alias.name != "*", where
                    assert resolves(source, alias.name), where


@each_stub
def test_names_are_bound(path: Path) -> None:
    """Annotations, bases and decorators use names that the stub defines or imports."""
    bound = {*exported(path), *dir(builtins)}
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            assert node.id in bound, f"line {node.lineno}: {node.id}"


@each_stub
def test_decorators_are_words(path: Path) -> None:
    """A decorator is a word of the vocabulary, called as it is defined there, or a standard one."""
    for node, _ in definitions(tree(path).body):
        for decorator in node.decorator_list:
            called = isinstance(decorator, ast.Call)
            name = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
            where = f"line {decorator.lineno}: @{name}"
            if name in STANDARD_DECORATORS:
                continue
            assert name in WORDS, where
            takes_arguments = "cls" not in (names := _word_parameters(name)) and "function" not in names and bool(names)
            assert called == takes_arguments, f"{where} is {'not ' if called else ''}called"
            if isinstance(decorator, ast.Call):
                assert {keyword.arg for keyword in decorator.keywords} <= set(names), where


@cache
def _word_parameters(name: str) -> list[str]:
    definition = exported_word(name)
    return parameters(definition) if isinstance(definition, ast.FunctionDef) else []


@cache
def exported_word(name: str) -> ast.stmt | None:
    return exported(Path(vocabulary.__file__)).get(name)


@each_stub
def test_effects_name_parameters(path: Path) -> None:
    """`of=` and its kin name "self", a parameter, "self.<parameter of __init__>" or "return"; all else is a slip."""
    for node, owner in definitions(tree(path).body):
        if isinstance(node, ast.ClassDef):
            names, built_from = constructor_parameters(path, node), []
        else:
            names = parameters(node)
            built_from = constructor_parameters(path, owner) if owner else []
        for decorator in node.decorator_list:
            if not isinstance(decorator, ast.Call):
                continue
            for keyword in decorator.keywords:
                if keyword.arg not in SUBJECTS:
                    continue
                for subject in ast.literal_eval(keyword.value).split():
                    where = f"line {node.lineno}: {node.name}: {keyword.arg}={subject!r}"
                    head, _, rest = subject.partition(".")
                    assert head in names or (subject == "return" and isinstance(node, ast.FunctionDef)), where
                    if rest and head == "self":
                        assert rest in built_from, where


def test_every_trait_is_described() -> None:
    """Each trait that a stub may say is a class with a docstring, and the core's own are described beside them."""
    assert set(get_args(vocabulary.StubTrait)) <= WORDS
    assert set(get_args(vocabulary.CoreTrait)) == vocabulary.CORE_TRAITS.keys()
    assert vocabulary.TRAITS.keys() == {*get_args(vocabulary.StubTrait), *get_args(vocabulary.CoreTrait)}
    assert not [trait for trait, means in vocabulary.TRAITS.items() if not means.endswith(".")]


def test_no_word_of_the_vocabulary_is_left_out() -> None:
    """A class of the vocabulary that a stub may say is registered as a trait."""
    own = (word for word in vars(vocabulary).values() if getattr(word, "__module__", "") == vocabulary.__name__)
    assert {word.__name__ for word in own if isinstance(word, type)} == set(get_args(vocabulary.StubTrait))


def test_the_page_on_stubs_lists_every_trait() -> None:
    """What `docs/writing-a-stub.md` says of each trait is what the registry says of it."""
    page = (Path(__file__).parents[1] / "docs" / "writing-a-stub.md").read_text(encoding="utf-8")
    for group in (vocabulary.StubTrait, vocabulary.CoreTrait):
        described = ((trait, " ".join(vocabulary.TRAITS[trait].split())) for trait in get_args(group))
        assert "".join(f"| `{trait}` | {means} |\n" for trait, means in described) in page


def test_traits_that_are_looked_up_are_registered() -> None:
    """`"Loss" in value.traits`: the type checker lets any text be looked for in a mapping."""
    asked = set()
    for path in sorted(Path(vocabulary.__file__).parents[1].rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Compare(left=ast.Constant(value=word), comparators=[ast.Attribute(attr="traits")]):
                    asked.add(word)
    assert len(asked) > 5
    assert asked <= vocabulary.TRAITS.keys()


def test_the_table_of_names_says_what_the_stubs_say():
    folder = Path(_names.__file__).parent
    assert (folder / "_names.py").read_text(encoding="utf-8") == stubnames.table(str(folder.parent.parent / "stubs"))


# ------------------------------------------------------------------------------------------- what rules ask stubs for
CHECKS = Path(vocabulary.__file__).parents[1] / "checks"
RULES = sorted(path for path in CHECKS.rglob("*.py") if path.name != "_table.py")


def defined(body: list[ast.stmt], prefix: str) -> Iterator[str]:
    """The full names of what a stub defines itself, members of classes included."""
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield f"{prefix}.{node.name}"
        if isinstance(node, ast.ClassDef):
            yield from defined(node.body, f"{prefix}.{node.name}")
        elif isinstance(node, ast.If):
            yield from defined([*node.body, *node.orelse], prefix)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield f"{prefix}.{node.target.id}"


@cache
def all_defined() -> frozenset[str]:
    return frozenset(name for module, path in MODULES.items() for name in (module, *defined(tree(path).body, module)))


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.relative_to(CHECKS).as_posix())
def test_a_rule_asks_for_names_that_stubs_define(path: Path) -> None:
    """`call.callee.is_function("torch.nn.utils.clip_grad.clip_grad_norm_")` is never true: the stub of `torch.nn.utils`
    defines it."""
    tops = {module.partition(".")[0] for module in MODULES}
    constants = (n.value for n in ast.walk(tree(path)) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    names = (
        text for text in constants if text.partition(".")[0] in tops and all(map(str.isidentifier, text.split(".")))
    )
    for name in (name for name in names if "." in name and name not in all_defined()):
        last = name.rpartition(".")[2]
        others = sorted(known for known in all_defined() if known.rpartition(".")[2] == last)
        pytest.fail(f"no stub defines `{name}`; `{last}` is defined as {', '.join(others) or 'nothing'}")


# ------------------------------------------------------------------------------------------------- the table of classes
CLASSES = frozenset(value for name in classes.__all__ if isinstance(value := getattr(classes, name), str))


def test_the_table_of_classes_holds_names_that_stubs_define():
    assert CLASSES - all_defined() == {"torch.Tensor"}, "`torch._tensor` defines it, `torch` exports it"


def test_a_name_in_the_table_of_classes_stands_nowhere_else():
    table = Path(classes.__file__)
    modules = (path for path in ROOT.parent.rglob("*.py") if path != table)
    found = [
        f"{path.relative_to(ROOT.parent)}:{node.lineno}"
        for path in modules
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in CLASSES
    ]
    assert not found, "import it from `mllint.semantics.libraries.classes`; a rule writes `classes.MODULE`"
