"""What may a rule import? This, and `mllint.rule`.

Three nouns carry everything. A **Value** says what an expression is; an **Event** says what happens, and a **Flow** in
which order; a **Site** says where. The subjects that rules subscribe to are views of one piece of source each; what is
written there, before any evaluation, are the scopes (`FunctionScope`, `ClassScope`, `ModuleScope`) and their bindings.

The domains of a training program come as namespaces, one for each question: `gradients.is_for(...)`,
`phases.measures(...)`, `schedules.cadence(...)`. `semantics/training/__init__.py` says which there are.

    Call, ClassView as Class, FunctionView as Function, Handler, LoopView as Loop, ModuleView as Module, Flow, Project

What the core answers with "cannot tell" is Unknown (a Value), or None (a truth); neither ever accuses.
"""

from mllint.semantics.flow.batch_loops import drawn_by_hand
from mllint.semantics.flow.flow import Event, Flow, Kind, LoopRun, Path, overlap
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
from mllint.semantics.flow.subjects import reach
from mllint.semantics.flow.views import Argument, Call, Handler, shown
from mllint.semantics.flow.views import ClassView as Class
from mllint.semantics.flow.views import FunctionView as Function
from mllint.semantics.flow.views import LoopView as Loop
from mllint.semantics.flow.views import ModuleView as Module
from mllint.semantics.libraries.stubs import effects
from mllint.semantics.syntax.module import Binding, assigned, last_name, place, turned, walk, within
from mllint.semantics.syntax.module import Class as ClassScope
from mllint.semantics.syntax.module import Function as FunctionScope
from mllint.semantics.syntax.module import Module as ModuleScope
from mllint.semantics.syntax.names import reaching
from mllint.semantics.syntax.sites import text
from mllint.semantics.training import (
    accumulation,
    apart,
    averaging,
    batches,
    checkpoints,
    clearing,
    collecting,
    draws,
    fragments,
    gradients,
    graphs,
    identity,
    leakage,
    learned,
    leftovers,
    lifetimes,
    means,
    mode_dependence,
    modes,
    parameter_generators,
    per_iteration,
    phases,
    precision,
    provenance,
    recording,
    records,
    replaced,
    restoration,
    restoring,
    roles,
    schedules,
    seeds,
    shapes,
    snapshots,
    splits,
    textual,
    ticks,
    uses,
    words,
)
from mllint.semantics.training.errors import finite, handlers, omitted, protected, resumed
from mllint.semantics.training.evidence import Evidence
from mllint.semantics.training.layers import built, filled, hidden, pieces, putting, registered, registration, shared
from mllint.semantics.training.modes import Mode
from mllint.semantics.training.role_names import Activity, Role
from mllint.semantics.training.rows import (
    alike,
    copied,
    crossed,
    data_modules,
    loading,
    lookback,
    parting,
    unread,
    validating,
)
from mllint.semantics.training.schedules import Unit
from mllint.semantics.training.shapes import Dim
from mllint.semantics.values.arguments import bind, now
from mllint.semantics.values.bases import ancestors, mro
from mllint.semantics.values.calls import callee
from mllint.semantics.values.classes import attribute, constructor_argument, method, opaque_bases, stub_effect
from mllint.semantics.values.evaluate import bindings_value, evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.gradmode import grad_off, grad_switch, switch
from mllint.semantics.values.keras import loss_expects, output
from mllint.semantics.values.library import effect_of
from mllint.semantics.values.lineage import (
    Origin,
    may_enter,
    origins,
    owner_bindings,
    same_place,
    statements,
    stored,
    targets_of,
)
from mllint.semantics.values.plain import quiet_names
from mllint.semantics.values.project import Project
from mllint.semantics.values.reach import called_in, functions_around
from mllint.semantics.values.settings import holds_settings
from mllint.semantics.values.tensors import uses_torch
from mllint.semantics.values.values import Cut, Root, Site, Value, inherits, union

__all__ = [
    "STEPS",
    "AccumulatesGrad",
    "Activity",
    "AppliesGrad",
    "Argument",
    "Binding",
    "Call",
    "Class",
    "ClassScope",
    "ClearsGrad",
    "ClipsGrad",
    "Creates",
    "Cut",
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
    "Handler",
    "HandsLoss",
    "Kind",
    "Loop",
    "LoopRun",
    "Mode",
    "Module",
    "ModuleScope",
    "Origin",
    "OwnsLoop",
    "Path",
    "Project",
    "ReadsState",
    "RestoresState",
    "Role",
    "Root",
    "Saves",
    "Seeds",
    "SetsEpoch",
    "SetsGrad",
    "SetsMode",
    "Site",
    "Splits",
    "Ticks",
    "Transforms",
    "Unit",
    "Unknown",
    "UnscalesGrad",
    "UpdatesScale",
    "Value",
    "accumulation",
    "alike",
    "ancestors",
    "apart",
    "assigned",
    "attribute",
    "averaging",
    "batches",
    "bind",
    "bindings_value",
    "built",
    "called_in",
    "callee",
    "checkpoints",
    "clearing",
    "collecting",
    "constructor_argument",
    "copied",
    "crossed",
    "data_modules",
    "drawn_by_hand",
    "draws",
    "effect_of",
    "effects",
    "evaluate",
    "filled",
    "finite",
    "fragments",
    "functions_around",
    "grad_off",
    "grad_switch",
    "gradients",
    "graphs",
    "handlers",
    "hidden",
    "holds_settings",
    "identity",
    "inherits",
    "last_name",
    "leakage",
    "learned",
    "leftovers",
    "lifetimes",
    "loading",
    "lookback",
    "loss_expects",
    "may_enter",
    "means",
    "method",
    "mode_dependence",
    "modes",
    "mro",
    "now",
    "omitted",
    "opaque_bases",
    "origins",
    "output",
    "overlap",
    "owner_bindings",
    "parameter_generators",
    "parting",
    "per_iteration",
    "phases",
    "pieces",
    "place",
    "precision",
    "protected",
    "provenance",
    "putting",
    "quiet_names",
    "reach",
    "reaching",
    "recording",
    "records",
    "registered",
    "registration",
    "replaced",
    "restoration",
    "restoring",
    "resumed",
    "roles",
    "same_place",
    "schedules",
    "seeds",
    "shapes",
    "shared",
    "shown",
    "snapshots",
    "splits",
    "statements",
    "stored",
    "stub_effect",
    "switch",
    "targets_of",
    "text",
    "textual",
    "ticks",
    "turned",
    "union",
    "unread",
    "uses",
    "uses_torch",
    "validating",
    "walk",
    "within",
    "words",
]  # fmt: skip
