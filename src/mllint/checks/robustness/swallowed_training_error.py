"""A handler around a training step, an optimizer's construction or the loading of weights hides the error."""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, Options, check
from mllint.semantics.api import Function, Site, handlers, last_name, protected, text

__all__: list[str] = []

_WITHOUT = "after an error, the run goes on without this {}, as if that were intended"
_UNLOADED = "after an error, the run goes on with initial or half-loaded weights, as if that were intended"
_LET_THROUGH = "catch only the exception that you expect, and let all others propagate"
_IF_THERE = "load only if the file exists, and let errors while loading propagate"
_NARROWEST = "catch the narrowest exception, such as `torch.OutOfMemoryError`, count it, and raise when it is not rare"
_ONE_CALL = "keep the `try` to the one call that is expected to fail, count failures, and raise when they are not rare"
_RUNTIME = "PyTorch raises `RuntimeError` for most bugs, such as wrong shapes: each now looks like a skipped batch"
_NARROW = "bugs raise this exception as well: each of them now looks like a skipped batch"


def _advice(what: str, caught: set[str], *, printed: bool = False) -> tuple[str, str]:
    """What to do, and why, for what is protected against which exceptions; empty for what the page says."""
    if what == protected.LOADING:
        return _IF_THERE if printed else _LET_THROUGH, _UNLOADED
    if what.startswith("building"):
        return _LET_THROUGH, _WITHOUT.format(what.rpartition(" ")[2])
    if caught & handlers.ANY:
        return "", ""
    return (_NARROWEST, _RUNTIME) if "RuntimeError" in caught else (_ONE_CALL, _NARROW)


def _when(what: str) -> str:
    """The words for an error in what a handler protects."""
    return f"in {what}" if what.startswith("the ") else f"while {what}"


def _label(what: str) -> str:
    """The label of what a handler protects."""
    verb, _, thing = what.partition(" ")
    thing = thing.removeprefix("the ").removeprefix("an ").removeprefix("a ")
    return {"building": f"the {thing} is built here", "loading": f"the {thing} are loaded here"}.get(verb, what)


@check("swallowed-training-error", calls="suppress", has="handlers")
def swallowed_training_error(function: Function, options: Options) -> Iterator[Finding]:
    """A handler around a training step, an optimizer's construction or the loading of weights hides the error."""
    for handler in handlers.handlers(function):
        if options["allow-logging"] and handlers.logs_anything(handlers.statements_of_handler(handler)):
            continue
        anchor = (
            protected.step_of(function, handler)
            or protected.find_missing_construction(handler)
            or protected.find_missing_weights(handler)
        )
        if anchor is not None:
            node, what = anchor
            printed = handlers.logs_anything(handlers.statements_of_handler(handler))
            help, why = _advice(what, set(handler.caught or [""]), printed=printed)
            errors = "every error" if handlers.catches_any_of(handler, handlers.ANY) else "errors"
            yield Finding(
                handlers.head(handler),
                f"{handlers.clause(handler)} swallows {errors} {_when(what)}, and the run goes on",
                "swallowed here",
                [Note(Site(handler.module, node), _label(what))],
                help=help,
                why=why,
                evidence=(protected.is_swallowed(handler, what),),
            )
    if function.scope.name.startswith("test"):
        return
    for call in function.scope.calls:
        block = protected.find_suppressing_block(function, call) if last_name(call.func) == "suppress" else None
        steps = handlers.find_backward_call(function, block.body) if block is not None else None
        caught = {last_name(a) for a in call.args}
        if steps is not None and not steps[1] and caught & handlers.BROAD:
            help, why = _advice("the training step", caught)
            yield Finding(
                Site(function.module, call),
                f"`{text(function.module, call)}` swallows errors in the training step, and the run goes on",
                "swallowed here",
                [Note(Site(function.module, steps[0]), "the training step")],
                help=help,
                why=why,
            )
