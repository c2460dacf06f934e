"""Does a run that goes wrong say so?

A handler that swallows, a loss that is replaced when it is not finite, a checkpoint that loads nothing, a flag that
cannot be switched off: each makes a broken run look like a finished one. The rules demand an anchor (a training step, a
sample, a loss that is differentiated), because everywhere else skipping an error may be the right thing to do.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.checks._handlers import (
    ANY,
    BACKWARD,
    BROAD,
    LOGS,
    catches,
    clause,
    handlers,
    head,
    logs,
    raises,
    silent,
    swallows,
    trained,
)
from mllint.checks.robustness._finite import TESTS, chosen, differentiated, skipped, tested, zeroed
from mllint.checks.robustness._omitted import (
    FILLED,
    averaged,
    kept_initial,
    learns,
    reads_numbers,
    tends_files,
    undefined_scores,
)
from mllint.checks.robustness._protected import LOADING, built, explains, loaded, serves, step_of, suppressing
from mllint.checks.robustness._resumed import resumed
from mllint.pattern import Pattern
from mllint.rule import Finding, Note, Options, check
from mllint.semantics import Call, Function, Handler, Site, text
from mllint.semantics.lineage import statements
from mllint.semantics.module import last_name, place, walk, within

__all__: list[str] = []

MODULE = "torch.nn.Module"
_READS = Pattern(r"^(torch_)?load(_url|_file|s|_state_dict_from_url|_checkpoint)?$|^from_file$|download")
_STATEFUL = Pattern("optim|sched|scaler|^opt$")
_MODEL = Pattern("net|model|module|encoder|decoder|backbone|generator|discriminator|actor|critic|policy")


# -------------------------------------------------------------------------------------------- swallowed-training-error
@check("swallowed-training-error", calls="suppress", has="handlers")
def swallowed_training_error(function: Function, options: Options) -> Iterator[Finding]:
    """A handler around a training step, an optimizer's construction or the loading of weights hides the error."""
    for handler in handlers(function):
        if options["allow-logging"] and logs(handler.node.body):
            continue
        anchor = step_of(function, handler) or built(handler) or loaded(handler)
        if anchor is not None:
            node, what = anchor
            yield Finding(
                head(handler),
                f"{clause(handler)} hides every error of {what}, and the run goes on",
                "swallowed here",
                [Note(Site(handler.module, node), what)],
                certain=not (explains(handler) if what == LOADING else serves(handler)),
            )
    for call in function.scope.calls if not function.scope.name.startswith("test") else ():
        block = suppressing(function, call) if last_name(call.func) == "suppress" else None
        steps = trained(function, block.body) if block is not None else None
        if steps is not None and not steps[1] and {last_name(a) for a in call.args} & BROAD:
            yield Finding(
                Site(function.module, call),
                f"`{text(function.module, call)}` hides every error of the training step, and the run goes on",
                "swallowed here",
                [Note(Site(function.module, steps[0]), "the training step")],
            )


# ------------------------------------------------------------------------------------------------ swallowed-data-error
_DATASETS = ("torch.utils.data.Dataset", "torch.utils.data.IterableDataset", "torch.utils.data.dataset.Dataset")
_SAMPLING = frozenset("__getitem__ __getitems__ __iter__ __next__".split())
_SAMPLE_ERRORS = frozenset("OSError IOError RuntimeError ValueError UnidentifiedImageError error".split())  # cv2.error


@check("swallowed-data-error", has="handlers")
def swallowed_data_error(function: Function) -> Iterator[Finding]:
    """Code that reads, collates or scores samples hides the ones that fail."""
    found = list(handlers(function))
    role = reads_samples(function) if found else ""
    for handler in found:
        if role and hides_sample(handler):
            yield Finding(
                head(handler),
                f"{clause(handler)} in `{function.scope.name}` hides whatever fails while a sample is read",
                "hides bad samples",
                certain=not (logs(handler.node.body) or passes_on(handler) or marks(handler) or ends(handler)),
            )
        elif catches(handler, ANY) and silent(handler) and handler.loops() and not is_way_out(handler, found):
            mean = averaged(function, handler)
            name = mean or kept_initial(function, handler)
            if name and not undefined_scores(handler):
                yield Finding(
                    head(handler),
                    f"{clause(handler)} leaves what fails out of `{name}`, and nothing counts how much",
                    "hides bad samples",
                    certain=not mean or (learns(handler) and not reads_numbers(handler)),
                )


