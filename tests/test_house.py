"""The bars that keep rules small: what they establish about a program belongs into the core."""

from __future__ import annotations

import ast
import re
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

from mllint.semantics.syntax.topic_names import TOPICS, Topic

TESTS = Path(__file__).parent
CHECKS = TESTS.parent / "src" / "mllint" / "checks"
SEMANTICS = CHECKS.parent / "semantics"
MODULES = sorted(path for path in CHECKS.rglob("*.py") if path.name not in ("__init__.py", "__main__.py", "_table.py"))
OBJECTS = frozenset(
    """model net network optimizer optim opt scheduler sched criterion loss loader dataloader dataset train_loader
    val_loader test_loader x_train x_test y_train y_test train_set test_set batch targets labels preds logits""".split()
)
"""Names that people give to objects of a training program; words of libraries' own interfaces are not among them."""


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def rules_of(path: Path) -> int:
    return len(re.findall(r"^@check\(", path.read_text(encoding="utf-8"), re.MULTILINE))


def behind() -> dict[Path, int]:
    """The lines behind each rule: its module, and the modules in `checks` that it alone imports."""
    imported: dict[Path, set[Path]] = {}
    by_name = {"mllint.checks." + ".".join(path.relative_to(CHECKS).with_suffix("").parts): path for path in MODULES}
    for path in MODULES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        imported[path] = {by_name[name] for name in names if name in by_name}
    users = {path: [one for one in MODULES if path in imported[one]] for path in MODULES}
    return {
        path: lines(path) + sum(lines(own) for own in imported[path] if users[own] == [path])
        for path in MODULES
        if rules_of(path)
    }


LONG = {
    "data/model_selection_on_test.py": 200,
    "data/same_data_for_both.py": 230,
}
"""The rules with more than 150 lines behind them, and how many these may have. Only shrinks: a new rule has no more."""


def test_all_rules_together_are_no_longer_than_8000_lines() -> None:
    assert sum(lines(path) for path in MODULES) <= 8_000


def test_the_code_behind_a_rule_is_short() -> None:
    sizes = {path.relative_to(CHECKS).as_posix(): size for path, size in behind().items()}
    assert statistics.median(sizes.values()) <= 60
    assert not {path: size for path, size in sizes.items() if size > LONG.get(path, 150)}, "what is it a fact about?"
    assert not [path for path in LONG if sizes.get(path, 0) <= 150], "it is not long any more"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(CHECKS)))
