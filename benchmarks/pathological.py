"""Inputs that nobody writes by hand: each shape is `make(size) -> {path: text}` and about linear in its size.

`SHAPES` names them, each with a size that a check should manage in a moment.
"""

from __future__ import annotations

import json
from collections.abc import Callable

__all__ = ["SHAPES"]

Files = dict[str, str]
HEAD = "import torch\nfrom torch import nn\nfrom torch.utils.data import DataLoader\n"
SETUP = """
model = nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(torch.randn(9, 4))
"""
TERM = "    loss = loss + model(x).sum() * {i}\n"
STEP = "    loss.backward()\n    optimizer.step()\n"


def one(body: str) -> Files:
    """A single training script."""
    return {"script.py": HEAD + SETUP + body}


def lines(template: str, size: int) -> str:
    """A template for each number below a size, in which `{i}` is the number."""
    return "".join(template.replace("{i}", str(i)) for i in range(size))


# ---------------------------------------------------------------------------------------------------------- expressions
def parentheses(size: int) -> Files:
    """Brackets inside of brackets."""
    return one(f"x = {'(' * size}1{')' * size}\n")


def nested_calls(size: int) -> Files:
    """Calls as arguments of calls, as deep as the parser goes, again and again."""
    nest = "torch.relu(" * 40 + "x" + ")" * 40
    return one("x = torch.randn(4)\n" + f"x = {nest}\n" * size)


def calls_chain(size: int) -> Files:
    """Methods of what methods give."""
    return one(f"x = torch.randn(4){'.abs()' * size}\nx.backward()\n")


def attribute_chain(size: int) -> Files:
    """One long dotted name."""
    return one(f"x = model{'.a' * size}\n")


def subscript_chain(size: int) -> Files:
    """One item of an item of an item."""
    return one(f"x = model{'[0]' * size}\n")


def dotted_import(size: int) -> Files:
    """The import of a module in a package in a package."""
    return one(f"import a{'.a' * size}\n")


def operators(size: int) -> Files:
    """A long sum."""
    return one(f"x = torch.randn(4)\nloss = {' + '.join(['x'] * size)}\nloss.backward()\n")


def comparisons(size: int) -> Files:
    """A long test."""
    test = " and ".join(f"flag{i}" for i in range(size))
    return one(f"for x in loader:\n    if {test}:\n        optimizer.zero_grad()\n    model(x).sum().backward()\n")


def concatenation(size: int) -> Files:
    """Many string literals side by side."""
    return one("x = (" + '"text" ' * size + ")\n")


def formatted(size: int) -> Files:
    """One f-string with many fields."""
    return one('x = f"' + "{loader}" * size + '"\n')


def dictionary(size: int) -> Files:
    """One literal dictionary of many entries."""
    return one("x = {\n" + lines('    "key{i}": {i},\n', size) + "}\n")


def tensors(size: int) -> Files:
    """A literal list of expressions."""
    return one("x = [" + "torch.randn(4), " * size + "]\nfor y in x:\n    model(y).sum().backward()\n")


def unpacking(size: int) -> Files:
    """Targets and values side by side."""
    names = ", ".join(f"x{i}" for i in range(size))
    return one(f"{names} = {names}\n")


def arguments(size: int) -> Files:
    """One function of many parameters, called once."""
    given = ", ".join(f"p{i}=x{i}" for i in range(size))
    return one(f"def train({', '.join(f'p{i}' for i in range(size))}):\n    p0.backward()\ntrain({given})\n")


# ----------------------------------------------------------------------------------------------------------- statements
def branches(size: int) -> Files:
    """Many tests in one training loop, each with a step."""
    side = "    if flag{i}:\n        optimizer.step()\n    else:\n        optimizer.zero_grad()\n"
    return one(f"for x in loader:\n    model(x).sum().backward()\n{lines(side, size)}")


def tries(size: int) -> Files:
    """Many protected steps in one training loop."""
    step = "    try:\n        optimizer.step()\n    except ValueError:\n        optimizer.zero_grad()\n"
    return one(f"for x in loader:\n    model(x).sum().backward()\n{step * size}")


def elifs(size: int) -> Files:
    """One long chain of alternatives."""
    side = "    elif kind == {i}:\n        optimizer.step()\n"
    return one(f"for x in loader:\n    if kind:\n        pass\n{lines(side, size)}    model(x).sum().backward()\n")