def is_way_out(handler: Handler, found: list[Handler]) -> bool:
    """Does it stand in another handler, whose `try` was to do the work?"""
    return any(within(handler.statement, other.node) for other in found if other is not handler)


def reads_samples(function: Function) -> str:
    """The part of a function in reading samples: a method of a data set, or a collate function; else empty."""
    scope = function.scope
    owner = scope.owner
    if owner is not None:
        if not is_dataset(scope):
            return ""
        if scope.name in _SAMPLING:
            return "sample"
        users = (f for name, f in owner.methods.items() if name in _SAMPLING)
        return "helper" if any(scope.name in f.called_names for f in users) else ""
    if "collate" in scope.name:
        return "collate"
    return ""


def is_dataset(scope: Any) -> bool:
    """Is it a method of a data set: of a class derived from PyTorch's, or of one that is called so and has its methods,
    in a file that uses PyTorch? A loader asks for no more."""
    from mllint.semantics.classes import ancestors

    if ancestors(scope.owner) & set(_DATASETS):
        return True
    own = scope.owner.methods
    named = scope.owner.name.endswith("Dataset") and "__getitem__" in own and "__len__" in own
    return named and any(name.partition(".")[0] == "torch" for name, _ in scope.module.imports)


def hides_sample(handler: Handler) -> bool:
    """Does it go on without the sample, or with another one?"""
    if raises(handler) or attempts(handler) or converts(handler.statement) or asks(handler.statement):
        return False
    if tends_files(handler):
        return False
    everything = catches(handler, ANY)
    logged = any(isinstance(n, ast.Call) and last_name(n.func) in LOGS for s in handler.node.body for n in walk(s))
    if not everything and (logged or not catches(handler, _SAMPLE_ERRORS) or not reads(handler.statement)):
        return False
    if swallows(handler, returning=True):
        return True
    own = handler.function.parameters[0].name if handler.function.parameters else ""
    return any(another(s, own, handler) or gives_filler(s) for s in handler.node.body)


def reads(statement: Any) -> bool:
    """Is anything read in a `try`, by its name, or by an index? One error of what is only computed has one meaning."""
    nodes = [n for s in statement.body for n in walk(s)]
    return any(isinstance(n, ast.Subscript) or (isinstance(n, ast.Call) and _FETCHES.search(last_name(n.func).lower()))
               for n in nodes)  # fmt: skip


_FETCHES = Pattern("open|load|read|get|fetch|decode|parse|sample|item|next")


def passes_on(handler: Handler) -> bool:
    """Is one kind of error, which is expected, answered by another sample: `except OSError: return self[i + 1]`?"""
    own = handler.function.parameters[0].name if handler.function.parameters else ""
    last = handler.node.body[-1]
    return not catches(handler, ANY) and isinstance(last, ast.Return) and another(last, own, handler)


def ends(handler: Handler) -> bool:
    """Does one kind of error end a generator, as when there are too few rows left to draw from?"""
    last = handler.node.body[-1]
    plain = isinstance(last, ast.Return) and last.value is None
    return plain and handler.function.is_generator and not catches(handler, ANY)


def marks(handler: Handler) -> bool:
    """Is the sample marked as a bad one: `ok = True` at the end of the `try`, `ok = False` in the handler?"""
    flags: list[set[str]] = []
    for block in (handler.statement.body, handler.node.body):
        plain = (s for s in block if isinstance(s, ast.Assign) and isinstance(s.value, ast.Constant))
        flags.append({place(t) or "" for s in plain for t in s.targets})
    return bool(flags[0] & flags[1])


