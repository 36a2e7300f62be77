"""passel-opt with the workers of a local Dask cluster, which is really started."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from dask_cluster import two_workers
from tool_fixtures import only_error

from passel.execution.strategies import versions
from passel.store import code, known
from passel.tool import caching, cluster, cutting, driver

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from tool_fixtures import Outcome, Tool

# Its threads and sockets outlive it for a moment.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")

CLEAN = "-p=builtin.module(func.func(cse,canonicalize))"

PLUGIN = """
import sys
from passel import Pass, PassFailure


class Look(Pass):
    name = "look"

    def run(self, op, ctx):
        if op.sym_name.data == "f7":
            self.do(op, ctx)

    def do(self, op, ctx):
        op.attributes["by"] = op.properties["sym_name"]


class Warn(Look):
    name = "warn"

    def do(self, op, ctx):
        ctx.emit_warning("look")


class Fail(Look):
    name = "fail"

    def do(self, op, ctx):
        raise PassFailure("not this one")
"""


@pytest.fixture(scope="module")
def address() -> Generator[str]:
    """The address of a scheduler with two workers."""
    with two_workers(Path(__file__).parent) as client:
        yield client.scheduler.address


@pytest.fixture
def small(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> Tool:
    """passel-opt, for which no source is too small to be cut; there is one to cut."""
    monkeypatch.setattr(driver, "_WORTH_SHARDING", 0)
    monkeypatch.setattr(cutting, "_PER_REMOTE", 1)
    monkeypatch.setattr(code, "LOADED", float("inf"))  # plugins are written by this process
    Path("in.mlir").write_text(
        "".join(
            f"""func.func @f{number}(%a: i32) -> i32 {{
  %b = arith.addi %a, %a : i32
  %named = arith.addi %a, %a : i32
  %c = arith.muli %b, %named : i32
  func.return %c : i32
}}
"""
            for number in range(16)
        )
    )
    Path("p.py").write_text(PLUGIN)
    return tool


def _elsewhere(
    tool: Tool, monkeypatch: pytest.MonkeyPatch, *arguments: str, stdin: str | None = None
) -> Outcome:
    """Run the tool where this process may not process a part of the input itself."""
    with monkeypatch.context() as patch:
        patch.setattr(driver, "Part", _refuse)
        return tool(*arguments, stdin=stdin)


def _refuse(*_: Any) -> NoReturn:
    """Stand in for what this process may not do."""
    raise AssertionError


@pytest.mark.parametrize("source", ["in.mlir", "-"])
def test_workers_run_the_command_line_on_shards(
    small: Tool, address: str, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    """They read a plugin by a relative path, and the result is the same."""
    passes = "-p=builtin.module(func.func(cse,look,canonicalize))"
    arguments = (source, "--load-pass-plugin=p.py", passes, "--mlir-print-debuginfo")
    stdin = Path("in.mlir").read_text() if source == "-" else None
    plain = small(*arguments, "-j1", stdin=stdin)
    assert 'by = "f7"' in plain.out
    cluster = f"--cluster={address}"
    assert _elsewhere(small, monkeypatch, *arguments, cluster, stdin=stdin) == plain


@pytest.mark.parametrize("place", ["./kept", "file", "memory"])
def test_workers_run_what_is_not_kept(
    small: Tool, address: str, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Ops that a store does not hold are run on workers, and kept as those of a run without."""
    urls = {"file": Path("kept").absolute().as_uri(), "memory": "memory://of-a-cluster"}
    monkeypatch.setenv("PASSEL_CACHE", urls.get(place, place))
    monkeypatch.setattr(driver, "_WORTH_KEEPING", 0)
    monkeypatch.setattr(known, "_WORTH_KEEPING", 0)
    Path("p.py").write_text(PLUGIN.replace("    name", "    can_fork = True\n    name"))
    passes = "-p=builtin.module(func.func(cse,look,warn,canonicalize))"
    arguments = ("in.mlir", "--load-pass-plugin=p.py", passes, "--mlir-print-debuginfo")
    plain = small(*arguments, "-j1", "--cache=off")
    assert 'by = "f7"' in plain.out
    assert "warning: look" in plain.err

    def run(*, elsewhere: bool, flags: Sequence[str]) -> str:
        with monkeypatch.context() as patch:
            if elsewhere:
                patch.setattr(caching, "process_slices", _refuse)
            patch.setattr(driver, "Part", _refuse)
            said = small(*arguments, *flags, "--cache-explain")
        line, _, rest = said.err.partition("\n")
        assert said._replace(err=rest) == plain
        return line

    cluster = (f"--cluster={address}",)
    assert "0 of 16 ops known" in run(elsewhere=True, flags=cluster)
    assert "16 of 16 ops known" in run(elsewhere=True, flags=cluster)
    text = Path("in.mlir").read_text()
    assert text.count("arith.muli %b, %named") == 16
    Path("in.mlir").write_text(text.replace("muli %b, %named", "muli %named, %b", 1))
    plain = small(*arguments, "-j1", "--cache=off")
    assert "15 of 16 ops known" in run(elsewhere=True, flags=cluster)
    assert "16 of 16 ops known" in run(elsewhere=False, flags=("-j1",))


