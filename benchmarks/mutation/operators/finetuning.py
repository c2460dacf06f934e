"""Operators for the rules about fine-tuning language models: labels, padding, templates, trainers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.mutation.edits import File, Mutant, Unit, keyword, operator

COLLATOR = "DataCollatorForLanguageModeling"


def collators(file: File) -> Iterator[ast.Call]:
    """The collators for causal models: `DataCollatorForLanguageModeling(..., mlm=False)`."""
    for call in file.calls(COLLATOR):
        given = keyword(call, "mlm")
        if given is not None and file.source(given.value) == "False":
            yield call


@operator("causal-lm-with-mlm-collator")
def hidden_tokens(unit: Unit, file: File) -> Iterator[Mutant]:
    """`mlm=False` becomes the default, in a file that loads a causal model and builds its trainer, and whose tokenizer
    has a mask token: without one, the collator raises."""
    trainers = [c for c in file.calls("Trainer") if keyword(c, "data_collator")]
    masks = re.search(r"mask_token|BertTokenizer", file.text)
    if re.search(r"ForCausalLM|LMHeadModel", file.text) and masks and trainers:
        for call in collators(file):
            given = keyword(call, "mlm")
            if given is not None:
                yield Mutant([file.replace(given.value, "True")], [file.mark(call), *map(file.mark, trainers)])


@operator("pad-is-eos")
def padding_of_its_own_lost(unit: Unit, file: File) -> Iterator[Mutant]:
    """The padding token of its own becomes the token that ends a text, in a file that ends its texts."""
    ended = re.search(r"\+ ?\w*\.?eos|\{[\w.]*eos_token\}|</s>|apply_chat_template|add_eos_token ?= ?True", file.text)
    marks = [file.mark(c) for c in collators(file)] if ended else []
    for node in (n for n in ast.walk(file.tree) if isinstance(n, ast.Assign)):
        target = file.source(node.targets[0])
        if marks and target.endswith(".pad_token") and "eos" not in file.source(node.value):
            owner = target.removesuffix(".pad_token")
            yield Mutant([file.replace(node.value, f"{owner}.eos_token")], marks)


@operator("shifted-twice")
def shifted_by_hand(unit: Unit, file: File) -> Iterator[Mutant]:
    """Ids that are input and labels at once are shifted before the causal model of the file shifts them."""
    if not re.search(r"ForCausalLM|LMHeadModel", file.text):
        return
    for call in (n for n in ast.walk(file.tree) if isinstance(n, ast.Call)):
        ids, labels = keyword(call, "input_ids"), keyword(call, "labels")
        if ids is None or labels is None or file.source(ids.value) != file.source(labels.value):
            continue
        if keyword(call, "attention_mask") is not None:
            continue  # as long as the ids were: that raises
        name = file.source(ids.value)
        edits = [file.replace(ids.value, f"{name}[:, :-1]"), file.replace(labels.value, f"{name}[:, 1:]")]
        yield Mutant(edits, [file.mark(labels.value), file.mark(call)])


@operator("unmasked-padding-labels")
def padding_counts(unit: Unit, file: File) -> Iterator[Mutant]:
    """The statement that replaces padding by -100 in a copy of the ids is left out."""
    for node in (n for n in ast.walk(file.tree) if isinstance(n, ast.Assign)):
        masked = re.fullmatch(r"(\w+)\[['\"]labels['\"]\]\[.*\]", file.source(node.targets[0]))
        copied = list(file.assigned(f'{masked[1]}["labels"]')) if masked else []
        if copied and file.source(node.value) == "-100":
            yield Mutant([file.delete(node)], [file.mark(a) for a in copied])


@operator("double-bos")
def special_tokens_again(unit: Unit, file: File) -> Iterator[Mutant]:
    """A text from a chat template is no longer tokenized without special tokens, where the file names weights whose
    tokenizer adds a first token."""
    if not re.search(r"llama|mistral|gemma", file.text, re.IGNORECASE) or re.search(
        r"qwen|phi-", file.text, re.IGNORECASE
    ):
        return
    for call in (n for n in ast.walk(file.tree) if isinstance(n, ast.Call)):
        given = keyword(call, "add_special_tokens")
        if given is not None and file.source(given.value) == "False" and "apply_chat_template" in file.text:
            yield Mutant(
                [file.replace(given.value, "True")], [file.mark(call), file.mark(call.args[0])] if call.args else []
            )


@operator("generation-prompt-in-training")
def answer_opened(unit: Unit, file: File) -> Iterator[Mutant]:
    """A template that ends with an answer opens one more."""
    for call in file.calls("apply_chat_template"):
        given = call.args[0] if call.args else None
        written = [given, *(a.value for a in file.assigned(file.source(given)))] if given is not None else []
        roles = [re.findall(r"['\"]role['\"]: *['\"](\w+)", file.source(n)) for n in written if n is not None]
        ends = any(found and found[-1] == "assistant" for found in roles)
        if ends and keyword(call, "add_generation_prompt") is None:
            text = f"{file.source(call.args[0])}, add_generation_prompt=True"
            yield Mutant([file.replace(call.args[0], text)], [file.mark(call), file.mark(call.args[0])])


@operator("embeddings-not-saved")
def embeddings_forgotten(unit: Unit, file: File) -> Iterator[Mutant]:
    """Adapters are no longer told to train the embeddings."""
    for call in file.calls("LoraConfig"):
        saved = keyword(call, "modules_to_save")
        if saved is not None and "resize_token_embeddings" in file.text and len(call.keywords) > 1:
            text = re.sub(r",?\s*modules_to_save=" + re.escape(file.source(saved.value)), "", file.source(call))
            yield Mutant([file.replace(call, text)], [file.mark(call)])


@operator("metric-counts-ignored")
def labels_unmasked(unit: Unit, file: File) -> Iterator[Mutant]:
    """The mask of a metric takes the labels of -100 in. Where what it masks is decoded, -100 is no token: that raises,
    or is clipped to one that is skipped."""
    for node in (n for n in ast.walk(file.tree) if isinstance(n, ast.Compare)):
        inside = any(isinstance(above, ast.FunctionDef) and "metric" in above.name for above in file.up(node))
        above = file.parents[node]
        decoded = isinstance(above, ast.Call) and any("_token" in file.source(a) for a in above.args)
        if inside and not decoded and file.source(node).replace(" ", "").endswith("!=-100"):
            text = f"{file.source(node.left)} == {file.source(node.left)}"
            yield Mutant([file.replace(node, text)], [file.mark(node)])


@operator("loss-without-num-items")
def items_ignored(unit: Unit, file: File) -> Iterator[Mutant]:
    """A trainer's loss is no longer divided by the number of items of the step."""
    for node in (n for n in ast.walk(file.tree) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div)):
        function = file.owner(node)
        if file.source(node.right) == "num_items_in_batch" and getattr(function, "name", "") == "compute_loss":
            yield Mutant([file.replace(node, file.source(node.left))], [file.mark(function)])


