"""What does a new rule begin with? A page whose examples fail, a module that reports nothing, and the next steps.

The page comes first, as in `docs/writing-a-rule.md`: what is written here are its headings and the metadata, with `...`
where somebody has to think. Nothing that exists is replaced.
"""

from __future__ import annotations

import os
import re

from mllint.catalogue import pages
from mllint.dev.tables import checkout, write_tables
from mllint.errors import MllintError, did_you_mean
from mllint.version import __version__

__all__ = ["new_rule"]

_PAGE = """\
# {name}

```toml
severity = "warning"
confidence = "high"
frameworks = ["torch"]
symptoms = ["slow-learning"]  # those that it explains, of docs/symptoms.md
since = "{since}"
why = "..."
help = "..."
```

...: one sentence that says the fault.

## Fix
```py before
x = ...
```
```py after
x = 0
```

## Why it is silent
...

## Fires
### The usual form
```py
x = ...  # error: [{name}]
```

## Stays quiet
### A value that is not known
```py
x = y
```
"""
_MODULE = '''\
"""...?

What is asked, of what, and what is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import Call

__all__: list[str] = []


@check("{name}", calls="...")
def {function}(call: Call) -> Iterator[Finding]:
    """..."""
    wrong = call.argument("...")
    if wrong is not None:
        yield Finding(wrong, f"`{{call.name}}` ...", "...", help="...")
'''
_NEXT = '''\
wrote {page}
wrote {module}
wrote the tables

Next, with the sections of docs/writing-a-rule.md:
1. (section 2) The page: what it reports, and what a careless check would report by mistake. See its examples fail:
     python -m pytest -q {page}
2. (section 4) The module. What a call means is asked of `call.callee`; the section says what else may be asked.
3. (section 5) A stub, if the rule asks what no stub says: src/mllint/stubs/LIBRARY/, docs/writing-a-stub.md.
4. (section 6) The tables again, and the list of all messages:
     python -m mllint.dev tables
     python -m tests.messages
5. (section 7) An operator that puts the bug into right code: benchmarks/mutation/operators/{operators}:
     @operator("{name}")
     def {function}(unit: Unit, file: File) -> Iterator[Mutant]:
         for call in file.calls("..."):  # which of them are right?
             yield Mutant([file.replace(call, "...")], [])  # []: the finding belongs to the edited statement
     python -m benchmarks.mutation --only {name}
6. (section 7) Of a rule of severity error or warning, an experiment: benchmarks/evidence/{experiment}.py:
     """The fault, in a few words.

     setting: the data, the model, the length of the training
     figure: what is measured, %
     worse: lower
     found: What the fault did to it, where the figure does not say it.
     """
     def run(seed):
         x = ...  # right
         x = ...  # wrong
         return ...
   A file nearby has the rest: data, model, loop. What it needs besides is said if it is not installed:
     python -m benchmarks.evidence {name} --update
     python -m mllint.dev tables
7. (section 8) A line under "Unreleased" in CHANGELOG.md.
8. (section 8) All that a change has to pass, what is quick first: ruff check; ruff format; mypy; lint-imports;
   python -m pytest -q -m quick -n 2; python -m pytest -q -n 2
'''


def new_rule(place: str) -> str:
    """Write the page and the module of a rule, and the tables.

    Args:
        place: `FAMILY/NAME`.

    Returns:
        What was written, and what comes next.

    Raises:
        MllintError: there is no such family, the name is none, or the rule exists.
    """
    root = checkout()
    family, _, name = place.partition("/")
    _refuse(root, family, name)
    function = name.replace("-", "_")
    page, module = f"rules/{family}/{name}.md", f"src/mllint/checks/{family}/{function}.py"
    for path, text in ((page, _PAGE), (module, _MODULE)):
        with open(os.path.join(root, path), "x", encoding="utf-8", newline="\n") as file:
            file.write(text.format(name=name, function=function, since=_since()))
    write_tables()
    operators = f"{family}.py"
    if not os.path.exists(os.path.join(root, "benchmarks", "mutation", "operators", operators)):
        operators = "others.py"
    return _NEXT.format(
        page=page, module=module, name=name, function=function, operators=operators, experiment=f"{family}/{name}"
    )


def _since() -> str:
    """The next version that has new rules: this one until `CHANGELOG.md` gives it a date, then the next minor one."""
    major, minor = __version__.split(".")[:2]
    with open(os.path.join(checkout(), "CHANGELOG.md"), encoding="utf-8") as file:
        is_released = re.search(rf"^## \[{re.escape(__version__)}\] - \d", file.read(), re.MULTILINE) is not None
    return f"{major}.{int(minor) + 1}" if is_released else f"{major}.{minor}"


def _refuse(root: str, family: str, name: str) -> None:
    checked = os.path.join(root, "src", "mllint", "checks")
    families = sorted(one for one in pages.families() if os.path.isdir(os.path.join(checked, one)))
    if family not in families:
        hint = did_you_mean(family, families) or f"; there are {', '.join(families)}"
        raise MllintError(f"there is no family `{family}`{hint}: write `FAMILY/NAME`")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)+", name):
        raise MllintError(
            f"`{name}` is not the name of a rule: name the fault, in lower case, such as `double-softmax`"
        )
    taken = {alias for info in pages.rules().values() for alias in (info.name, *info.aliases)}
    if name in taken or os.path.exists(os.path.join(checked, family, f"{name.replace('-', '_')}.py")):
        raise MllintError(f"the rule `{name}` exists already")
