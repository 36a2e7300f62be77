"""xDSL's functions in worker processes and on threads: output, reports and failures are the same."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from typing import TYPE_CHECKING, cast

import pytest
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, UnregisteredAttr, UnregisteredOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Data, Operation
from xdsl.irdl import irdl_attr_definition

from passel import OperationPass, PassContext, PassManager
from passel.execution.strategies.executors import OnExecutor, Threads
from passel.execution.strategies.fork import Forked
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from tool_fixtures import Tool
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer

    from passel.execution.strategies import Jobs, Sequential


@pytest.fixture(scope="module", params=["processes", "threads", "pool"], autouse=True)
def shares_at_once(request: pytest.FixtureRequest) -> Generator[str]:
    """Share even little work."""

    def eager(jobs: Jobs | None, executor: object = None) -> Sequential:
        jobs = 1 if jobs in (None, "auto") else jobs
        return {"threads": Threads(jobs), "processes": Forked(jobs)}.get(request.param) or on_pool

    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        if request.param == "pool":  # whose threads keep this process from forks
            pool = stack.enter_context(ProcessPoolExecutor(2, get_context("fork")))
            on_pool = OnExecutor(None, pool)
        patch.setattr("passel.manager.pass_manager.strategy_for", eager)
        yield request.param


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """A file with functions of different sizes, one of which a pass fails on."""
    functions = [
        f"""
        func.func @f{number}(%a: i32, %n: index, %m: memref<8xi32>) -> i32 {{
          %zero = arith.constant 0 : index
          %one = arith.constant 1 : index
          %c = arith.constant {number} : i32
          %d = arith.constant {number} : i32
          %e = arith.addi %c, %d : i32
          {"".join(f"%x{i} = arith.addi %a, %e : i32 " for i in range(number % 5))}
          scf.for %i = %zero to %n step %one {{
            %f = arith.addi %c, %a : i32
            memref.store %f, %m[%i] : memref<8xi32>
          }}
          func.return %e : i32
        }}"""
        for number in range(12)
    ]
    path = tmp_path / "kernels.mlir"
    path.write_text("\n".join(functions), encoding="utf-8")
    return path


CRASHING = """
import os
from pathlib import Path

from passel import Pass, PassFailure


class Crash(Pass):
    name = "crash"

    def run(self, op, ctx):
        Path(f"{os.getpid()}.worked").touch()
        if op.sym_name.data in ("f3", "f7"):
            self.divide(len(op.body.blocks[0].ops))

    def divide(self, by):
        return by / 0


class Fail(Pass):
    name = "fail"

    def run(self, op, ctx):
        Path(f"{os.getpid()}.worked").touch()
        if op.sym_name.data in ("f3", "f4", "f10"):
            raise PassFailure("not this one")
"""


@pytest.mark.parametrize("passes", ["cse,fail,canonicalize", "cse,crash"])
def test_reproducers_are_the_same(
    tool: Tool,
    kernels: Path,
    monkeypatch: pytest.MonkeyPatch,
    passes: str,
    shares_at_once: str,
) -> None:
    """A failure in a worker, or a crash with its place, is told and replayed as in one process."""
    folder = kernels.parent
    (folder / "crash.py").write_text(CRASHING, encoding="utf-8")
    reproducer = folder / "repro.mlir"
    found: list[object] = []
    for jobs in "12":
        monkeypatch.setenv("PASSEL_JOBS", jobs)
        outcome = tool(
            str(kernels),
            "--load-pass-plugin=crash.py",
            f"-p=builtin.module(func.func({passes}))",
            f"--mlir-pass-pipeline-crash-reproducer={reproducer}",
        )
        assert ("crash.py:" in outcome.err) == ("crash" in passes)
        found.append((outcome, reproducer.read_text(encoding="utf-8")))
        reproducer.unlink()
    assert found[0] == found[1]
    processes = len([*folder.glob("*.worked")])
    # A pool, whose processes work elsewhere, takes the passes along if they can be sent.
    if shares_at_once != "pool":
        assert (processes == 1) == (shares_at_once == "threads")
    assert not [*folder.glob("*.running")]


@irdl_attr_definition
class Tags(Data[list[str]]):  # pyright: ignore[reportInvalidTypeArguments] - as dialects have it
    """An attribute that holds an object which can be changed."""

    name = "test.tags"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> list[str]:
        """Read a word."""
        return [parser.parse_identifier()]

    def print_parameter(self, printer: Printer) -> None:
        """Print all words."""
        printer.print_string("_".join(self.data))


class Unsendable(str):
    """A word that cannot be pickled."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: object) -> tuple[()]:
        """Refuse."""
        raise TypeError


def tag(op: FuncOp) -> None:
    """Change payloads in place, which stand inside of another attribute."""
    tags = next(iter(cast("ArrayAttr[Tags]", op.attributes["tags"])))
    tags.data.append("more")


def make_unregistered(op: FuncOp) -> None:
    """Make an op and a type that the context does not allow."""
    kind = UnregisteredAttr.with_name_and_type("foo.type", is_type=True)
    types = [kind(StringAttr("foo.type"), True, False, StringAttr(""))]
    made = UnregisteredOp.with_name("foo.bar").create(result_types=types)
    op.body.blocks[0].insert_op_before(made, cast("Operation", op.body.blocks[0].first_op))


ODD_CHANGES = {each.__name__: each for each in (tag, make_unregistered)} | {"tag unsendable": tag}


class ChangeOddly(OperationPass[FuncOp]):
    """Change functions in a way of `ODD_CHANGES`."""

    name = "change-oddly"
    how: str

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Do it."""
        ODD_CHANGES[self.how](op)


ODD = """
func.func @f{}(%a: i32) {{
  func.return
}}"""


@pytest.mark.parametrize("how", ODD_CHANGES)
def test_odd_changes_come_back(how: str) -> None:
    """Payloads that are changed in place, and ops of no dialect."""
    found: list[str] = []
    for jobs in (1, 2):
        context = XDSLAdapter().create_context()
        module = parse_source(context, "\n".join(map(ODD.format, range(12))), "in.mlir")
        functions = [op for op in module.walk() if isinstance(op, FuncOp)]
        for op in functions if how.startswith("tag") else ():
            tags = ["one"] if how == "tag" else ["one", Unsendable()]
            op.attributes["tags"] = ArrayAttr([Tags(tags)])
        before = [inner for op in functions for inner in op.walk()]
        manager = PassManager(ModuleOp, context).add_nested(FuncOp, ChangeOddly(how=how))
        assert manager.run(module, jobs=jobs).changed
        found.append(str(module))
        after = [inner for op in functions for inner in op.walk()]
        assert [op for op in after if not isinstance(op, UnregisteredOp)] == before, "the same ops"
    assert found[0] == found[1]
    assert max(map(found[0].count, ("_more", "foo.bar"))) == 12