def asks(statement: Any) -> bool:
    """Does a `try` only look whether something is there: `record["mask"]`, and no more?"""
    looked = [s.value for s in statement.body if isinstance(s, ast.Expr)]
    plain = all(isinstance(v, (ast.Subscript, ast.Attribute, ast.Name)) for v in looked)
    return bool(looked) and plain and len(looked) == len(statement.body)


def converts(statement: Any) -> bool:
    """Does a `try` only give names another form, so that what it fails for keeps its form: `x = torch.stack(x)`,
    `xs = parse(x); x = xs[0]`?"""
    last = statement.body[-1]
    chain = {place(last.targets[0]) or ""} if isinstance(last, ast.Assign) else set()
    for s in statement.body if chain else ():
        read = {n.id for n in walk(s.value) if isinstance(n, ast.Name)} if isinstance(s, ast.Assign) else set()
        chain = chain | {place(t) or "" for t in s.targets} if not chain.isdisjoint(read) else set()
    return bool(chain) or all(
        isinstance(s, ast.Assign)
        and len(s.targets) == 1
        and isinstance(s.targets[0], ast.Name)
        and any(isinstance(n, ast.Name) and n.id == s.targets[0].id for n in walk(s.value))
        for s in statement.body
    )


def another(statement: Any, own: str, handler: Handler) -> bool:
    """Does a statement of a handler choose another sample: `return self[i]`, `index = random(...)`?"""
    if isinstance(statement, ast.Return) and handler.function.owner is not None:
        node = statement.value
        if isinstance(node, ast.Subscript):
            return place(node.value) == own
        func = node.func if isinstance(node, ast.Call) else None
        return isinstance(func, ast.Attribute) and (place(func.value) == own or func.attr == "__getitem__")
    if isinstance(statement, ast.Assign) and handler.loops():
        names = {p.name for p in handler.function.parameters[1:]}
        return (place(statement.targets[0]) or "") in names
    return made_up(statement, handler)


def made_up(statement: Any, handler: Handler) -> bool:
    """Does it give a name that the `try` reads a sample into a filler instead: `image = np.zeros(...)`?"""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return False
    if not is_filler(statement.value):
        return False
    read = (t for s in handler.statement.body if isinstance(s, ast.Assign) for t in s.targets)
    return bool({place(n) for t in read for n in walk(t)} & {place(n) for t in statement.targets for n in walk(t)})


def gives_filler(statement: Any) -> bool:
    """Does it return a filler, with no constant beside it that could mark it as one?"""
    node = statement.value if isinstance(statement, ast.Return) else None
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return bool(parts) and is_filler(parts[0]) and not any(isinstance(p, (ast.Constant, ast.UnaryOp)) for p in parts)


def is_filler(node: Any) -> bool:
    """Is it data without content: `np.zeros(...)`, a black `Image.new(...)`?"""
    func = node.func if isinstance(node, ast.Call) else None
    return last_name(func) in FILLED or (
        last_name(func) == "new" and last_name(getattr(func, "value", None)) == "Image"
    )


def attempts(handler: Handler) -> bool:
    """Is the `try` inside a counted loop of attempts?"""
    return any(
        isinstance(r, ast.For) and isinstance(r.iter, ast.Call) and last_name(r.iter.func) == "range"
        for r in handler.loops()
    )


# ---------------------------------------------------------------------------------------------------------- masked-nan
_REPLACES = frozenset("nan_to_num nan_to_num_".split())