def jumps(size: int) -> Files:
    """Many tests that go on with the next batch."""
    side = "    if flag{i}:\n        optimizer.zero_grad()\n        continue\n"
    return one(f"for x in loader:\n{lines(side, size)}    model(x).sum().backward()\n    optimizer.step()\n")


def returns(size: int) -> Files:
    """A function with many exits."""
    side = "        if flag{i}:\n            return\n        optimizer.step()\n"
    return one(f"def train():\n    for x in loader:\n        model(x).sum().backward()\n{lines(side, size)}train()\n")


def steps(size: int) -> Files:
    """A program without a loop, written out."""
    return one("optimizer.zero_grad()\nloss = model(x).sum()\nloss.backward()\noptimizer.step()\n" * size)


def layers_in_lists(size: int) -> Files:
    """A list of layers that each line makes of itself, many times."""
    return one(f"x = {' + '.join(['x'] * size)}\n" * size + "nn.Sequential(*x)\n")


def terms(size: int) -> Files:
    """A loss of many terms, each from a run of the model."""
    return one(f"for x in loader:\n    loss = model(x).sum()\n{lines(TERM, size)}{STEP}")


def chosen_terms(size: int) -> Files:
    """A loss of many terms, each of which depends on a test."""
    chosen = "    loss = loss + (model(x) if x[{i}] else loss.detach())\n"
    return one(f"for x in loader:\n    loss = model(x).sum()\n{lines(chosen, size)}{STEP}")


def optimizers(size: int) -> Files:
    """A model of many layers with an optimizer for each."""
    made = lines("        self.l{i} = nn.Linear(4, 4)\n", size)
    run = lines("        x = self.l{i}(x)\n", size)
    return one(
        f"class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n{made}"
        f"    def forward(self, x):\n{run}        return x\nm = M()\n"
        + lines("o{i} = torch.optim.SGD(m.l{i}.parameters(), lr=0.1)\n", size)
        + "for x in loader:\n    m(x).sum().backward()\n"
        + lines("    o{i}.step()\n", size)
    )


def loops(size: int) -> Files:
    """One training loop after the other."""
    return one(
        "for x in loader:\n    optimizer.zero_grad()\n    model(x).sum().backward()\n    optimizer.step()\n" * size
    )


def nested_loops(size: int) -> Files:
    """Loops as deep as Python allows them, again and again."""
    nest = "".join(f"{'    ' * depth}for x{depth} in loader:\n" for depth in range(15))
    return one(f"{nest}{'    ' * 15}model(x0).sum().backward()\n{'    ' * 15}optimizer.step()\n" * size)


def nested_blocks(size: int) -> Files:
    """Branches as deep as Python allows them, again and again."""
    nest = "".join(f"{' ' * depth}if flag{depth}:\n" for depth in range(90))
    return one(f"{nest}{' ' * 90}optimizer.step()\n" * size)


def contexts(size: int) -> Files:
    """Many contexts, of which some take gradients away."""
    return one("for x in loader:\n" + "    with torch.no_grad():\n        model(x)\n" * size + "    loss.backward()\n")


def matches(size: int) -> Files:
    """Many `match` statements with a step behind each."""
    step = "    optimizer.step()\n    optimizer.zero_grad()\n"
    match = "    match x:\n        case (a{i}, b):\n            out = model(b)\n"
    match += "        case _:\n            out = model(x)\n    out.sum().backward()\n"
    return one("for x in loader:\n" + lines(match + step, size))


def held(size: int) -> Files:
    """Models and optimizers in dictionaries, each trained for one step."""
    build = "part{i} = dict(net=nn.Linear(4, 4), opt=torch.optim.SGD(model.parameters(), lr=0.1))\n"
    return one(lines(build, size) + lines("part{i}['net'](x).sum().backward()\npart{i}['opt'].step()\n", size))


def schedules(size: int) -> Files:
    """As many models, optimizers and schedules, stepped in one loop."""
    build = "net{i} = nn.Linear(4, 4)\nopt{i} = torch.optim.SGD(net{i}.parameters(), lr=0.1)\n"
    build += "plan{i} = torch.optim.lr_scheduler.CosineAnnealingLR(opt{i}, T_max=9)\n"
    step = "        opt{i}.zero_grad()\n        net{i}(x).sum().backward()\n        opt{i}.step()\n"
    head = "for epoch in range(9):\n    for x in loader:\n"
    return one(lines(build, size) + head + lines(step, size) + lines("    plan{i}.step()\n", size))


