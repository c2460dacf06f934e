"""Layers are assigned to a module whose `Module.__init__` was not called."""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Class, Site, initialisation

__all__: list[str] = []

_REGISTRY = "`Module.__init__` creates the registry of layers: assigning a layer earlier raises an `AttributeError`"


@check("missing-super-init")
def missing_super_init(cls: Class) -> Iterator[Finding]:
    """Layers are assigned to a module whose `Module.__init__` was not called."""
    found = initialisation.find_uninitialised(cls)
    if found is None:
        return
    if found.initialised is None:
        yield Finding(
            Site(cls.module, cls.scope.methods["__init__"].node),
            f"`{cls.scope.name}` assigns layers or parameters, but `Module.__init__` is never called",
            "no `super().__init__()`",
            [Note(found.layer, "cannot be registered")],
        )
    else:
        yield Finding(
            found.layer,
            f"`{found.name}` is assigned before `super().__init__()`: nothing can be registered yet",
            "assigned too early",
            [Note(found.initialised, "called here")],
            help="move `super().__init__()` to the first line of `__init__`",
            why=_REGISTRY,
            evidence=(found.is_run,),
        )
