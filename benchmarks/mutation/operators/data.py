"""Operators for the rules about data: what is fitted, trained and measured on which rows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.mutation.edits import Edit, File, Mark, Mutant, Unit, keyword, last, operator
from benchmarks.mutation.shapes import option, steps, trained

RANDOM_STEPS = re.compile(r"Random\w+|ColorJitter|AutoAugment|TrivialAugment\w*|RandAugment")
DATASET = re.compile(r"^[A-Z]|data|set|load")
TREES = re.compile(r"Tree|Forest|Boost|XGB|LGBM")
"""Estimators that ask for the order of the values alone, so that scaling changes nothing."""
HELD = re.compile(r"test|val|dev|eval", re.IGNORECASE)


def splits(file: File) -> Iterator[tuple[ast.Assign, ast.Call, list[str]]]:
    """`X_train, X_test, y_train, y_test = train_test_split(X, y, ...)`: the statement, the call, the names."""
    for call in file.calls("train_test_split"):
        statement = file.statement(call)
        if isinstance(statement, ast.Assign) and statement.value is call and call.args:
            parts = [file.source(t) for t in getattr(statement.targets[0], "elts", [])]
            if len(parts) >= 2 * len(call.args) and isinstance(call.args[0], ast.Name):
                yield statement, call, parts


def random_split(call: ast.Call, file: File) -> bool:
    return option(call, "shuffle", file) != "False"


# ---------------------------------------------------------------------------------------------------- fit before split
@operator("fit-before-split")
def move_fit_before_split(unit: Unit, file: File) -> Iterator[Mutant]:
    """The scaler that is fitted on the training part is fitted on all rows before the split; none in front of trees."""
    for statement, call, parts in splits(file):
        if TREES.search(file.source(file.owner(statement))):
            continue
        block, rows = file.block(statement), file.source(call.args[0])
        fits = (c for s in block for c in ast.walk(s) if isinstance(c, ast.Call) and last(c.func) == "fit_transform")
        for fit in fits:
            scaler = file.source(fit.func.value)
            made = [s for s in block if isinstance(s, ast.Assign) and file.source(s.targets[0]) == scaler]
            if (
                made
                and fit.args
                and file.source(fit.args[0]) == parts[0]
                and not known_later(file, statement, made[0].value)
                and "Polynomial" not in file.source(made[0].value)
            ):
                edits = [file.before(statement, f"{rows} = {file.source(made[0].value)}.fit_transform({rows})")]
                edits.append(file.replace(fit, parts[0]))
                for use in file.calls("transform"):
                    if file.source(use.func.value) == scaler and use.args and file.source(use.args[0]) == parts[1]:
                        edits.append(file.replace(use, parts[1]))
                yield Mutant(edits, [file.mark(statement)])


def known_later(file: File, statement: ast.stmt, made: ast.AST) -> bool:
    """Is a name of an expression imported or bound only after a statement?"""
    names = {n.id for n in ast.walk(made) if isinstance(n, ast.Name)}
    imports = {a.asname or a.name: s.lineno for s in file.imports for a in s.names}
    bound = {n: min(s.lineno for s in file.assigned(n)) for n in names if file.assigned(n)}
    return any({**bound, **imports}.get(n, 0) > statement.lineno for n in names)


@operator("fit-before-split")
def prepare_all_rows(unit: Unit, file: File) -> Iterator[Mutant]:
    """New preparation before the split: scaler, imputer, PCA, mean and deviation by hand. Indices, lists and images
    are no rows that these take; what an earlier split gave is prepared apart from the rows of the final score, and no
    tree sees a scale."""
    first = next((n for n in file.tree.body if isinstance(n, (ast.Import, ast.ImportFrom))), None)
    for statement, call, _ in splits(file):
        rows = file.source(call.args[0])
        labels = re.search(r"^(y|labels?|targets?|files?|paths?|names?|ids?|idx|ind\w*|texts?)$", rows, re.IGNORECASE)
        made_by = {last(c.func) for n in file.assigned(rows) for c in ast.walk(n.value) if isinstance(c, ast.Call)}
        divided = any(rows in parts for before, _, parts in splits(file) if before.lineno < statement.lineno)
        drawn = [
            f"{n.func.value.attr}.{n.func.attr}"
            for n in file.calls("load_data")
            if rows in file.source(file.statement(n))
            and isinstance(n.func, ast.Attribute)
            and isinstance(n.func.value, ast.Attribute)
        ]
        if (
            first is None
            or labels
            or re.search(r"idx|indices", rows)
            or "list" in made_by
            or drawn
            or divided
            or not random_split(call, file)
            or not re.match(r"X|x|data|features|df|inputs", rows)
        ):
            continue
        marks = [file.mark(statement)]
        for source, name, made in (
            ("sklearn.preprocessing", "MinMaxScaler", "MinMaxScaler()"),
            ("sklearn.decomposition", "PCA", "PCA(n_components=2)"),
            ("sklearn.impute", "SimpleImputer", "SimpleImputer()"),
        ):
            importing = file.before(first, f"from {source} import {name}")
            needed = [] if name in file.imported else [importing]
            if "__future__" in file.source(first) or (name == "MinMaxScaler" and TREES.search(file.text)):
                continue
            yield Mutant([*needed, file.before(statement, f"{rows} = {made}.fit_transform({rows})")], marks)
            fitted = f"prep = {made}\nprep.fit({rows})\n{rows} = prep.transform({rows})"
            yield Mutant([*needed, file.before(statement, fitted)], marks)
        scaled = re.search(r"StandardScaler|scale\(|normalize\(", file.text)  # scaling once more undoes the first
        trees = TREES.search(file.text)
        if (rows.startswith("X") or rows in ("df", "data")) and not scaled and not trees:
            by_hand = f"{rows} = ({rows} - {rows}.mean(axis=0)) / {rows}.std(axis=0)"
            yield Mutant([file.before(statement, by_hand)], marks)
        if "pd" in file.imported and re.search(r"fillna|read_csv", file.text) and rows in ("df", "data", "frame"):
            yield Mutant([file.before(statement, f"{rows} = {rows}.fillna({rows}.mean())")], marks)


@operator("fit-before-split")
def fit_before_folds(unit: Unit, file: File) -> Iterator[Mutant]:
    """Scale all rows before a loop over folds, in which no trees are fitted."""
    for call in file.calls("split"):
        loop = file.parents.get(call)
        loop = file.parents.get(loop) if isinstance(loop, ast.Call) else loop
        if not isinstance(loop, ast.For) or not call.args or not unit.imports("sklearn"):
            continue
        if TREES.search(file.source(file.owner(call))):
            continue
        rows = file.source(call.args[0])
        if re.fullmatch(r"X\w*|features|data", rows) and "StandardScaler" in file.imported:
            text = f"{rows} = StandardScaler().fit_transform({rows})"
            yield Mutant([file.before(loop, text)], [file.mark(loop), file.mark(call)])


@operator("fit-before-split")
def cross_validate_prepared_rows(unit: Unit, file: File) -> Iterator[Mutant]:
    """Scale all rows before `cross_val_score`, or a search with folds."""
    for call in file.calls("cross_val_score", "cross_validate", "cross_val_predict"):
        statement = file.statement(call)
        if len(call.args) > 1 and isinstance(call.args[1], ast.Name) and "StandardScaler" in file.imported:
            rows = call.args[1].id
            text = f"{rows} = StandardScaler().fit_transform({rows})"
            yield Mutant([file.before(statement, text)], [file.mark(call)])


# --------------------------------------------------------------------------------------------------------- fit on test
@operator("fit-on-test")
def fit_on_test(unit: Unit, file: File) -> Iterator[Mutant]:
    """`transform` of the held-out rows becomes `fit_transform`, or gets a scaler of its own."""
    for call in file.calls("transform"):
        if not call.args or not isinstance(call.func, ast.Attribute):
            continue
        scaler, rows = file.source(call.func.value), file.source(call.args[0])
        if any(re.search("LabelEncoder|LabelBinarizer", file.source(n.value)) for n in file.assigned(scaler)):
            continue  # the classes are those of the rows, whichever these are
        fits = [c for c in file.calls("fit", "fit_transform") if file.source(c.func.value) == scaler]
        learned = " ".join(file.source(a) for a in fits[0].args) if fits and fits[0].args else "test"
        if HELD.search(rows.replace("value", "")) and not HELD.search(learned.replace("value", "")):
            yield Mutant([file.replace(call.func, f"{scaler}.fit_transform")], [])
            statement = file.statement(call)
            yield Mutant([file.before(statement, f"{scaler}.fit({rows})")], [file.mark(call)])
            made = file.assigned(scaler)
            if len(made) == 1 and isinstance(made[0].value, ast.Call):
                fresh = f"{file.source(made[0].value)}.fit_transform"
                yield Mutant([file.replace(call.func, fresh)], [])


# ------------------------------------------------------------------------------------------------------- the wrong part
@operator("training-on-evaluation-data")
def train_on_held_out(unit: Unit, file: File) -> Iterator[Mutant]:
    """The estimator is fitted on the test rows; the loop trains on the held-out loader."""
    for _, call, parts in splits(file):
        if len(call.args) != 2 or len(parts) != 4:
            continue
        for fit in file.calls("fit"):
            if [file.source(a) for a in fit.args] == [parts[0], parts[2]]:
                edits = [file.replace(fit.args[0], parts[1]), file.replace(fit.args[1], parts[3])]
                yield Mutant(edits, [])
    for found in steps(file):
        loop = file.loops(found.step)[0] if file.loops(found.step) else None
        if not isinstance(loop, ast.For):
            continue
        names = [n for n in ast.walk(loop.iter) if isinstance(n, (ast.Name, ast.Attribute))]
        names = [n for n in names if re.search(r"train\w*load|load\w*train|train_?dl", file.source(n), re.IGNORECASE)]
        for name in names[:1]:
            for held in held_loaders(file, name):
                yield Mutant(
                    [file.replace(name, held)], [file.mark(found.step), file.mark(found.backward), file.mark(loop)]
                )


def held_loaders(file: File, train: ast.AST) -> list[str]:
    """The held-out loaders that are bound where the training loader is."""
    text = file.source(train)
    found = []
    for other in ("test", "val", "valid", "validation", "dev", "eval"):
        name = re.sub("train", other, text)
        here = [n for n in file.assigned(name) if isinstance(n.value, ast.Call) and last(n.value.func) == "DataLoader"]
        here = [n for n in here if name.startswith("self.") or file.owner(n) in (file.owner(train), file.tree)]
        if name != text and here:
            found.append(name)
    return found


@operator("same-data-for-both")
def train_true_for_both(unit: Unit, file: File) -> Iterator[Mutant]:
    """The test set is built from the training files."""
    for call in (n for n in file.nodes if isinstance(n, ast.Call)):
        for name, held, train in (("train", "False", "True"), ("split", None, None)):
            flag = keyword(call, name)
            others = [option(c, name, file) for c in file.calls(last(call.func)) if c is not call]
            if flag is None or not trained(unit) or not DATASET.search(last(call.func)):
                continue
            value = file.source(flag.value)
            if re.search(r"SubsetRandomSampler|Subset\(", unit.all):
                continue  # which rows are read, the indices decide
            if name == "train" and value == held and train in others:
                yield Mutant([file.replace(flag.value, "True")], [file.mark(call)])
            elif name == "split" and re.fullmatch(r"['\"](test|val|valid|validation)['\"]", value):
                given = [*call.args, *(k.value for k in call.keywords if k is not flag)]
                if any(HELD.search(file.source(a)) for a in given):
                    continue  # a list of files chooses the rows
                if value.replace(value[1:-1], "train") in others:
                    yield Mutant([file.replace(flag.value, value.replace(value[1:-1], "train"))], [file.mark(call)])


@operator("same-data-for-both")
def loader_takes_training_set(unit: Unit, file: File) -> Iterator[Mutant]:
    """The loader of the validation reads the training set, which is another dataset, and no loader by that line."""
    for call in file.calls("DataLoader"):
        given = call.args[0] if call.args else getattr(keyword(call, "dataset"), "value", None)
        statement = file.statement(call)
        named = file.source(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
        if given is None or not isinstance(given, (ast.Name, ast.Attribute)) or not HELD.search(named):
            continue
        if keyword(call, "sampler") or keyword(call, "batch_sampler"):
            continue
        text = file.source(given)
        for other in file.calls("DataLoader"):
            train = other.args[0] if other.args else getattr(keyword(other, "dataset"), "value", None)
            trains = train is not None and "train" in file.source(train) and file.owner(other) is file.owner(call)
            name = file.source(train)
            same = [n for n in file.assigned(text) if file.source(n.value) == name]
            loaders = [n for n in file.assigned(name) if any(c is other for c in ast.walk(n.value))]
            if trains and HELD.search(text) and "train" not in text and name != text and not same and not loaders:
                yield Mutant([file.replace(given, file.source(train))], [file.mark(call)])
                break


@operator("same-data-for-both")
def evaluate_on_training_loader(unit: Unit, file: File) -> Iterator[Mutant]:
    """The evaluation walks through the training loader."""
    for call in (n for n in file.nodes if isinstance(n, ast.Call)):
        if not re.search(r"^(evaluate|validate|test|eval_?\w*|valid\w*)$", last(call.func) or ""):
            continue
        for given in call.args:
            name = file.source(given)
            train = re.sub(r"test|validation|valid|val|dev", "train", name)
            loads = re.search(r"load|_dl$", name, re.IGNORECASE) and train != name
            if loads and isinstance(given, ast.Name) and file.assigned(train) and file.assigned(name):
                result, _, rest = file.source(file.statement(call)).partition("=")
                # a second look at the training part may be wanted, unless nobody looks at the other one any more
                alone = sum(isinstance(n, ast.Name) and n.id == name for n in file.nodes) == 2
                if (rest or alone) and re.search("val|test|dev", result) and "train" not in result:
                    yield Mutant([file.replace(given, train)], [file.mark(call)])


@operator("model-selection-on-test")
def select_on_test(unit: Unit, file: File) -> Iterator[Mutant]:
    """The epoch is chosen by the score on the test loader, or the validation set is the test set."""
    tests = [n for n in file.nodes if isinstance(n, ast.If) and re.search("best", file.source(n.test))]
    steps = [(s, c) for s, c, _ in file.actions("step", "sched") if c.args]
    marks = [*(file.mark(s) for n in tests for s in n.body), *(file.mark(s) for s, _ in steps)]
    asked = [*((file.owner(n), n.test) for n in tests), *((file.owner(s), c.args[0]) for s, c in steps)]
    for call in (n for n in file.nodes if isinstance(n, ast.Call)):
        for given in call.args:
            name = file.source(given)
            test = re.sub(r"validation|valid|val|dev", "test", name)
            if isinstance(given, ast.Name) and test != name and re.search("load", name) and file.loops(call) and marks:
                built = [n for n in file.assigned(test) if "test" in file.source(n.value)]
                built = [n for n in built if file.owner(n) in (file.owner(call), file.tree)]
                if built and decides(file, call, asked):
                    yield Mutant([file.replace(given, test)], [*marks, file.mark(built[0])])
    for call in file.calls("DataLoader") if marks else ():
        given = call.args[0] if call.args else None
        statement = file.statement(call)
        named = file.source(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
        test = re.sub(r"validation|valid|val|dev", "test", file.source(given)) if given is not None else ""
        if re.search("val|dev", named) and isinstance(given, ast.Name) and test != given.id and file.assigned(test):
            yield Mutant([file.replace(given, test)], [*marks, file.mark(file.assigned(test)[0])])
    for node in file.nodes:
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Name) and file.loops(node) and marks:
            test = re.sub(r"validation|valid|val|dev", "test", node.iter.id)
            built = [n for n in file.assigned(test) if "test" in file.source(n.value)]
            built = [n for n in built if file.owner(n) in (file.owner(node), file.tree)]
            if test != node.iter.id and built:
                yield Mutant([file.replace(node.iter, test)], [*marks, file.mark(built[0])])


def decides(file: File, call: ast.Call, asked: list[tuple[ast.AST, ast.expr]]) -> bool:
    """Is what a call gives, or what is computed from it, asked about where the best is kept, in the same function?"""
    statement = file.statement(call)
    if not isinstance(statement, (ast.Assign, ast.AugAssign)):
        return isinstance(statement, ast.For)
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    given = {last(n) for t in targets for n in ast.walk(t) if isinstance(n, (ast.Name, ast.Attribute))}
    owner = file.owner(call)
    for node in (n for n in file.nodes if isinstance(n, ast.Assign) and file.owner(n) is owner):
        if given & {last(n) for n in ast.walk(node.value)} and node.lineno > statement.lineno:
            given |= {last(t) for t in node.targets}
    given -= {"", "self"}
    return any(where is owner and given & {last(n) for n in ast.walk(test)} for where, test in asked)


@operator("resample-before-split")
def resample_before_split(unit: Unit, file: File) -> Iterator[Mutant]:
    """The rows of the smaller class are multiplied before some of them are held out."""
    for statement, call, _ in splits(file):
        names = [file.source(a) for a in call.args]
        if len(names) != 2 or not random_split(call, file) or not all(n.isidentifier() for n in names):
            continue
        if not re.search(r"Classifier|LogisticRegression|SVC\(|stratify|cross_?entropy", file.text) or re.search(
            r"make_regression|Regressor\(|LinearRegression|mean_squared_error", file.text
        ):
            continue  # numbers have no rarer class
        made = (("imblearn.over_sampling", "SMOTE", "SMOTE(random_state=0).fit_resample"),
                ("imblearn.over_sampling", "RandomOverSampler", "RandomOverSampler().fit_resample"))  # fmt: skip
        above = [s for s in file.imports if s.lineno < statement.lineno]
        for module, name, form in made if above and name_free(file, "SMOTE", "RandomOverSampler") else ():
            text = f"{', '.join(names)} = {form}({', '.join(names)})"
            edits = [file.after(above[-1], f"from {module} import {name}"), file.before(statement, text)]
            yield Mutant(edits, [file.mark(call)])


def name_free(file: File, *names: str) -> bool:
    """Does a file say none of some names?"""
    return not any(re.search(rf"\b{name}\b", file.text) for name in names)


# ------------------------------------------------------------------------------------------------------------- loaders
@operator("unshuffled-training")
def drop_shuffle(unit: Unit, file: File) -> Iterator[Mutant]:
    """The training loader does not shuffle; not where rows were mixed before, or windows whose order may be meant."""
    mixed = re.search(r"random_split|train_test_split|randperm|\.shuffle\(|permutation|Fold\(.*shuffle=True", unit.all)
    drawn = re.search(r"(randn?|uniform|normal)\(|make_(moons|blobs|classification|regression|circles)", unit.all)
    mixed = mixed or (drawn and "TensorDataset(" in unit.all)  # made-up rows, in no order
    mixed = mixed or re.search(r"\[\s*(\w+)\s*:\s*\1\s*\+|\[\w+ [-+] \w+ ?: ?\w+\]|sliding|window", unit.all)
    for call in file.calls("DataLoader"):
        flag = keyword(call, "shuffle")
        statement = file.statement(call)
        named = file.source(statement).split("=")[0] + getattr(file.owner(call), "name", "")
        above = file.parents[call]
        if isinstance(above, ast.Dict):
            named = file.source(next(k for k, v in zip(above.keys, above.values, strict=True) if v is call) or call)
        if re.search("val|test|dev", file.source(statement).split("=")[0].lower()) or looked_at(file, statement):
            continue  # the other loader of a function that trains, or one that is drawn only
        if flag and file.source(flag.value) == "True" and trained(unit) and not mixed and "train" in named.lower():
            marks = loops_over(unit, file, statement)
            yield Mutant([file.replace(flag.value, "False")], marks)
            rows = call.args[0] if call.args else getattr(keyword(call, "dataset"), "value", None)
            if isinstance(rows, ast.Name) and "torch" in file.imported and not keyword(call, "sampler"):
                text = f"sampler=torch.utils.data.SequentialSampler({rows.id})"
                yield Mutant([file.replace(flag, text)], marks)
            before = [*call.args, *(k.value for k in call.keywords if k is not flag)]
            before = [n for n in before if file.span(n)[1] <= file.span(flag)[0]]
            if before:
                yield Mutant([Edit(file.path, file.span(before[-1])[1], file.span(flag)[1], "")], marks)


def looked_at(file: File, statement: ast.stmt) -> bool:
    """Is all that a function does with a loader to draw pictures of it?"""
    name = file.source(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
    owner = file.owner(statement)
    used = [n for n in file.nodes if isinstance(n, ast.Name) and n.id == name and file.owner(n) is owner]
    used = [n for n in used if isinstance(n.ctx, ast.Load)]
    calls = [file.parents[n] for n in used]
    drawn = (isinstance(c, ast.Call) and re.search("plot|show|draw|vis", last(c.func)) for c in calls)
    return bool(used) and all(drawn)


def loops_over(unit: Unit, file: File, statement: ast.stmt) -> list[Mark]:
    """The training loops, which consume a loader."""
    return [f.mark(loop) for f in unit.files for s in steps(f) for loop in f.loops(s.step)[:1]]


@operator("augmented-evaluation")
def random_step_in_evaluation(unit: Unit, file: File) -> Iterator[Mutant]:
    """The transform of the held-out data gets a random step, or is the one of the training data."""
    for call in file.calls("Compose"):
        statement = file.statement(call)
        named = file.source(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
        if not call.args or not isinstance(call.args[0], ast.List) or not call.args[0].elts or not HELD.search(named):
            continue
        prefix = file.source(call.func).rpartition(".")[0]
        if of_torchvision(prefix, file) and not RANDOM_STEPS.search(file.source(call)):
            at = file.span(call.args[0].elts[0])[0]
            for step in ("RandomHorizontalFlip()", "ColorJitter(0.4, 0.4)", "RandomRotation(10)"):
                yield Mutant([Edit(file.path, at, at, f"{prefix}.{step}, ")], users(file, named))
    yield from random_steps_beside_other_parts(unit, file)
    for call in (n for n in file.nodes if isinstance(n, ast.Call)):
        flag = keyword(call, "transform")
        if flag is None or not isinstance(flag.value, ast.Name) or not HELD.search(file.source(file.statement(call))):
            continue
        for other in (n for n in file.nodes if isinstance(n, ast.Assign)):
            name = file.source(other.targets[0])
            if RANDOM_STEPS.search(file.source(other.value)) and "Compose(" in file.source(other.value):
                same = file.owner(other) is file.owner(call) and re.search("train", name)
                if same and name != flag.value.id and held_out(call, file):
                    yield Mutant([file.replace(flag.value, name)], [file.mark(other)])


def random_steps_beside_other_parts(unit: Unit, file: File) -> Iterator[Mutant]:
    """A random step in the entry "val" of a dictionary of transforms, or in one that is written where it is used."""
    for call in file.calls("Compose"):
        above = file.parents[call]
        prefix = file.source(call.func).rpartition(".")[0]
        named = ""
        if isinstance(above, ast.Dict):
            named = file.source(next(k for k, v in zip(above.keys, above.values, strict=True) if v is call))
        elif isinstance(above, ast.keyword) and above.arg == "transform" and held_out(file.parents[above], file):
            named = "val"
        if not HELD.search(named) or not prefix or not call.args or not isinstance(call.args[0], ast.List):
            continue
        if call.args[0].elts and not RANDOM_STEPS.search(file.source(call)) and of_torchvision(prefix, file):
            at = file.span(call.args[0].elts[0])[0]
            for step in ("RandomHorizontalFlip()", "RandomRotation(10)"):
                yield Mutant([Edit(file.path, at, at, f"{prefix}.{step}, ")], [file.mark(call), *reads(file, above)])


def reads(file: File, above: ast.AST) -> list[Mark]:
    """The statements that read a dictionary of transforms."""
    statement = file.statement(above)
    name = file.source(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
    return [file.mark(statement), *users(file, name)]


def held_out(call: ast.Call, file: File) -> bool:
    """Is it certainly the dataset of the held-out part?"""
    statement = file.statement(call)
    named = file.source(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
    return bool(HELD.search(named)) and "train" not in named


def of_torchvision(prefix: str, file: File) -> bool:
    """Is it torchvision's module of transforms, by how it is imported?"""
    name = prefix.partition(".")[0]
    imports = (file.source(n) for n in file.imports if "torchvision" in file.source(n))
    return bool(name) and any(re.search(rf"\b{name}\b", text) for text in imports)


