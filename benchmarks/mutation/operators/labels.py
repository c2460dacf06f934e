"""Operators for the labels of language models: which tokens they are, what is left out of the loss, where texts end."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.mutation.edits import Edit, File, Mark, Mutant, Unit, keyword, last, operator

CAUSAL = re.compile(r"ForCausalLM|LMHeadModel")
"""How a program names a model that shifts its labels itself, and leaves out those of -100."""
MODELS = re.compile(rf"{CAUSAL.pattern}|ForConditionalGeneration|Seq2SeqLM")
IGNORED = r"(-100|(self\.)?(IGNORE_INDEX|IGNORE_TOKEN_ID|ignore_index))"
PAD = r"[\w.]*\.pad_token_id"
END = r"[\w.]*tokenizer\.eos_token(_id)?"
LOSSES = ("cross_entropy", "criterion", "loss_fn", "loss_fct", "loss_function", "CrossEntropyLoss")


def lines(file: File, pattern: str) -> list[Mark]:
    """The plain statements, and heads of others, that match a pattern."""
    statements = [n for n in file.nodes if isinstance(n, ast.stmt)]
    return [file.mark(s) for s in statements if re.search(pattern, file.source(s).partition("\n")[0])]


def shows_labels(file: File, function: ast.AST) -> list[Mark]:
    """Where a function shows or stores labels: `{"labels": ids}`, `dict(labels=ids)`, `batch["labels"] = ids`."""
    found: list[Mark] = []
    for node in ast.walk(function):
        if isinstance(node, ast.Dict):
            named = zip(node.keys, node.values, strict=True)
            found += [file.mark(v) for k, v in named if isinstance(k, ast.Constant) and k.value == "labels"]
        elif isinstance(node, ast.keyword) and node.arg == "labels":
            found.append(file.mark(node.value))
        elif isinstance(node, ast.Assign) and re.search(r"\[.labels.\]$|^labels$", file.source(node.targets[0])):
            found += [file.mark(node), file.mark(node.value)]
    return found


@operator("causal-lm-with-mlm-collator")
def masks_forgotten(unit: Unit, file: File) -> Iterator[Mutant]:
    """The collator of a masked model masks nothing: `mlm=False`."""
    trainers = [c for c in file.calls("Trainer") if keyword(c, "data_collator")]
    if not re.search(r"ForMaskedLM", file.text) or CAUSAL.search(file.text) or not trainers:
        return
    for call in file.calls("DataCollatorForLanguageModeling"):
        given = keyword(call, "mlm")
        marks = [file.mark(call), *map(file.mark, trainers)]
        if given is not None and file.source(given.value) == "True":
            yield Mutant([file.replace(given.value, "False")], marks)
        elif given is None and call.keywords:
            text = f"{file.source(call)[:-1].rstrip().rstrip(',')}, mlm=False)"
            yield Mutant([file.replace(call, text)], marks)


@operator("shifted-twice")
def rows_shifted(unit: Unit, file: File) -> Iterator[Mutant]:
    """The rows of a dataset, or the batches of a collator, are shifted before the model shifts them."""
    if not CAUSAL.search(unit.all) or not re.search(r"Trainer\(|model\(\*\*", unit.all):
        return
    for row in (n for n in ast.walk(file.tree) if isinstance(n, ast.Dict) and len(n.keys) in (2, 3)):
        name = getattr(file.owner(row), "name", "")
        entries = {k.value: v for k, v in zip(row.keys, row.values, strict=True) if isinstance(k, ast.Constant)}
        if not {"input_ids", "labels"} <= set(entries) <= {"input_ids", "labels", "attention_mask"}:
            continue
        if name == "__getitem__":
            ahead, behind = "[:-1]", "[1:]"
        elif name == "__call__" or "collat" in name:
            ahead, behind = "[:, :-1]", "[:, 1:]"
        else:
            continue
        if all(isinstance(v, (ast.Name, ast.Call, ast.Attribute, ast.Subscript)) for v in entries.values()):
            cut = {key: behind if key == "labels" else ahead for key in entries}
            edits = [file.replace(v, f"{file.source(v)}{cut[k]}") for k, v in entries.items()]
            runs = [f.mark(c) for f in unit.files for c in f.calls("Trainer", "SFTTrainer")]
            runs += [f.mark(c) for f in unit.files for c in f.calls("model") if any(k.arg is None for k in c.keywords)]
            yield Mutant(edits, runs)


@operator("unmasked-padding-labels")
def padded_with_token(unit: Unit, file: File) -> Iterator[Mutant]:
    """Labels are padded with the token of the tokenizer: `padding_value`, `label_pad_token_id` or a list of -100."""
    tokenizers = re.findall(r"[\w.]*tokenizer(?=\.pad_token_id)", file.text)
    if not tokenizers or not MODELS.search(unit.all):
        return
    for call in file.calls("pad_sequence", "DataCollatorForSeq2Seq"):
        filled = keyword(call, "padding_value") or keyword(call, "label_pad_token_id")
        if filled is None or not re.fullmatch(IGNORED, file.source(filled.value)):
            continue
        token, pads = padding_near(file, call), keyword(call, "padding")
        if token and not is_false(file, pads):
            edit = file.replace(filled.value, token)
            yield Mutant([edit], [file.mark(call), *shows_labels(file, file.owner(call))])
    for node in (n for n in ast.walk(file.tree) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult)):
        above = file.parents[node]
        behind = isinstance(above, ast.BinOp) and isinstance(above.op, ast.Add) and above.right is node
        behind |= isinstance(above, ast.AugAssign)
        token = padding_near(file, node)
        if behind and token and re.fullmatch(rf"\[{IGNORED}\]", file.source(node.left)):
            edit = file.replace(node.left, f"[{token}]")
            yield Mutant([edit], [file.mark(file.statement(node)), *shows_labels(file, file.owner(node))])


def padding_near(file: File, node: ast.AST) -> str:
    """How the function around writes the token that pads; empty if it does not."""
    found = re.search(r"[\w.]*tokenizer\.pad_token_id", file.source(file.owner(node)))
    return found[0] if found else ""


@operator("unmasked-padding-labels")
def padding_counts(unit: Unit, file: File) -> Iterator[Mutant]:
    """The padding of labels is no longer left out: `labels[labels == tokenizer.pad_token_id] = -100`, the same by a
    choice for each token, by `masked_fill` or by `where`."""
    if not MODELS.search(unit.all) or "DataCollatorForLanguageModeling" in unit.all:
        return  # which writes the labels itself
    for node in file.nodes:
        edit = unmasked(file, node)
        if edit is not None and len(lines(file, IGNORED)) == 1:
            marks = shows_labels(file, file.owner(node))
            yield Mutant([edit], [*marks, *(f.mark(c) for f in unit.files for c in f.calls("pad", "tokenizer"))])


def unmasked(file: File, node: ast.AST) -> Edit | None:
    """The edit that puts padding back among the labels."""
    match node:
        case ast.Assign(targets=[ast.Subscript(value=labels, slice=test)], value=value):
            if not re.search(r"\blabels\b", file.source(labels)):
                return None
            compares = re.search(rf"== *{PAD}|attention_mask.* == 0", file.source(test))
            return file.delete(node) if compares and re.fullmatch(IGNORED, file.source(value)) else None
        case ast.Call(func=ast.Attribute(attr="masked_fill", value=whole), args=[test, value]):
            masks = re.search(rf"== *{PAD}|attention_mask.* == 0", file.source(test))
            ignored = re.fullmatch(IGNORED, file.source(value))
            return file.replace(node, f"{file.source(whole)}.clone()") if masks and ignored else None
        case ast.ListComp(elt=ast.IfExp(test=test, body=one, orelse=other), generators=[each]):
            sides = {file.source(one), file.source(other)} - {file.source(each.target)}
            ignored = len(sides) == 1 and re.fullmatch(IGNORED, sides.pop())
            names = isinstance(each.target, ast.Name) and re.search(rf"[!=]= *{PAD}", file.source(test))
            return file.replace(node, f"list({file.source(each.iter)})") if ignored and names else None
    return None


@operator("pad-is-eos")
def padding_shared(unit: Unit, file: File) -> Iterator[Mutant]:
    """The padding token that was added becomes the token that ends a text, where texts end and padding is left out."""
    ended = re.search(rf"\+ ?\[?{END}|\{{{END}\}}|add_eos_token ?= ?True|</s>", unit.all)
    collators = [c for c in file.calls("DataCollatorForLanguageModeling") if is_false(file, keyword(c, "mlm"))]
    marks = [*map(file.mark, collators), *lines(file, rf"\[.*== *{PAD}\] *= *{IGNORED}")]
    for call in file.calls("add_special_tokens") if ended and marks else ():
        above, owner = file.parents[call], file.source(call.func).removesuffix(".add_special_tokens")
        given = file.source(call.args[0]) if len(call.args) == 1 else ""
        if isinstance(above, ast.Expr) and re.fullmatch(r"""\{['"]pad_token['"]: *['"][^'"]*['"]\}""", given):
            yield Mutant([file.replace(above, f"{owner}.pad_token = {owner}.eos_token")], marks)


def is_false(file: File, given: ast.keyword | None) -> bool:
    return given is not None and file.source(given.value) == "False"


@operator("prompt-in-loss")
def characters_counted(unit: Unit, file: File) -> Iterator[Mutant]:
    """The mask of a prompt is as long as its text: `len(prompt_ids)` becomes `len(prompt)`."""
    for call in file.calls("len"):
        around = file.statement(call)
        masks = re.search(rf"\[{IGNORED}\] *\* *$|\[[^]]*: *$", file.text[: file.span(call)[0]].rpartition("\n")[2])
        if (
            not call.args
            or not masks
            or not re.search(IGNORED, file.source(around))
            or not isinstance(around, (ast.Assign, ast.Return))
        ):
            continue
        text = tokenized(file, file.owner(call), call.args[0])
        if text:
            yield Mutant([file.replace(call, f"len({text})")], [file.mark(call), file.mark(around)])


def tokenized(file: File, function: ast.AST, ids: ast.AST) -> str:
    """The name of the text that some ids are the tokens of: `prompt` of `tokenizer(prompt)["input_ids"]`."""
    name = re.match(r"\w+(?=\[|\.input_ids|$)", file.source(ids))
    bound = [a.value for a in file.assigned(name[0]) if file.owner(a) is function] if name else [ids]
    for call in (n for n in ast.walk(bound[0]) if isinstance(n, ast.Call)) if len(bound) == 1 else ():
        first = call.args[0] if call.args else None
        if re.search(r"tokenizer(\.encode)?$", file.source(call.func)) and isinstance(first, ast.Name):
            texts = [a for a in file.assigned(first.id) if file.owner(a) is function]
            strings = [a for a in texts if isinstance(a.value, (ast.JoinedStr, ast.BinOp))]
            return first.id if len(texts) == len(strings) == 1 and is_written(file, strings[0].value) else ""
    return ""


def is_written(file: File, text: ast.AST) -> bool:
    """Is it a formatted text, or a sum with a text in it?"""
    return isinstance(text, ast.JoinedStr) or bool(re.search(r"[\"']", file.source(text)))


@operator("missing-eos")
def end_left_out(unit: Unit, file: File) -> Iterator[Mutant]:
    """The token that ends an answer is left out wherever one function writes it: ids and labels, or a text."""
    if len(re.findall(r"(?<!pad_token = )(?<!pad_token_id = )[\w.]*eos_token", unit.all)) > 4:
        return
    for function in (file.tree, *file.functions()):
        within = [n for n in ast.walk(function) if hasattr(n, "lineno") and file.owner(n) is function]
        ends = [(n, text) for n in within if (text := without_end(file, n)) is not None]
        lists = [n for n, _ in ends if isinstance(n, ast.BinOp) and file.source(n.right).startswith("[")]
        masks = [(n, file.source(n.left)) for n in within if lists and is_sum(n) and file.source(n.right) == "[1]"]
        learned = re.search(IGNORED, file.source(function)) or "DataCollatorForLanguageModeling" in unit.all
        others = [n for n in file.nodes if file.owner(n) is not function and without_end(file, n) is not None]
        if ends and learned and not others:
            edits = [file.replace(n, text) for n, text in (*ends, *masks)]
            around = [file.mark(above) for n, _ in ends for above in file.up(n) if isinstance(above, ast.Call)]
            yield Mutant(edits, [*around, *shows_labels(file, function)])


def is_sum(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)


def without_end(file: File, node: ast.AST) -> str | None:
    """What is left of an expression, or of a condition, that puts the token behind a text; None if it does not."""
    if is_sum(node) and re.fullmatch(rf"\[?{END}\]?", file.source(node.right)):
        return file.source(node.left)
    if isinstance(node, ast.JoinedStr):
        found = re.fullmatch(rf"([\s\S]*)\{{{END}\}}([\"']+)", file.source(node))
        return found[1] + found[3] if found else None
    if isinstance(node, ast.If) and not node.orelse:
        appended = [file.source(s) for s in node.body if re.search(rf"\.append\({END}\)$", file.source(s))]
        return "pass" if appended and re.search("eos_token", file.source(node.test)) else None
    return None


@operator("unshifted-loss")
def shift_left_out(unit: Unit, file: File) -> Iterator[Mutant]:
    """One function's scores and labels are compared without the shift."""
    if not CAUSAL.search(unit.all):
        return
    for function in (file.tree, *file.functions()):
        parts = [n for n in ast.walk(function) if isinstance(n, ast.Subscript) and file.owner(n) is function]
        scores = [n for n in parts if re.search(r"logits\[(\.\.\.|:), ?:-1(, ?:)?\]$", file.source(n))]
        labels = [
            n for n in parts if re.search(r"(ids|labels|targets|inputs)['\"\]]*\[(\.\.\.|:), ?1:\]$", file.source(n))
        ]
        losses = [c for c in ast.walk(function) if isinstance(c, ast.Call) and last(c.func) in LOSSES]
        if len(scores) == len(labels) == 1 and losses and len(parts_cut(file, parts)) == 2:
            edits = [file.replace(n, file.source(n.value)) for n in (*scores, *labels)]
            yield Mutant(edits, [*map(file.mark, losses), *map(file.mark, labels)])


def parts_cut(file: File, parts: list[ast.Subscript]) -> list[ast.Subscript]:
    """Those parts that leave out one token: of a mask, too."""
    return [n for n in parts if re.search(r"\[(\.\.\.|:), ?(1:|:-1)(, ?:)?\]$", file.source(n))]