def freezes(size: int) -> Files:
    """Parts of a model that are frozen, and thawed after an epoch."""
    switch = "for p in model.part{i}.parameters():\n    p.requires_grad = "
    epoch = "for x in loader:\n    loss = model(x).sum()\n" + STEP
    return one(lines(f"{switch}False\n", size) + epoch + lines(f"{switch}True\n", size))


def logged(size: int) -> Files:
    """A loss that is logged, kept and added up in many places."""
    log = "    log({i}, loss.item())\n    kept{i} = loss\n    total{i} += loss\n"
    return one("for x in loader:\n    loss = model(x).sum()\n" + STEP + lines(log, size))


# ----------------------------------------------------------------------------------------------------------------- data
def splits(size: int) -> Files:
    """Splits of one table, each beside a scaler that has seen all of it."""
    head = "from sklearn.model_selection import train_test_split\nfrom sklearn.preprocessing import StandardScaler\n"
    scale = "scaler{i} = StandardScaler().fit(x)\nscaled{i} = scaler{i}.transform(a{i})\n"
    return one(head + lines("a{i}, b{i} = train_test_split(x, test_size=0.2)\n" + scale, size))


def loaders(size: int) -> Files:
    """Loaders for training and validation, each of which is measured on."""
    build = "train{i} = DataLoader(rows{i}, shuffle=True)\nval{i} = DataLoader(rows{i}, batch_size=4)\n"
    return one(lines(build, size) + lines("for x in val{i}:\n    print(model(x).argmax(1))\n", size))


def estimators(size: int) -> Files:
    """Models of scikit-learn, each fitted and measured on the same split."""
    head = "from sklearn.model_selection import train_test_split\nfrom sklearn.svm import SVC\n"
    fit = "svm{i} = SVC(C={i})\nsvm{i}.fit(a, b)\nprint(svm{i}.score(c, d))\n"
    return one(head + "a, c, b, d = train_test_split(X, y)\n" + lines(fit, size))


def shuffles(size: int) -> Files:
    """Orders that are drawn, each after a seed."""
    return one(lines("torch.manual_seed({i})\norder{i} = torch.randperm({i})\n", size))


def comprehensions(size: int) -> Files:
    """Lists of what a model gives, one from the other."""
    kept = "kept{i} = [f(model(x)) for x in rows{i} if x for y in x]\n"
    return one(lines(kept + "seen{i} = {k: v for k, v in zip(kept{i}, [model(z) for z in kept{i}])}\n", size))


def closures(size: int) -> Files:
    """Functions that make functions that train."""
    inner = "    def closure(x):\n        loss = model(x).sum()\n        loss.backward()\n        opt.step()\n"
    outer = "def make{i}(model, opt):\n" + inner + "    return closure\n"
    return one(lines(outer + "closure{i} = make{i}(model, optimizer)\nfor x in loader:\n    closure{i}(x)\n", size))


def assignments(size: int) -> Files:
    """A variable that each line makes from the one before."""
    return one("x = torch.randn(4)\n" + "x = x + 1\n" * size + "x.sum().backward()\n")


def carried(size: int) -> Files:
    """Many variables of a loop, each from another one in the iteration before."""
    body = "".join(f"    v{i} = v{(i + 1) % size} + model(x)\n" for i in range(size))
    return one(f"for x in loader:\n{body}    v0.sum().backward()\n")


def conditional_assignments(size: int) -> Files:
    """A variable that each of many tests may set anew."""
    return one("x = torch.randn(4)\n" + lines("if flag{i}:\n    x = model(x)\n", size) + "x.sum().backward()\n")


# ------------------------------------------------------------------------------------------- functions, classes, files
def functions(size: int) -> Files:
    """Many functions with a backward of their own."""
    return one(lines("def f{i}(a):\n    return a.backward()\n", size))


def trainers(size: int) -> Files:
    """Many functions that train, none of which is called."""
    body = "def f{i}(model, loader, optimizer):\n    for x in loader:\n        model(x).sum().backward()\n"
    return one(lines(body + "        optimizer.step()\n", size))