def users(file: File, name: str) -> list[Mark]:
    """The statements that use a name."""
    return [file.mark(n) for n in file.nodes if isinstance(n, ast.Name) and n.id == name]


# --------------------------------------------------------------------------------------------------------- time series
@operator("shuffled-time-series")
def shuffle_in_time(unit: Unit, file: File) -> Iterator[Mutant]:
    """A split by time becomes a random one."""
    series = re.search(r"\.shift\(|\.rolling\(|\.pct_change\(|\w+\[\s*\w+\s*-\s*\w+\s*:\s*\w+\s*\]", unit.all)
    for call in file.calls("train_test_split"):
        flag = keyword(call, "shuffle")
        if flag and file.source(flag.value) == "False" and series:
            yield Mutant([file.replace(flag, "random_state=0")], [file.mark(call)])
    for call in file.calls("TimeSeriesSplit"):
        folds = call.args[0] if call.args else getattr(keyword(call, "n_splits"), "value", None)
        if series and "KFold" in file.imported:
            count = file.source(folds) if folds else "5"
            text = f"KFold({count}, shuffle=True, random_state=0)"
            marks = [file.mark(c) for c in file.calls("split")]
            yield Mutant([file.replace(call, text)], marks)


@operator("shuffled-time-series")
def lags_before_random_split(unit: Unit, file: File) -> Iterator[Mutant]:
    """Lagged columns before a random split."""
    for statement, call, _ in splits(file):
        rows = file.source(call.args[0])
        frames = [n for n in file.assigned(rows) if "read_csv" in file.source(n.value)]
        if random_split(call, file) and frames and len(call.args) == 1:
            text = f'{rows}["lag"] = {rows}.iloc[:, 0].shift(1)'
            yield Mutant([file.before(statement, text)], [file.mark(call)])


# --------------------------------------------------------------------------------------------------- shared transform
@operator("shared-transform")
def transform_each_part(unit: Unit, file: File) -> Iterator[Mutant]:
    """Each of two parts gets a transform of its own, on the dataset that both hold."""
    for call in file.calls("random_split"):
        statement = file.statement(call)
        target = statement.targets[0] if isinstance(statement, ast.Assign) and statement.value is call else None
        parts = [e.id for e in getattr(target, "elts", ()) if isinstance(e, ast.Name)]
        rows = [s.value for s in file.assigned(file.source(call.args[0]))] if call.args else []
        if len(parts) != 2 or "transforms" not in file.imported or not any(keyword(r, "transform") for r in rows):
            continue
        written = [f"{parts[0]}.dataset.transform = transforms.RandomHorizontalFlip()"]
        written += [f"{parts[1]}.dataset.transform = transforms.ToTensor()"]
        yield Mutant([file.after(statement, "\n".join(written))], [])
