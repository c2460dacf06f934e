"""The moves of the mutation benchmark mean the same: programs print the same before and after each of them."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import random
import sys
import types
from collections.abc import Iterator

import pytest
from benchmarks.mutation.moves import MOVES, Move, Moved, moved
from benchmarks.mutation.moves.program import Program

SCRIPT = """
import torch
from math import sqrt

rate = 0.5
weight, best = 4.0, None
for epoch in range(4):
    total = 0.0
    for batch, (x, y) in enumerate([(1.0, 2.0), (2.0, 4.5)]):
        error = weight * x - y
        gradient = 2 * error * x  # HERE
        weight = weight - rate * gradient / 10
        total += error * error
        if batch == 1:
            last = [round(v, 3) for v in (x, weight)]
    print(epoch, round(sqrt(total), 6), last)
    best = total if best is None else min(best, total)
print(round(best, 6))
"""

FUNCTIONS = '''
"""A module."""
from __future__ import annotations

import torch
import collections
from math import sqrt

Scale = collections.namedtuple("Scale", "by")
SCALE = Scale(10)
seen = []


def shrink(value, by=SCALE.by):
    seen.append(by)
    return value / by


def train(weight, pairs, steps):
    history = []
    for step in range(steps):
        total = 0.0
        for x, y in pairs:
            if x == 9:
                continue
            error = weight * x - y
            weight = weight - shrink(2 * error * x, SCALE.by)  # HERE
            total += error ** 2
        history.append(sqrt(total))
        if total < 1e-9:
            break
    else:
        history.append(-1)
    try:
        history.append(1 / steps)
    except ZeroDivisionError as problem:
        print("problem", problem)
    return weight, [round(h, 6) for h in history]


if __name__ == "__main__":
    for steps in (0, 2, 5):
        result = train(4.0, [(1.0, 2.0), (9, 9), (2.0, 4.5)], steps)
        print(result, len(seen))
'''

CLASSES = """
import torch


class Root:
    def __init__(self, weight):
        self.weight = weight
        self.log = []

    def describe(self):
        return f"{type(self).__mro__[-2].__name__[:0]}{self.weight:.4f}"


class Trainer(Root):
    rate = 0.1

    def __init__(self, weight, pairs):
        super().__init__(weight)
        self.pairs = pairs

    def describe(self):
        return "weight " + super().describe()

    def fit(self, epochs):
        loss = 0.0
        for epoch in range(epochs):
            for x, y in self.pairs:
                error = self.weight * x - y
                loss = error * error  # HERE
                self.weight -= self.rate * 2 * error * x
            self.log.append(round(loss, 5))
        return loss


trainer = Trainer(3.0, [(1.0, 2.0), (2.0, 4.5)])
print(round(trainer.fit(3), 6), trainer.log, trainer.describe())
"""

HELD = """
import torch


def watch(values):
    found = []
    for value in values:
        squares = {v: v * v for v in range(value)}
        kept = sorted(squares.items(), key=str)[:3]  # HERE
        found.append(kept)
        for value in kept[:1]:
            found.append(value)
    return found


def outer(limit):
    count = 0

    def inner(step):
        return step * limit

    while count < limit:
        more = inner(2)
        count = count + more  # HERE
        print(count)
    return count


print(watch([1, 2, 3]), outer(4))
"""

FLAT = """
import torch

