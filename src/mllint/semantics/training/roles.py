"""What is this object in the program: a model, an optimizer, a loader, the test rows?

    net = Net()                                   # a model: PROVEN, its class derives from nn.Module
    opt = make_optimizer(net.parameters())        # an optimizer: NAMED, nothing else is known yet
    for x, y in val_loader: ...                   # validation rows: CONVENTIONAL

The lattice is flat: an object has a role or it does not, and how well that is known is the `Evidence` of the answer:
proven by a constructor or a stub, used as such, annotated, conventionally named, or merely named. Nothing changes the
role of an object; what a *name* is bound to may change, which is why whoever has a Value asks about the value first.

This is the only module that reads names. They are split into words (`words`) and compared as whole words with the table
in `role_names`. A name that speaks for two exclusive roles (`train_test_rows`) speaks for neither.

What it deliberately does not do: it reads no comments and no docstrings, and it does not take the name of a function
for what its result is.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import ModuleScope
from mllint.semantics.syntax.sites import Site
from mllint.semantics.syntax.words import last_part, words
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.role_names import (
    CLEARING,
    DATA_WORDS,
    DROPS_BY_DESIGN,
    FILES,
    FILLERS,
    GROWING,
    KEEPING,
    LAYERS,
    LOOKING,
    NAMES,
    QUALIFIERS,
    RANDOM_ON_PURPOSE,
    RESETTING,
    ROWS,
    STEPPING,
    UNITS,
    UPDATING,
    VERBS,
    Activity,
    Role,
)

__all__ = [
    "HELD_OUT", "Activity", "Role", "activity_by_name", "activity_evidence", "are_unpacked_parts", "file_rows",
    "has_other_step", "has_role_name", "is_clearing_name", "is_dropout_by_design_name", "is_held_out_name",
    "is_keeping_name", "is_layer_changing_name", "is_looking_name", "is_part_name", "is_random_on_purpose_name",
    "is_training_name", "is_updating_name", "is_weight_resetting_name", "name_evidence", "parts_by_name",
    "rest_of_name", "rows_by_name", "rows_words", "speaks_of", "unit_by_name",
]  # fmt: skip

HELD_OUT = frozenset((Role.VALIDATION_ROWS, Role.TEST_ROWS, Role.HELD_OUT_ROWS))
"""The rows that are not trained on."""

_ROWS = (Role.TRAINING_ROWS, Role.VALIDATION_ROWS, Role.TEST_ROWS, Role.HELD_OUT_ROWS)
_ROW_STEMS = frozenset(
    entry[:end]
    for table in (NAMES[role] for role in _ROWS)
    for entry in table.conventional | table.heads | table.anywhere
    for end in range(1, len(entry) + 1)
)
"""What the words for rows begin with, of which one or several words of a name are made."""
_ROW_BEGINNINGS = re.compile("|".join(sorted({word[:3] for table in ROWS.values() for word in table})))
"""Of which one stands in each name that speaks of rows: most names are not taken apart."""


def name_evidence(place: str | None, role: Role) -> Evidence | None:
    """Whether the name of a place (`loader`, `self.val_loader`, `d["x"]`) speaks for a role.

    Args:
        place: the place as `module.place` writes it; its last identifier counts.
        role: the role in question.

    Returns:
        CONVENTIONAL or NAMED, None where the name does not speak for the role.
    """
    return _evidence(words(last_part(place)), role)


def has_role_name(place: str | None, *roles: Role) -> bool:
    """Whether the name of a place speaks for one of the roles, be it conventionally or merely suggestively."""
    return any(name_evidence(place, role) is not None for role in roles)


def speaks_of(place: str | None, *roles: Role) -> bool:
    """Whether any words of a name speak for one of the roles: `optimizer_state_dict` speaks of an optimizer."""
    return any(_speaks(words(last_part(place)), role) for role in roles)


@lru_cache(maxsize=16384)
def rows_by_name(place: str | None) -> Role | None:
    """Which rows a name speaks of; None for none, and for training and held-out rows at once."""
    if place is None or _ROW_BEGINNINGS.search(place.lower()) is None:
        return None
    return _rows(words(last_part(place)))


def is_held_out_name(place: str | None) -> bool:
    """Whether a name says that its rows are not trained on."""
    return rows_by_name(place) in HELD_OUT


def is_training_name(place: str | None) -> bool:
    """Whether a name says that its rows are trained on."""
    return rows_by_name(place) is Role.TRAINING_ROWS


def parts_by_name(site: Site, *places: str | None) -> Answer[bool]:
    """The answer that some places are the parts of the data that their names say.

    Whoever asks has a second fact: the name of the other part, or what the program does with it. So conventional names
    are enough, and no merely suggestive one is.

    Args:
        site: where the program says so.
        *places: the places, each of which a finding rests on. The key of `rows["test"]` counts as conventional, and so
            do the names that one assignment gives to the parts, `train, val, test = load()`, and two names of one
            function, or attributes of one class, that differ in nothing but the part: `rows_tr`, `rows_va`.

    Returns:
        The answer, as well known as the weakest of the names.
    """
    evidence = min((_part_evidence(place or "", site.module) for place in places), default=Evidence.NAMED)
    return Answer(True, evidence, (site,), corroborated=True)


def _part_evidence(place: str, module: ModuleScope) -> Evidence:
    for name in (place, place.removeprefix("self.")):  # an object may keep what its file calls so
        if name in _unpacked_parts(module) or name in _paired_parts(module):
            return Evidence.CONVENTIONAL
    if place.endswith("']"):
        return Evidence.CONVENTIONAL if _rows(words(place.rpartition("['")[2])) is not None else Evidence.NAMED
    if rest_of_name(place, *_ROWS) == "":
        return Evidence.CONVENTIONAL  # `test`, and nothing else
    telling = (*_ROWS, Role.METRIC)  # `val_acc` is measured on validation rows
    return max((found for role in telling if (found := name_evidence(place, role))), default=Evidence.NAMED)


def are_unpacked_parts(module: ModuleScope, *names: str) -> bool:
    """Whether one assignment of a file gives names to parts of the data, `train, val, test = load()`, and these are
    among them."""
    return _unpacked_parts(module).issuperset(names)


@cached(local=True)
def _unpacked_parts(module: ModuleScope) -> frozenset[str]:
    """The names of a file that are parts of the same data, since one assignment gives training and other rows."""
    found: set[str] = set()
    for function in module.functions:
        unpacked: dict[int, list[str]] = {}
        for name, bindings in function.bindings.items():
            for binding in bindings:
                if binding.kind == "assign" and binding.path and rows_by_name(name) is not None:
                    unpacked.setdefault(id(binding.value), []).append(name)
        for names in unpacked.values():
            parts = {rows_by_name(name) for name in names}
            if Role.TRAINING_ROWS in parts and len(parts) > 1:
                found.update(names)
    return frozenset(found)


@cached(local=True)
def _paired_parts(module: ModuleScope) -> frozenset[str]:
    """The names of a file that differ from another one of the same function, or class, in nothing but the part."""
    found: dict[object, list[str]] = {}
    for function in module.functions:
        for name in function.bindings:
            if rows_by_name(name) is not None:
                owner, _, last = name.rpartition(".")
                home = function.owner if owner and function.owner is not None else function
                found.setdefault((home, owner, rest_of_name(last, *_ROWS)), []).append(name)
    alike = (names for names in found.values() if {is_training_name(name) for name in names} == {True, False})
    return frozenset(name for names in alike for name in names)


def rows_words(place: str | None) -> frozenset[str]:
    """The words of a name that speak of a part of the data: `trainset`, `val`."""
    return frozenset(word for word in words(last_part(place)) if any(word in ROWS[role] for role in _ROWS))


def rest_of_name(place: str | None, *rows: Role) -> str | None:
    """What is left of a name without the word for the part of the data: `x` of `X_train`, `loader` of `valloader`.

    Args:
        place: the place.
        rows: the parts whose words are left out.

    Returns:
        The rest, written as one word, so that the names of two parts of one thing have the same rest; None where the
        name has no such word.
    """
    rest, found = [], False
    for word in words(last_part(place)):
        role = next((role for role in rows if word in ROWS[role]), None)
        found = found or role is not None
        rest.append(word if role is None else ROWS[role][word])
    return "".join(rest) if found else None


def is_part_name(place: str | None, rows: Role) -> bool:
    """Whether a name says no more than that it is data of one part: `val_loader`, `x_test`; not `val_loss`."""
    rest = rest_of_name(place, rows)
    return rest is not None and rest in DATA_WORDS


def file_rows(path: str) -> Role | None:
    """Which rows the path of a file or folder speaks of, conventionally: test rows for `data/test.csv`; else None."""
    stem = path.replace("\\", "/").rstrip("/").rpartition("/")[2].partition(".")[0].lower()
    return next((role for role, stems in FILES.items() if stem in stems), None)


def activity_evidence(function: str, activity: Activity) -> Evidence | None:
    """How well the name of a function says that it does something: CONVENTIONAL, NAMED, or None for not at all."""
    parts = words(function)
    while parts and parts[0] in FILLERS:
        parts = parts[1:]
    conventional, suggestive = VERBS[activity]
    starts = {parts[0], "".join(parts[:2])} if parts else set()
    if starts & conventional:
        return Evidence.CONVENTIONAL
    return Evidence.NAMED if starts & suggestive else None


def activity_by_name(function: str) -> Activity | None:
    """What a function does by its name: it trains (`train_one_epoch`), it measures (`_run_validation`)."""
    return next((activity for activity in Activity if activity_evidence(function, activity) is not None), None)


def is_random_on_purpose_name(qualname: str) -> bool:
    """Whether the name of a function, or of what it is in, says that its randomness is wanted: `mc_dropout_predict`."""
    parts = words(qualname)
    return not RANDOM_ON_PURPOSE.isdisjoint((*parts, *_phrases(parts)))


def is_dropout_by_design_name(qualname: str) -> bool:
    """Whether a network is called as one whose dropout is wanted whenever it runs: `DecoderPrenet`."""
    return not DROPS_BY_DESIGN.isdisjoint(words(qualname))


def unit_by_name(place: str | None) -> Role | None:
    """What a number counts by its name: epochs, batches or steps; None for none, and for several."""
    spoken = set(words(last_part(place)))
    found = [role for role, units in UNITS.items() if not units.isdisjoint(spoken)]
    return found[0] if len(found) == 1 else None


def is_updating_name(function: str) -> bool:
    """Whether the name of something unknown suggests that it updates weights, wherever the word stands."""
    return not UPDATING.isdisjoint(words(function))


def is_looking_name(function: str) -> bool:
    """Whether the name of something unknown suggests that it only looks at what it is given, and logs or adds it up."""
    parts = words(function)
    return not LOOKING.isdisjoint(parts) and (UPDATING - LOOKING).isdisjoint(parts)


def has_other_step(place: str) -> bool:
    """Whether the name of a place speaks of something that has a `step()` and is no optimizer: an environment, a
    profiler, a schedule."""
    return not STEPPING.isdisjoint(words(place))


def is_weight_resetting_name(function: str) -> bool:
    """Whether the name of what is called says that it gives a model other weights."""
    parts = words(function)
    return not RESETTING.isdisjoint(parts) or "".join(parts) in RESETTING


def is_layer_changing_name(function: str) -> bool:
    """Whether the name of what is called says that it changes which parameters are trained."""
    parts = words(function)
    return not GROWING.isdisjoint(parts) or (parts[:1] == ("add",) and not LAYERS.isdisjoint(parts))


def is_keeping_name(function: str) -> bool:
    """Whether the name of something unknown suggests that it stores or restores what it is given."""
    return not KEEPING.isdisjoint(words(function))


def is_clearing_name(function: str) -> bool:
    """Whether the name of something unknown says that it clears gradients: `zero_gradients`."""
    return all(not group.isdisjoint(words(function)) for group in CLEARING)


@lru_cache(maxsize=8192)
def _evidence(parts: tuple[str, ...], role: Role) -> Evidence | None:
    table = NAMES[role]
    if "".join(parts) in table.conventional:
        return Evidence.CONVENTIONAL
    if not table.anywhere.isdisjoint(parts) or _has_head(parts, table.heads):
        return Evidence.NAMED
    return Evidence.NAMED if _phrases(parts) & table.anywhere else None


@lru_cache(maxsize=8192)
def _speaks(spoken: tuple[str, ...], role: Role) -> bool:
    table = NAMES[role].heads | NAMES[role].anywhere
    return not table.isdisjoint(spoken) or not table.isdisjoint(_phrases(spoken))


def _has_head(parts: tuple[str, ...], heads: frozenset[str]) -> bool:
    """Whether the last words of a name, before its qualifiers, are one of the heads."""
    while parts:
        if any("".join(parts[-size:]) in heads for size in (1, 2, 3)):
            return True
        if parts[-1] not in QUALIFIERS:
            return False
        parts = parts[:-1]
    return False


def _phrases(parts: tuple[str, ...]) -> set[str]:
    """Two words of a name that stand together, written as one; single letters (`t_e`) make no word."""
    return {first + second for first, second in pairwise(parts) if len(first) > 1 and len(second) > 1}


def _rows(parts: tuple[str, ...]) -> Role | None:
    if _ROW_STEMS.isdisjoint(parts):
        return None  # nearly every name
    found = [role for role in _ROWS if _evidence(parts, role) is not None]
    held = [role for role in found if role in HELD_OUT]
    if len(held) == len(found):
        return held[0] if len(held) == 1 else Role.HELD_OUT_ROWS if held else None
    return None if held else Role.TRAINING_ROWS
