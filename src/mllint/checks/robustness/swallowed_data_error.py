"""Code that reads, collates or scores samples hides the ones that fail."""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import (
    Function,
    handlers,
    omitted,
    samples,
)

__all__: list[str] = []

_CAUSE_LOST = (
    "the cause is lost: the default collate raises on `None`, and one that drops it leaves out samples silently"
)
_ONLY_SUCCESSES = "failed samples vanish without a trace: the average covers only the others"
_PASS_FOR_DATA = "rows that failed keep their initial values, and pass for data"
_MANY = "clean the data once, or count the failures and raise when there are too many"
_COUNT = "count the failures and report them with the result, or catch only the exception that you expect"


@check("swallowed-data-error", has="handlers")
def swallowed_data_error(function: Function) -> Iterator[Finding]:
    """Code that reads, collates or scores samples hides the ones that fail."""
    found = list(handlers.handlers(function))
    role = samples.reads_samples(function) if found else ""
    for handler in found:
        if role and samples.hides_sample(handler):
            doing = "a batch is put together" if role == "collate" else "a sample is read"
            every = handlers.catches_any_of(handler, handlers.ANY)
            hidden = f"whatever fails while {doing}" if every else "which samples fail, and how many"
            yield Finding(
                handlers.head(handler),
                f"{handlers.clause(handler)} in `{function.scope.name}` hides {hidden}",
                "hides bad samples",
                help="" if every else _MANY,
                why=_CAUSE_LOST if samples.gives_none(handler) else "",
                evidence=(samples.is_lost(handler),),
            )
        elif (
            handlers.catches_any_of(handler, handlers.ANY)
            and handlers.is_silent_handler(handler)
            and handler.loops()
            and not samples.is_way_out(handler, found)
        ):
            mean = omitted.find_averaged_list(function, handler)
            name = mean or omitted.find_partly_written_array(function, handler)
            if name and not omitted.computes_sklearn_metric(handler):
                lost = (
                    f"leaves failures out of `{name}`"
                    if mean
                    else f"leaves failed rows of `{name}` at their initial values"
                )
                yield Finding(
                    handlers.head(handler),
                    f"{handlers.clause(handler)} {lost}, and nothing counts them",
                    "hides bad samples",
                    help=_COUNT,
                    why=_ONLY_SUCCESSES if mean else _PASS_FOR_DATA,
                    evidence=(omitted.is_missing(handler, averaged=bool(mean)),),
                )