@operator("unprepared-with-accelerate")
def optimizer_unprepared(unit: Unit, file: File) -> Iterator[Mutant]:
    """The optimizer, or the loader, of a loop is no longer among what accelerate prepares."""
    stepped = [s for s, _, text in file.actions("step", "optim")]
    for node in (n for n in ast.walk(file.tree) if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call)):
        target, call = node.targets[0], node.value
        parts = [file.source(e) for e in target.elts] if isinstance(target, ast.Tuple) else []
        if parts != [file.source(a) for a in call.args] or not file.source(call.func).endswith(".prepare"):
            continue
        for name in (p for p in parts if "optim" in p.lower()):
            kept = ", ".join(p for p in parts if p != name)
            if kept:
                yield Mutant(
                    [file.replace(node, f"{kept} = {file.source(call.func)}({kept})")], [*map(file.mark, stepped)]
                )


@operator("prompt-in-loss")
def characters_counted(unit: Unit, file: File) -> Iterator[Mutant]:
    """The mask of a prompt is as long as its text: `len(tokenizer(prompt).input_ids)` becomes `len(prompt)`."""
    lines = [s for s in file.nodes if isinstance(s, ast.stmt)]
    masks = [file.mark(s) for s in lines if "-100" in file.source(s).partition("\n")[0]]
    for call in file.calls("len"):
        given = file.source(call.args[0]) if call.args else ""
        counted = re.match(r"[\w.]*tokenizer(?:\.encode)?\((\w*prompt\w*)\b[^\n]*$", given)
        if counted and masks:
            yield Mutant([file.replace(call, f"len({counted[1]})")], [file.mark(call), *masks])


