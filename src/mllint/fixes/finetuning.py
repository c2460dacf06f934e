"""Fixes of the family `finetuning`."""

from __future__ import annotations

import ast

from mllint.fixes.edits import keyword, replaced, set_keyword, view_of, without_keyword
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import Argument, Call

__all__: list[str] = []


@fix("generation-prompt-in-training")
def begin_no_answer(finding: Finding) -> Proposal:
    """The template opens no answer."""
    opens = finding.at
    if not isinstance(opens, Argument) or not any(k.value is opens.node for k in opens.call.node.keywords):
        raise Unsure
    changes = without_keyword(opens.call.site, "add_generation_prompt")
    return Proposal("Leave out `add_generation_prompt`", changes)


@fix("causal-lm-with-mlm-collator")
def hide_no_tokens(finding: Finding) -> Proposal:
    """The collator hides nothing."""
    site = finding.labels[0].at.site if finding.labels else finding.at.site
    if not isinstance(site.node, ast.Call):
        raise Unsure
    return Proposal("Say `mlm=False`", set_keyword(Call(site.node, view_of(site).frame), "mlm", "False"))


@fix("double-bos")
def add_no_special_tokens(finding: Finding) -> Proposal:
    """The tokenizer adds nothing."""
    given = finding.at
    if not isinstance(given, Argument) or given.call.is_open:
        raise Unsure
    said = given.call.argument("add_special_tokens")
    if said is not None:
        return Proposal("Say `add_special_tokens=False`", replaced(said.site, "False"))
    return Proposal("Say `add_special_tokens=False`", keyword(given.call.site, "add_special_tokens", "False"))
