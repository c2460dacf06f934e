"""Which rows are read from the folder of the test set, and is the result measured on that folder?

    val = keras.utils.image_dataset_from_directory("data/test")      # `loaded_as_test`: test rows, whatever their name
    model.fit(train, validation_data=val, callbacks=[EarlyStopping(restore_best_weights=True)])
    test = keras.utils.image_dataset_from_directory(root / "test")
    model.evaluate(test)                                             # `find_final_measurement`: the same rows

The last part of a path says what lies there, if it is a conventional name, also through the functions that read it and
those that hand on a path. A folder of which only a share is read says nothing.
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, all_arguments, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training.role_names import Role
from mllint.semantics.training.roles import file_rows
from mllint.semantics.training.rows.handed_over import REPORTS
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import origins

__all__ = ["find_final_measurement", "loaded_as_test"]

_FOLDERS = ("directory", "root")
"""The parameters for the folder of those functions of libraries that read one."""
_SHARES = ("validation_split", "subset")
_SAME_PATH = frozenset("str Path PurePath fspath abspath resolve as_posix expanduser".split())
_JOINING = _SAME_PATH | {"join", "joinpath"}
_DEPTH = 6  # names and calls through which a path is followed


def loaded_as_test(argument: Node, frame: Frame) -> str | None:
    """The place among what is validated on that holds nothing but test rows, by what loaded it.

    Args:
        argument: what is validated on.
        frame: its context.
    """
    for node in (n for n in walk(argument) if isinstance(n, ast.Name)):
        if {r.part for r in evaluate(node, frame).all_provenance} == {"test"} or _reads_test_folder(node, frame):
            return node.id
    return None


def find_final_measurement(name: str, call: Node, frame: Frame) -> Node:
    """The call that measures the model on test rows after it was trained, or None.

    Args:
        name: the place of the rows.
        call: what trained the model.
        frame: where it stands.
    """
    own: bool | None = None
    for other in frame.function.calls:
        if last_name(other.func) not in REPORTS or other.lineno <= call.lineno:
            continue
        given = all_arguments(other)
        if name in [place(a) for a in given]:
            return other
        read = [a for a in given if isinstance(a, ast.Name) and _reads_test_folder(a, frame)]
        if read and own is None:
            own = any(_reads_test_folder(n, frame) for n in walk(call) if place(n) == name)
        if read and own:
            return other
    return None


def _reads_test_folder(node: Node, frame: Frame) -> bool:
    """Is all that an expression was computed from read from a folder of test rows?"""
    read = []
    for origin in origins(node, frame):
        call = Call(origin.node, origin.frame) if isinstance(origin.node, ast.Call) else None
        if call is None or not call.callees or not all(f.stubbed for f in call.callees):
            continue
        folder = next((a for name in _FOLDERS if (a := call.argument(name)) is not None), None)
        if folder is not None:
            is_whole = all(call.argument(name) is None for name in _SHARES)
            said = _last_part(folder.node, folder.frame, _DEPTH) if is_whole else None
            read.append(said is not None and file_rows(said) is Role.TEST_ROWS)
    return bool(read) and all(read)


def _last_part(node: Node, frame: Frame, depth: int) -> str | None:
    """The last part of a path, if it is written out."""
    if depth == 0:
        return None
    match node:
        case ast.Constant(value=str() as path):
            return path.rstrip("/")
        case ast.BinOp(op=ast.Div() | ast.Add(), right=inner) | ast.JoinedStr(values=[*_, inner]):
            return _last_part(inner, frame, depth - 1)
        case ast.Call(func=func, args=[*_, inner]) if last_name(func) in _JOINING:
            return _last_part(inner, frame, depth - 1)
        case ast.Call(func=ast.Attribute(attr=word, value=inner), args=[]) if word in _SAME_PATH:
            return _last_part(inner, frame, depth - 1)
        case ast.Name(id=name):
            found = bound_at(node, frame.function)
            if len(found) != 1:
                return None
            if found[0].kind == "assign" and not found[0].path:
                return _last_part(found[0].value, frame, depth - 1)
            given = frame.bound.get(name) if frame.bound and found[0].kind == "param" else None
            return _last_part(given.node, given.frame, depth - 1) if isinstance(given, Passed) else None
    return None