@check("masked-nan", calls="backward manual_backward isnan isinf isfinite nan_to_num nan_to_num_")
def masked_nan(function: Function, options: Options) -> Iterator[Finding]:
    """A loss or gradient that is not finite is skipped or replaced, and nothing counts how often."""
    scope = function.scope
    words = {last_name(c.func) for c in scope.calls}
    losses = differentiated(function)
    if words & TESTS or losses:
        for node in statements(scope) if losses else ():
            if isinstance(node, ast.If) and (name := skipped(node, losses, function)):
                if options["allow-logging"] and logs([*node.body, *node.orelse]):
                    continue
                yield Finding(
                    Site(function.module, node),
                    f"batches whose `{name}` is not finite are skipped or changed, and nothing counts them",
                    "hides the NaN",
                    certain=not logs([*node.body, *node.orelse]),
                )
    for call in scope.calls if words & (_REPLACES | {"where"}) else ():
        what = replaced(function, Call(call, function.frame), losses)
        if what:
            yield Finding(
                Site(function.module, call),
                f"`{text(function.module, call, 40)}` replaces a {what} that is not finite, and the run goes on",
                "hides the NaN",
                certain=not any(k.arg in ("posinf", "neginf") for k in call.keywords),  # each with its number
            )
    for node in statements(scope) if words & TESTS else ():
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        what = "gradients that are" if target is not None and zeroed(target, scope) else ""
        if target is not None and not what and (name := chosen(target, losses, node.lineno)):
            what = f"entries of `{name}` that are"
        if what:
            message = f"{what} not finite are overwritten, and the run goes on"
            yield Finding(Site(function.module, node), message, "hides the NaN")


def replaced(function: Function, call: Call, losses: dict[str, int]) -> str:
    """What a call replaces by numbers: "loss" or "gradient"; empty if neither."""
    node = call.node
    if call.last_name == "where":
        if len(node.args) != 3 or tested(node.args[0])[0] not in losses or not tested(node.args[0])[0]:
            return ""
        return "loss" if later(function, node, losses) else ""
    if call.last_name not in _REPLACES or not isinstance(node.func, ast.Attribute):
        return ""
    library = call.receiver is not None and call.receiver.kind == "module"
    subject = node.args[0] if library and node.args else node.func.value
    if last_name(subject) == "grad" or last_name(getattr(subject, "value", None)) == "grad":
        stored = (
            call.last_name.endswith("_")
            or any(k.arg == "out" for k in node.keywords)
            or assigned_to_grad(function, node)
        )
        return "gradient" if stored else ""
    value = call.value_of(subject)
    loss = (place(subject) or "") in losses or value.is_("Loss") or wanted(function, node, subject)
    return "loss" if loss and call.grad_off is not True and later(function, node, losses) else ""


def wanted(function: Function, node: ast.Call, subject: Any) -> bool:
    """Is it what a function calls a loss and returns, and does a caller run backward from what it gets?"""
    if "loss" not in last_name(subject).lower() or not any(r.value is node for r in function.scope.returns):
        return False
    for call, frame in function.project.callers(function.scope):
        losses = differentiated(Function(frame.function, frame))
        bound = frame.function.bindings.items()
        if any(name in losses and b.value is call and not b.path for name, found in bound for b in found):
            return True
    return False


def later(function: Function, node: ast.Call, losses: dict[str, int]) -> bool:
    """Is the result differentiated below, in this function or by whoever gets it returned?"""
    for found in function.scope.bindings.values():
        for binding in found:
            if binding.value is not None and binding.kind == "assign" and any(n is node for n in walk(binding.value)):
                if losses.get(binding.name, 0) >= node.lineno or returned(function, binding.name):
                    return True
    inside = any(n is node for r in function.scope.returns if r.value is not None for n in walk(r.value))
    return inside or any(c.lineno == node.lineno and last_name(c.func) in BACKWARD for c in function.scope.calls)


def returned(function: Function, name: str) -> bool:
    """Does the function return the name?"""
    return any(place(n) == name for r in function.scope.returns if r.value is not None for n in walk(r.value))


def assigned_to_grad(function: Function, node: ast.Call) -> bool:
    """Is the result assigned to a `.grad`?"""
    found = (b for name, bs in function.scope.bindings.items() if ".grad" in name for b in bs)
    return any(b.value is node for b in found)