@operator("missing-eos")
def end_left_out(unit: Unit, file: File) -> Iterator[Mutant]:
    """The only token that ends an answer is left out: `+ tokenizer.eos_token`, `+ [tokenizer.eos_token_id]`."""
    sums = [n for n in ast.walk(file.tree) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Add)]
    ends = [n for n in sums if re.fullmatch(r"\[?[\w.]*tokenizer\.eos_token(_id\])?", file.source(n.right))]
    if len(ends) == 1 and "-100" in file.text:
        around = [file.mark(above) for above in file.up(ends[0]) if isinstance(above, ast.Call)][:1]
        yield Mutant([file.replace(ends[0], file.source(ends[0].left))], [file.mark(ends[0]), *around])


@operator("template-mismatch")
def asked_otherwise(unit: Unit, file: File) -> Iterator[Mutant]:
    """A prompt that is written out begins with other words than the texts of the training."""
    if "train_dataset" not in file.text or "generate" not in file.text:
        return
    for call in file.calls("tokenizer"):
        first = call.args[0] if call.args else None
        begins = re.match(r"(f?[\"'])#* ?\w+:", file.source(first)) if first is not None else None
        trained = begins is not None and file.text.count(begins[0].lstrip("f")[1:]) > 1
        if first is not None and begins is not None and trained:
            text = f"{begins[1]}Please answer. {file.source(first)[len(begins[1]) :]}"
            yield Mutant([file.replace(first, text)], [file.mark(first), file.mark(call)])


@operator("unshifted-loss")
def shift_left_out(unit: Unit, file: File) -> Iterator[Mutant]:
    """The scores and the ids of a causal model's loss are compared without the shift: `[..., :-1, :]`, `[..., 1:]`."""
    if not re.search(r"ForCausalLM|LMHeadModel", file.text):
        return
    parts = [n for n in ast.walk(file.tree) if isinstance(n, ast.Subscript)]
    scores = [n for n in parts if re.search(r"logits\[(\.\.\.|:), :-1(, :)?\]$", file.source(n))]
    labels = [n for n in parts if re.search(r"(ids|labels)['\"\]]*\[(\.\.\.|:), 1:\]$", file.source(n))]
    measures = "cross_entropy|criterion|loss_fn|loss_fct|CrossEntropyLoss"
    if len(scores) == len(labels) == 1 and re.search(measures, file.source(file.owner(scores[0]))):
        edits = [file.replace(n, file.source(n.value)) for n in (*scores, *labels)]
        losses = [c for name in measures.split("|") for c in file.calls(name)]
        yield Mutant(edits, [*map(file.mark, losses), *map(file.mark, labels)])


@operator("frozen-new-head")
def task_unsaid(unit: Unit, file: File) -> Iterator[Mutant]:
    """The adapters of a classifier are no longer told its task."""
    if not re.search(r"For(Sequence|Token)Classification", file.text) or "modules_to_save" in file.text:
        return
    for call in file.calls("LoraConfig"):
        task = keyword(call, "task_type")
        if task is not None and re.search(r"SEQ_CLS|TOKEN_CLS", file.source(task.value)) and len(call.keywords) > 1:
            text = re.sub(r",?\s*task_type=" + re.escape(file.source(task.value)), "", file.source(call))
            yield Mutant([file.replace(call, text.replace("(, ", "("))], [file.mark(call)])
