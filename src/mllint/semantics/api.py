"""What may a rule import? This, and `mllint.rule`.

Three nouns carry everything. A **Value** says what an expression is; an **Event** says what happens, and a **Flow** in
which order; a **Site** says where. The subjects that rules subscribe to are views of one piece of source each; what is
written there, before any evaluation, are the scopes (`FunctionScope`, `ClassScope`, `ModuleScope`) and their bindings.

The domains of a training program come as namespaces, one for each question: `gradients.is_for(...)`,
`phases.measures(...)`, `schedules.cadence(...)`. `semantics/training/__init__.py` says which there are. The first
module of a folder goes by the name of the folder: `gradients` is `gradients/state.py`.

    Call, ClassView as Class, FunctionView as Function, Handler, LoopView as Loop, ModuleView as Module, Flow, Project

What the core answers with "cannot tell" is Unknown (a Value), or None (a truth); neither ever accuses.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from mllint.semantics.flow.batch_loops import find_batch_iterator
from mllint.semantics.flow.flow import Event, Flow, Identities, Kind, LoopRun, Path
from mllint.semantics.flow.kinds import (
    AccumulatesGrad,
    AppliesGrad,
    ClearsGrad,
    ClipsGrad,
    Creates,
    Fits,
    Forward,
    Freezes,
    HandsLoss,
    OwnsLoop,
    ReadsState,
    RestoresState,
    Saves,
    Seeds,
    SetsEpoch,
    SetsGrad,
    SetsMode,
    Splits,
    Ticks,
    Transforms,
    Unknown,
    UnscalesGrad,
    UpdatesScale,
)
from mllint.semantics.flow.roots import STEPS
from mllint.semantics.flow.searches import sources
from mllint.semantics.flow.views import Argument, Call, Handler, receiver_text, shown
from mllint.semantics.flow.views import ClassView as Class
from mllint.semantics.flow.views import FunctionView as Function
from mllint.semantics.flow.views import LoopView as Loop
from mllint.semantics.flow.views import ModuleView as Module
from mllint.semantics.libraries import classes, tensor_methods
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import Cache, Once, cached
from mllint.semantics.syntax.module import Binding, ClassScope, FunctionScope, ModuleScope, Scope
from mllint.semantics.syntax.nodes import Constant, Node, iterable_of, last_name, place, walk
from mllint.semantics.syntax.sites import call_text, text
from mllint.semantics.syntax.topic_names import Topic
from mllint.semantics.training.evidence import Answer, Evidence, proven_unless
from mllint.semantics.training.role_names import Role
from mllint.semantics.values.bases import ancestors
from mllint.semantics.values.classes import constructor_argument, has_unknown_ancestor
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.keras import loss_expects, output
from mllint.semantics.values.library import effect_of
from mllint.semantics.values.lineage import Origin, bindings_of, origins, statements, targets_of
from mllint.semantics.values.project import Project
from mllint.semantics.values.reach import functions_around
from mllint.semantics.values.values import (
    BottomValue,
    BuiltinValue,
    ClassValue,
    FunctionValue,
    GraphBreak,
    InstanceValue,
    LiteralValue,
    ManyValue,
    MappingValue,
    ModuleValue,
    PartialValue,
    Provenance,
    SequenceValue,
    Site,
    TensorValue,
    UnionValue,
    UnknownValue,
    Value,
)
from mllint.semantics.vocabulary import Trait

if TYPE_CHECKING:
    from mllint.semantics.training import accelerated, iterations, options, phases, purity, roles, shapes, uncalled
    from mllint.semantics.training.checkpoints import (
        bests,
        keras_tests,
        last_weights,
        load_results,
        module_aliases,
        restoring,
        saving,
        snapshots,
        state_keys,
        stateful,
        trainer_tests,
        unrestored,
    )
    from mllint.semantics.training.checkpoints import resuming as checkpoints
    from mllint.semantics.training.checkpoints.resuming import Stateful
    from mllint.semantics.training.errors import finite, handlers, masked, omitted, protected, samples
    from mllint.semantics.training.finetuning import (
        adapters,
        chats,
        encodings,
        endings,
        filled_labels,
        finished,
        next_tokens,
        openings,
        padding,
        prompts,
        shifting,
        templates,
        tokens,
        trainer_scores,
        trainers,
    )
    from mllint.semantics.training.gradients import (
        accumulation,
        branches,
        clearing,
        clipping,
        closures,
        computing,
        discarding,
        mixing,
        precision,
        reused,
        scaler_protocol,
        stepping,
        unstepped,
    )
    from mllint.semantics.training.gradients import state as gradients
    from mllint.semantics.training.graphs import break_kinds, kept_graphs, recording, terms, unrecorded
    from mllint.semantics.training.graphs import breaks as graphs
    from mllint.semantics.training.layers import (
        computed,
        containers,
        freezing,
        initialisation,
        per_call,
        repeated,
    )
    from mllint.semantics.training.losses import (
        columns,
        expectations,
        preferences,
        sample_axes,
        single_outputs,
        swaps,
        unused_output,
    )
    from mllint.semantics.training.metrics import (
        averages,
        batch_scores,
        directions,
        keepers,
        last_batch,
        recorded,
        resets,
        stages,
    )
    from mllint.semantics.training.modes import dependence as mode_dependence
    from mllint.semantics.training.modes import functional_layers, keras_runs, mode_restoring, overrides, woken
    from mllint.semantics.training.modes import state as modes
    from mllint.semantics.training.modes.state import Mode
    from mllint.semantics.training.optimizers import (
        constructions,
        exhausted,
        lifetimes,
        mismatches,
        parameter_lists,
        parameters,
        replacements,
        unfreezing,
    )
    from mllint.semantics.training.randomness import (
        choices,
        keys,
        reseeding,
        sampler_epochs,
        seeds,
        sharding,
        textual,
        worker_processes,
    )
    from mllint.semantics.training.randomness.choices import Decides
    from mllint.semantics.training.rows import (
        augmentation,
        built_alike,
        carried_state,
        forwarded,
        held_out_fits,
        held_out_steps,
        image_generators,
        leakage,
        learned,
        loading,
        lookback,
        measured_rows,
        named_tests,
        node_masks,
        overlaps,
        picked,
        random_held_out,
        random_splits,
        refits,
        same_samples,
        selection,
        shared_rows,
        shared_transforms,
        splits,
        test_choices,
        test_scores,
        thresholds,
        trained_on,
        trials,
        usage,
        wrong_part,
    )
    from mllint.semantics.training.rows.random_held_out import Case as RandomHeldOutCase
    from mllint.semantics.training.rows.random_held_out import RandomHeldOut
    from mllint.semantics.training.schedules import early_ticks, factors, plateaus, replaced, ticks, uses
    from mllint.semantics.training.schedules import units as schedules
    from mllint.semantics.training.schedules.units import Unit
    from mllint.semantics.training.shapes import Dim

__all__ = [
    "STEPS",
    "AccumulatesGrad",
    "Answer",
    "AppliesGrad",
    "Argument",
    "Binding",
    "BottomValue",
    "BuiltinValue",
    "Cache",
    "Call",
    "Class",
    "ClassScope",
    "ClassValue",
    "ClearsGrad",
    "ClipsGrad",
    "Constant",
    "Creates",
    "Decides",
    "Dim",
    "Event",
    "Evidence",
    "Fits",
    "Flow",
    "Forward",
    "Frame",
    "Freezes",
    "Function",
    "FunctionScope",
    "FunctionValue",
    "GraphBreak",
    "Handler",
    "HandsLoss",
    "Identities",
    "InstanceValue",
    "Kind",
    "LiteralValue",
    "Loop",
    "LoopRun",
    "ManyValue",
    "MappingValue",
    "Mode",
    "Module",
    "ModuleScope",
    "ModuleValue",
    "Node",
    "Once",
    "Origin",
    "OwnsLoop",
    "PartialValue",
    "Path",
    "Project",
    "Provenance",
    "RandomHeldOut",
    "RandomHeldOutCase",
    "ReadsState",
    "RestoresState",
    "Role",
    "Saves",
    "Scope",
    "Seeds",
    "SequenceValue",
    "SetsEpoch",
    "SetsGrad",
    "SetsMode",
    "Site",
    "Splits",
    "Stateful",
    "TensorValue",
    "Ticks",
    "Topic",
    "Trait",
    "Transforms",
    "UnionValue",
    "Unit",
    "Unknown",
    "UnknownValue",
    "UnscalesGrad",
    "UpdatesScale",
    "Value",
    "accelerated",
    "accumulation",
    "adapters",
    "ancestors",
    "augmentation",
    "averages",
    "batch_scores",
    "bests",
    "bindings_of",
    "branches",
    "break_kinds",
    "built_alike",
    "cached",
    "call_text",
    "carried_state",
    "chats",
    "checkpoints",
    "choices",
    "classes",
    "clearing",
    "clipping",
    "closures",
    "columns",
    "computed",
    "computing",
    "constructions",
    "constructor_argument",
    "containers",
    "directions",
    "discarding",
    "early_ticks",
    "effect_of",
    "encodings",
    "endings",
    "evaluate",
    "exhausted",
    "expectations",
    "factors",
    "filled_labels",
    "find_batch_iterator",
    "finished",
    "finite",
    "forwarded",
    "freezing",
    "functional_layers",
    "functions_around",
    "gradients",
    "graphs",
    "handlers",
    "has_unknown_ancestor",
    "held_out_fits",
    "held_out_steps",
    "image_generators",
    "initialisation",
    "iterable_of",
    "iterations",
    "keepers",
    "kept_graphs",
    "keras_runs",
    "keras_tests",
    "keys",
    "last_batch",
    "last_name",
    "last_weights",
    "leakage",
    "learned",
    "lifetimes",
    "load_results",
    "loading",
    "lookback",
    "loss_expects",
    "masked",
    "measured_rows",
    "mismatches",
    "mixing",
    "mode_dependence",
    "mode_restoring",
    "modes",
    "module_aliases",
    "named_tests",
    "next_tokens",
    "node_masks",
    "omitted",
    "openings",
    "options",
    "origins",
    "output",
    "overlaps",
    "overrides",
    "padding",
    "parameter_lists",
    "parameters",
    "per_call",
    "phases",
    "picked",
    "place",
    "plateaus",
    "precision",
    "preferences",
    "prompts",
    "protected",
    "proven_unless",
    "purity",
    "random_held_out",
    "random_splits",
    "receiver_text",
    "recorded",
    "recording",
    "refits",
    "repeated",
    "replaced",
    "replacements",
    "reseeding",
    "resets",
    "restoring",
    "reused",
    "roles",
    "same_samples",
    "sample_axes",
    "sampler_epochs",
    "samples",
    "saving",
    "scaler_protocol",
    "schedules",
    "seeds",
    "selection",
    "shapes",
    "sharding",
    "shared_rows",
    "shared_transforms",
    "shifting",
    "shown",
    "single_outputs",
    "snapshots",
    "sources",
    "splits",
    "stages",
    "state_keys",
    "stateful",
    "statements",
    "stepping",
    "swaps",
    "targets_of",
    "templates",
    "tensor_methods",
    "terms",
    "test_choices",
    "test_scores",
    "text",
    "textual",
    "thresholds",
    "ticks",
    "tokens",
    "topics",
    "trained_on",
    "trainer_scores",
    "trainer_tests",
    "trainers",
    "trials",
    "uncalled",
    "unfreezing",
    "unrecorded",
    "unrestored",
    "unstepped",
    "unused_output",
    "usage",
    "uses",
    "walk",
    "woken",
    "worker_processes",
    "wrong_part",
]

_FIRST = {
    "checkpoints": "checkpoints.resuming", "gradients": "gradients.state", "graphs": "graphs.breaks",
    "mode_dependence": "modes.dependence", "modes": "modes.state", "schedules": "schedules.units",
}  # fmt: skip
"""The domains that go by another name than their module."""
_DOMAINS = {
    "": "accelerated iterations options phases purity roles shapes uncalled",
    "checkpoints": """bests keras_tests last_weights load_results module_aliases restoring saving snapshots state_keys
        stateful trainer_tests unrestored""",
    "errors": "finite handlers masked omitted protected samples",
    "finetuning": """adapters chats encodings endings filled_labels finished next_tokens openings padding prompts
        shifting templates tokens trainer_scores trainers""",
    "gradients": """accumulation branches clearing clipping closures computing discarding mixing precision reused
        scaler_protocol stepping unstepped""",
    "graphs": "break_kinds kept_graphs recording terms unrecorded",
    "layers": "computed containers freezing initialisation per_call repeated",
    "losses": "columns expectations preferences sample_axes single_outputs swaps unused_output",
    "metrics": "averages batch_scores directions keepers last_batch recorded resets stages",
    "modes": "functional_layers keras_runs mode_restoring overrides woken",
    "optimizers": """constructions exhausted lifetimes mismatches parameter_lists parameters replacements
        unfreezing""",
    "randomness": "choices keys reseeding sampler_epochs seeds sharding textual worker_processes",
    "rows": """augmentation built_alike carried_state forwarded held_out_fits held_out_steps image_generators leakage
        learned loading lookback measured_rows named_tests node_masks overlaps picked random_held_out random_splits
        refits same_samples selection shared_rows shared_transforms splits test_choices test_scores thresholds
        trained_on trials usage wrong_part""",
    "schedules": "early_ticks factors plateaus replaced ticks uses",
}
"""All others, by their folder."""
_RECORDS = {
    "Decides": "randomness.choices:Decides", "Dim": "shapes:Dim", "Mode": "modes.state:Mode",
    "RandomHeldOut": "rows.random_held_out:RandomHeldOut", "RandomHeldOutCase": "rows.random_held_out:Case",
    "Stateful": "checkpoints.resuming:Stateful", "Unit": "schedules.units:Unit",
}  # fmt: skip
"""What domains answer with: its module, and its name there."""
_PLACES = _RECORDS | _FIRST
_PLACES |= {name: f"{folder}.{name}".lstrip(".") for folder, names in _DOMAINS.items() for name in names.split()}


if not TYPE_CHECKING:  # mypy reads the imports above, and would let any name pass

    def __getattr__(name):
        """A domain, or a record of one: imported when a rule first names it, since a file asks few domains, and
        importing all costs more than checking it."""
        module, _, record = _PLACES.get(name, "").partition(":")
        if not module:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = import_module(f"mllint.semantics.training.{module}")
        return getattr(found, record) if record else found
