"""The lines that say how to replay a failure are run, and show the same failure.

Each way to fail is one case, on xDSL's ops and on MLIR's, from Python.
"""

from __future__ import annotations

import gc
import importlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import pytest
import ways_to_fail
from mlir.ir import Context as MLIRContext
from xdsl.ir import Dialect, ParametrizedAttribute
from xdsl.irdl import IRDLOperation, irdl_attr_definition, irdl_op_definition

import passel.mlir
import passel.xdsl
from passel import Pass, PassContext, PassFailedError, PassFailure, PassManager, PassRegistry
from passel.mlir import MLIRAdapter
from passel.passes.registry import installed_registry
from passel.testing import ToyAdapter, parse_toy
from passel.tool import opt_main
from passel.xdsl import XDSLAdapter

if TYPE_CHECKING:
    from collections.abc import Callable

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


def module_of(ir: str, text: str = FUNCTIONS) -> Any:
    """Return the op of a text."""
    if ir == "xdsl":
        return passel.xdsl.parse_source(XDSLAdapter().create_context(), text, "in.mlir")
    return passel.mlir.parse_source(MLIRContext(), text, "in.mlir")


class Told(NamedTuple):
    """A failure.

    Attributes:
        message: What the first error says.
        how: How it can be replayed.
    """

    message: str
    how: str


def failed(pm: PassManager, op: Any, file: str = "r.mlir", *, local: bool = False) -> Told:
    """Run a manager that leaves a reproducer behind, and return what its failure tells."""
    pm.enable_crash_reproducer(file, local=local)
    with pytest.raises(PassFailedError) as caught:
        pm.run(op)
    (note,) = caught.value.__notes__
    return Told(caught.value.failures[0].diagnostic.message, note.partition("\n")[2])


@pytest.fixture
def replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], str]:
    """Run a command that a note tells, with the passes of a new process; return what it says."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))  # plugins add their folders

    def run(how: str) -> str:
        assert how.startswith("to replay: passel-opt ")
        _, _, program, *arguments = shlex.split(how)
        registry = PassRegistry(installed_registry())
        code = opt_main(arguments, name=program, registry=registry)
        gc.unfreeze()  # the tool expects the process to end
        assert code == 1
        return capsys.readouterr().err

    return run


def in_python(how: str, **given: Any) -> str:
    """Run lines of Python that a note tells, and return the first error's message."""
    head, *lines = how.split("\n")
    assert head.startswith("to replay, in Python")
    assert all(line.startswith("    ") for line in lines)
    for name in given:
        assert re.search(rf"\b{name}\b", head), f"{name} is not asked for: {head}"
    with pytest.raises(PassFailedError) as caught:
        exec("\n".join(line[4:] for line in lines), dict(given))  # noqa: S102 - they are tried
    return caught.value.failures[0].diagnostic.message


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

    registry = PassRegistry(installed_registry())
    for value in vars(ways_to_fail).values():
        if isinstance(value, type) and issubclass(value, Pass) and value.name:
            registry.register(cast("type[Pass[Any]]", value))
    registry.register(pass_class_for(ways_to_fail.Surrender))
    return registry


