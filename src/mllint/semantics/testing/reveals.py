"""The core, written down: what `tests/semantics/*.md` compare with.

`reveal(x)` is what the core knows of an expression; each domain of `semantics.training` adds a reveal of its own to
`REVEALS`, a function that puts into words what the domain answers about the first argument of the call.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from mllint.semantics.flow.build import build
from mllint.semantics.flow.flow import share_identities
from mllint.semantics.flow.roots import is_root
from mllint.semantics.flow.subjects import reach
from mllint.semantics.flow.views import Call, FunctionView, ModuleView
from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, place
from mllint.semantics.syntax.reachability import is_unreachable
from mllint.semantics.syntax.sites import Source
from mllint.semantics.testing import held_out, layers, losses, modes, numbers, rows, schedules, tuning, updates
from mllint.semantics.testing.rows import bound
from mllint.semantics.training import purity
from mllint.semantics.training.checkpoints import module_aliases, snapshots, state_keys
from mllint.semantics.training.checkpoints.restoring import is_restored
from mllint.semantics.training.checkpoints.resuming import Stateful, find_resumption
from mllint.semantics.training.checkpoints.stateful import find_constructions, has_resumable_state
from mllint.semantics.training.class_dimensions import classes_dimension
from mllint.semantics.training.errors import handlers, omitted, protected, samples
from mllint.semantics.training.evidence import Evidence
from mllint.semantics.training.gradients import accumulation, computing, unapplied
from mllint.semantics.training.gradients.clearing import is_left_uncleared
from mllint.semantics.training.gradients.precision import find_still_scaled_backward
from mllint.semantics.training.gradients.state import find_backward_used_again, is_for, is_starved
from mllint.semantics.training.gradients.stepping import find_unread_optimizers
from mllint.semantics.training.graphs import break_kinds, breaks, recording, terms
from mllint.semantics.training.graphs.results import becomes_numbers
from mllint.semantics.training.optimizers import replacements
from mllint.semantics.training.optimizers.constructions import constructions
from mllint.semantics.training.optimizers.exhausted import find_exhausted_generators
from mllint.semantics.training.optimizers.lifetimes import lost_state
from mllint.semantics.training.phases import measures
from mllint.semantics.training.randomness import choices, ordering, persistence, sharding, worker_processes
from mllint.semantics.training.randomness.seeds import drawn_stream, is_seeded_before
from mllint.semantics.training.randomness.seeds import programs as programs_of
from mllint.semantics.training.roles import Role, activity_by_name, name_evidence, rows_by_name
from mllint.semantics.training.shapes import is_product_of_batches, shape_of
from mllint.semantics.training.uncalled import find_uncalled_methods
from mllint.semantics.values.describe import describe
from mllint.semantics.values.evaluate import bindings_value, evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.memory import memory_project
from mllint.semantics.values.operators import PARTLY
from mllint.semantics.values.unnamed import runs_for_nobody

__all__ = ["REVEALS", "flow", "reveals"]


def _value(call: ast.Call, frame: Frame) -> str:
    """What the argument is."""
    return describe(evaluate(call.args[0], frame))


def _same(call: ast.Call, frame: Frame) -> str:
    """Whether the arguments are the same object."""
    first, second = (evaluate(argument, frame) for argument in call.args)
    return {True: "the same", False: "different", None: "unknown"}[first.same_as(second)]


def _name(call: ast.Call, frame: Frame) -> str:
    """The roles that the name of the argument speaks for, the conventional ones first."""
    name = place(call.args[0])
    found = [(role.value, evidence) for role in Role if (evidence := name_evidence(name, role)) is not None]
    shown = [role if evidence is Evidence.CONVENTIONAL else f"{role}?" for role, evidence in found]
    return ", ".join(sorted(shown, key=lambda text: (text.endswith("?"), text))) or "nothing"


def _rows(call: ast.Call, frame: Frame) -> str:
    """Which rows the name of the argument speaks of."""
    found = rows_by_name(place(call.args[0]))
    return "unknown" if found is None else found.value


def _activity(call: ast.Call, frame: Frame) -> str:
    """What the name of the argument, a function, says that it does."""
    found = activity_by_name((place(call.args[0]) or "").rpartition(".")[2])
    return "unknown" if found is None else found.value


def _gradients(call: ast.Call, frame: Frame) -> str:
    """What is in `.grad` when the optimizer that is asked about steps, at each of its steps."""
    optimizer = evaluate(call.args[0], frame)
    drawn = build(frame.function, frame)
    states = []
    for step in (s for s in drawn.events("applies_grad") if s.subject.same_as(optimizer)):
        again = find_backward_used_again(drawn, step)
        clean = "clean" if is_starved(drawn, step) else "filled"
        states.append(clean if again is None else "used again")
    return ", ".join(states) or "never stepped"


def _uncleared(call: ast.Call, frame: Frame) -> str:
    """How well it is known that nothing clears the gradients that a step of the function uses again."""
    drawn = build(frame.function, frame)
    again = [(step, find_backward_used_again(drawn, step)) for step in drawn.events("applies_grad")]
    found = [is_left_uncleared(step, back).evidence.name.lower() for step, back in again if back is not None]
    return ", ".join(found) or "cleared"


def _unread(call: ast.Call, frame: Frame) -> str:
    """The optimizers of the function that nothing reads."""
    return ", ".join(name for _, name in find_unread_optimizers(build(frame.function, frame))) or "none"


def _scale(call: ast.Call, frame: Frame) -> str:
    """Whether the gradients that a clip sees are still scaled."""
    drawn = build(frame.function, frame)
    found = [
        "scaled" if find_still_scaled_backward(drawn, clip) else "not scaled" for clip in drawn.events("clips_grad")
    ]
    return ", ".join(found) or "not clipped"


def _seed(call: ast.Call, frame: Frame) -> str:
    """Which random stream the call that is the argument draws from, and whether each program fixes it."""
    draw = call.args[0]
    drawn = Call(draw, frame) if isinstance(draw, ast.Call) else None
    stream = drawn_stream(drawn) if drawn is not None else None
    if drawn is None or stream is None:
        return "no global stream"
    programs = programs_of(frame.function, frame.project)
    if not programs:
        return f"{stream}, a library's"
    seeded = [is_seeded_before(drawn, program, stream) for program in programs]
    return f"{stream}, {'seeded' if all(seeded) else 'not seeded'}"


def _worker_seeds(call: ast.Call, frame: Frame) -> str:
    """The calls by which the function that is the argument gives each worker of a loader the same seed."""
    begun = worker_processes.worker_start_function(evaluate(call.args[0], frame))
    found = worker_processes.constant_seeds(frame.project.frame(begun[0]), begun[1]) if begun is not None else ()
    return ", ".join(ast.unparse(c.node) for c in found) or "none"


def _resumed(call: ast.Call, frame: Frame) -> str:
    """Whether the file resumes a run, and whether the state of each kind of argument is restored."""
    module = ModuleView(frame.module, frame)
    if find_resumption(module)[1] is None:
        return "does not resume"
    kinds = {"optimizer": Stateful.OPTIMIZER, "schedule": Stateful.SCHEDULE}
    lost = [
        name
        for name, kind in kinds.items()
        if any(has_resumable_state(made, kind, module) for made in find_constructions(module, kind))
        and not is_restored(module, kind, None)
    ]
    return f"resumes, without its {' and '.join(lost)}" if lost else "resumes"


def _restored(call: ast.Call, frame: Frame) -> str:
    """By which calls the model of the run is restored that the file goes on with."""
    return " | ".join(load.text for load in find_resumption(ModuleView(frame.module, frame))[0]) or "none"


def _shape(call: ast.Call, frame: Frame) -> str:
    """The dimensions of the argument."""
    shape = shape_of(call.args[0], frame)
    return "unknown" if shape is None else ", ".join(dim.value for dim in shape)


def _batches(call: ast.Call, frame: Frame) -> str:
    """Whether the argument is a product of matrices, one pair for each sample."""
    return "yes" if is_product_of_batches(call.args[0], frame) else "unknown"


def _classes(call: ast.Call, frame: Frame) -> str:
    """The dimension that holds the classes of a softmax, which may be given by its name."""
    node = bound(call.args[0], frame)
    found = classes_dimension(Call(node, frame), node.args[0])
    return "unknown" if found is None else str(found.value)


def _phase(call: ast.Call, frame: Frame) -> str:
    """What the runs of a model in the function are, in the order of the program: `reveal_phase(model)`."""
    graph = build(frame.function, frame)
    shown = []
    for forward in graph.events("forward"):
        if place(forward.call.func) == place(call.args[0]):
            found = measures(forward, graph)
            shown.append("other" if found is None else f"measures, {found.evidence.name.lower()}")
    return " | ".join(shown) or "nothing"


def _numbers(call: ast.Call, frame: Frame) -> str:
    """Whether all that a model gives in its loop becomes plain numbers: `reveal_becomes_numbers(model)`."""
    graph = build(frame.function, frame)
    runs = [e for e in graph.events("forward", "unknown") if e.loops and place(e.call.func) == place(call.args[0])]
    return " | ".join(str(becomes_numbers(run, run.loops[-1])) for run in runs) or "nothing"


def _runs(call: ast.Call, frame: Frame) -> str:
    """Whether the call itself can run."""
    unnamed = runs_for_nobody(frame.module, call, frame.project)
    return "never runs" if is_unreachable(frame.module, call) else "nobody runs it" if unnamed else "may run"


def _root(call: ast.Call, frame: Frame) -> str:
    """Whether something happens in the function around that is worth a flow of its own."""
    return "a flow of its own" if is_root(frame.function) else "no flow"


def _window(call: ast.Call, frame: Frame) -> str:
    """Which test lets each step of the optimizer happen every k-th time only, and whether the sum moves it further."""
    drawn, shown = build(frame.function, frame), []
    optimizer = evaluate(call.args[0], frame)
    for step in (s for s in drawn.events("applies_grad") if s.subject.same_as(optimizer)):
        backward = next((b for b in drawn.events("accumulates_grad") if is_for(drawn, b, step)), None)
        test = accumulation.window(step, backward) if backward is not None else None
        if backward is None or test is None or not accumulation.accumulates_into_step(drawn, backward, step):
            shown.append("each time")
        else:
            sums = "" if accumulation.multiplies_the_step(drawn, step).is_certain else ", whose size does not matter"
            shown.append(f"{ast.unparse(test)}{sums}")
    return " | ".join(shown) or "never stepped"


def _mean(call: ast.Call, frame: Frame) -> str:
    """Whether what each backward of the function starts from is a mean over the batch."""
    backwards = build(frame.function, frame).events("accumulates_grad")
    return " | ".join("a mean" if accumulation.is_mean(b) else "unknown" for b in backwards) or "no backward"


def _unapplied(call: ast.Call, frame: Frame) -> str:
    """Whether the gradients of the optimizer are filled and zeroed in each iteration, and never applied."""
    drawn, name = build(frame.function, frame), place(call.args[0])
    if any(name == found for _, _, found in unapplied.find_unapplied_backwards(drawn)):
        return "never applied"
    other = any(name == found for *_, found in unapplied.find_steps_in_other_branch(drawn))
    return "never applied in one branch" if other else "perhaps applied"


def _update(call: ast.Call, frame: Frame) -> str:
    """Whether the function is an update of the optimizer that somebody repeats."""
    drawn, optimizer = build(frame.function, frame), evaluate(call.args[0], frame)
    clears = [c for c in drawn.events("clears_grad") if c.subject.same_as(optimizer) is not False]
    return ", ".join("an update" if unapplied.is_update(c, drawn) else "unknown" for c in clears) or "never cleared"


def _computed_loss(call: ast.Call, frame: Frame) -> str:
    """Whether a loss is computed around each step of the optimizer, of which nothing can have run a backward."""
    drawn, optimizer, found = build(frame.function, frame), evaluate(call.args[0], frame), []
    clear = next(iter(drawn.events("clears_grad")), None)
    for step in (s for s in drawn.events("applies_grad") if s.subject.same_as(optimizer) is not False):
        inside = [e for e in drawn.events() if e.loops[: len(step.loops)] == step.loops]
        known = clear is not None and computing.computes_loss(step, inside, clear)
        found.append("for nothing" if known else "unknown")
    return ", ".join(found) or "never stepped"


def _all_keys(call: ast.Call, frame: Frame) -> str:
    """Whether the call that is the argument should find all the keys of the model."""
    load = call.args[0]
    known = isinstance(load, ast.Call) and state_keys.wants_all_keys(Call(load, frame)).is_certain
    return "wanted" if known else "unknown"


def _lifetime(call: ast.Call, frame: Frame) -> str:
    """Whether a loop builds the optimizer again, so that its state is lost."""
    drawn, shown = build(frame.function, frame), set()
    for made in drawn.events("creates"):
        uses = [s for s in drawn.events("applies_grad", "ticks") if s.subject.identities & made.subject.identities]
        if made.subject.identities & evaluate(call.args[0], frame).identities:
            run = lost_state(drawn, made, uses)
            shown.add("kept" if run is None else f"lost in each iteration of line {run.node.lineno}")
    return " | ".join(sorted(shown)) or "unknown"


def _held(call: ast.Call, frame: Frame) -> str:
    """The models of the function whose parameters the optimizer holds, in full or in part."""
    held = reach(evaluate(call.args[0], frame), frame)[0]
    models = {name: bindings_value(frame.function.bindings[name], frame) for name in sorted(frame.function.bindings)}
    modules = {name: model for name, model in models.items() if model.instance_of(MODULE)}
    found = [name for name, model in modules.items() if share_identities(reach(model, frame)[0], held, frame)]
    return ", ".join(found) or "none"


def _exhausted(call: ast.Call, frame: Frame) -> str:
    """The iterators of which nothing is left for the optimizer."""
    built = evaluate(call.args[0], frame).built_with
    made = Call(built.node, built.frame) if built is not None and isinstance(built.node, ast.Call) else None
    return ", ".join(name for name, _ in find_exhausted_generators(made)) or "none" if made is not None else "unknown"


def _replaced(call: ast.Call, frame: Frame) -> str:
    """What of the model of the optimizer is replaced after it was built, and before it steps."""
    drawn, names = build(frame.function, frame), set()
    for made, steps in constructions(drawn).values():
        for name, binding in replacements.replacements(made):
            if replacements.is_stepped_after(drawn, made, steps, binding):
                names.add(name)
        names |= {n for n, _ in replacements.find_layers_replaced_outside(drawn, made, steps)}
    return ", ".join(sorted(names)) or "nothing"


def _break(call: ast.Call, frame: Frame) -> str:
    """Where the graph of what each backward starts from ends, or that of one of its terms."""
    drawn, shown = build(frame.function, frame), []
    for backward in drawn.events("accumulates_grad"):
        cut = breaks.loss_break(backward, drawn)
        without = [breaks.lost_term(backward, drawn, word) for word in PARTLY]
        lost = next((ast.unparse(term.node) for term in without if term is not None), None)
        attached = "attached" if lost is None else f"attached, but for {lost}"
        shown.append(attached if cut is None else ast.unparse(cut.site.node))
    return " | ".join(shown) or "no backward"


def _break_kind(call: ast.Call, frame: Frame) -> str:
    """What kind of operation ends the graph of what each backward starts from, or that of one of its terms."""
    drawn, shown = build(frame.function, frame), []
    for backward in drawn.events("accumulates_grad"):
        cut, term = breaks.loss_break(backward, drawn), breaks.lost_term(backward, drawn, "PartlyHard")
        if cut is not None:
            shown.append(break_kinds.break_kind(cut).name.lower())
        elif term is not None:
            shown.append(f"{break_kinds.break_kind(break_kinds.break_at(term)).name.lower()} in a term")
    return " | ".join(shown) or "no break"


def _term(call: ast.Call, frame: Frame) -> str:
    """What keeps a term of a loss from all that an optimizer steps."""
    drawn = build(frame.function, frame)
    optimizer = evaluate(call.args[0], frame).identity
    found = (cut for cut, _, step in terms.lost_terms(drawn) if step.subject.identity == optimizer)
    return ", ".join(ast.unparse(cut.node) for cut in found) or "none"


def _recorded(call: ast.Call, frame: Frame) -> str:
    """Whether the runs of the model record a graph that is never used."""
    found = recording.unused_graphs(build(frame.function, frame))
    shown = [f"wasted, {a.evidence.name.lower()}" for f, _, a in found if place(f.call.func) == place(call.args[0])]
    return " | ".join(shown) or "no waste"


def _pure(call: ast.Call, frame: Frame) -> str:
    """Whether the call that is the argument does nothing but compute."""
    node: Node = call.args[0]
    inner = Call(node, frame)
    if not purity.only_computes(inner) or purity.contains_in_place_call(inner.node):
        return "may do more"
    return f"only computes, {purity.is_unused(inner).evidence.name.lower()}"


def _order(call: ast.Call, frame: Frame) -> str:
    """What the order of the argument comes from, if nothing defines it."""
    found = ordering.unordered_origins(call.args[0], FunctionView(frame.function, frame))
    return " | ".join(sorted({ast.unparse(o.node) for o in found})) or "defined"


def _listed(call: ast.Call, frame: Frame) -> str:
    """Whether two sequences have the order of one listing."""
    view = FunctionView(frame.function, frame)
    one, other = ({ordering.listing_of(o) for o in ordering.unordered_origins(a, view)} for a in call.args)
    return "unknown" if not one or not other else "apart" if one.isdisjoint(other) else "once"


def _numbered(call: ast.Call, frame: Frame) -> str:
    """Whether the numbers that a function gives its elements, in an order that nothing defines, outlive the run."""
    function = FunctionView(frame.function, frame)
    numbered = [c for c in choices.find_choices(function) if c.decides is choices.Decides.NUMBERS]
    sites = [c.site for c in numbered if ordering.unordered_origins(c.sequence, function)]
    if not sites or all(persistence.is_stored(site, function) for site in sites):
        return "nothing"
    return "outlives the run" if persistence.may_model_outlive_run(function) else "lost with the run"


def _sets_epoch(call: ast.Call, frame: Frame) -> str:
    """Whether the samplers that the loops of the function draw from are given the epoch."""
    drawn, shown = build(frame.function, frame), []
    for run in drawn.runs:
        if not run.outer:
            continue
        for _, events, trusted in sharding.epoch_settings(drawn, run):
            shown.append("told" if events else "perhaps told" if trusted else "never told")
    return " | ".join(shown) or "no sampler"


def _swallowed(call: ast.Call, frame: Frame) -> str:
    """What each handler of the function hides errors of."""
    view, shown = FunctionView(frame.function, frame), []
    for handler in handlers.handlers(view):
        anchor = (
            protected.step_of(view, handler)
            or protected.find_missing_construction(handler)
            or protected.find_missing_weights(handler)
        )
        if anchor is not None:
            shown.append(f"{anchor[1]}, {protected.is_swallowed(handler, anchor[1]).evidence.name.lower()}")
        elif samples.reads_samples(view) and samples.hides_sample(handler):
            shown.append(f"a sample, {samples.is_lost(handler).evidence.name.lower()}")
        elif (
            handlers.is_silent_handler(handler)
            and handler.loops()
            and (rows := omitted.find_partly_written_array(view, handler))
        ):
            shown.append(f"rows of `{rows}`")
        elif (
            handlers.is_silent_handler(handler)
            and handler.loops()
            and (mean := omitted.find_averaged_list(view, handler))
        ):
            known = "" if omitted.is_missing(handler, averaged=True).is_certain else ", possible"
            shown.append("nothing" if omitted.computes_sklearn_metric(handler) else f"terms of `{mean}`{known}")
        else:
            shown.append("nothing")
    return " | ".join(shown) or "no handler"


def _uncalled(call: ast.Call, frame: Frame) -> str:
    """The methods of the file that are named where they are meant to be called."""
    return ", ".join(map(ast.unparse, find_uncalled_methods(ModuleView(frame.module, frame)))) or "none"


def _kept(call: ast.Call, frame: Frame) -> str:
    """Whether what a place keeps of a model changes with more training."""
    drawn = build(frame.function, frame)
    for state in map(snapshots.state_as_seen_by_caller, drawn.events("reads_state")):
        for node, kept in snapshots.find_kept_live_states(state):
            if kept == place(call.args[0]) and snapshots.is_used_after_training(kept, node, state, drawn):
                return "live, and trained on" if snapshots.may_be_trained_after(state, drawn) else "live"
    aliases = {kept for run in drawn.runs for _, kept in module_aliases.find_aliases(run, drawn)}
    return "another name" if place(call.args[0]) in aliases else "a copy, or never used"


REVEALS = {
    "reveal": _value,
    "reveal_same": _same,
    "reveal_name": _name,
    "reveal_rows_by_name": _rows,
    "reveal_activity_by_name": _activity,
    "reveal_phase": _phase,
    "reveal_becomes_numbers": _numbers,
    "reveal_gradients": _gradients,
    "reveal_unread_optimizers": _unread,
    "reveal_uncleared": _uncleared,
    "reveal_root": _root,
    "reveal_runs": _runs,
    "reveal_kept": _kept,
    "reveal_uncalled": _uncalled,
    "reveal_swallowed": _swallowed,
    "reveal_told": _sets_epoch,
    "reveal_listed": _listed,
    "reveal_order": _order,
    "reveal_numbered": _numbered,
    "reveal_pure": _pure,
    "reveal_recorded": _recorded,
    "reveal_break": _break,
    "reveal_break_kind": _break_kind,
    "reveal_exhausted": _exhausted,
    "reveal_held": _held,
    "reveal_replaced": _replaced,
    "reveal_term": _term,
    "reveal_lifetime": _lifetime,
    "reveal_unapplied": _unapplied,
    "reveal_repeated": _update,
    "reveal_computed_loss": _computed_loss,
    "reveal_all_keys": _all_keys,
    "reveal_mean": _mean,
    "reveal_window": _window,
    "reveal_resumed": _resumed,
    "reveal_restored": _restored,
    "reveal_scale": _scale,
    "reveal_stream": _seed,
    "reveal_worker_seeds": _worker_seeds,
    "reveal_shape": _shape,
    "reveal_batches": _batches,
    "reveal_classes": _classes,
    **held_out.REVEALS,
    **layers.REVEALS,
    **losses.REVEALS,
    **modes.REVEALS,
    **numbers.REVEALS,
    **rows.REVEALS,
    **schedules.REVEALS,
    **tuning.REVEALS,
    **updates.REVEALS,
}
"""What each call that asks for something reveals."""


def reveals(sources: dict[str, str], source: Callable[[str, str], Source] | None = None) -> list[tuple[str, int, str]]:
    """What all calls of `reveal` and its siblings (`REVEALS`) ask for, in a project given as path -> text.

    Args:
        sources: the files, path -> text.
        source: makes what maps nodes to their text; see `memory_project`.

    Returns:
        (path, 1-based line, the answer in words), in source order.
    """
    project, modules = memory_project(sources, source)
    found = []
    for path, module in modules.items():
        for name, put in REVEALS.items():
            for call, scope in module.calls_by_name.get(name, ()):
                if isinstance(scope, FunctionScope) and isinstance(call.func, ast.Name):
                    project.refuel(100_000)
                    found.append((path, call.lineno, put(call, project.frame(scope))))
    return sorted(found)


def flow(sources: dict[str, str], function: str) -> str:
    """The event graph of a function ("" for the body of `main.py`) as text: one event a line, indented by loops."""
    project, modules = memory_project(sources)
    project.refuel(1_000_000)
    for module in reversed(modules.values()):
        for candidate in module.functions:
            if candidate.qualname == function:
                graph = build(candidate, project.frame(candidate))
                lines = []
                for event in graph.events():
                    if event.kind not in ("entry", "exit"):
                        lines.append(f"{'  ' * len(event.loops)}{event.kind} line {event.site.line}")
                return "\n".join(lines)
    return ""
