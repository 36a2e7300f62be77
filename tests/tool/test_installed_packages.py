"""What installed packages bring to the tool: an IR, passes, pipelines; and packages that are broken."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from packages import run_with, write_package

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tool_fixtures import Outcome

ZOO = '''
from passel import Options, Pass, option
from passel.frontend import Flag, Frontend, Parsed
from passel.testing import ToyAdapter, parse_toy


class ZooFrontend(Frontend):
    flags = (Flag("print in capitals", name="shout"),)

    def parse(self, part, context, warn):
        return Parsed(parse_toy(part.text))

    def emit(self, parsed, context):
        text = f"{parsed.op}\\n"
        return text.upper() if self.settings.own["shout"] else text


class ZooAdapter(ToyAdapter):
    name = "zoo"

    def make_frontend(self):
        return ZooFrontend(self)


class Feed(Pass):
    """Feed the animals."""

    name = "feed"
    amount: int = option(default=1, help="How much each gets.")

    def run(self, op, ctx):
        op.value += self.amount


class Portion(Options):
    large: bool = option(default=False, help="Whether it is a feast.")


def morning(pm, portion):
    pm.nest("toy.func").add("feast" if portion.large else "feed")


def register(registry):
    registry.register("feed", "zoo:Feed", ir="zoo")
    registry.register("feast", lambda: Feed(amount=8), ir="zoo")
    registry.register_pipeline("morning", morning, options=Portion, summary="As every day.")
'''

BROKEN = "import no_such_module\n"

LAZY = """
def register(registry):
    registry.register("sleep", "lazy_passes:Sleep")
    registry.register("dream", "lazy_passes:Dream")
    registry.register("awake", lambda: Awake)


from passel import Pass

class Awake(Pass):
    '''Stay awake.'''

    name = "awake"
"""

PACKAGES = {
    "zoo": (
        {"zoo": ZOO},
        {"passel.adapters:zoo": "zoo:ZooAdapter", "passel.passes:zoo": "zoo:register"},
    ),
    "broken-zoo": (
        {"broken_zoo": BROKEN},
        {
            "passel.adapters:aquarium": "broken_zoo:Aquarium",
            "passel.passes:broken-zoo": "broken_zoo:register",
            "xdsl.universe:broken-zoo": "broken_zoo:UNIVERSE",
        },
    ),
    "lazy-zoo": (
        {"lazy_zoo": LAZY, "lazy_passes": "import no_such_module\n"},
        {"passel.passes:lazy-zoo": "lazy_zoo:register"},
    ),
}

CAUSE = "ModuleNotFoundError: No module named 'no_such_module'"
LEFT_OUT = f"passel-opt: warning: package 'broken-zoo' 1.0 is skipped: {CAUSE}"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write the packages, each into its own folder."""
    folders = {name: tmp_path_factory.mktemp(name) for name in PACKAGES}
    for name, (modules, points) in PACKAGES.items():
        write_package(folders[name], name, modules, points)
    return folders


@pytest.fixture
def opt(programs: Path, folders: dict[str, Path], tmp_path: Path) -> Callable[..., Outcome]:
    """Run passel-opt where some of the packages are installed."""
    (tmp_path / "in.toy").write_text("toy.module(toy.func @cat,toy.func @dog 2)")
    (tmp_path / "in.mlir").write_text("func.func private @f()\n")

    def run(*arguments: str, packages: tuple[str, ...] = ("zoo",)) -> Outcome:
        chosen = [folders[name] for name in packages]
        return run_with(chosen, *arguments, cwd=tmp_path, program=programs / "passel-opt")

    return run


def test_an_ir_of_a_package(opt: Callable[..., Outcome]) -> None:
    """`--ir` takes the name of an installed adapter; its passes, pipelines and flags are there."""
    flags = ("in.toy", "--ir=zoo", "-p", "toy.module(toy.func(feed),morning{large=true})")
    assert opt(*flags) == (0, "toy.module(toy.func @cat 9,toy.func @dog 11)\n", "")
    assert "zoo:\n  --shout  " in opt("--ir=zoo", "--help").out
    assert opt("--ir=zoo", "--version").out.endswith("(zoo)\n")
    shown = opt(*flags, "--shout", "--dump-pass-pipeline", "--mlir-timing")
    assert shown.out == "TOY.MODULE(TOY.FUNC @CAT 9,TOY.FUNC @DOG 11)\n"
    assert "feed{amount=1}" in shown.err
    assert "feast{amount=8}" in shown.err
    assert "Execution time report" in shown.err
    listed = opt("--ir=zoo", "--list-passes").out
    assert re.search("  --feast +- +Feed the animals.*default 8", listed, re.DOTALL)
    assert "--canonicalize" not in listed


