"""What may a rule import? This, and `mllint.rule`.

Three nouns carry everything. A **Value** says what an expression is; an **Event** says what happens, and a **Flow** in
which order; a **Site** says where. The subjects that rules subscribe to are views of one piece of source each.

    Call, ClassView as Class, FunctionView as Function, Handler, LoopView as Loop, ModuleView as Module, Flow, Project

What the core answers with "cannot tell" is Unknown (a Value), or None (a truth); neither ever accuses.
"""

from mllint.semantics.flow.flow import Event, Flow, Kind, LoopRun, Path
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
from mllint.semantics.flow.views import Argument, Call, Handler, shown, text
from mllint.semantics.flow.views import ClassView as Class
from mllint.semantics.flow.views import FunctionView as Function
from mllint.semantics.flow.views import LoopView as Loop
from mllint.semantics.flow.views import ModuleView as Module
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import Cut, Root, Site, Value

__all__ = [
    "AccumulatesGrad", "AppliesGrad", "Argument", "Call", "Class", "ClearsGrad", "ClipsGrad", "Creates", "Cut", "Event",
    "Fits", "Flow", "Forward", "Freezes", "Function", "Handler", "HandsLoss", "Kind", "Loop", "LoopRun", "Module",
    "OwnsLoop", "Path",
    "Project", "ReadsState", "RestoresState", "Root", "Saves", "Seeds", "SetsEpoch", "SetsGrad", "SetsMode", "Site",
    "Splits", "Ticks",
    "Transforms", "Unknown", "UnscalesGrad", "UpdatesScale", "Value", "shown", "text",
]  # fmt: skip