def test_a_rule_reads_no_names(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert "re" not in imported, "names are compared as whole words, by `roles` and `topics`"
    assert not list(read_names(tree))


def read_names(tree: ast.Module) -> Iterator[str]:
    """Where a module compares identifiers with words of its own: a part of a name, or a list of names of objects."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            searched = node.comparators[0]
            if isinstance(node.left, ast.Constant) and _is_word(node.left.value) and _is_name(searched):
                yield f"{node.left.value!r} in a name, in line {node.lineno}"
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            words = [e.value for e in node.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
            text = getattr(node.func.value, "value", None)
            words = text.split() if isinstance(text, str) else []
        else:
            continue
        named = OBJECTS.intersection(words)
        if len(named) > 1:
            yield f"a list of names in line {node.lineno}: {sorted(named)}"


def _is_word(sought: object) -> bool:
    """Is it looked for as a word? `.grad` is an attribute, `[` is none at all."""
    return isinstance(sought, str) and sought[:1] != "." and any(c.isalpha() for c in sought)


def _is_name(searched: ast.expr) -> bool:
    """Is it the name of something, as it is written: `last_name(node)`, `(place(node) or "")`, `f.name.lower()`?"""
    match searched:
        case ast.BoolOp(values=[first, *_]):
            return _is_name(first)
        case ast.Call(func=ast.Attribute(attr="lower" | "rpartition")):
            return True
        case ast.Subscript(value=inner):
            return _is_name(inner)
        case ast.Call(func=ast.Name(id=called)):
            return called in ("last_name", "place")
        case ast.Name(id=called) | ast.Attribute(attr=called):
            return called == "name"
    return False


OWN_WORDS = {
    "syntax/module.py": (4, "a cheap filter, before `roles` is asked: letters that all words for held-out rows share"),
    "training/rows/built_alike.py": (1, "attributes of the datasets of torchvision"),
    "training/rows/same_samples.py": (1, "attributes of the datasets of torchvision"),
}
"""How many comparisons of names with words of their own are left in modules of the core, and why. Only shrinks."""


def test_the_core_reads_names_in_its_two_tables_alone() -> None:
    tables = ("role_names.py", "topic_names.py")
    found: dict[str, list[str]] = {}
    for path in sorted(SEMANTICS.rglob("*.py")):
        if path.name not in tables:
            places = list(read_names(ast.parse(path.read_text(encoding="utf-8"))))
            found |= {path.relative_to(SEMANTICS).as_posix(): places} if places else {}
    more = {path: places for path, places in found.items() if len(places) > OWN_WORDS.get(path, (0, ""))[0]}
    assert not more, "names are read in `role_names` and `topic_names`, by `roles` and `topics`"


RECORDS = frozenset(
    """answer binding bindings changes closure cls event flow frame function key method module origin owner
    project scope""".split()
)
"""What a parameter is called that is a record of ours, and no node of a syntax tree: it has a type to be checked."""


def untyped_records(path: Path) -> Iterator[str]:
    """The parameters of a module that are records by their name, and have the type of anything, or of a node."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            arguments = node.args
            extra = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
            for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra):
                if (
                    argument.arg in RECORDS
                    and argument.annotation
                    and not {"Any", "Node"}.isdisjoint(ast.unparse(argument.annotation).split("["))
                ):
                    yield argument.arg


def test_only_nodes_of_syntax_trees_go_without_a_type() -> None:
    found = {
        (p.relative_to(SEMANTICS).as_posix(), name) for p in SEMANTICS.rglob("*.py") for name in untyped_records(p)
    }
    assert not found, "a parameter that is a Frame, a Scope, an Event has the type of one"


OF_ANY_TYPE = {
    "flow/flow.py": "a path is a tuple that holds the one before it",
    "syntax/caches.py": "only the owner of a cache knows what it keeps",
    "syntax/lazystub.py": "a dictionary gives what it holds, or the default",
    "syntax/module.py": "what a binding has besides goes by its kind; the text is of a floor above",
    "syntax/nodes.py": "`Node` itself",
    "values/project.py": "what is kept for now is of several memos",
    "vocabulary.py": "a decorator of any function",
}
"""The modules of the core that say `Any`, and why. A node of a syntax tree is a `Node`."""


def test_any_stands_for_no_more_than_it_must() -> None:
    found = {p.relative_to(SEMANTICS).as_posix() for p in SEMANTICS.rglob("*.py") if says_any(p)}
    assert found == set(OF_ANY_TYPE), "give it its type, `Node` for one of a syntax tree"


def says_any(path: Path) -> bool:
    """Whether a module imports `Any`."""
    imports = (n for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.ImportFrom))
    return any(alias.name == "Any" for node in imports if node.module == "typing" for alias in node.names)


def test_each_topic_says_what_it_is_asked_for_and_somebody_asks() -> None:
    code = "".join(p.read_text(encoding="utf-8") for p in SEMANTICS.parent.rglob("*.py") if p.name != "topic_names.py")
    asked = set(re.findall(r"\bTopic\.([A-Z_]+)", code))
    assert asked == {topic.name for topic in Topic} == {topic.name for topic in TOPICS}
    assert not [topic for topic, words in TOPICS.items() if not words.why]


def names_read(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def late_constants(path: Path) -> Iterator[str]:
    """The constants below a function that reads them, though they need none that is defined above them."""
    read: set[str] = set()
    needed = {"globals"}
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        match statement:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                needed.add(name)
                read |= names_read(statement)
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=value)
            ):
                if value is not None and not needed.isdisjoint(names_read(value)):
                    needed.add(name)
                elif name in read:
                    yield f"{path.name}: {name}"


