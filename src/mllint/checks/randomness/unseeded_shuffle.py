"""Which rows are held out is random, and nothing in the program seeds it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, Options, check
from mllint.semantics.api import Answer, Call, Site, random_splits, seeds, text

__all__: list[str] = []

_ANY = "np.random.default_rng"
_UNSEEDED = {"os": " that is built without a seed"}
_EVERY_RUN = "every run holds out different samples"
_DIFFERENT = "different samples in every run"
_OVERLAP = "each split is taken from another random order: held-out samples are trained on, and differ in every run"
_SAME_ORDER = "draw the order of each split from a new generator with the same seed: `{}`"
_GENERATOR = {
    "torch": "torch.Generator().manual_seed(seed)", "numpy": "np.random.RandomState(seed)",
    "random": "random.Random(seed)", "os": "random.Random(seed)", "tensorflow": "tf.random.Generator.from_seed(seed)",
}  # fmt: skip
_SEED = {
    "torch": "torch.manual_seed(seed)", "numpy": "np.random.seed(seed)", "random": "random.seed(seed)",
    "tensorflow": "tf.random.set_seed(seed)",
}  # fmt: skip
_LIBRARY = {
    "torch": "PyTorch", "numpy": "NumPy", "random": "Python's `random`", "os": "a generator",
    "tensorflow": "TensorFlow",
}  # fmt: skip


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
    if random_splits.takes_one_part(call):
        message = f"`{call.name}` draws a new order for each split: training and held-out samples overlap"
        help = _SAME_ORDER.format(_GENERATOR[stream])
        yield Finding(call, message, "a new order for each split", help=help, why=_OVERLAP, evidence=(decided,))
        return
    late = [c for program in programs for c in seeds.seeding_calls(program, stream, call.project, known=known)]
    if late:
        seed, scope = late[0]
        yield _seeded_late(call, stream, Site(scope.module, seed), scope.name, decided)
        return
    other = {"numpy": "torch", "torch": "numpy"}.get(stream, "")
    elsewhere = bool(other) and any(seeds.seeding_calls(program, other, call.project) for program in programs)
    tail = (
        f", which is unseeded, unlike {_LIBRARY[other]}" if elsewhere else _UNSEEDED.get(stream, ", which is unseeded")
    )
    unseeded = f"`{call.name}` draws from {_LIBRARY[stream]}{tail}"
    message = f"{unseeded}: {_EVERY_RUN}"
    yield Finding(call, message, _DIFFERENT, help=_advice(call, stream), evidence=(decided,))


def _seeded_late(call: Call, stream: str, seed: Site, function: str, decided: Answer[bool]) -> Finding:
    """The finding for a draw before the seed: of a seed in another module, the function is named in which it stands."""
    is_named = seed.module is not call.module and function.isidentifier()
    name = function if is_named else text(seed.module, getattr(seed.node, "func", seed.node))
    message = f"`{call.name}` draws from {_LIBRARY[stream]} before `{name}` seeds it: {_EVERY_RUN}"
    notes = [Note(seed, "seeded only here")]
    return Finding(call, message, _DIFFERENT, notes, help=_earlier(call), evidence=(decided,))


def _advice(call: Call, stream: str) -> str:
    """How to seed a stream of random numbers: by an argument, if the call has one, or for the whole program."""
    given = _seeding_parameter(call)
    drawn = "a fixed " if any(k.arg == given and isinstance(k.value, ast.Call) for k in call.node.keywords) else ""
    by_argument = f"pass {drawn}`{given}=`, or " if given else ""
    if stream not in _SEED:
        made = seeds.find_generator(call)
        return f"give the generator a seed when it is built: `{made.name if made else _ANY}(seed)`"
    return f"{by_argument}call `{_SEED[stream]}` at the start of the program"


def _earlier(call: Call) -> str:
    """What to do about a seed that comes too late."""
    given = _seeding_parameter(call)
    return "seed before the samples are divided" + (f", or pass `{given}=`" if given else "")


def _seeding_parameter(call: Call) -> str:
    """The parameter that makes a call, or a splitter, independent of the global stream; empty if it has none."""
    names, classes = ("random_state", "seed", "generator"), call.receiver.classes if call.receiver is not None else []
    built = [init for cls in classes if (init := cls.methods.get("__init__")) is not None]
    return next((n for n in names if any(f.parameter(n) is not None for f in (*call.callees, *built))), "")
