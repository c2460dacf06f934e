"""Do the stubs agree with the libraries that they describe?

Every function, constructor and method that a stub defines is held against `inspect.signature` of the installed library:
the names of the parameters in their order, their kinds, which of them have defaults, and defaults that are literals. A
row of `LIBRARIES` is tested where that very version is installed (see the extra `signatures` in pyproject.toml), and
skipped elsewhere. What a library implements in C has no signature; such functions are accepted only where `UNSIGNED`
gives the reason. A deviation on purpose stands in `DEVIATIONS` with its reason.
"""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import mllint.semantics.vocabulary as vocabulary

ROOT = Path(vocabulary.__file__).parents[1] / "stubs"


class Library(NamedTuple):
    """A package whose stubs are compared, and the distribution and version that they were written for."""

    package: str
    distribution: str
    version: str


LIBRARIES = [
    Library("torch", "torch", "2.13.0"),
    Library("torchvision", "torchvision", "0.28.0"),
    Library("accelerate", "accelerate", "1.15.0"),
    Library("lightning", "lightning", "2.6.6"),
    Library("transformers", "transformers", "5.23.0"),
    Library("timm", "timm", "1.0.31"),
    Library("torchmetrics", "torchmetrics", "1.9.0"),
    Library("tqdm", "tqdm", "4.70.1"),
    Library("ignite", "pytorch-ignite", "0.5.5"),
    Library("peft", "peft", "0.21.2"),
    Library("optuna", "optuna", "5.0.0"),
    Library("datasets", "datasets", "5.2.0"),
    Library("evaluate", "evaluate", "0.4.6"),
    Library("trl", "trl", "1.16.0"),
    Library("torch_geometric", "torch-geometric", "2.8.1"),
]

# Modules in which functions may lack a signature, and why.
UNSIGNED = {
    "torch": "operators are generated in C",
    "torch._tensor": "methods of the tensor base class are generated in C",
    "torch.nn.functional": "operators are generated in C",
    "torch.autograd": "Variable is a class in C",
    "torch.cuda": "streams and errors are classes in C",
    "torch.distributed": "process groups and stores are classes in C",
    "torch.distributed.autograd": "in C, and only in builds with remote procedure calls",
    "torch.fft": "operators are generated in C",
    "torch.linalg": "operators are generated in C",
    "torch.special": "operators are generated in C",
    "tqdm": "the constructor is a partial function with defaults from the environment",
}

# Stub names whose signature differs on purpose, and why. A prefix that ends in "." covers everything below it.
DEVIATIONS = {
    "torchvision.models.detection.SSD": "lives in the submodule ssd",
    "torchvision.datasets.EMNIST.": "hands its keywords on to MNIST, where `train` selects the part",
    "torchvision.datasets.QMNIST.": "hands its keywords on to MNIST",
    "lightning.pytorch.loggers.NeptuneLogger": "in releases before 2.6",
    "peft.PeftModel.merge_and_unload": "handed on to the tuner by `__getattr__`",
    "trl.CPOTrainer": "in releases before 1.0",
    "trl.ORPOConfig": "in releases before 1.0",
    "trl.ORPOTrainer": "in releases before 1.0",
    "trl.PPOConfig": "in releases before 1.0",
    "trl.PPOTrainer": "in releases before 1.0",
    "transformers.PreTrainedModel.forward": "each model has its own",
    "transformers.PreTrainedModel.generate": "inherited by each model that generates, from another class",
    "transformers.AutoModelForVision2Seq": "in releases before 5.0",
    "transformers.AutoModelWithLMHead": "in releases before 5.0",
    "transformers.optimization.AdamW.": "in releases before 5.0",
    "transformers.optimization.AdamW": "in releases before 5.0",
}