rows = [3.0, 1.0, 2.0]
scale = []  # HERE
scale.append(max(rows))  # HERE
rows = [value / scale[0] for value in rows]
kept = sorted(rows)
print(kept, scale)
"""

PROGRAMS = {"script": SCRIPT, "functions": FUNCTIONS, "classes": CLASSES, "held": HELD, "flat": FLAT}
SEEDS = range(8)


def program(text: str, seed: int) -> Program:
    """A program in which the statements with a comment HERE are to be moved, and blamed."""
    here = [(n, n) for n, line in enumerate(text.split("\n"), 1) if "# HERE" in line]
    return Program({"main.py": text}, "main.py", {"main.py": here}, {}, random.Random(seed))


class Anything:
    """What an unknown library gives."""

    def __init__(self, **values: object) -> None:
        self.__dict__.update(values)

    def load_state_dict(self, state: object) -> None:
        pass

    def parameters(self) -> list[object]:
        return []

    def on_batch_begin(self) -> None:
        pass


@pytest.fixture(autouse=True)
def libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    """The unknown library, and as much of torch as a second model needs."""
    strangers = types.ModuleType("strangers")
    strangers.__dict__.update(
        build=Anything, weights=dict, values=lambda: {"depth": 3}, settings=Anything, callbacks=lambda: [Anything()]
    )
    torch = types.ModuleType("torch")
    layers = types.SimpleNamespace(Linear=lambda *sizes: lambda x: x)
    torch.__dict__.update(
        nn=layers, zeros=lambda *sizes: 0, optim=types.SimpleNamespace(SGD=lambda *a, **k: Anything())
    )
    layers.Linear = lambda *sizes: Layer()
    monkeypatch.setitem(sys.modules, "strangers", strangers)
    monkeypatch.setitem(sys.modules, "torch", torch)


class Layer(Anything):
    def __call__(self, x: object) -> object:
        return x


@contextlib.contextmanager
def files(texts: dict[str, str]) -> Iterator[None]:
    """Other files as modules that can be imported."""
    added = [path.removesuffix(".py") for path in texts if path != "main.py"]
    for name in added:
        module = types.ModuleType(name)
        sys.modules[name] = module
        exec(compile(texts[f"{name}.py"], name, "exec", dont_inherit=True), module.__dict__)
    try:
        yield
    finally:
        for name in added:
            del sys.modules[name]


def printed(texts: dict[str, str]) -> list[str]:
    """What a program says, without what a move lets it say."""
    out = io.StringIO()
    with files(texts), contextlib.redirect_stdout(out):
        exec(compile(texts["main.py"], "main.py", "exec", dont_inherit=True), {"__name__": "__main__"})
    return [line for line in out.getvalue().split("\n") if line not in ("[]", "0 []")]


def ways(text: str, by: Move) -> Iterator[Moved]:
    """A program after a move, in each way that chance gives."""
    for seed in SEEDS:
        new = moved(program(text, seed), by)
        if new is not None:
            yield new


@pytest.fixture(autouse=True)
def quiet_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Anything, "param_groups", [], raising=False)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("by", MOVES, ids=lambda m: m.name)
def test_a_moved_program_prints_the_same(by: Move, name: str) -> None:
    expected = printed({"main.py": PROGRAMS[name]})
    for new in ways(PROGRAMS[name], by):
        assert printed(new.texts) == expected, new.texts


@pytest.mark.parametrize("by", MOVES, ids=lambda m: m.name)
def test_each_move_moves_something_somewhere(by: Move) -> None:
    made = [new for text in PROGRAMS.values() for new in ways(text, by)]
    assert len(made) > 4
    assert all(new.texts != {"main.py": text} for text in PROGRAMS.values() for new in ways(text, by))


@pytest.mark.parametrize("by", [m for m in MOVES if m.name != "renamed"], ids=lambda m: m.name)
def test_what_may_be_blamed_is_found_again(by: Move) -> None:
    for new in ways(FUNCTIONS, by):
        blamed = {
            line.strip()
            for path, spans in new.places.items()
            for a, b in spans
            for line in new.texts[path].split("\n")[a - 1 : b]
        }
        assert any("weight - shrink(2 *" in line or "self.weight - shrink(2 *" in line for line in blamed), blamed


def test_renaming_leaves_no_word_of_the_user() -> None:
    (new, *_) = ways(SCRIPT, next(m for m in MOVES if m.name == "renamed"))
    names = {n.id for n in ast.walk(ast.parse(new.texts["main.py"])) if isinstance(n, ast.Name)}
    assert not names & {"rate", "weight", "best", "epoch", "total", "batch", "x", "y", "error", "gradient", "last"}
    assert {"sqrt", "range", "print"} <= names


STAYS = {
    "a return": "def f(x):\n    if x:\n        return 1  # HERE\n    return 2\n",
    "a jump": "def f(xs):\n    for x in xs:\n        if x:\n            break  # HERE\n",
    "a yield": "def f(xs):\n    for x in xs:\n        yield x  # HERE\n",
    "its own scope": "def f(x):\n    y = locals()  # HERE\n    return y\n",
    "a shared name": "def f(x):\n    global y\n    y = x  # HERE\n",
    "a name that is perhaps unbound": "def f(x):\n    if x:\n        y = 1\n    print(y)  # HERE\n",
    "a name that a function reads": "def f(x):\n    def g():\n        return y\n    y = x  # HERE\n    return g()\n",
}


@pytest.mark.parametrize("text", STAYS.values(), ids=list(STAYS))
@pytest.mark.parametrize("name", ["helper", "closure", "method", "partial", "decorator", "other-file"])
def test_what_cannot_be_moved_surely_stays(name: str, text: str) -> None:
    by = next(m for m in MOVES if m.name == name)
    assert list(ways(text, by)) == []


def test_the_sides_of_a_script_are_the_same_for_the_same_seed() -> None:
    from benchmarks.mutation.sides import Options, sides
    from benchmarks.mutation.units import units

    folder = os.path.join(os.path.dirname(__file__), "fixtures", "clean", "plain_script")
    script = next(units(folder))
    options = Options(mutants=2, moves=2, seed=5, only=frozenset({"missing-zero-grad", "helper", "shows-settings"}))
    first, second = (list(sides(script, script.name.partition(":")[2], options)) for _ in range(2))
    assert first == second
    assert {side.move for side in first} == {"helper", "shows-settings"}
    assert all(side.plain.found and side.found and not side.false for side in first)