# ------------------------------------------------------------------------------------------------- ignored-load-result
@check("ignored-load-result", calls="load_state_dict")
def ignored_load_result(call: Call) -> Iterator[Finding]:
    """What `load_state_dict` says about the keys is dropped, or taken for the model."""
    if call.receiver is None:
        return  # somebody's function, which says for itself what did not match
    module = call.receiver.instance_of(MODULE)
    if not module and _STATEFUL.search(last_name(getattr(call.node.func, "value", None))):
        return
    if (
        "load_state_dict" in call.function.name
        or "_from_state_dict" in call.function.name
        or any(not f.stubbed for f in call.callees)
    ):
        return
    target = next((b for found in call.function.bindings.values() for b in found if b.value is call.node), None)
    replaced = target is not None and not target.path and replaces_model(call, target.name)
    read = call.receiver.is_unknown and is_read_here(call)
    module = module or any(v.instance_of(MODULE) for v in call.receiver.alternatives)  # what it became is no module
    if target is not None and replaced and (module or read):
        yield Finding(
            call,
            f"`load_state_dict` works in place: `{target.name}` becomes its list of keys, not the model",
            "returns the keys that did not match",
        )
    elif not_strict(call) and (call.is_statement or unread(call)) and not compared(call) and not picked(call):
        yield Finding(
            call,
            "`strict=False` skips keys that do not match, and nothing reads which ones were skipped",
            "result ignored",
            certain=bool(call.node.args)
            and from_file(call, call.node.args[0])
            and resumed(call)
            and not chosen_to_skip(call),
        )


def chosen_to_skip(call: Call) -> bool:
    """Did the author see that keys may differ: is it tried after a failure, or are others loaded strictly?"""
    if any(n is call.node for _, handler in call.function.handlers for s in handler.body for n in walk(s)):
        return True
    mine = place(getattr(call.node.func, "value", None))
    for node in call.function.calls:
        base = getattr(node.func, "value", None)
        if last_name(node.func) == "load_state_dict" and base is not None and place(base) != mine:
            if _MODEL.search(last_name(base)) and not not_strict(Call(node, call.frame)):
                return True
    return False


def is_read_here(call: Call) -> bool:
    """Is the state read by `torch.load` in the call, and does it go back to the name that it is loaded into?"""
    state = call.node.args[0] if len(call.node.args) == 1 else None
    while isinstance(state, ast.Subscript):
        state = state.value
    target = place(call.node.func.value) or ""
    back = any(b.value is call.node for b in call.function.bindings.get(target, ()))
    return back and isinstance(state, ast.Call) and call.value_of(state.func).is_function("torch.load")


def from_file(call: Call, node: Any, depth: int = 4) -> bool:
    """Does the state come from a file that this function reads, so that nobody has seen its keys?"""
    for inner in walk(node):
        if isinstance(inner, ast.Call) and _READS.search(last_name(inner.func)):
            return "url" not in last_name(inner.func)  # what is published under an address, the author has seen
        if isinstance(inner, ast.Name) and depth:
            values = [
                b.value for b in call.function.bindings.get(inner.id, ()) if b.kind == "assign" and b.value is not None
            ]
            if any(from_file(call, value, depth - 1) for value in values):
                return True
    return False


def replaces_model(call: Call, name: str) -> bool:
    """Does the result go where the model was, or is the model a new one that nothing else holds?"""
    receiver = call.node.func.value
    return place(receiver) == name or isinstance(receiver, ast.Call)


def not_strict(call: Call) -> bool:
    """Is the constant False given for `strict`?"""
    given = [k.value for k in call.node.keywords if k.arg == "strict"] or call.node.args[1:2]
    return bool(given) and isinstance(given[0], ast.Constant) and given[0].value is False


