"""Fixes of the family `finetuning`."""

from __future__ import annotations

import ast

from mllint.fixes.edits import keyword, replaced, segment, set_keyword, statement, view_of, without_keyword
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import Argument, Call, Site, place

__all__: list[str] = []


@fix("generation-prompt-in-training")
def begin_no_answer(finding: Finding) -> Proposal:
    """The template opens no answer."""
    opens = finding.at
    if not isinstance(opens, Argument) or not any(k.value is opens.node for k in opens.call.node.keywords):
        raise Unsure
    if finding.labels:  # other callers of the same function may generate
        raise Unsure
    changes = without_keyword(opens.call.site, "add_generation_prompt")
    return Proposal("Leave out `add_generation_prompt`", changes)


@fix("causal-lm-with-mlm-collator")
def hide_no_tokens(finding: Finding) -> Proposal:
    """The collator hides nothing."""
    site = finding.labels[0].at.site if finding.labels else finding.at.site
    if not isinstance(site.node, ast.Call):
        raise Unsure
    return Proposal("Pass `mlm=False`", set_keyword(Call(site.node, view_of(site).frame), "mlm", "False"))


@fix("double-bos")
def add_no_special_tokens(finding: Finding) -> Proposal:
    """The tokenizer adds nothing."""
    given = finding.at
    if not isinstance(given, Argument) or given.call.is_open:
        raise Unsure
    option = given.call.argument("add_special_tokens")
    if option is not None:
        return Proposal("Pass `add_special_tokens=False`", replaced(option.site, "False"))
    return Proposal("Pass `add_special_tokens=False`", keyword(given.call.site, "add_special_tokens", "False"))


@fix("unmasked-padding-labels")
def count_no_padding(finding: Finding) -> Proposal:
    """The labels of the padding are -100, where ids and mask are tensors of PyTorch."""
    padded = finding.labels[0].at if finding.labels else None
    if not isinstance(padded, Call) or padded.is_open or padded.argument("return_attention_mask") is not None:
        raise Unsure
    kind = padded.argument("return_tensors")
    if kind is None or kind.value.literal != "pt":
        raise Unsure
    site, own = finding.at.site, statement(finding.at.site).node
    if isinstance(own, ast.Assign) and site.node in (own, *own.targets):
        site = Site(site.module, own.value)
    ids = site.node
    if isinstance(ids, ast.Call) and isinstance(ids.func, ast.Attribute) and ids.func.attr == "clone":
        ids = ids.func.value  # what is masked is a copy
    written = segment(Site(site.module, ids))
    mask = written.replace("input_ids", "attention_mask")
    if written.count("input_ids") != 1 or place(_base(ids)) is None:
        raise Unsure
    changes = replaced(site, f"{written}.masked_fill({mask} == 0, -100)")
    return Proposal("Give the padding the label -100", changes)


def _base(node: ast.expr) -> ast.expr:
    """What the ids are read from: `batch` of `batch["input_ids"][i]` and of `batch.input_ids`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node
