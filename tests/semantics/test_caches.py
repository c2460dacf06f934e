"""What is remembered about a file, and for how long."""

from __future__ import annotations

import pytest

from mllint.semantics.syntax.caches import Cache, Holder, Once, cached, cached_per_scope
from mllint.semantics.syntax.module import FunctionScope, ModuleScope
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.memory import memory_project
from mllint.semantics.values.reach import imported_names
from mllint.server.kept import forget

pytestmark = pytest.mark.quick


def test_a_cached_answer_is_worked_out_once_for_each_holder() -> None:
    asked: list[Holder] = []

    @cached()
    def is_known(holder: Holder) -> bool | None:
        asked.append(holder)
        return None  # is an answer like any other

    one, other = Holder(), Holder()
    assert [is_known(one), is_known(one), is_known(other)] == [None, None, None]
    assert asked == [one, other]


def test_caches_of_one_holder_never_meet() -> None:
    holder = Holder()
    first: Cache[str, int] = Cache()
    second: Cache[str, int] = Cache()
    first.of(holder)["key"] = 1
    assert "key" not in second.of(holder)
    assert first.of(holder) == {"key": 1}


def test_what_was_cut_short_is_worked_out_again() -> None:
    project, modules = memory_project({"a.py": "known = 1\n"})
    module, answers = modules["a.py"], Cache[str, "float | None"]()
    name = module.tree.body[0].value

    def number() -> float | None:
        return evaluate(name, project.frame(module.body)).literal

    @cached()
    def kept(holder: Holder) -> float | None:
        return number()

    project.refuel(-1)
    assert [kept(module), answers.answer(module, "known", number, meanwhile=None)] == [None, None]
    project.refuel(1000)
    assert [kept(module), answers.answer(module, "known", number, meanwhile=None)] == [1, 1]
    project.refuel(-1)
    assert [kept(module), answers.answer(module, "known", number, meanwhile=None)] == [1, 1]


def test_who_asks_for_an_answer_on_the_way_to_it_gets_the_one_for_the_meantime() -> None:
    holder, answers = Holder(), Cache[str, bool]()

    def calls_itself() -> bool:
        return not answers.answer(holder, "f", calls_itself, meanwhile=False)

    assert answers.answer(holder, "f", calls_itself, meanwhile=False)


def test_an_edit_elsewhere_leaves_what_rests_on_the_text_alone() -> None:
    asked: list[str] = []

    @cached_per_scope(local=True)
    def reads(function: FunctionScope) -> int:
        asked.append(f"text of {function.name}")
        return 0

    @cached_per_scope()
    def means(function: FunctionScope) -> int:
        asked.append(f"meaning of {function.name}")
        return 0

    _, modules = memory_project({"a.py": "def f():\n    pass\n"})
    module = modules["a.py"]
    f = module.functions[1]
    for _ in range(2):
        reads(f)
        means(f)
        forget(module)
    assert asked == ["text of f", "meaning of f", "meaning of f"]


def test_what_a_class_inherits_is_asked_again_after_an_edit_elsewhere() -> None:
    def net(base: str) -> dict[str, str]:
        return {"base.py": f"{base}\n", "net.py": "from base import Base\n\nclass Net(Base):\n    pass\n"}

    from mllint.semantics.values.bases import ancestors

    _, modules = memory_project(net("class Base:\n    pass"))
    module = modules["net.py"]
    assert "torch.nn.Module" not in ancestors(module.classes[0])
    project, edited = memory_project(net("from torch.nn import Module as Base"))
    forget(module)
    project.modules.remove(edited["net.py"])
    project.add(module)
    assert "torch.nn.Module" in {
        name.replace("torch.nn.modules.module", "torch.nn") for name in ancestors(module.classes[0])
    }


def test_closing_a_file_lets_go_of_its_answers() -> None:
    _, modules = memory_project({"a.py": "import torch\n"})
    module: ModuleScope = modules["a.py"]
    assert imported_names(module) == {"torch"}
    module.close()
    assert not module.kept


def test_the_first_to_ask_keeps_the_turn() -> None:
    turn, holder = Once(), Holder()
    assert turn.is_of("first", holder)
    assert not turn.is_of("second", holder)
    assert turn.is_of("first", holder)
    assert turn.is_of("second", Holder())
