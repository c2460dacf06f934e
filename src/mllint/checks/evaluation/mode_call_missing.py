"""Is a method named where it is meant to be called?"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Iterator
from mllint.checks.evaluation._uncalled import own_property, uncalled
from mllint.rule import Finding, check
from mllint.semantics import Module, text
from mllint.semantics.tensors import uses_torch

__all__: list[str] = []

_SWITCHES = frozenset("train eval zero_grad step backward".split())


_TAKERS = frozenset("save dump deepcopy load_state_dict".split())


@check("mode-call-missing")
def mode_call_missing(module: Module) -> Iterator[Finding]:
    """A method is named where it is meant to be called."""
    if not uses_torch(module.frame):
        return
    for scope in module.module.scopes:
        for node in scope.expressions:
            if isinstance(node, ast.Attribute) and node.attr in _SWITCHES:
                if not own_property(node, scope, module, alone=True):
                    yield missing_call(node, module)
    for taker in module.module.calls_by_name.keys() & _TAKERS:
        for call, scope in module.module.calls_by_name[taker]:
            for argument in (*call.args, *(k.value for k in call.keywords)):
                for node in uncalled(argument, scope):
                    if scope is module.module.body or not own_property(node, scope, module):
                        yield missing_call(node, module)


def missing_call(node: ast.Attribute, module: Module) -> Finding:
    """The finding for one attribute."""
    return Finding(
        module.at(node), f"`{text(module.module, node)}` is not called: this does nothing", primary="named, not called"
    )
