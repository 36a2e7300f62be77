"""The command that says how to replay a failure is run, and shows the same failure.

Each way to fail is one case, on xDSL's ops and on MLIR's, from the tool and from Python.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import pytest
import ways_to_fail
from mlir.ir import Context as MLIRContext

import passel.mlir
import passel.xdsl
from passel import Pass, PassFailedError, PassManager, load_reproducer
from passel.instruments import CrashReproducer
from passel.ir import adapter_named
from passel.mlir.bindings import Bindings
from passel.passes import PassRegistry, default_registry
from passel.record import Record
from passel.testing import ToyAdapter, parse_toy
from passel.tool import opt_main
from passel.xdsl import XDSLAdapter
from passel.xdsl.module_passes import pass_class_for

if TYPE_CHECKING:
    from collections.abc import Callable

    Fresh = Callable[..., str]

FUNCTIONS = """\
func.func @a(%x: complex<f32>) {
  %0 = complex.cos %x : complex<f32>
  return
}
func.func @b() {
  return
}
"""
IRS = ("xdsl", "mlir")
PLUGIN = f"--load-pass-plugin={ways_to_fail.__file__}"
FILE = "--mlir-pass-pipeline-crash-reproducer=r.mlir"
LOCAL = "--mlir-pass-pipeline-local-reproducer"
PLAIN = {
    "gives up": "func.func(give-up)",
    "raises": "raise",
    "leaves invalid IR": "func.func(cse,break)",
    "analysis": "func.func(ask)",
    "dynamic pipeline": "func.func(dynamic)",
    "effects": "unwritten",
    "quotes": r"""give-up{reason="it's \"over\", {x} \\ =1"}""",
}
BOTH = {
    **{way: [passes] for way, passes in PLAIN.items()},
    "isolation": ["func.func(trespass)", "--check-isolation"],
    "always verified": ["func.func(break)", "--verify-each=always"],
}
ONE = {
    "native pass": ["func.func(convert-complex-to-llvm)", "--ir=mlir"],
    "crossing to xDSL": ["func.func(xdsl(give-up))", "--ir=mlir"],
    "crossing to MLIR": ["func.func(mlir(convert-complex-to-llvm))"],
    "pass of xDSL's kind": ["surrender"],
}
WAYS = {
    **{f"{way}, {ir}": [*words, f"--ir={ir}"] for way, words in BOTH.items() for ir in IRS},
    **ONE,
}


@pytest.fixture
def fresh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Fresh:
    """Run passel-opt with the passes of a new process, which fails, and return what it says."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))  # plugins add their folders
    Path("my functions.mlir").write_text(FUNCTIONS)

    def run(*words: str) -> str:
        assert opt_main(words, registry=PassRegistry(default_registry())) == 1
        return capsys.readouterr().err

    return run


def command_in(said: str) -> list[str]:
    """Return the arguments of the command that a failure tells."""
    (how,) = {
        line.partition("to replay: ")[2] for line in said.splitlines() if "to replay: " in line
    }
    program, *words = shlex.split(how)
    assert program == "passel-opt"
    return words


def first_error(said: str) -> str:
    """Return the message of the first error."""
    return next(line.partition("error: ")[2] for line in said.splitlines() if "error: " in line)


@pytest.mark.parametrize("way", [*WAYS, *(f"{way}, {LOCAL}" for way in ONE)])
def test_with_a_file_it_replays_that(fresh: Fresh, way: str) -> None:
    """It has the flags without which the file does not fail, or is refused."""
    pipeline, *words = WAYS[way.removesuffix(f", {LOCAL}")]
    local = [LOCAL] if way.endswith(LOCAL) else []
    given = ["my functions.mlir", PLUGIN, "-p", f"builtin.module({pipeline})", *words]
    said = fresh(*given, FILE, *local)
    again = fresh(*command_in(said))
    assert first_error(again) == first_error(said)
    assert command_in(again) == command_in(said)


@pytest.mark.parametrize("way", WAYS)
def test_with_a_record_it_begins_at_the_pass_that_failed(fresh: Fresh, way: str) -> None:
    """The record alone shows the same failure, of that execution and no other."""
    pipeline, *words = WAYS[way]
    given = ["my functions.mlir", PLUGIN, "-p", f"builtin.module(symbol-dce,{pipeline})", *words]
    said = fresh(*given, "--record", "my record")
    record = Record.open("my record")
    assert command_in(said) == given == [*record.info.command_line[1:]]  # it stays as it is
    failed = next(each for each in record.executions if each.status == "failed")
    Path("my functions.mlir").unlink()
    words = shlex.split(record.replay(failed))[1:]
    again = fresh(*words, "--record=again")
    assert first_error(again) == first_error(said)
    while failed.caller is not None:
        failed = record.executions[failed.caller]
    ran = [e for e in Record.open("again").executions if e.status != "skipped"]
    found = [(each.path, each.ordinals) for each in ran if each.caller is None]
    assert found == [(failed.path, failed.ordinals)]


def test_effects_that_are_allowed_are_joined_by_those_that_it_takes(fresh: Fresh) -> None:
    """A flag that allows too little for the recorded pipeline is completed."""
    pipeline = "builtin.module(unwritten)"
    allowed = "--allow-effects=run-programs"
    said = fresh("my functions.mlir", PLUGIN, "-p", pipeline, allowed, FILE)
    assert first_error(fresh(*command_in(said))) == first_error(said)


