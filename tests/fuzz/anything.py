"""Any Python at all: random syntax trees over the vocabulary of training code.

Random bytes would never get past the parser, and random names never past the first question of a rule. So every kind of
statement and expression is generated, deeply nested and without sense, but with names that rules ask about: `step` of
`self`, `no_grad` as a decorator, `DataLoader` as a loop target, `train` as a keyword.
"""

from __future__ import annotations

import ast
import sys
from random import Random
from typing import Any

__all__ = ["source"]

NAMES = """model net self optimizer opt scheduler loader train_loader test_loader x y loss logits out criterion epoch i
batch scaler data train test best state args torch nn F np optim DataLoader random_split train_test_split
StandardScaler Adam SGD StepLR range enumerate zip len tqdm super print isinstance getattr list dict cls""".split()
ATTRIBUTES = """step backward zero_grad train eval parameters state_dict load_state_dict detach item data grad softmax
log_softmax sigmoid cross_entropy Linear Dropout Module Sequential ModuleList no_grad manual_seed seed fit transform
fit_transform append view to cuda cpu numpy requires_grad requires_grad_ training mean std save load optim lr_scheduler
utils clip_grad_norm_ unscale_ scale update loss_fn fc layers forward __init__ randn zeros tensor argmax set_epoch
sampler backward_ copy deepcopy shape T""".split()
KEYWORDS = "dim p lr momentum shuffle train batch_size random_state test_size reduction weight training inplace".split()
IMPORTS = """import torch
import torch.nn as nn
import torch.nn.functional as F
import numpy as np
import random
from torch import optim, nn
from torch.optim import Adam, SGD as Descent
from torch.optim.lr_scheduler import StepLR, OneCycleLR as Cycle
from torch.utils.data import DataLoader as Loader, random_split, Dataset
from sklearn.model_selection import train_test_split as tts, KFold
from sklearn.preprocessing import StandardScaler
from torch.nn import *
from . import helper
from .helper import *
from ..up import thing as x
import torch as self
from tqdm import tqdm""".splitlines()
CONSTANTS: list[Any] = [
    0,
    1,
    -1,
    1e-3,
    0.5,
    True,
    False,
    None,
    "train",
    "test",
    "mean",
    b"x",
    ...,
    10**30,
    1j,
    "é🔥\n",
    "",
]


def source(random: Random, size: int = 60) -> str:
    """A file of about `size` statements and expressions."""
    return ast.unparse(ast.fix_missing_locations(_Any(random, size).module())) + "\n"