def test_reduction_needs_the_generic_form(
    folders: dict[str, Path], programs: Path, tmp_path: Path
) -> None:
    """An IR that is not printed in MLIR's generic form is named, with the way out in Python."""
    (tmp_path / "in.toy").write_text("toy.module")
    flags, program = ("in.toy", "--ir=zoo", "--feed"), programs / "passel-reduce"
    done = run_with([folders["zoo"]], *flags, "--interesting=true", cwd=tmp_path, program=program)
    assert (done.code, done.out, done.err) == (
        1,
        "",
        (
            "passel-reduce: error: IR 'zoo' does not print MLIR's generic form, which passel-reduce "
            "edits (line 1: expected a name); in Python, reduce its ops with passel.search.ddmin\n"
        ),
    )


REFUSED = [
    (("in.toy", "--ir=zo"), "'--ir' takes one of mlir, xdsl, zoo, not 'zo'; did you mean 'zoo'?"),
    (("in.mlir", "--feed"), "unknown command line argument '--feed'\nTry 'passel-opt --help'\npassel-opt: note: another installed IR provides 'feed'; use --ir=zoo"),
    (("in.mlir", "--morning"), "unknown command line argument '--morning'\nTry 'passel-opt --help'\npassel-opt: note: another installed IR provides 'morning'; use --ir=zoo"),
    (("in.toy", "--ir=zoo", "--emit-bytecode"), "'--emit-bytecode' requires --ir=mlir, not --ir=zoo"),
    (("in.toy", "--ir=zoo", "-t", "riscv-asm"), "'-t' requires --ir=xdsl, not --ir=zoo"),
    (("in.mlir", "--ir=iree"), "'--ir' takes one of mlir, xdsl, zoo, not 'iree'; pip install iree-base-compiler"),
]  # fmt: skip


@pytest.mark.parametrize(("flags", "error"), REFUSED)
def test_what_an_ir_does_not_take(
    opt: Callable[..., Outcome], flags: tuple[str, ...], error: str
) -> None:
    """An IR that is not there, and flags for another one, are refused in a line."""
    assert opt(*flags) == (1, "", f"passel-opt: error: {error}\n")


def test_a_broken_adapter(opt: Callable[..., Outcome]) -> None:
    """An adapter that cannot be imported is an error that names its package, and the cause."""
    what = "passel-opt: error: the adapter 'aquarium' from package 'broken-zoo' 1.0 cannot be used"
    assert opt("in.toy", "--ir=aquarium", packages=("broken-zoo",)) == (1, "", f"{what}: {CAUSE}\n")


@pytest.mark.parametrize(
    "flags",
    [
        ("in.mlir", "--feeed"),
        ("in.mlir", "-p", "builtin.module(aquarium.fish(cse))"),
        ("fish.mlir",),
    ],
)
def test_a_broken_package_that_may_have_it(
    opt: Callable[..., Outcome], tmp_path: Path, flags: tuple[str, ...]
) -> None:
    """Where a pass or an op is not found, one line says which package is missing, and why."""
    (tmp_path / "fish.mlir").write_text('"aquarium.fish"() : () -> ()\n')
    outcome = opt(*flags, packages=("broken-zoo",))
    assert outcome.code == 1
    assert outcome.err.count(LEFT_OUT) == 1
    assert outcome.err.count("warning:") == 1
    assert outcome.err.count("error:") == 1
    assert "Traceback" not in outcome.err


def test_lists_have_the_rest(opt: Callable[..., Outcome]) -> None:
    """Lists of passes have what can be loaded; the others are one line each."""
    outcome = opt("--list-passes", packages=("broken-zoo", "lazy-zoo"))
    assert outcome.code == 0
    assert "  --cse  " in outcome.out
    assert "  --awake  " in outcome.out
    assert "sleep" not in outcome.out
    left_out, *lazy = re.sub(r" \(\S+/lazy_passes\.py:1\)", " (FILE)", outcome.err).splitlines()
    assert left_out.startswith(LEFT_OUT)
    said = (
        f"pass '{{}}' from lazy_passes in package 'lazy-zoo' 1.0 cannot be loaded: {CAUSE} (FILE)"
    )
    assert lazy == [f"passel-opt: warning: {said.format(name)}" for name in ("dream", "sleep")]
    used = opt("in.mlir", "--sleep", packages=("lazy-zoo",))
    assert used.err.startswith(f"passel-opt: error: {said.format('sleep').removesuffix('FILE)')}")
