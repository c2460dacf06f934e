"""Where does a module of the compiled core come from? Out of the one library that holds all of them.

The build leaves a small library beside each module, which does nothing but ask the large one. To find and load these
takes Python ten times as long as to make the modules, and the start of a run is half of what one file costs. So here is
a finder that asks the large one at once; a module that it does not know, and every module of a checkout, is found as
ever. Importing this module puts the finder in its place.
"""

from __future__ import annotations

import sys

from mllint._typing import Any

_Spec: Any = type(sys.__spec__)  # importlib.machinery.ModuleSpec, without what that imports


class _Finder:
    """A finder and loader as `importlib` describes them.

    Args:
        library: the module that holds, for each compiled module, a capsule with the function that makes it.
        make: what calls the function in a capsule.
    """

    def __init__(self, library: Any, make: Any) -> None:
        self.makers, self.make = vars(library), make
        self.end = str(library.__file__).rpartition(library.__name__)[2]  # ".cpython-311-x86_64-linux-gnu.so"

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The spec of a module of the compiled core, None for any other."""
        if not name.startswith("mllint.") or _key(name) not in self.makers:
            return None
        spec = _Spec(name, self, origin=f"{path[0]}/{name.rpartition('.')[2]}{self.end}")
        spec.has_location = True
        return spec

    def create_module(self, spec: Any) -> Any:
        """The module, already executed."""
        return self.make(self.makers[_key(spec.name)])

    def exec_module(self, module: Any) -> None:
        """Nothing is left to do."""


def _key(name: str) -> str:
    return f"init_{name.replace('.', '___')}"


def _install() -> None:
    try:
        compact: Any = __import__("mllint._compact", fromlist=["module"])
        library: Any = __import__("mllint__mypyc")
    except ImportError:
        return
    sys.meta_path.insert(0, _Finder(library, compact.module))


_install()