def test_a_constant_stands_above_the_functions_that_read_it() -> None:
    found = [late for path in sorted(SEMANTICS.parent.rglob("*.py")) for late in late_constants(path)]
    assert not found, "whoever reads a name looks for it above"


def undeclared_names(path: Path) -> Iterator[str]:
    """The names at the top of a module without an underscore that its `__all__` leaves out; rules and fixes have a
    registry of their own."""
    exported: set[str] = set()
    defined: set[str] = set()
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id="__all__")], value=value)
                | ast.AnnAssign(target=ast.Name(id="__all__"), value=value)
            ):
                exported = {node.value for node in ast.walk(value) if isinstance(node, ast.Constant)}
            case ast.FunctionDef(name=name, decorator_list=decorators):
                registered = any(
                    isinstance(d, ast.Call) and ast.unparse(d.func) in ("check", "fix") for d in decorators
                )
                defined |= set() if registered else {name}
            case ast.ClassDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
                defined.add(name)
            case ast.AnnAssign(target=ast.Name(id=name)):
                defined.add(name)
    yield from (name for name in defined - exported if not name.startswith("_"))


def test_what_is_no_interface_has_an_underscore() -> None:
    folders = (CHECKS, CHECKS.parent / "fixes", SEMANTICS)
    open_names = ("kinds.py", "vocabulary.py", "__init__.py", "api.py", "_table.py", "_names.py", "__main__.py")
    modules = (path for folder in folders for path in sorted(folder.rglob("*.py")) if path.name not in open_names)
    found = [f"{path.relative_to(CHECKS.parent)}: {name}" for path in modules for name in undeclared_names(path)]
    assert not found, "give a helper an underscore, or export it"


def exported_without_arguments(path: Path) -> Iterator[str]:
    """The exported functions of a module with three or more parameters whose docstring does not describe these."""
    tree = ast.parse(path.read_text())
    exported: set[str] = set()
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                exported.update(ast.literal_eval(value))
            case ast.FunctionDef(name=name, args=given) if name in exported:
                if len([*given.args, *given.kwonlyargs]) > 2 and "Args:" not in (ast.get_docstring(node) or ""):
                    yield f"{path.name}: {name}"


def test_exported_functions_describe_their_parameters() -> None:
    """Three or more of them, outside of the domains of training and the rules."""
    paths = [path for path in SEMANTICS.parent.rglob("*.py") if not {"training", "checks"} & set(path.parts)]
    assert not [found for path in sorted(paths) for found in exported_without_arguments(path)]


def test_no_two_reveals_have_one_name() -> None:
    keys = [
        node.value
        for path in (SEMANTICS / "testing").glob("*.py")
        for table in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(table, ast.Dict)
        for node in table.keys
        if isinstance(node, ast.Constant) and str(node.value).startswith("reveal")
    ]
    assert len(keys) == len(set(keys)), sorted(key for key in set(keys) if keys.count(key) > 1)


def test_no_condition_is_a_list_of_exceptions() -> None:
    """The seventh `or` says that the core lacks a word: a question of its own, with a name."""
    found = [
        f"{path.relative_to(SEMANTICS.parent)}:{node.lineno}"
        for folder in (CHECKS, SEMANTICS)
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and len(node.values) > 6
    ]
    assert not found


def test_no_comparison_unpacks_a_tuple() -> None:
    """`x in (*KNOWN, "other")` cannot be translated to C: mypyc ends with an assertion of its own."""
    found = [
        f"{path.relative_to(SEMANTICS)}:{node.lineno}"
        for path in SEMANTICS.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Compare)
        for side in node.comparators
        if any(isinstance(part, ast.Starred) for part in getattr(side, "elts", ()))
    ]
    assert not found


def test_no_file_of_examples_grows_long() -> None:
    """A newcomer reads a file of examples from beginning to end; 600 lines are as much as he will."""
    examples = [
        path for kind in ("regressions", "semantics", "shapes", "wordings") for path in (TESTS / kind).rglob("*.md")
    ]
    assert not {str(path): lines(path) for path in examples if lines(path) > 600}
    assert sum(lines(path) for path in (TESTS / "regressions").rglob("*.md")) <= 25_000
