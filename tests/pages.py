"""What does a Markdown page claim? Pages to cases: the files of each example and what must be reported on which line.

A page is a sequence of sections. Each section with `py` fences is one example, or several: unnamed fences are examples
of their own, fences named by a line "`path.py`:" are files of one project. For instance

    ### Across files
    `model.py`:
    ```py
    class Net(nn.Module): ...
    ```
    `train.py`:
    ```py
    loss = F.cross_entropy(probs, y)  # error: [double-softmax] "already holds"
    ```

is one case of two files with one expected finding. This module only reads; `tests/spec.py` runs the cases.
"""

from __future__ import annotations

import ast
import builtins
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

__all__ = ["USUAL", "Block", "Case", "Claim", "claims", "notebook", "read_page", "unbound", "unclaimed"]

PRELUDE = "; ".join(
    """import copy, math, os, random
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
import torch.distributed as dist
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset, IterableDataset, random_split
from torch.utils.data.distributed import DistributedSampler
from torch.optim.lr_scheduler import StepLR, MultiStepLR, ExponentialLR, CosineAnnealingLR, ReduceLROnPlateau
from torch.optim.lr_scheduler import OneCycleLR, LambdaLR, CosineAnnealingWarmRestarts
from torch.cuda.amp import GradScaler, autocast
import torchvision
from torchvision import datasets, transforms
from tqdm import tqdm
from sklearn.model_selection import train_test_split, KFold, StratifiedKFold, cross_val_score, GridSearchCV
from sklearn.preprocessing import StandardScaler, MinMaxScaler, LabelEncoder, OneHotEncoder
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.decomposition import PCA
import pandas as pd""".splitlines()
)
"""What a block without any import imports, on one line: findings in it are one line further down."""

USUAL = frozenset(a.asname or a.name for node in ast.parse(PRELUDE).body for a in node.names)
"""The names that it binds."""

_HEADING = re.compile(r"^(#{2,4}) +(.+?)\s*$")
_FENCE = re.compile(r"^(`{3,})([^`]*)$")
_NAME = re.compile(r"^`([^`\s]+)`:\s*$")
_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+[\w.]", re.MULTILINE)
_CLAIM = re.compile(r'#\s*(error|gap|label):\s*\[([a-z0-9-]+)\](?:\s*"((?:[^"\\]|\\.)*)")?')
_CLAIMS = re.compile(rf"(?:\s*{_CLAIM.pattern})+")
_CELL = re.compile(r"^# %%.*$")


class Block(NamedTuple):
    """One fence: what is in it, and where on the page it starts."""

    language: str
    words: tuple[str, ...]
    """The words behind the language: `before`, `after`, `fixed`, `unfixed`, `pedantic`, the function of a `flow`
    fence."""
    name: str
    text: str
    line: int
    """The line of the page that is line 0 of the text: the fence itself."""

    @property
    def bare(self) -> bool:
        """Whether the block relies on the usual imports."""
        return _IMPORT.search(self.text) is None

    def source(self) -> str:
        """The text as a file."""
        if self.name.endswith(".ipynb"):
            return notebook(self.text)
        return f"{PRELUDE}\n{self.text}" if self.bare else self.text

    def line_of(self, line: int, cell: int | None) -> int:
        """The 1-based line of the block at which a reported line stands."""
        if cell is not None:
            return _cell_starts(self.text)[cell - 1] + line
        return line - 1 if self.bare and not self.name.endswith(".ipynb") else line


class Case(NamedTuple):
    """One example: a project of one or more files, its configuration and its claims."""

    id: str
    section: tuple[str, ...]
    files: dict[str, Block]
    config: str = ""
    role: str = ""
    """`before` and `after` for the two fences of a fix, `pedantic` if findings that rest on a guess are wanted."""
    flow: Block | None = None
    before: Block | None = None
    """The fence of which the only unnamed one is what the fix of the page's rule makes."""


class Claim(NamedTuple):
    """What a comment on one line says: `error`, `gap` or `label`, about a rule, with a part of the text."""

    kind: str
    rule: str
    text: str
    line: int


def claims(text: str) -> list[Claim]:
    """The claims in a block, with 1-based lines."""
    return [
        Claim(match[1], match[2], (match[3] or "").replace('\\"', '"'), number)
        for number, line in enumerate(text.split("\n"), 1)
        for match in _CLAIM.finditer(line)
    ]


