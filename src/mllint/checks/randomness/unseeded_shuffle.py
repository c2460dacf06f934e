"""Which rows are held out is random, and nothing in the program seeds it."""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Options, check
from mllint.semantics.api import Call, random_splits, seeds

__all__: list[str] = []


@check("unseeded-shuffle", calls=random_splits.DRAWING)
def unseeded_shuffle(call: Call, options: Options) -> Iterator[Finding]:
    """Which rows are held out is random, and nothing in the program seeds it."""
    if seeds.is_test_code(call.module):
        return
    decided = random_splits.decides_parts(call)
    stream = seeds.drawn_stream(call) if decided is not None else None
    if decided is None or stream is None:
        return
    programs, known = seeds.programs(call.function, call.project), options["seeding-functions"]
    if not programs or any(seeds.is_seeded_before(call, program, stream, known=known) for program in programs):
        return
    other = {"numpy": "torch", "torch": "numpy"}.get(stream, "")
    elsewhere = bool(other) and any(seeds.seeding_calls(program, other, call.project) for program in programs)
    tail = f", unlike {_LIBRARY[other]}" if elsewhere else ""
    unseeded = f"`{call.name}` draws from {_LIBRARY[stream]}, which is unseeded{tail}"
    message = f"{unseeded}: every run holds out different samples"
    yield Finding(call, message, "different samples in every run", help=_advice(call, stream), evidence=(decided,))


def _advice(call: Call, stream: str) -> str:
    """How to seed a stream of random numbers: by an argument, if the call has one, or for the whole program."""
    names = ("random_state", "generator")
    given = next((name for name in names if any(f.parameter(name) is not None for f in call.callees)), "")
    by_argument = f"pass `{given}=`, or " if given else ""
    return f"{by_argument}call `{_SEED[stream]}` at the start of the program" if stream in _SEED else ""


_SEED = {"torch": "torch.manual_seed(seed)", "numpy": "np.random.seed(seed)", "random": "random.seed(seed)"}
_LIBRARY = {
    "torch": "PyTorch", "numpy": "NumPy", "random": "Python's `random`", "os": "the operating system"
}  # fmt: skip