def samplers(size: int) -> Files:
    """Many functions that train, and as many that go round a loader with a sampler for ever."""
    rounds = "def rounds{i}():\n    while True:\n        yield from shared\n"
    shared = "shared = DataLoader(rows, sampler=DistributedSampler(rows))\n"
    head = "from torch.utils.data.distributed import DistributedSampler\nrows = torch.randn(9, 4)\n"
    return {"script.py": trainers(size)["script.py"] + head + shared + lines(rounds, size)}


def chain_of_functions(size: int) -> Files:
    """Functions that call the next one, and the last one trains."""
    return one(lines("def f{i}(a):\n    return f{i}_next(a)\n", size).replace("_next", "0") + "f0(model)\n") | {
        "chain.py": HEAD
        + "".join(f"def f{i}(a):\n    return f{i + 1}(a)\n" for i in range(size))
        + f"def f{size}(a):\n    a.sum().backward()\nf0(torch.randn(4))\n"
    }


def mutual_recursion(size: int) -> Files:
    """Functions in a circle, each of which calls the next two and trains."""
    each = "".join(
        f"def f{i}(a, model):\n    loss = model(a).sum()\n    loss.backward()\n"
        f"    return f{(i + 1) % size}(loss, model) + f{(i * 2 + 1) % size}(a, model)\n"
        for i in range(size)
    )
    return one(each + "f0(x, model)\n")


def fan_out(size: int) -> Files:
    """One function that many call, one after the other."""
    return one(
        "def step(a):\n    a.backward()\n    return a\n"
        + lines("def f{i}(a):\n    step(a)\n    return step(a)\n", size)
    )


def doubling(size: int) -> Files:
    """Functions that call the next one twice: a tree of calls that doubles with each."""
    each = "".join(f"def f{i}(a):\n    f{i + 1}(a)\n    f{i + 1}(a)\n" for i in range(size))
    return one(f"{each}def f{size}(a):\n    a.backward()\nf0(model(x))\n")


def decorators(size: int) -> Files:
    """One function with many decorators."""
    return one(
        "@torch.no_grad()\n" * size + "def evaluate(loader):\n    for x in loader:\n        model(x).backward()\n"
    )


def lambdas(size: int) -> Files:
    """A function that gives a function that gives a function, again and again."""
    return one(lines(f"f{{i}} = {'lambda a: ' * 30}a.backward()\n", size))


def nested_functions(size: int) -> Files:
    """Functions in functions, again and again."""
    nest = "".join(f"{' ' * depth}def f{depth}(a):\n" for depth in range(80))
    return one(f"{nest}{' ' * 80}a.backward()\n" * size)


def classes(size: int) -> Files:
    """Classes that each derive from the one before."""
    body = "class C{i}(Base):\n    def forward(self, x):\n        return super().forward(x)\n"
    made = "".join(body.replace("{i}", str(i)).replace("Base", f"C{i - 1}" if i else "nn.Module") for i in range(size))
    return one(f"{made}net = C{size - 1}()\nnet(torch.randn(4)).sum().backward()\n")


def diamonds(size: int) -> Files:
    """Classes that each derive from the two before."""
    made = "".join(f"class C{i}(C{i - 1}, C{i - 2}):\n    pass\n" for i in range(2, size))
    return one(f"class C0(nn.Module):\n    pass\nclass C1(C0):\n    pass\n{made}C{size - 1}()(x).sum().backward()\n")


def layers(size: int) -> Files:
    """A module of many layers, each of which `forward` calls."""
    made = lines("        self.l{i} = nn.Linear(4, 4)\n", size)
    used = lines("        x = self.l{i}(x)\n", size)
    init = f"    def __init__(self):\n        super().__init__()\n{made}"
    forward = f"    def forward(self, x):\n{used}        return x\n"
    return one(f"class Net(nn.Module):\n{init}{forward}Net()(torch.randn(4)).sum().backward()\n")


def methods(size: int) -> Files:
    """A class of many methods, each of which calls the next."""
    each = "".join(
        f"    def m{i}(self, x):\n        self.a{i} = x\n        return self.m{i + 1}(x)\n" for i in range(size)
    )
    return one(f"class Net(nn.Module):\n{each}    def m{size}(self, x):\n        x.backward()\nNet().m0(model(x))\n")


