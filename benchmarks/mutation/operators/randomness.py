"""Operators for the rules about chance: seeds, orders, workers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.mutation.edits import Edit, File, Mark, Mutant, Unit, keyword, last, operator
from benchmarks.mutation.shapes import option, steps, trained

SPLITS = {"random_split", "train_test_split", "randperm"}
SEEDS = ("manual_seed", "seed", "seed_everything", "set_seed", "manual_seed_all", "fix_seed", "set_random_seed")


def seeds(unit: Unit) -> list[Edit]:
    """The edits that take every seed away."""
    edits = []
    for other in unit.files:
        for name in SEEDS:
            edits += [other.delete(s) for s, _, _ in other.actions(name)]
        for call in other.calls("seed_everything", "set_seed", "fix_seed", "set_random_seed"):
            if not isinstance(call.func, ast.Attribute):
                edits.append(other.replace(call, "None"))
    return edits


@operator("unseeded-shuffle")
def drop_seed(unit: Unit, file: File) -> Iterator[Mutant]:
    """Nothing fixes which rows are held out. Where the parts are written to files, or nothing learns from them, other
    rows in the next run do no harm."""
    if not trains(unit):
        return
    for split in file.calls(*sorted(SPLITS)):
        edits = seeds(unit)
        own = keyword(split, "random_state") or keyword(split, "generator") or keyword(split, "seed")
        if own:
            edits.append(file.replace(own.value, "None"))
        cls = file.cls(split)
        if cls is not None and not re.search(rf"(?<!class )\b{cls.name}\(", unit.all):
            continue  # nobody in the unit uses it
        holds = last(split.func) != "randperm" or divides(file, split)
        holds = holds and not is_written(file, split)
        if edits and holds and runs(unit) and option(split, "shuffle", file) != "False" and not file.loops(split):
            yield Mutant(edits, [file.mark(split)])


def runs(unit: Unit) -> bool:
    """Is there a script in it? A package that only offers functions leaves the seed to who uses it."""
    told = (ast.For, ast.While, ast.With)
    body = [s for f in unit.files for s in f.tree.body]
    return "__main__" in unit.all or any(
        isinstance(s, told) or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)) for s in body
    )


def trains(unit: Unit) -> bool:
    """Is anything trained in it?"""
    return bool(re.search(r"\.(fit|train|backward|fit_generator|train_on_batch|minimize|apply_gradients)\(", unit.all))


def is_written(file: File, split: ast.Call) -> bool:
    """Is a part of a split written to a file: `train_df.to_csv(path)`, `np.save(path, train_idx)`?"""
    statement = file.statement(split)
    targets = getattr(statement.targets[0], "elts", statement.targets) if isinstance(statement, ast.Assign) else []
    parts = [re.escape(file.source(t)) for t in targets]
    writes = (rf"\b{p}\.to_\w+\(|\b(save|savez|savetxt|dump)\([^()]*,\s*{p}\b" for p in parts)
    return any(re.search(pattern, file.text) for pattern in writes)


def divides(file: File, split: ast.Call) -> bool:
    """Is a permutation cut into two parts: `order[:n]` and `order[n:]`?"""
    statement = file.statement(split)
    name = re.escape(file.source(statement.targets[0])) if isinstance(statement, ast.Assign) else "?"
    text = file.source(file.owner(split))
    return all(re.search(rf"(?<![\w.]){name}\[{cut}\]", text) for cut in (r"\s*:[^\]:]+", r"[^\]:]+:[^\]:]*"))


@operator("unseeded-training")
def train_without_seed(unit: Unit, file: File) -> Iterator[Mutant]:
    """A script that trains, without any seed; a package that only offers training leaves the seed to who uses it."""
    edits = seeds(unit)
    found = [f.mark(s.step) for f in unit.files for s in steps(f)]
    runs = "__main__" in unit.all or any(isinstance(f.owner(s.step), ast.Module) for f in unit.files for s in steps(f))
    if edits and found and runs and not re.search("random_state|Generator", unit.all) and file is unit.files[0]:
        loops = [f.mark(n) for f in unit.files for s in steps(f) for n in f.loops(s.step)]
        backwards = [f.mark(s.backward) for f in unit.files for s in steps(f)]
        yield Mutant(edits, [*found, *loops, *backwards])


@operator("reseeded-in-loop")
def seed_in_loop(unit: Unit, file: File) -> Iterator[Mutant]:
    """The same seed in every epoch, or in the function that trains one."""
    if "torch" not in file.imported:
        return
    for found in steps(file):
        loops = file.loops(found.step)
        function = file.owner(found.step)
        epochs = [n for n in loops if isinstance(n, ast.For) and "epoch" in file.source(n.target).lower()]
        outer = [n for n in epochs[:1] if found.block is not n.body]
        for loop in outer:
            for text in ("torch.manual_seed(42)", "seed = 1234\ntorch.manual_seed(seed)"):
                yield Mutant([file.before(loop.body[0], text)], [])
        kind = ast.Name if file.cls(function) is None else ast.Attribute  # not `model.train()` for `train(...)`
        called = [c for c in file.uses(function) if file.loops(c) and isinstance(c.func, kind)]
        called = [c for c in called if kind is ast.Name or file.source(c.func.value) == "self"]
        called = [c for c in called if "epoch" in file.source(file.loops(c)[0]).split("\n")[0].lower()]
        if called and isinstance(function, ast.FunctionDef) and loops and loops[-1] in function.body:
            marks = [file.mark(c) for c in called]
            yield Mutant([file.before(loops[-1], "torch.manual_seed(0)")], marks)
            yield Mutant([file.before(file.loops(called[0])[0].body[0], "torch.manual_seed(0)")], [])


@operator("reseeded-in-loop")
def move_seed_into_loop(unit: Unit, file: File) -> Iterator[Mutant]:
    """The seed of the script stands in the loop over the epochs, set by a function that one can see."""
    for name in ("manual_seed", "seed_everything", "set_seed"):
        for call in file.calls(name):
            statement = file.parents[call]
            if not isinstance(statement, ast.Expr) or file.loops(statement):
                continue
            known = rf"from (torch|transformers|accelerate|lightning|pytorch_lightning)\S* import [^\n]*\b{name}\b"
            if isinstance(call.func, ast.Name) and not unit.defines(name) and not re.search(known, file.text):
                continue
            for loop in (n for n in file.nodes if isinstance(n, ast.For) and file.owner(n) is file.owner(statement)):
                counts = "epoch" in file.source(loop.target).lower() and not file.loops(loop)
                trains = any(loop in file.loops(s.step) for s in steps(file)) or re.search(
                    r"\btrain\w*\(", file.source(loop)
                )
                if counts and trains and loop.lineno > statement.lineno:
                    text = file.source(statement)
                    yield Mutant([file.delete(statement), file.before(loop.body[0], text)], [])


# ------------------------------------------------------------------------------------------------------------- orders
@operator("unordered-data")
def drop_sorted(unit: Unit, file: File) -> Iterator[Mutant]:
    """A directory listing or a set that is not sorted any more."""
    for call in file.calls("sorted"):
        inner = call.args[0] if call.args else None
        if isinstance(inner, ast.Call) and len(call.args) == 1 and decides(unit, file, call):
            if last(inner.func) in ("listdir", "glob", "rglob", "iterdir", "scandir", "iglob"):
                text = file.source(inner)
                listed = text if last(inner.func) in ("listdir",) else f"list({text})"
                yield Mutant([file.replace(call, listed)], marks_of(file, call))
            elif last(inner.func) in ("set", "list") and "set(" in file.source(inner):
                listed = file.source(inner) if last(inner.func) == "list" else f"list({file.source(inner)})"
                yield Mutant([file.replace(call, listed)], marks_of(file, call))
        if isinstance(inner, ast.GeneratorExp) and len(call.args) == 1 and decides(unit, file, call):
            if re.search(r"iterdir\(|glob\(|listdir\(", file.source(inner.generators[0].iter)):
                yield Mutant([file.replace(call, f"[{file.source(call)[len('sorted(') : -1]}]")], marks_of(file, call))
        above = file.parents[call]
        numbers = isinstance(above, ast.Call) and last(above.func) == "enumerate"
        if numbers and isinstance(inner, ast.Call) and last(inner.func) == "set" and len(call.args) == 1:
            kept = re.search(r"\.save\(|save_pretrained|state_dict", unit.all)
            into = isinstance(file.statement(call), ast.Assign) and not call.keywords
            if kept and into and any(isinstance(n, ast.DictComp) for n in file.up(call)):
                yield Mutant([file.replace(call, file.source(inner))], [file.mark(file.statement(call))])
        numeric = (
            isinstance(inner, ast.SetComp) and last(getattr(inner.elt, "func", inner.elt)) == "int"
        )  # in one order
        if isinstance(inner, ast.SetComp) and len(call.args) == 1 and not numeric and decides(unit, file, call):
            yield Mutant([file.replace(call, f"list({file.source(inner)})")], marks_of(file, call))
    for statement, call, receiver in file.actions("sort"):
        made = [n for n in file.assigned(receiver) if re.search(r"listdir|glob\(|set\(", file.source(n.value))]
        if made and not call.args and not call.keywords and decides(unit, file, made[0].value):
            yield Mutant([file.delete(statement)], [file.mark(made[0]), *marks_of(file, made[0].value)])


def decides(unit: Unit, file: File, call: ast.AST) -> bool:
    """Does the order give numbers to classes, or is a part of it held out?"""
    statement = file.statement(call)
    name = file.source(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
    if not name or re.search("checkpoint|ckpt|weight|shard", name, re.IGNORECASE):
        return False  # all the files of one checkpoint are read, in whatever order
    calls = [n for n in file.nodes if isinstance(n, ast.Call) and n.args and file.source(n.args[0]) == name]
    numbered = any(last(n.func) == "enumerate" for n in calls)
    cut = any(last(n.func) == "train_test_split" for n in calls) or any(
        isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Slice) and file.source(n.value) == name
        for n in file.nodes
    )
    saved = re.search(r"\.save\(|save_pretrained|state_dict", unit.all)
    return bool(cut or (numbered and saved))


def marks_of(file: File, call: ast.AST) -> list[Mark]:
    statement = file.statement(call)
    name = file.source(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
    return [file.mark(n) for n in file.nodes if isinstance(n, (ast.Name, ast.Attribute)) and file.source(n) == name]


# ------------------------------------------------------------------------------------------------------------- workers
def worked(file: File) -> Iterator[ast.Call]:
    """Loaders with worker processes."""
    for call in file.calls("DataLoader"):
        workers = option(call, "num_workers", file)
        if workers and workers != "0" and re.fullmatch(r"\d+|[\w.\[\]\"']*workers?[\w\"'\]]*", workers):
            if not keyword(call, "worker_init_fn") and not any(k.arg is None for k in call.keywords):
                yield call


@operator("duplicated-worker-randomness")
def constant_worker_seed(unit: Unit, file: File) -> Iterator[Mutant]:
    """Every worker starts from the same seed."""
    aliases = {"np": "np.random.seed(0)", "random": "random.seed(0)", "numpy": "numpy.random.seed(0)"}
    for call in worked(file):
        for name, text in aliases.items():
            final = call.keywords[-1].value if call.keywords else call.args[-1]
            if name in file.imported:
                end = file.span(final)[1]
                edit = Edit(file.path, end, end, f", worker_init_fn=lambda worker: {text}")
                yield Mutant([edit], [file.mark(call)])
                if file.imports:
                    helper = f"\ndef init_worker(worker_id):\n    {text}\n\n"
                    edits = [
                        file.after(file.imports[-1], helper),
                        Edit(file.path, end, end, ", worker_init_fn=init_worker"),
                    ]
                    yield Mutant(edits, [file.mark(call)])


@operator("duplicated-worker-randomness")
def generator_in_dataset(unit: Unit, file: File) -> Iterator[Mutant]:
    """A dataset draws from a generator that it stores, in a program with loader workers."""
    if not any(True for f in unit.files for _ in worked(f)) or "np" not in file.imported:
        return
    for cls in file.classes():
        methods = {n.name: n for n in cls.body if isinstance(n, ast.FunctionDef)}
        get, init = methods.get("__getitem__"), methods.get("__init__")
        used = [f for f in unit.files if re.search(rf"(?<!class )\b{cls.name}\(", f.text)]
        if (
            get is None
            or init is None
            or not used
            or not trained(unit)
            or not any(last(b) == "Dataset" for b in cls.bases)
        ):
            continue
        returns = [n for n in ast.walk(get) if isinstance(n, ast.Return)]
        if len(returns) == 1:
            for made, draw in (("np.random.RandomState(0)", "rand()"), ("np.random.default_rng(0)", "random()")):
                stored = file.before(init.body[-1], f"self.rng = {made}")
                drawn = file.before(get.body[-1], f"flip = self.rng.{draw} < 0.5")
                if returns[0] is get.body[-1]:
                    yield Mutant([stored, drawn], [])
            yield Mutant([file.before(get.body[-1], "np.random.seed(0)\njitter = np.random.rand()")], [])


@operator("key-reuse")
def keep_old_key(unit: Unit, file: File) -> Iterator[Mutant]:
    """`key, subkey = split(key)` becomes `_, subkey = split(key)`, so that the next split of `key` gives the same."""
    for call in file.calls("split"):
        statement = file.statement(call)
        target = statement.targets[0] if isinstance(statement, ast.Assign) and statement.value is call else None
        names = [file.source(e) for e in getattr(target, "elts", ())]
        if "jax" not in file.imported or not call.args or file.source(call.args[0]) not in names[:1] or len(names) != 2:
            continue
        block = file.block(statement)
        later = [s for s in block[block.index(statement) + 1 :] if f"split({names[0]})" in file.source(s)]
        loops = file.loops(call)
        if loops or (later and isinstance(later[0], ast.Assign)):
            yield Mutant([file.replace(target.elts[0], "_")], [file.mark(s) for s in later[:1]])