def unclaimed(text: str) -> str:
    """A block without the comments that claim something."""
    return "\n".join(_CLAIMS.sub("", line) if _CLAIM.search(line) else line for line in text.split("\n"))


def unbound(block: Block) -> list[str]:
    """The names that a block reads and that nothing in it binds, in alphabetic order; none where it does not parse."""
    try:
        tree = ast.parse(block.source())
    except SyntaxError:
        return []
    read: set[str] = set()
    bound = {*dir(builtins), "__file__"}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                read.add(name)
            case ast.Name(id=name) | ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
            case ast.AsyncFunctionDef(name=name) | ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                bound.add(name)
            case ast.alias(name=name, asname=alias):
                bound.add(alias or name.partition(".")[0])
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                bound.add(name)
    return sorted(read - bound)


def read_page(text: str) -> list[Case]:
    """All cases of a page, in order."""
    cases: list[Case] = []
    taken: dict[str, int] = {}
    for section, blocks in _sections(text):
        for case in _cases(section, blocks):
            taken[case.id] = taken.get(case.id, 0) + 1
            suffix = f" #{taken[case.id]}" if taken[case.id] > 1 else ""
            cases.append(case._replace(id=case.id + suffix))
    return cases


def notebook(text: str) -> str:
    """A notebook with one code cell for each part of `text` that starts with a `# %%` line."""
    lines = text.split("\n")
    starts = [*_cell_starts(text), len(lines)]
    cells = [lines[start:end] for start, end in pairwise(starts)]
    bodies = [cell if index == len(cells) - 1 else cell[:-1] for index, cell in enumerate(cells)]
    return json.dumps(
        {
            "cells": [
                {
                    "cell_type": "code",
                    "execution_count": None,
                    "metadata": {},
                    "outputs": [],
                    "source": "\n".join(body).splitlines(keepends=True),
                }
                for body in bodies
            ],
            "metadata": {"language_info": {"name": "python"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )


def _cell_starts(text: str) -> list[int]:
    """The 0-based line at which the body of each cell starts."""
    lines = text.split("\n")
    starts = [number + 1 for number, line in enumerate(lines) if _CELL.match(line)]
    return starts if starts and starts[0] == 1 else [0, *starts]


def _sections(text: str) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    """The sections of a page with their fences; what stands before the first `##` is the page's own head."""
    section: tuple[str, ...] = ()
    blocks: list[Block] = []
    lines = text.split("\n")
    name = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        if fence := _FENCE.match(line):
            end = next((i for i in range(at + 1, len(lines)) if lines[i].rstrip() == fence[1]), len(lines))
            language, *words = fence[2].split() or [""]
            blocks.append(Block(language, tuple(words), name, "\n".join(lines[at + 1 : end]), at + 1))
            name = ""
            at = end
        elif heading := _HEADING.match(line):
            if section:
                yield section, blocks
            blocks = []
            section = (*section[: len(heading[1]) - 2], heading[2])
        elif line.strip():
            named = _NAME.match(line)
            name = named[1] if named else ""
        at += 1
    if section:
        yield section, blocks


def _cases(section: tuple[str, ...], blocks: list[Block]) -> Iterator[Case]:
    title = " > ".join(section)
    config = "\n".join(block.text for block in blocks if block.language == "toml")
    files = {block.name: block for block in blocks if block.name and block.language in ("py", "pyi")}
    unnamed = [block for block in blocks if block.language == "py" and not block.name]
    flows = [block for block in blocks if block.language == "flow"]
    before: Block | None = None
    for block in unnamed:
        role = next(iter(block.words), "")
        name = f"{title} ({role})" if role in ("before", "after") else title
        case = Case(name, section, {**files, "main.py": block}, config, role, _flow_of(block, unnamed, flows))
        before = block if role == "before" else before
        yield case._replace(before=before if "fixed" in block.words else None)
    if files and not unnamed:
        role = next((word for block in files.values() for word in block.words), "")
        yield Case(title, section, files, config, role, flows[0] if flows else None)


def _flow_of(block: Block, unnamed: list[Block], flows: list[Block]) -> Block | None:
    """The `flow` fence that belongs to a block: the first one behind it, before the next block."""
    later = [other.line for other in unnamed if other.line > block.line]
    limit = min(later, default=10**9)
    return next((flow for flow in flows if block.line < flow.line < limit), None)