@pytest.mark.parametrize("local", [False, True], ids=["whole", "local"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("ir", IRS)
def test_a_command_shows_the_failure(
    replayed: Replayed, registry: Any, ir: str, way: str, local: bool
) -> None:
    """It names the file of classes that nobody registered, the IR, and what may have effects."""
    op = module_of(ir)
    pm = PassManager.parse(WAYS[way], registry=registry)
    told = failed(pm, op, local=local)
    if local and way == "dynamic pipeline":
        # What is recorded then is the pass inside.
        told = told._replace(message="'func.func' op pass 'give-up{reason=inside}' failed: inside")
    assert f"--load-pass-plugin={ways_to_fail.__file__}" in told.how
    assert told.message in replayed(told.how)


@pytest.mark.parametrize("ir", IRS)
def test_checks_that_a_run_makes_are_flags(replayed: Replayed, registry: Any, ir: str) -> None:
    """A failure that only a check has found is found again."""
    pm = PassManager.parse("builtin.module(func.func(trespass))", registry=registry)
    pm.enable_isolation_check()
    told = failed(pm, module_of(ir))
    assert "--check-isolation" in told.how
    assert told.message in replayed(told.how)


def test_a_claim_that_is_verified_is_a_flag(replayed: Replayed, registry: Any) -> None:
    """What only a verification after every pass finds is found again."""
    pm = PassManager.parse("builtin.module(func.func(break))", registry=registry)
    pm.enable_verifier("always")
    told = failed(pm, module_of("xdsl"))
    assert "--verify-each=always" in told.how
    assert told.message in replayed(told.how)


def test_a_native_pass(replayed: Replayed) -> None:
    """A pass of MLIR's own needs the IR alone."""
    pm = PassManager.parse("builtin.module(func.func(convert-complex-to-llvm))")
    told = failed(pm, module_of("mlir"))
    assert told.how == "to replay: passel-opt --run-reproducer --ir=mlir r.mlir"
    assert "failed to legalize" in replayed(told.how)


@pytest.fixture
def other_build(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], MLIRAdapter]:
    """Let MLIR's bindings be there under another name as well, but for what loads libraries."""

    def install(root: str) -> MLIRAdapter:
        monkeypatch.setitem(sys.modules, root, ModuleType(root))
        for name in ("ir", "passmanager", "dialects"):
            module = importlib.import_module(f"mlir.{name}")
            monkeypatch.setitem(sys.modules, f"{root}.{name}", module)
        return MLIRAdapter(root)

    return install


def test_a_build_that_is_installed(
    replayed: Replayed, other_build: Callable[[str], MLIRAdapter]
) -> None:
    """The command names the build that the failure was in, which may be the only one."""
    adapter = other_build("iree.compiler")
    pm = PassManager("builtin.module", adapter=adapter).add(ways_to_fail.GiveUp())
    told = failed(pm, module_of("mlir"))
    assert told.how.endswith(" --ir=iree r.mlir")
    assert told.message in replayed(told.how)


@pytest.mark.parametrize(
    ("root", "shown"),
    [("iree.compiler", '"iree"'), ("another.mlir", 'MLIRAdapter("another.mlir")')],
)
def test_lines_for_a_build(
    tmp_path: Path, other_build: Callable[[str], MLIRAdapter], root: str, shown: str
) -> None:
    """Lines of Python name an installed build in the same way, and make the adapter of another."""
    pm = PassManager("builtin.module", adapter=other_build(root))
    local = type("Local", (ways_to_fail.GiveUp,), {"name": "local"})
    told = failed(pm.add(local()), module_of("mlir"), str(tmp_path / "r.mlir"))
    assert f", {shown}, passes=[Local])" in told.how
    assert in_python(told.how, Local=local) == told.message


@pytest.mark.parametrize(
    ("ir", "pipeline"),
    [
        ("mlir", "builtin.module(func.func(xdsl(give-up)))"),
        ("mlir", "builtin.module(func.func(xdsl(cse),give-up))"),
        ("mlir", "builtin.module(xdsl(surrender))"),
        ("xdsl", "builtin.module(func.func(mlir(cse,raise)))"),
        ("xdsl", "builtin.module(func.func(mlir(convert-complex-to-llvm)))"),
    ],
)
def test_a_crossing(replayed: Replayed, registry: Any, ir: str, pipeline: str) -> None:
    """Passes on the other side of a crossing are named and registered as others are."""
    told = failed(PassManager.parse(pipeline, registry=registry), module_of(ir))
    wanted = "failed to legalize operation 'complex.cos'"
    if "complex" not in pipeline:  # what failed over there is told once, where it failed
        wanted = told.message.partition(" failed: ")[2].rpartition(" [")[0] or told.message
    assert wanted in replayed(told.how)


def test_a_pass_of_the_kind_of_xdsl(replayed: Replayed) -> None:
    """A `ModulePass` of a file is found in it, with what it may do outside the IR allowed."""
    told = failed(PassManager().add(ways_to_fail.Surrender()), module_of("xdsl"))
    assert "--allow-effects=" in told.how
    assert told.message in replayed(told.how)


def test_ops_that_are_not_registered(replayed: Replayed) -> None:
    """They are read back as such."""
    context = XDSLAdapter().create_context()
    context.allow_unregistered = True
    op = passel.xdsl.parse_source(context, '"my.op"() {a = #my.attr<1>} : () -> ()', "in.mlir")
    told = failed(PassManager().add(ways_to_fail.GiveUp()), op)
    assert "--allow-unregistered-dialect" in told.how
    assert told.message in replayed(told.how)


def test_an_op_that_is_no_module(replayed: Replayed) -> None:
    """It is not put into one."""
    function = module_of("xdsl").body.block.first_op
    told = failed(PassManager("func.func").add(ways_to_fail.GiveUp()), function)
    assert "--no-implicit-module" in told.how
    assert told.message in replayed(told.how)


# -- Lines of Python -------------------------------------------------------------------------


def fail(_: Any, pass_: Any) -> None:
    """Fail, as a function that is a pass."""
    pass_.signal_pass_failure()


class Nameless(Pass[Any]):
    """Fail without a name."""

    def run(self, op: Any, ctx: PassContext) -> None:
        """Fail."""
        raise PassFailure("no")


@irdl_attr_definition
class Mark(ParametrizedAttribute):
    """An attribute of a dialect that is not installed."""

    name = "mine.mark"


@irdl_op_definition
class MineOp(IRDLOperation):
    """An op of that dialect."""

    name = "mine.op"


@pytest.mark.parametrize("ir", IRS)
def test_a_class_inside_of_a_function(ir: str, tmp_path: Path) -> None:
    """No file can be named, so that the lines want the class."""

    class Inner(ways_to_fail.GiveUp):
        name = "inner"

    pm = PassManager("builtin.module").add(Inner(reason='it\'s "over"'))
    pm.enable_isolation_check()
    file = str(tmp_path / "r.mlir")
    told = failed(pm, module_of(ir), file)
    assert "class Inner" in told.how
    assert "enable_isolation_check()" in told.how
    assert in_python(told.how, Inner=Inner) == told.message


def test_a_module_pass_inside_of_a_function(tmp_path: Path) -> None:
    """The lines take xDSL's classes as well."""

    class Inner(ways_to_fail.Surrender):
        name = "inner"

    told = failed(PassManager().add(Inner()), module_of("xdsl"), str(tmp_path / "r.mlir"))
    assert "allow_effects=('unknown',)" in told.how
    assert in_python(told.how, Inner=Inner) == told.message


@pytest.mark.parametrize("ir", IRS)
def test_an_instrumentation_that_lets_a_pass_fail(ir: str, tmp_path: Path) -> None:
    """The tool would not have it."""
    pm = PassManager("builtin.module").add("cse")
    strict = ways_to_fail.Strict()
    pm.add_instrumentation(strict)
    told = failed(pm, module_of(ir), str(tmp_path / "r.mlir"))
    assert "the Strict by which a pass failed" in told.how
    assert in_python(told.how, instrumentation=strict) == told.message


def test_a_gate(tmp_path: Path) -> None:
    """The tool would run what it has kept from running."""

    def gate(step: Any, op: Any) -> bool:
        return step.pass_ is None or "second" in step.title

    pm = PassManager("builtin.module")
    pm.add(ways_to_fail.GiveUp(reason="first"), ways_to_fail.GiveUp(reason="second"))
    pm.add_gate(gate)
    told = failed(pm, module_of("xdsl"), str(tmp_path / "r.mlir"))
    assert "second" in told.message
    assert in_python(told.how, gate=gate) == told.message


def test_a_toy(tmp_path: Path) -> None:
    """What reads an IR that no tool reads is asked for."""
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(ways_to_fail.GiveUp())
    told = failed(pm, parse_toy("toy.module(toy.func @f)"), str(tmp_path / "r.toy"))
    assert told.how.splitlines()[0] == (
        "to replay, in Python, where you have `parse`, which returns the op of a text of toy:"
    )
    assert in_python(told.how, parse=parse_toy) == told.message


def test_a_dialect_that_no_file_names(tmp_path: Path) -> None:
    """A context that has a dialect made at run time is asked for."""
    context = XDSLAdapter().create_context()
    context.load_dialect(Dialect("mine", [MineOp], [Mark]))
    op = passel.xdsl.parse_source(context, '"mine.op"() {a = #mine.mark} : () -> ()', "in.mlir")
    pm = PassManager("builtin.module", context).add(ways_to_fail.GiveUp())
    told = failed(pm, op, str(tmp_path / "r.mlir"))
    assert "`context`, a context that has the dialects of the run's" in told.how
    assert in_python(told.how, context=context) == told.message


@pytest.mark.parametrize(
    ("pass_", "how"),
    [
        (fail, "pass fail is a function"),
        (Nameless(), "pass Nameless has no name"),
    ],
)
def test_what_no_text_names(tmp_path: Path, pass_: Any, how: str) -> None:
    """The note says so, and what to do."""
    told = failed(PassManager().add(pass_), module_of("xdsl"), str(tmp_path / "r.mlir"))
    assert told.how.startswith(f"it cannot be replayed: {how}")
    assert "name" in told.how


# -- Files and modules that passes come from -------------------------------------------------

SCRIPT = """\
from passel import Pass, PassFailure, PassManager
from passel.xdsl import XDSLAdapter, parse_source

class Mine(Pass):
    name = "mine"
    def run(self, op, ctx):
        raise PassFailure("not mine")

def main():
    pm = PassManager().add(Mine())
    pm.enable_crash_reproducer("r.mlir")
    pm.run(parse_source(XDSLAdapter().create_context(), "", "in.mlir"))
"""


def python(*arguments: str, folder: Path) -> str:
    """Run Python in a folder, which fails, and return what it says in the end."""
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    return done.stderr.rstrip().splitlines()[-1]


def shell(how: str, folder: Path) -> str:
    """Run a command that a note tells in a shell, with this environment's passel-opt."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = how.removeprefix("to replay: ")
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    return done.stderr


def test_a_script(tmp_path: Path) -> None:
    """To load a script would run it again, so that the lines want its class."""
    script = tmp_path / "script.py"
    script.write_text(f'{SCRIPT}\nif __name__ == "__main__":\n    main()\n')
    how = python(script.name, folder=tmp_path)
    assert how.strip() == "case.run()"


@pytest.mark.parametrize(
    "start", [("-m", "pack.age"), ("-c", "import pack.age.main as m; m.main()")]
)
def test_a_package(tmp_path: Path, start: tuple[str, str]) -> None:
    """A module of a package that is not installed is found by its name."""
    (tmp_path / "pack" / "age").mkdir(parents=True)
    for folder in ("pack", "pack/age"):
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / "pack/age/main.py").write_text(f"from . import __name__ as ours\n{SCRIPT}\n")
    (tmp_path / "pack/age/__main__.py").write_text("from .main import main\nmain()\n")
    how = python(*start, folder=tmp_path)
    command = "PYTHONPATH=. passel-opt --run-reproducer --load-pass-plugin=pack.age.main r.mlir"
    assert how == f"to replay: {command}"
    assert "pass 'mine' failed: not mine" in shell(how, tmp_path)


def test_a_command_line(tmp_path: Path) -> None:
    """What `python -c` defines is in no file."""
    how = python("-c", f"{SCRIPT}\nmain()", folder=tmp_path)
    assert how.strip() == "case.run()"