@pytest.mark.parametrize("cache", ["off", "./kept"])
def test_workers_run_the_code_that_is_there_now(
    small: Tool, address: str, monkeypatch: pytest.MonkeyPatch, cache: str
) -> None:
    """Whatever a worker has imported before; what is kept is of the code in the key."""
    monkeypatch.setattr(driver, "_WORTH_KEEPING", 0)
    plugin = PLUGIN.replace("    name", "    can_fork = True\n    name")
    Path("p.py").write_text("import helper\n" + plugin.replace('"by"', "helper.NAME"))
    passes = "-p=builtin.module(func.func(look))"
    for name in ("first", "second"):
        Path("helper.py").write_text(f'NAME = "{name}"\n')
        sys.modules.pop("helper", None)
        arguments = ("in.mlir", "--load-pass-plugin=p.py", passes, f"--cache={cache}")
        found = _elsewhere(
            small, monkeypatch, *arguments, f"--cluster={address}", "--cache-explain"
        )
        assert f'{name} = "f7"' in found.out
        assert ("0 of 16 ops known" in found.err) == (cache != "off")


def test_a_worker_with_another_key_refuses(
    small: Tool,
    address: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Nothing of a worker is kept that has other code, and the result is the same."""
    monkeypatch.setattr(driver, "_WORTH_KEEPING", 0)
    plain = small("in.mlir", CLEAN, "-j1")
    with caplog.at_level(logging.WARNING, "passel"):
        slow = small("in.mlir", CLEAN, "--no-fast-paths", f"--cluster={address}", "--cache=./slow")
        assert (slow, Path("slow").exists(), caplog.text) == (plain, True, "")
        monkeypatch.setenv("PASSEL_FAST_NOTHING", "1")
        found = small("in.mlir", CLEAN, f"--cluster={address}", "--cache=./kept")
    assert found == plain
    assert (
        "a worker of the cluster refused its share: not the same there: the environment"
        in caplog.text
    )
    assert not Path("kept").exists()


@pytest.mark.parametrize("what", ["warn", "fail"])
def test_what_is_said_is_said_here(
    small: Tool, address: str, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Diagnostics are those of one process, but for the command that replays a failure."""
    arguments = ("in.mlir", "--load-pass-plugin=p.py", f"-p=builtin.module(func.func(cse,{what}))")
    plain = small(*arguments, "-j1")
    found = small(*arguments, f"--cluster={address}")
    assert f"'{what}'" in found.err or "warning: look" in found.err
    assert found._replace(err=found.err.replace(f" --cluster={address}", "")) == plain._replace(
        err=plain.err.replace(" -j1", "")
    )
    assert not [each for each in caplog.records if each.name == "passel"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["-p=builtin.module(func.func(cse),symbol-dce)"],
        [CLEAN, "-j2", "--verify-each=0"],
    ],
)
def test_what_cannot_be_cut_is_sent(small: Tool, address: str, arguments: list[str]) -> None:
    """The functions of a run with a pass on the module take another way to workers."""
    plain = small("in.mlir", *arguments)
    found = small("in.mlir", *arguments, f"--cluster={address}")
    assert found == plain
    assert plain.code == 0


def test_another_version_is_named(
    small: Tool, address: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A worker with another passel refuses, and the result is the same."""
    plain = small("in.mlir", CLEAN, "-j1")
    monkeypatch.setattr(versions, "__version__", "9.9")
    with caplog.at_level(logging.WARNING, "passel"):
        assert small("in.mlir", CLEAN, f"--cluster={address}").out == plain.out
    assert "a worker of the cluster refused its share: passel is " in caplog.text
    assert " there and 9.9 here" in caplog.text


def test_an_address_has_to_be_one(tool: Tool) -> None:
    """It is refused before anything is done."""
    for wrong in ("", "nonsense", "http://host:80", "tcp://host"):
        error = only_error(tool("in.mlir", f"--cluster={wrong}"))
        assert "--cluster" in error
        assert "such as tcp://host:8786" in error


def test_a_cluster_is_asked_for_or_forbidden(tool: Tool) -> None:
    """Not both: one of them would be ignored."""
    error = only_error(tool("in.mlir", "--cluster=tcp://host:8786", "--mlir-disable-threading"))
    assert "'--cluster' asks for what '--mlir-disable-threading' forbids: give one" in error


def test_no_scheduler_answers(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the address."""
    monkeypatch.setattr(cluster, "_PATIENCE", 0.2)
    error = only_error(tool("in.mlir", "--cluster=tcp://127.0.0.1:9"))
    assert "no Dask cluster at 'tcp://127.0.0.1:9'" in error
