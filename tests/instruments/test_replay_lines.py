"""The command that says how to replay a failure is run, and shows the same failure.

Each way to fail is one case, on xDSL's ops and on MLIR's, from Python.
"""

from __future__ import annotations

import shlex
import sys
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
from passel.passes import default_registry
from passel.testing import ToyAdapter, parse_toy
from passel.tool import opt_main
from passel.xdsl import XDSLAdapter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Replayed = Callable[[str], str]

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


def module_of(ir: str, text: str = FUNCTIONS) -> Any:
    """Return the op of a text."""
    if ir == "xdsl":
        return passel.xdsl.parse_source(XDSLAdapter().create_context(), text, "in.mlir")
    return passel.mlir.parse_source(MLIRContext(), text, "in.mlir")


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
def replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], str]:
    """Run a command that a note tells, with the file of the passes; return what it says."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))  # plugins add their folders

    def run(how: str) -> str:
        assert how.startswith("to replay: passel-opt ")
        _, _, program, *arguments = [*shlex.split(how), PLUGIN]
        registry = default_registry().copy()
        code = opt_main(arguments, name=program, registry=registry)
        assert code == 1
        return capsys.readouterr().err

    return run


# -- Commands --------------------------------------------------------------------------------

WAYS = {
    "gives up": "builtin.module(give-up)",
    "gives up, nested": "builtin.module(func.func(cse,give-up))",
    "raises": "builtin.module(func.func(raise))",
    "leaves invalid IR": "builtin.module(func.func(break))",
    "analysis": "builtin.module(ask)",
    "dynamic pipeline": "builtin.module(func.func(dynamic))",
    "declared effects": "builtin.module(unwritten)",
    "quotes": r"""builtin.module(give-up{reason="it's \"over\", {x} \\ =1"})""",
}


@pytest.fixture
def registry() -> Any:
    """The passes that fail beside those of installed packages."""
    from passel.xdsl.module_passes import pass_class_for

    registry = default_registry().copy()
    for value in vars(ways_to_fail).values():
        if isinstance(value, type) and issubclass(value, Pass) and value.name:
            registry.register(cast("type[Pass[Any]]", value), override=True)
    registry.register(pass_class_for(ways_to_fail.Surrender), override=True)
    return registry


@pytest.mark.parametrize("local", [False, True], ids=["whole", "local"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("ir", IRS)
def test_a_command_shows_the_failure(
    replayed: Replayed, registry: Any, ir: str, way: str, local: bool
) -> None:
    """The command names the IR and the allowed effects, and reproduces the failure."""
    op = module_of(ir)
    context = op.context if ir == "mlir" else None
    pm = PassManager.parse(WAYS[way], context, registry=registry)
    told = failed(pm, op, local=local)
    if local and way == "dynamic pipeline":
        # What is recorded then is the pass inside.
        told = told._replace(message="'func.func' op pass 'give-up{reason=inside}' failed: inside")
    assert told.message in replayed(told.how)


def test_a_build_that_is_installed(
    replayed: Replayed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
    assert told.message in replayed(told.how)


# -- Where there is no command -----------------------------------------------------------------


def replayed_in_python(file: str, adapter: Any, *passes: Any, **how: Any) -> str:
    """Replay a file with `load_reproducer`, and return the first error's message."""
    case = load_reproducer(file, adapter, passes=passes, **how)
    with pytest.raises(PassFailedError) as caught:
        case.run()
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