def modules(package: str) -> list[str]:
    """The stub modules of a package that define something themselves."""
    found = []
    for path in sorted((ROOT / package).rglob("*.pyi")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        body = ast.parse(path.read_text(encoding="utf-8")).body
        if any(isinstance(node, ast.ClassDef | ast.FunctionDef) for node in body):
            found.append(name)
    return found


def stub_body(module: str) -> list[ast.stmt]:
    base = ROOT.joinpath(*module.split("."))
    path = base / "__init__.pyi" if base.is_dir() else base.with_suffix(".pyi")
    return ast.parse(path.read_text(encoding="utf-8")).body


class Parameter(NamedTuple):
    """What is compared of a parameter; `default` is `inspect.Parameter.empty`, a literal, or `...` for any default."""

    name: str
    kind: Any
    default: Any


KINDS = inspect.Parameter
EMPTY = inspect.Parameter.empty
PASSES_ALL = {KINDS.VAR_POSITIONAL, KINDS.VAR_KEYWORD}
SIMPLE = (int, float, bool, str, tuple, type(None))


def stub_parameters(function: ast.FunctionDef) -> list[Parameter]:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    found = []
    for index, (argument, default) in enumerate(zip(positional, defaults, strict=True)):
        kind = KINDS.POSITIONAL_ONLY if index < len(arguments.posonlyargs) else KINDS.POSITIONAL_OR_KEYWORD
        found.append(Parameter(argument.arg, kind, literal(default)))
    if arguments.vararg:
        found.append(Parameter(arguments.vararg.arg, KINDS.VAR_POSITIONAL, EMPTY))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append(Parameter(argument.arg, KINDS.KEYWORD_ONLY, literal(default)))
    if arguments.kwarg:
        found.append(Parameter(arguments.kwarg.arg, KINDS.VAR_KEYWORD, EMPTY))
    return found


def literal(node: ast.expr | None) -> Any:
    if node is None:
        return EMPTY
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ...


def real_parameters(function: Any) -> list[Parameter] | None:
    """The parameters of a library's function, or None if it has no signature."""
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return None
    return [Parameter(p.name, p.kind, p.default) for p in signature.parameters.values()]


def same_default(stub: Any, real: Any) -> bool:
    if stub is EMPTY or real is EMPTY:
        return stub is real
    return stub is ... or type(real) not in SIMPLE or bool(stub == real)


def shortened(stub: list[Parameter], real: list[Parameter]) -> str | None:
    """A stub may end a long signature early by `**kwargs`; what it names before that has the library's order."""
    names = iter(p.name for p in real)
    named = [p.name for p in stub if p.kind not in PASSES_ALL]
    return None if all(name in names for name in named) else f"{named} are not a part of {[p.name for p in real]}"


def difference(stub: list[Parameter], real: list[Parameter]) -> str | None:
    """What differs first, in words."""
    if {p.kind for p in real[-2:]} == PASSES_ALL and len(real) <= 3:
        return None  # the library passes everything on and hides what it takes
    if stub[-1:] and stub[-1].kind == KINDS.VAR_KEYWORD and len(stub) < len(real):
        return shortened(stub, real)
    if real and stub and (real[0].name, stub[0].name) == ("cls", "self"):
        real = [real[0]._replace(name="self"), *real[1:]]  # a constructor that is `__new__`
    if [p.name for p in stub] != [p.name for p in real]:
        return f"parameters {[p.name for p in stub]}, in the library {[p.name for p in real]}"
    for mine, theirs in zip(stub, real, strict=True):
        if mine.kind != theirs.kind and mine.name != "self":
            return f"`{mine.name}` is {mine.kind.description}, in the library {theirs.kind.description}"
        if not same_default(mine.default, theirs.default):
            return f"`{mine.name}` has the default {mine.default!r}, in the library {theirs.default!r}"
    return None


def unwrapped(owner: Any, name: str) -> Any:
    """The function behind a method: as it stands in the class, without a binding."""
    found = inspect.getattr_static(owner, name, None)
    if name == "__init__" and "__new__" in vars(owner):
        made = owner.__new__
        if len(real_parameters(made) or []) > len(real_parameters(found) or []):
            return made
    if isinstance(found, classmethod | staticmethod):
        return found.__func__
    return found if found is None or inspect.isroutine(found) else getattr(owner, name)


def decorated(function: ast.FunctionDef, name: str) -> bool:
    return any(isinstance(d, ast.Name) and d.id == name for d in function.decorator_list)


def pairs(body: list[ast.stmt], real: Any, prefix: str) -> Iterator[tuple[str, ast.FunctionDef, Any]]:
    """Each stub function below `real` with its counterpart; None stands for one that is not there."""
    for node in body:
        if isinstance(node, ast.FunctionDef) and not decorated(node, "property"):
            found = unwrapped(real, node.name) if isinstance(real, type) else getattr(real, node.name, None)
            yield prefix + node.name, node, found
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            found = getattr(real, node.name, None)
            if isinstance(found, type):
                yield from pairs(node.body, found, f"{prefix}{node.name}.")
            elif found is None:
                yield prefix + node.name, ast.parse("def missing(): ...").body[0], None


def excused(name: str) -> bool:
    return any(name == known or (known.endswith(".") and name.startswith(known)) for known in DEVIATIONS)


def overloaded(function: ast.FunctionDef, name: str, real: list[Parameter]) -> str | None:
    """An overload may leave parameters out, but has no others and no other order."""
    names = iter(p.name for p in real)
    if all(p.name in names for p in stub_parameters(function)):
        return None
    return f"an overload of {name} has parameters that the library lacks"


def compare(module: str, real: Any) -> tuple[list[str], list[str]]:
    """The differences of one module, and the names without a signature."""
    differences, silent = [], []
    for name, function, counterpart in pairs(stub_body(module), real, f"{module}."):
        if excused(name):
            continue
        if counterpart is None:
            differences.append(f"{name}: not in the library")
            continue
        actual = real_parameters(counterpart)
        if actual is None:
            silent.append(name)
            continue
        if decorated(function, "overload"):
            found = overloaded(function, name, actual)
        else:
            found = difference(stub_parameters(function), actual)
        if found:
            differences.append(f"{name}: {found}")
    return differences, silent


@pytest.mark.parametrize(
    ("library", "module"), [(library, module) for library in LIBRARIES for module in modules(library.package)], ids=str
)
def test_signatures_agree(library: Library, module: str) -> None:
    """A stub binds arguments exactly as its library does."""
    try:
        installed = importlib.metadata.version(library.distribution).partition("+")[0]
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{library.distribution} is not installed")
    if installed != library.version:
        pytest.skip(f"the stubs describe {library.distribution} {library.version}, installed is {installed}")
    try:
        real = importlib.import_module(module)
    except (ImportError, RuntimeError) as error:
        pytest.skip(f"{module} needs more than is installed: {error}")
    differences, silent = compare(module, real)
    assert not differences, "\n".join(differences)
    if silent:
        assert module in UNSIGNED, f"no signature, and no reason for it in UNSIGNED: {', '.join(silent)}"


def test_deviations_are_still_there() -> None:
    """An excuse for a name that no stub has is out of date."""
    defined = {name for library in LIBRARIES for module in modules(library.package) for name in names(module)}
    for known in DEVIATIONS:
        assert any(n == known or n.startswith(known) for n in defined), known


def names(module: str) -> Iterator[str]:
    for node in stub_body(module):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield f"{module}.{node.name}"
        if isinstance(node, ast.ClassDef):
            yield from (f"{module}.{node.name}.{n.name}" for n in node.body if isinstance(n, ast.FunctionDef))
