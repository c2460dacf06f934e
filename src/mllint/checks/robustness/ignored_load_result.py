"""What `load_state_dict` says about the keys is dropped, or taken for the model."""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import Call, load_results, place, state_keys

__all__: list[str] = []

_IN_PLACE = "the weights are loaded into the module itself; the return value lists the keys that did not match"


@check("ignored-load-result", calls="load_state_dict")
def ignored_load_result(call: Call) -> Iterator[Finding]:
    """What `load_state_dict` says about the keys is dropped, or taken for the model."""
    if not load_results.may_load_model(call):
        return
    name = load_results.find_replaced_model(call)
    if name is not None:
        message = f"`load_state_dict` loads in place: `{name}` becomes the report on mismatched keys, not the model"
        help = f"call it as a statement: `{call.name}(...)`"
        if not place(call.node.func):  # of a new model, which has no other name
            help = f"assign the model first, then call `{name}.load_state_dict(...)` as a statement"
        yield Finding(call, message, "returns the keys that did not match", help=help, why=_IN_PLACE)
    elif load_results.is_report_ignored(call) and state_keys.wants_all_keys(call).is_certain:
        message = "`strict=False` skips keys that do not match, and nothing checks which ones were skipped"
        yield Finding(call, message, "result ignored")