class _Any:
    """Makes nodes until its budget is used up; then only leaves."""

    def __init__(self, random: Random, budget: int) -> None:
        self.random, self.budget = random, budget

    def one(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def many(self, make: Any, low: int = 0, high: int = 3) -> list[Any]:
        return [make() for _ in range(self.random.randint(low, high))]

    def name(self) -> str:
        return self.random.choice(NAMES)

    def module(self) -> ast.Module:
        body = [s for line in self.random.sample(IMPORTS, self.random.randint(1, 8)) for s in ast.parse(line).body]
        while self.budget > 0:
            body.append(self.statement())
        return ast.Module(body, [])

    # ---------------------------------------------------------------------------------------------------- statements
    def block(self) -> list[ast.stmt]:
        return self.many(self.statement, 1, 4)

    def statement(self) -> Any:
        self.budget -= 1
        if self.budget < 0:
            return self.one(ast.Pass(), ast.Expr(self.leaf()), ast.Return(None), ast.Continue(), ast.Break())
        return self.random.choices(
            [self.small, self.loop, self.function, self.cls, self.branch, self.with_, self.try_, self.match],
            [10, 3, 2, 1, 2, 1, 1, 1],
        )[0]()

    def small(self) -> Any:
        kind = self.random.randrange(13)
        if kind < 4:
            return ast.Expr(self.expression())
        if kind < 8:
            return ast.Assign(self.many(self.target, 1, 2), self.expression())
        match kind:
            case 8:
                return ast.AugAssign(
                    self.one(self.place(), ast.Name(self.name(), ast.Store())), self.operator(), self.expression()
                )
            case 9:
                target = ast.Name(self.name(), ast.Store())
                return ast.AnnAssign(target, self.expression(), self.one(None, self.expression()), 1)
            case 10:
                return self.one(
                    ast.Return(self.expression()),
                    ast.Raise(self.expression(), None),
                    ast.Assert(self.expression(), None),
                    ast.Delete([self.target()]),
                    ast.Expr(ast.Yield(self.expression())),
                    ast.Break(),
                    ast.Continue(),
                )
            case 11:
                return self.one(ast.Global([self.name()]), ast.Nonlocal([self.name()]), ast.Pass())
        return ast.parse(self.random.choice([line for line in IMPORTS if "*" not in line])).body[0]

    def loop(self) -> Any:
        orelse = self.one([], [], self.block())
        if self.random.random() < 0.2:
            return ast.While(self.expression(), self.block(), orelse)
        kind = self.one(ast.For, ast.For, ast.For, ast.AsyncFor)
        return kind(self.target(), self.expression(), self.block(), orelse)

    def function(self) -> Any:
        kind = self.one(ast.FunctionDef, ast.FunctionDef, ast.AsyncFunctionDef)
        name = self.random.choice(NAMES + ATTRIBUTES)
        more = {"type_params": []} if sys.version_info >= (3, 12) else {}
        return kind(
            name=name,
            args=self.arguments(),
            body=self.block(),
            decorator_list=self.many(self.expression, 0, 1),
            returns=self.one(None, self.leaf()),
            **more,
        )

    def arguments(self) -> ast.arguments:
        names = self.random.sample(NAMES, self.random.randint(0, 5))
        given = [ast.arg(n, self.one(None, None, self.leaf())) for n in names]
        split = self.random.randint(0, len(given))
        positional, keyword = given[:split], given[split:]
        defaults = [self.leaf() for _ in range(self.random.randint(0, len(positional)))]
        vararg = self.one(None, None, ast.arg("args_", None))
        kwarg = self.one(None, None, ast.arg("kwargs_", None))
        return ast.arguments(
            [], positional, vararg, keyword, [self.one(None, self.leaf()) for _ in keyword], kwarg, defaults
        )

    def cls(self) -> ast.ClassDef:
        more = {"type_params": []} if sys.version_info >= (3, 12) else {}
        keywords = self.one([], [ast.keyword("metaclass", self.leaf())])
        return ast.ClassDef(
            self.name(), self.many(self.expression, 0, 2), keywords, self.block(), self.many(self.leaf, 0, 1), **more
        )

    def branch(self) -> ast.If:
        return ast.If(self.expression(), self.block(), self.one([], self.block()))

    def with_(self) -> Any:
        items = self.many(lambda: ast.withitem(self.expression(), self.one(None, self.target())), 1, 2)
        return self.one(ast.With, ast.AsyncWith)(items, self.block())

    def try_(self) -> Any:
        kinds = [ast.Try, *([ast.TryStar] if sys.version_info >= (3, 11) else [])]
        kind = self.random.choice(kinds)
        handlers = self.many(lambda: ast.ExceptHandler(self.leaf(), self.one(None, self.name()), self.block()), 0, 2)
        final = self.block() if not handlers else self.one([], self.block())
        return kind(self.block(), handlers, self.one([], self.block()) if handlers else [], final)

    def match(self) -> ast.Match:
        cases = self.many(lambda: ast.match_case(self.pattern(2), self.one(None, self.leaf()), self.block()), 1, 3)
        return ast.Match(self.leaf(), cases)

    def pattern(self, depth: int) -> Any:
        if depth == 0:
            return self.one(
                ast.MatchValue(ast.Constant("train")), ast.MatchAs(None, self.name()), ast.MatchSingleton(None)
            )
        inner = [self.pattern(depth - 1) for _ in range(self.random.randint(0, 2))]
        return self.one(
            ast.MatchSequence([*inner, ast.MatchStar(self.one(None, self.name()))]),
            ast.MatchMapping([ast.Constant(str(i)) for i in range(len(inner))], inner, self.one(None, self.name())),
            ast.MatchClass(ast.Name("Linear", ast.Load()), inner, [], []),
            ast.MatchAs(self.pattern(0) if inner else None, self.name()),
            ast.MatchOr([ast.MatchValue(ast.Constant(1)), ast.MatchValue(ast.Constant(2))]),
        )

    # --------------------------------------------------------------------------------------------------- expressions
    def leaf(self) -> Any:
        return self.random.choices(
            [ast.Name(self.name(), ast.Load()), self.place(), ast.Constant(self.random.choice(CONSTANTS))], [4, 4, 2]
        )[0]

    def place(self) -> Any:
        base = ast.Name(self.name(), ast.Load())
        return ast.Attribute(base, self.random.choice(ATTRIBUTES), ast.Load())

    def target(self) -> Any:
        kind = self.random.randrange(8)
        if kind < 4:
            return ast.Name(self.name(), ast.Store())
        if kind < 6:
            return ast.Attribute(ast.Name(self.name(), ast.Load()), self.random.choice(ATTRIBUTES), ast.Store())
        if kind == 6:
            return ast.Subscript(ast.Name(self.name(), ast.Load()), self.leaf(), ast.Store())
        parts = [ast.Name(self.name(), ast.Store()) for _ in range(self.random.randint(1, 3))]
        if self.random.random() < 0.3:
            parts[-1] = ast.Starred(parts[-1], ast.Store())
        return self.one(ast.Tuple, ast.List)(parts, ast.Store())

    def operator(self) -> ast.operator:
        return self.one(
            ast.Add(),
            ast.Sub(),
            ast.Mult(),
            ast.Div(),
            ast.Mod(),
            ast.MatMult(),
            ast.Pow(),
            ast.FloorDiv(),
            ast.BitOr(),
        )

    def call(self) -> ast.Call:
        func = self.random.choices([self.place, lambda: ast.Name(self.name(), ast.Load()), self.chained], [5, 3, 3])[
            0
        ]()
        given = self.many(self.expression, 0, 3)
        if self.random.random() < 0.1:
            given.append(ast.Starred(self.expression(), ast.Load()))
        names = self.random.sample(KEYWORDS, self.random.randint(0, 2))
        keywords = [ast.keyword(name, self.expression()) for name in names]
        if self.random.random() < 0.1:
            keywords.append(ast.keyword(None, self.expression()))
        return ast.Call(func, given, keywords)

    def chained(self) -> ast.Attribute:
        return ast.Attribute(self.expression(), self.random.choice(ATTRIBUTES), ast.Load())

    def expression(self) -> Any:
        self.budget -= 1
        if self.budget < 0 or self.random.random() < 0.25:
            return self.leaf()
        return self.random.choices([self.call, self.chained, self.compound], [6, 1, 3])[0]()

    def compound(self) -> Any:
        e = self.expression
        match self.random.randrange(15):
            case 0:
                return ast.BinOp(e(), self.operator(), e())
            case 1:
                return ast.BoolOp(self.one(ast.And(), ast.Or()), [e(), e()])
            case 2:
                return ast.UnaryOp(self.one(ast.Not(), ast.USub(), ast.Invert()), e())
            case 3:
                return ast.Compare(e(), [self.one(ast.Eq(), ast.Gt(), ast.Is(), ast.In(), ast.NotEq())], [e()])
            case 4:
                return ast.IfExp(e(), e(), e())
            case 5:
                return ast.Lambda(self.arguments_plain(), e())
            case 6:
                return self.one(ast.Tuple, ast.List)(self.many(e), ast.Load())
            case 7:
                keys = self.many(lambda: self.one(None, ast.Constant("model"), e()), 0, 3)
                return ast.Dict(keys, [e() for _ in keys])
            case 8:
                return ast.Set(self.many(e, 1, 3))
            case 9:
                return self.one(ast.ListComp, ast.SetComp, ast.GeneratorExp)(e(), self.generators())
            case 10:
                return ast.DictComp(e(), e(), self.generators())
            case 11:
                return ast.Subscript(e(), self.one(e(), ast.Slice(self.leaf(), None, None)), ast.Load())
            case 12:
                return ast.NamedExpr(ast.Name(self.name(), ast.Store()), e())
            case 13:
                return ast.JoinedStr([ast.Constant("a "), ast.FormattedValue(self.leaf(), -1)])
        return self.one(ast.Await(e()), ast.Yield(e()), ast.YieldFrom(e()))

    def arguments_plain(self) -> ast.arguments:
        arguments = self.arguments()
        for argument in (*arguments.args, *arguments.kwonlyargs):
            argument.annotation = None
        return arguments

    def generators(self) -> list[ast.comprehension]:
        return self.many(
            lambda: ast.comprehension(self.target(), self.expression(), self.many(self.leaf, 0, 1), 0), 1, 2
        )