# -- From Python -----------------------------------------------------------------------------


def module_of(ir: str) -> Any:
    """Return the functions as a module."""
    if ir == "xdsl":
        return passel.xdsl.parse_source(XDSLAdapter().create_context(), FUNCTIONS, "in.mlir")
    return passel.mlir.parse_source(MLIRContext(), FUNCTIONS, "in.mlir")


class Told(NamedTuple):
    """The first error of a run, and how it can be replayed."""

    message: str
    how: str


def failed(pm: PassManager, op: Any, file: str = "r.mlir", *, local: bool = False) -> Told:
    """Run a manager that leaves a reproducer behind, and return what its failure tells."""
    pm.add_instrumentation(CrashReproducer(file, local=local))
    with pytest.raises(PassFailedError) as caught:
        pm.run(op)
    (note,) = caught.value.__notes__
    return Told(caught.value.failures[0].diagnostic.message, note.partition("\n")[2])


@pytest.fixture
def registry() -> Any:
    """The passes that fail beside those of installed packages."""
    registry = PassRegistry(default_registry())
    for value in vars(ways_to_fail).values():
        if isinstance(value, type) and issubclass(value, Pass) and value.name:
            registry.register(cast("type[Pass[Any]]", value), override=True)
    registry.register(pass_class_for(ways_to_fail.Surrender), override=True)
    return registry


@pytest.mark.parametrize("local", [False, True], ids=["whole", "local"])
@pytest.mark.parametrize("way", PLAIN)
@pytest.mark.parametrize("ir", IRS)
def test_a_command_shows_the_failure(
    fresh: Fresh, registry: Any, ir: str, way: str, local: bool
) -> None:
    """The command names the IR and the allowed effects, and reproduces the failure."""
    op = module_of(ir)
    context = op.context if ir == "mlir" else None
    pm = PassManager.parse(f"builtin.module({PLAIN[way]})", context, registry=registry)
    told = failed(pm, op, local=local)
    if local and way == "dynamic pipeline":
        # What is recorded then is the pass inside.
        told = told._replace(message="'func.func' op pass 'give-up{reason=inside}' failed: inside")
    assert told.message in fresh(*command_in(told.how), PLUGIN)


def test_a_build_that_is_installed(
    fresh: Fresh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command names the build of MLIR in which the pass failed."""
    (tmp_path / "packages" / "this_build" / "_mlir_libs").mkdir(parents=True)
    for name in ("ir", "passmanager", "dialects"):
        file = tmp_path / "packages" / "this_build" / f"{name}.py"
        file.write_text(f"from mlir.{name} import *\n", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "packages"), *sys.path])
    monkeypatch.setattr(Bindings, "check_owner", print)  # its libraries are MLIR's
    pm = PassManager("builtin.module", adapter=adapter_named("this_build"))
    told = failed(pm.add(ways_to_fail.GiveUp()), module_of("mlir"))
    assert told.how.endswith(" --ir=this_build r.mlir")
    assert told.message in fresh(*command_in(told.how), PLUGIN)


# -- Where there is no command ---------------------------------------------------------------


def replayed_in_python(file: str, adapter: Any, *passes: Any, **how: Any) -> str:
    """Replay a file with `load_reproducer`, and return the first error's message."""
    op, manager = load_reproducer(file, adapter, passes=passes, **how)
    with pytest.raises(PassFailedError) as caught:
        manager.run(op)
    return caught.value.failures[0].diagnostic.message


@pytest.mark.parametrize(
    ("ir", "base"), [*((ir, ways_to_fail.GiveUp) for ir in IRS), ("xdsl", ways_to_fail.Surrender)]
)
def test_a_class_inside_of_a_function(ir: str, base: type[Any], tmp_path: Path) -> None:
    """A class without a module is replayed in Python; passes of xDSL have unknown effects."""
    inner = type("Inner", (base,), {"name": "inner", "__module__": __name__})
    file = str(tmp_path / "r.mlir")
    told = failed(PassManager("builtin.module").add(inner()), module_of(ir), file)
    assert replayed_in_python(file, ir, inner, allow_effects=["unknown"]) == told.message


def test_an_ir_that_is_not_installed(tmp_path: Path) -> None:
    """The note says that the tool cannot read the IR, and names the function that can."""
    file, adapter = str(tmp_path / "r"), ToyAdapter()
    pm = PassManager("toy.module", adapter=adapter).add(ways_to_fail.GiveUp())
    told = failed(pm, parse_toy("toy.module(toy.func @f)"), file)
    assert told.how == "to replay, use `passel.load_reproducer`: passel-opt cannot read 'toy' IR"
    again = replayed_in_python(file, adapter, ways_to_fail.GiveUp, parse=parse_toy)
    assert again == told.message


def test_a_pass_that_no_text_names(tmp_path: Path) -> None:
    """The note says that a function or a nameless pass cannot be replayed, and what to do."""

    def refuse(_: Any, pass_: Any) -> None:
        pass_.signal_pass_failure()

    nameless = type("Nameless", (Pass,), {"run": ways_to_fail.GiveUp.run, "reason": "no"})
    for pass_, why in (
        (refuse, "pass refuse is not a class with a name"),
        (nameless(), "pass Nameless is not a class with a name"),
    ):
        told = failed(PassManager().add(pass_), module_of("xdsl"), str(tmp_path / "r.mlir"))
        assert told.how.startswith(f"the run cannot be replayed: {why}")