def imports(size: int) -> Files:
    """Many imports of what is not there."""
    return one(lines("import package{i}.module{i} as m{i}\nfrom other{i} import name{i}\n", size))


def names_imported(size: int) -> Files:
    """Many names in one import."""
    return one(f"from torch.nn import ({', '.join(f'Layer{i}' for i in range(size))})\n")


def stars(size: int) -> Files:
    """Files in a circle that each import everything of the next two."""
    text = HEAD + "from m{a} import *\nfrom m{b} import *\ndef f{i}(x):\n    return f{a}(x)\nf{b}(model).backward()\n"
    return {
        f"m{i}.py": text.replace("{a}", str((i + 1) % size))
        .replace("{b}", str((i * 3 + 1) % size))
        .replace("{i}", str(i))
        for i in range(size)
    }


def reexports(size: int) -> Files:
    """Files that hand a name on from one to the next, and the last one trains."""
    files = {f"m{i}.py": f"import torch\nfrom m{i + 1} import train\n" for i in range(size)}
    files[f"m{size}.py"] = HEAD + "def train(a):\n    a.backward()\n"
    files["main.py"] = "import torch\nfrom m0 import train\ntrain(torch.randn(4))\n"
    return files


def files(size: int) -> Files:
    """A package of many files that each import a shared one and train."""
    train = HEAD + "from package.base import Net\ndef train(loader):\n    net = Net()\n"
    train += "    optimizer = torch.optim.SGD(net.parameters())\n    for x in loader:\n"
    train += "        net(x).sum().backward()\n        optimizer.step()\n"
    base = HEAD + "class Net(nn.Module):\n    def forward(self, x):\n        return x\n"
    return {"package/__init__.py": "", "package/base.py": base, **{f"package/m{i}.py": train for i in range(size)}}


def notebook(size: int) -> Files:
    """A notebook of many cells."""
    cell = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
    sources = [
        HEAD + SETUP,
        *(["%matplotlib inline\nloss = model(x).sum()\n", "loss.backward()\n", "!ls\noptimizer.step()\n"] * size),
    ]
    cells = [{**cell, "source": source} for source in sources]
    return {"book.ipynb": json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)}


def comments(size: int) -> Files:
    """Many comments that suppress something, and as many findings."""
    return one(lines("x{i} = nn.CrossEntropyLoss()(model(x).softmax(-1), y)  # mllint: ignore[double-softmax]\n", size))


def findings(size: int) -> Files:
    """Many findings."""
    return one(lines("loss = nn.CrossEntropyLoss()(torch.softmax(model(x), -1), y)\n", size))


def broken(size: int) -> Files:
    """A file that ends in the middle."""
    return one("x = [\n" + "    torch.randn(4),\n" * size)


SHAPES: dict[str, tuple[Callable[[int], Files], int]] = {
    make.__name__.replace("_", "-"): (make, first)
    for make, first in (
        (parentheses, 50), (nested_calls, 50), (calls_chain, 100), (attribute_chain, 500), (subscript_chain, 500),
        (dotted_import, 5000), (operators, 300), (comparisons, 200), (concatenation, 5000), (formatted, 5000),
        (dictionary, 5000), (tensors, 1000), (unpacking, 2000), (arguments, 500),
        (branches, 50), (tries, 50), (elifs, 50), (jumps, 50), (returns, 50), (steps, 100), (terms, 50),
        (layers_in_lists, 10), (chosen_terms, 50), (optimizers, 25), (loops, 50),
        (nested_loops, 10), (nested_blocks, 10), (contexts, 100), (assignments, 300), (carried, 50),
        (conditional_assignments, 100),
        (matches, 25), (held, 25), (schedules, 25), (freezes, 50), (logged, 50), (splits, 50), (loaders, 50),
        (estimators, 50), (shuffles, 50), (comprehensions, 50), (closures, 50),
        (functions, 500), (trainers, 100), (samplers, 50), (chain_of_functions, 100), (mutual_recursion, 50),
        (fan_out, 200), (doubling, 10), (decorators, 500), (lambdas, 50), (nested_functions, 5), (classes, 50),
        (diamonds, 20), (layers, 100), (methods, 100), (imports, 500), (names_imported, 5000), (stars, 25),
        (reexports, 50), (files, 50), (notebook, 200), (comments, 200), (findings, 200), (broken, 2000),
    )
}  # fmt: skip
