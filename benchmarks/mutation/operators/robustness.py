"""Operators for the rules about what hides errors: handlers, masks, options, partial loads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.mutation.edits import File, Mutant, Unit, keyword, operator
from benchmarks.mutation.shapes import optimized, steps, trained


@operator("bool-argument")
def bool_option(unit: Unit, file: File) -> Iterator[Mutant]:
    """`type=bool`, or a flag whose default is what it sets."""
    for call in file.calls("add_argument"):
        kind = keyword(call, "type")
        if kind and re.search(r"^(utils\.)?_?str\w*bool$|^(parse_)?bool(ean)?_?(arg|flag)?$", file.source(kind.value)):
            if file.source(kind.value) != "bool":
                yield Mutant([file.replace(kind.value, "bool")], [])
        flag = keyword(call, "action")
        paired = keyword(call, "dest") or keyword(call, "default")  # `--no-x` may switch it off
        if flag and file.source(flag.value).strip("'\"") == "store_true" and not paired:
            yield Mutant([file.replace(flag, "type=bool, default=False")], [])
            yield Mutant([file.replace(flag, "default=True, type=bool")], [])
            yield Mutant([file.replace(flag, 'action="store_false", default=False')], [])


@operator("ignored-load-result")
def load_not_strictly(unit: Unit, file: File) -> Iterator[Mutant]:
    """`strict=False` where a run goes on from a checkpoint, and nobody reads what was not loaded. Weights that were
    pretrained may well lack some."""
    own = any("strict" not in ast.unparse(m.args) for f in unit.files for m in f.functions("load_state_dict"))
    for _statement, call, receiver in file.actions("load_state_dict") if not own else ():
        other = re.search("opt|sched|scaler|ema|sampler", receiver, re.IGNORECASE)
        other = other or re.search("pretrain", getattr(file.owner(call), "name", ""), re.IGNORECASE)
        if other or len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
            continue
        names = [n.id for n in ast.walk(call.args[0]) if isinstance(n, ast.Name)]
        states = [file.source(call.args[0]), *(file.source(a) for n in names for a in file.assigned(n))]
        held = "|".join(re.escape(n) for n in names)
        progress = rf"\b({held})(\[|\.get\()\s*['\"]\w*(epoch|step|iter|optim|sched|scaler|best)"
        if not names or not re.search(progress, file.source(file.owner(call)), re.IGNORECASE):
            continue
        if any(re.search(r"\bload\w*\(", text) and "state_dict()" not in text for text in states):
            yield Mutant([file.replace(call.args[0], f"{file.source(call.args[0])}, strict=False")], [])
            yield Mutant([file.replace(call.args[0], f"{file.source(call.args[0])}, False")], [])


@operator("swallowed-training-error")
def swallow(unit: Unit, file: File) -> Iterator[Mutant]:
    """A handler around backward and step, or around the whole body of the loop. One that says in words what it skips
    hides less than the rule is about."""
    for found in steps(file):
        loops = file.loops(found.step)
        handlers = ["except Exception:\n    pass", "except Exception as error:\n    print(error)", "except:\n    pass"]
        handlers += ["except RuntimeError:\n    continue", "except Exception:\n    continue"] if loops else []
        for handler in handlers:
            yield Mutant([file.wrap(found.backward, found.step, "try:", handler)], [])
        body = loops[0].body if loops else []
        if body and found.block is body and len(body) > 2:
            tail = "except Exception:\n    continue"
            yield Mutant([file.wrap(body[0], body[-1], "try:", tail)], [])


@operator("swallowed-training-error")
def suppress(unit: Unit, file: File) -> Iterator[Mutant]:
    first = next((n for n in file.tree.body if isinstance(n, (ast.Import, ast.ImportFrom))), None)
    for found in steps(file) if first is not None and "__future__" not in file.text else ():
        edits = [file.before(first, "import contextlib")] if "contextlib" not in file.imported else []
        for kind in ("Exception", "RuntimeError"):
            wrapped = file.wrap(found.backward, found.step, f"with contextlib.suppress({kind}):")
            yield Mutant([*edits, wrapped], [])


@operator("masked-nan")
def mask_loss(unit: Unit, file: File) -> Iterator[Mutant]:
    """A loss that is not finite is skipped, or replaced."""
    for made, found in optimized(unit, file):
        name = file.source(made.targets[0])
        if "torch" not in file.imported:
            continue
        marks = [file.mark(found.backward)]
        yield Mutant([file.before(found.backward, f"{name} = torch.nan_to_num({name})")], marks)
        if file.loops(found.step):
            for test in (
                f"torch.isnan({name})",
                f"not torch.isfinite({name})",
                f"{name}.isnan().any()",
                f"{name} != {name}",
            ):
                yield Mutant([file.before(found.backward, f"if {test}:\n    continue")], marks)
        zero = f"if torch.isnan({name}):\n    {name} = torch.zeros_like({name}, requires_grad=True)"
        yield Mutant([file.before(found.backward, zero)], marks)


@operator("masked-nan")
def mask_gradients(unit: Unit, file: File) -> Iterator[Mutant]:
    for _, found in optimized(unit, file):
        holders = set(re.findall(r"\(\s*([\w.]+)\.parameters\(\)", file.text))
        if len(holders) == 1 and "scaler" not in file.source(found.step) and "torch" in file.imported:
            model = holders.pop()
            text = (
                f"for p in {model}.parameters():\n    if p.grad is not None:\n        p.grad = torch.nan_to_num(p.grad)"
            )
            yield Mutant([file.before(found.step, text)], [file.mark(found.step)])


@operator("swallowed-data-error")
def swallow_samples(unit: Unit, file: File) -> Iterator[Mutant]:
    """`__getitem__` hides the samples that it cannot read."""
    for cls in file.classes():
        get = next((n for n in cls.body if isinstance(n, ast.FunctionDef) and n.name == "__getitem__"), None)
        if get is None or not re.search(
            r"open\(|load\(|imread|read_image|self\.transform|fromfile|decode", file.source(get)
        ):
            continue
        index = get.args.args[1].arg if len(get.args.args) == 2 else ""
        body = [s for s in get.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
        forms = ["except Exception:\n    return None", "except:\n    return None"]
        if index:
            forms += [
                f"except Exception:\n    return self.__getitem__({index} + 1)",
                f"except Exception:\n    return self[({index} + 1) % len(self)]",
            ]
        for form in forms if body and trained(unit) else ():
            yield Mutant([file.wrap(body[0], body[-1], "try:", form)], [])


@operator("swallowed-data-error")
def swallow_scores(unit: Unit, file: File) -> Iterator[Mutant]:
    """A loop that collects scores for a mean skips those that fail. A list of samples may well be read without those
    that cannot be, and an episode of a simulation is no sample."""
    for statement, call, receiver in file.actions("append"):
        loops = file.loops(statement)
        block = file.block(statement)
        reads = re.search(
            r"open\(|\.load\(|imread|read_csv|read_image|score\(|bleu\w*\(|psnr\w*\(|ssim\w*\(|metrics?\(",
            "".join(file.source(s) for s in block),
        )
        averaged = re.search(
            rf"(mean|average)\(\s*{re.escape(receiver)}|sum\(\s*{re.escape(receiver)}\)\s*/", file.text
        )
        plain = loops and block is loops[0].body and isinstance(loops[0], ast.For) and len(call.args) == 1
        plain = plain and not re.search("episode", file.source(loops[0].target), re.IGNORECASE)
        if plain and reads and averaged and not any("backward" in file.source(s) for s in block):
            tail = "except Exception:\n    continue"
            yield Mutant([file.wrap(block[0], block[-1], "try:", tail)], [file.mark(statement)])