def unread(call: Call) -> bool:
    """Is the result bound to names that the function never reads?"""
    names = [n for n, found in call.function.bindings.items() for b in found if b.value is call.node]
    read = {n.id for n in walk(call.function.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return bool(names) and all("." not in n and n not in read for n in names)


def picked(call: Call) -> bool:
    """Were the keys chosen in the same function: a display, `{k: v for ... if ...}`, or a dict filled one by one?"""
    state = call.node.args[0] if call.node.args else None
    if isinstance(state, (ast.DictComp, ast.Dict)):
        return isinstance(state, ast.Dict) or any(g.ifs for g in state.generators)
    name = place(state) or "?"
    for node in walk(call.function.node):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(target, ast.Subscript) and place(target.value) == name:
            return True
        if target is not None and place(target) == name:
            value = node.value
            if isinstance(value, ast.Dict) and value.keys:
                return True
            if isinstance(value, ast.DictComp) and any(g.ifs for g in value.generators):
                return True
    return False


_DIFFERENCES = Pattern("missing|unexpected")


def compared(call: Call) -> bool:
    """Does the function ask the same model for its keys, and not only to save them, or name their differences?"""
    receiver = place(call.node.func.value)
    read = (n.id for n in walk(call.function.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    if any(_DIFFERENCES.search(name) for name in read):
        return True  # `missing_keys = expected - found`
    kept = {id(n) for n in walk(call.function.node) if isinstance(n, ast.Dict) for v in n.values for n in walk(v)}
    kept |= {
        id(n) for c in call.function.calls if last_name(c.func) in ("save", "deepcopy") for a in c.args for n in walk(a)
    }
    return any(
        last_name(c.func) == "state_dict"
        and isinstance(c.func, ast.Attribute)
        and place(c.func.value) == receiver
        and id(c) not in kept
        for c in call.function.calls
    )


# ------------------------------------------------------------------------------------------------------- bool-argument
@check("bool-argument", calls="add_argument")
def bool_argument(call: Call) -> Iterator[Finding]:
    """An option of `argparse` that cannot be switched off, or that changes nothing."""
    if not isinstance(call.node.func, ast.Attribute) or reads_truth(call):
        return
    given = {k.arg: k.value for k in call.node.keywords}
    options = [a.value for a in call.node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    option = next((o for o in options if o.startswith("--")), options[0] if options else "the option")
    kind = given.get("type") if converts_text(given.get("action")) else None
    if kind is not None and isinstance(kind, ast.Name) and kind.id == "bool" and call.value_of(kind).kind == "builtin":
        yield Finding(
            call.at(kind), f"`{option}` is converted by `bool`: every text is true, also `False`", "any text is True"
        )
    action, default = getattr(given.get("action"), "value", None), getattr(given.get("default"), "value", None)
    if (action, default) in (("store_true", True), ("store_false", False)) and not undone(call, option, given):
        yield Finding(
            call,
            f"`{option}` sets {default}, which is its default already: the flag changes nothing",
            "changes nothing",
            certain=not default,  # what is on already: whoever gives the flag gets what it says
        )


def converts_text(action: Any) -> bool:
    """Does an action hand text to `type`? `BooleanOptionalAction` takes none (`--no-amp`); of others nobody knows."""
    return action is None or isinstance(action, ast.Constant)


def reads_truth(call: Call) -> bool:
    """Is it a parser that reads `False` as such: one of jsonargparse, as Lightning's, or told how: `register`?"""
    calls = call.module.calls_by_name
    if call.function.name == "add_arguments_to_parser" or "link_arguments" in calls:
        return True
    if any(name.startswith("jsonargparse") for name, _ in call.module.imports):
        return True
    told = (a for c, _ in calls.get("register", ()) for a in c.args)
    return any(isinstance(a, ast.Name) and a.id == "bool" for a in told) or any(not f.stubbed for f in call.callees)


def undone(call: Call, option: str, given: dict[str | None, Any]) -> bool:
    """Does another option, or `set_defaults`, write the same destination?"""
    destination = getattr(given.get("dest"), "value", None) or option.lstrip("-").replace("-", "_")
    for other, _ in call.module.calls_by_name.get("add_argument", ()):
        words = {k.arg: getattr(k.value, "value", None) for k in other.keywords}
        if other is not call.node and words.get("dest") == destination:
            return True
    defaults = call.module.calls_by_name.get("set_defaults", ())
    return any(k.arg == destination for c, _ in defaults for k in c.keywords)
