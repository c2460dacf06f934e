"""Operators for the rules about fine-tuning language models: templates, adapters, trainers, and collators."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.mutation.edits import File, Mutant, Unit, keyword, last, operator

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
        text = call.args[0] if call.args else None
        written = [text, *(a.value for a in file.assigned(file.source(text)))] if text is not None else []
        templated = any("apply_chat_template" in file.source(w) for w in written if w is not None)
        if templated and text is not None and given is not None and file.source(given.value) == "False":
            yield Mutant([file.replace(given.value, "True")], [file.mark(call), file.mark(text)])


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
        decoded |= any(looks_up(file, n) for n in ast.walk(file.owner(node)) if isinstance(n, ast.Compare))
        if inside and not decoded and file.source(node).replace(" ", "").endswith("!=-100"):
            text = f"{file.source(node.left)} == {file.source(node.left)}"
            yield Mutant([file.replace(node, text)], [file.mark(node)])


def looks_up(file: File, condition: ast.Compare) -> bool:
    """Is a label a key where a condition holds, so that -100 raises: `[names[l] for l in row if l != -100]`?"""
    name = file.source(condition.left)
    within = next(n for n in file.up(condition) if isinstance(n, (ast.ListComp, ast.If, ast.stmt)))
    return any(isinstance(n, ast.Subscript) and file.source(n.slice) == name for n in ast.walk(within))


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
        for name in (p for p in parts if "optim" in p.lower() and is_prepared_once(file, p)):
            kept = ", ".join(p for p in parts if p != name)
            if kept:
                yield Mutant(
                    [file.replace(node, f"{kept} = {file.source(call.func)}({kept})")], [*map(file.mark, stepped)]
                )


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


@operator("frozen-new-head")
def head_unsaved(unit: Unit, file: File) -> Iterator[Mutant]:
    """The adapters of a classifier are no longer told to train its head, where no task tells them."""
    if not re.search(r"For(Sequence|Token)Classification", unit.all):
        return
    for call in file.calls("LoraConfig"):
        saved, task = keyword(call, "modules_to_save"), keyword(call, "task_type")
        heads = saved is not None and re.search(r"classifier|score", file.source(saved.value))
        if heads and saved is not None and task is None and len(call.keywords) > 1:
            text = re.sub(r",?\s*modules_to_save=" + re.escape(file.source(saved.value)), "", file.source(call))
            yield Mutant([file.replace(call, text.replace("(, ", "("))], [file.mark(call)])


@operator("embeddings-not-saved")
def tokens_added(unit: Unit, file: File) -> Iterator[Mutant]:
    """Tokens are added, and the embeddings resized, where a model gets adapters that leave its embeddings alone."""
    trains = re.search(r"\.backward\(|Trainer\(", unit.all)
    if not trains or re.search(r"modules_to_save|trainable_token|requires_grad|resize_token_embeddings", unit.all):
        return
    configs = [f.mark(c) for f in unit.files for c in f.calls("LoraConfig")]
    for call in file.calls("get_peft_model"):
        above, model = file.parents[call], file.source(call.args[0]) if call.args else ""
        names = [a.value for a in file.assigned("tokenizer") if file.owner(a) is file.owner(call)]
        loaded = [n for n in names if isinstance(n, ast.Call) and last(n.func) == "from_pretrained"]
        if (
            configs
            and isinstance(above, ast.Assign)
            and len(names) == len(loaded) == 1
            and names[0].lineno < call.lineno
        ):
            text = f'tokenizer.add_tokens(["<tool>", "</tool>"])\n{model}.resize_token_embeddings(len(tokenizer))'
            yield Mutant([file.before(above, text)], configs)


@operator("generation-prompt-in-training")
def text_opened(unit: Unit, file: File) -> Iterator[Mutant]:
    """A template that writes a text to learn from begins one more answer."""
    trainers = [f.mark(c) for f in unit.files for c in f.calls("SFTTrainer")]
    for call in file.calls("apply_chat_template") if trainers else ():
        opens, tokenize = keyword(call, "add_generation_prompt"), keyword(call, "tokenize")
        written = tokenize is not None and file.source(tokenize.value) == "False"
        column = re.search(r"(\[.text.\] *=|.text.:|return) *$", file.text[: file.span(call)[0]].rpartition("\n")[2])
        if written and column and opens is not None and file.source(opens.value) == "False":
            yield Mutant([file.replace(opens.value, "True")], [file.mark(call), file.mark(opens.value), *trainers])


@operator("loss-without-num-items")
def items_kept_back(unit: Unit, file: File) -> Iterator[Mutant]:
    """A trainer's loss no longer passes the number of items of the step on to what divides by it."""
    for function in file.functions("compute_loss"):
        uses = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == "num_items_in_batch"]
        calls = [
            k for k in ast.walk(function) if isinstance(k, ast.keyword) and file.source(k.value) == "num_items_in_batch"
        ]
        if len(uses) == len(calls) == 1:
            yield Mutant([file.replace(calls[0].value, "None")], [file.mark(function)])


@operator("unprepared-with-accelerate")
def loader_unprepared(unit: Unit, file: File) -> Iterator[Mutant]:
    """The shuffled loader of a loop is no longer among what accelerate prepares."""
    for node in (n for n in ast.walk(file.tree) if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call)):
        target, call = node.targets[0], node.value
        parts = [file.source(e) for e in target.elts] if isinstance(target, ast.Tuple) else []
        if parts != [file.source(a) for a in call.args] or not file.source(call.func).endswith("accelerator.prepare"):
            continue
        for name in parts:
            made = [a.value for a in file.assigned(name) if a is not node and isinstance(a.value, ast.Call)]
            shuffled = [c for c in made if last(c.func) == "DataLoader" and re.search("shuffle=True", file.source(c))]
            loops = [
                n
                for n in ast.walk(file.tree)
                if isinstance(n, ast.For) and re.search(rf"\b{name}\b", file.source(n.iter))
            ]
            trains = [n for n in loops if "accelerator.backward" in file.source(n)]
            if len(made) == len(shuffled) == 1 and trains and len(parts) > 1 and is_prepared_once(file, name):
                kept = ", ".join(p for p in parts if p != name)
                yield Mutant(
                    [file.replace(node, f"{kept} = {file.source(call.func)}({kept})")],
                    [file.mark(n.iter) for n in trains],
                )


def is_prepared_once(file: File, name: str) -> bool:
    """Is it prepared in one place only, and not in each branch?"""
    return sum(name in map(file.source, call.args) for call in file.calls("prepare")) == 1


@operator("template-mismatch")
def template_left_out(unit: Unit, file: File) -> Iterator[Mutant]:
    """What is generated from is the bare question, where the texts of the training follow a template."""
    for call in file.calls("tokenizer", "encode"):
        first, owner = call.args[0] if call.args else None, file.owner(call)
        if not isinstance(first, ast.Name) or not isinstance(owner, ast.FunctionDef):
            continue
        made = [a for a in file.assigned(first.id) if file.owner(a) is owner]
        generates = [c for c in file.calls("generate") if file.owner(c) is owner and "." in file.source(c.func)]
        match made[0].value if len(made) == 1 and generates else None:
            case ast.Call(args=[ast.Name(id=asked)], keywords=[]) if owner_takes(owner, asked):
                same = file.calls(last(made[0].value.func))
                if len([c for c in same if c is not made[0].value]) and "train" in file.text:
                    yield Mutant([file.replace(made[0].value, asked)], [file.mark(made[0].value), file.mark(call)])


def owner_takes(function: ast.FunctionDef, name: str) -> bool:
    return any(a.arg == name for a in function.args.args)
