"""Typed native passes: what is declared of them, against the build."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys
from contextlib import nullcontext
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from mlir.ir import Context
from td_files import PASSES_TD, ROOT, declarations

from passel import OpPassManager, OptionError, PassFailedError, PassManager
from passel.mlir import parse_source, passes
from passel.mlir.bindings import bindings_named
from passel.mlir.names import MLIRSource, native_pass_class
from passel.mlir.passes import (
    CSE,
    Canonicalizer,
    Inliner,
    InterpreterPass,
    ReductionTreePass,
)
from passel.mlir.pipelines import parsed
from passel.mlir.typed import is_as_declared, typed_pass_class
from passel.mlir.upstream import FACTS
from passel.passes import PassRegistry
from passel.passes.options import read_options
from passel.pipeline import parse_pipeline

if TYPE_CHECKING:
    from passel.mlir.typed import TypedNativePass
    from passel.passes.options import OptionInfo

MLIR = bindings_named("mlir")
NAMES = PassRegistry(MLIRSource("mlir"))
ELSEWHERE = {"opt-reduction-pass", "reduction-tree"}
"""Passes of mlir-reduce."""
PATCHED = {"async-parallel-for"}
"""Passes that have more options in the package with the bindings."""

SOURCE = "func.func @f(%a: i32) -> i32 { %0 = arith.addi %a, %a : i32 return %a : i32 }"

CLASSES: list[type[TypedNativePass]] = [
    getattr(passes, name) for name in dir(passes) if getattr(passes, name).name not in ELSEWHERE
]


# -- As values -------------------------------------------------------------------------------


def test_what_is_given_is_printed() -> None:
    """Options that were given are in the text; with all options, empty lists are not, as in MLIR."""
    assert str(Canonicalizer()) == "canonicalize"
    assert str(Canonicalizer(top_down=True)) == "canonicalize{top-down=true}"
    text = Canonicalizer(max_iterations=3).to_text(all_options=True)
    assert text.startswith("canonicalize{max-iterations=3 max-num-rewrites=-1 region-simplify=")
    # A default that only MLIR knows is None.
    assert InterpreterPass().entry_point is None
    assert str(InterpreterPass(entry_point=None)) == "transform-interpreter"
    text = "transform-interpreter{entry-point=none}"
    assert str(InterpreterPass(entry_point="none")) == text
    (found,) = PassManager.parse(f"any({text})", Context())
    assert found == InterpreterPass(entry_point="none")


def test_they_can_be_pickled_and_copied() -> None:
    """A copy is equal, of the same class, and prints the same."""
    pass_ = Inliner(max_iterations=4, op_pipelines=(OpPassManager("func.func").add(CSE()),))
    for again in (pickle.loads(pickle.dumps(pass_)), copy.copy(pass_), copy.deepcopy(pass_)):
        assert type(again) is Inliner
        assert again == pass_
        assert (
            str(again) == str(pass_) == ("inline{max-iterations=4 op-pipelines={func.func(cse)}}")
        )


# -- Runs ------------------------------------------------------------------------------------


def test_a_pass_that_the_build_lacks() -> None:
    """The run fails before anything runs, and says which build lacks the pass."""
    context = Context()
    module = parse_source(context, SOURCE, "t.mlir")
    manager = PassManager("builtin.module", context).add(Canonicalizer(), ReductionTreePass())
    message = "MLIR's bindings 'mlir' have no pass 'reduction-tree'"
    with pytest.raises(PassFailedError, match=message):
        manager.run(module)
    assert "addi" in str(module)


def test_wrong_options_are_found_before_mlir_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong option in text has a caret and a suggestion, and MLIR is not asked about it."""
    context = Context()
    PassManager.parse("builtin.module(canonicalize{top-down=1})", context)  # finds the class

    def never(*_: Any) -> None:
        pytest.fail("MLIR was asked")

    monkeypatch.setattr("passel.mlir.native.parsed", never)
    text = "builtin.module(canonicalize{max-iteration=1 top-down=maybe region-simplify=norml})"
    with pytest.raises(OptionError) as caught:
        PassManager.parse(text, context)
    assert [problem.message.partition("; ")[2] for problem in caught.value.problems] == [
        "did you mean 'max-iterations'?",
        "",
        "did you mean 'normal'?",
    ]
    spans = [problem.span.text for problem in caught.value.problems if problem.span]
    assert spans == ["max-iteration", "maybe", "norml"]


# -- The facts -------------------------------------------------------------------------------


def test_the_facts_are_those_of_the_declarations(tmp_path: Path) -> None:
    """What is in the repository is what `make native-passes` generates."""
    recipe = (ROOT / "Makefile").read_text("utf-8").partition("\nnative-passes:")[2]
    flags = re.findall(r"--default \S+", recipe.partition("\n\n")[0])
    command = [
        str(Path(sys.executable).with_name("passel-tblgen")),
        "-gen-pass-stubs",
        "-no-descriptions",
    ]
    command += ["-I", str(declarations()), "-o", str(tmp_path / "passes.py")]
    command += [word for flag in flags for word in flag.split()] + [str(path) for path in PASSES_TD]
    subprocess.run(command, check=True)
    config = f"--config={ROOT / 'pyproject.toml'}"
    subprocess.run(
        [str(Path(sys.executable).with_name("ruff")), "format", "--quiet", config, str(tmp_path)],
        check=True,
    )
    for suffix in (".py", ".pyi", ".txt"):
        generated = (tmp_path / "passes").with_suffix(suffix).read_text("utf-8")
        assert generated == FACTS.with_suffix(suffix).read_text("utf-8"), suffix


def test_the_build_has_the_passes_as_they_are_declared() -> None:
    """Names, options and defaults are those that the build prints, but for what is known."""
    found = {kind: native_pass_class("mlir", kind.name) for kind in CLASSES}
    different = {kind.name: each for kind, each in found.items() if each is not kind}
    assert different.keys() == PATCHED
    assert all("whose options only MLIR knows" in str(each.__doc__) for each in different.values())


def test_anchors_are_those_of_the_build() -> None:
    """What a pass is restricted to is what MLIR says when it stands elsewhere."""
    context = Context()
    for kind in CLASSES:
        for op in ("builtin.module", "func.func", "gpu.module", "spirv.module"):
            with (
                nullcontext()
                if kind.anchor in (None, op)
                else pytest.raises(ValueError, match=f"restricted to '{kind.anchor}'")
            ):
                MLIR.passmanager.PassManager.parse(f"{op}({kind.name})", context)


@pytest.mark.parametrize(
    "change",
    [
        ('"default": 10', '"default": 11'),
        ('"field": "max_iterations"', '"field": "most_iterations"'),
        ('{"field": "max_iterations", "default": 10, "type": "Int64"}, ', ""),
        ('"choices": ["disabled", "normal", "aggressive"]', '"choices": ["normal"]'),
    ],
    ids=["default", "name", "missing", "choices"],
)
def test_where_facts_and_build_differ_the_build_is_right(
    change: tuple[str, str], tmp_path: Path
) -> None:
    """A pass with other options or defaults than declared is not taken for the declared one."""
    path = tmp_path / "facts.txt"
    lines = FACTS.read_text("utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith("canonicalize ")]
    assert change[0] in line
    path.write_text(f"{line.replace(*change)}\n")
    kind = typed_pass_class("facts", path, "Canonicalizer", "mlir")
    assert kind is not None
    is_narrower = change[1] == '"choices": ["normal"]'  # which what MLIR prints does not show
    assert is_as_declared(MLIR, kind) is is_narrower
    assert is_as_declared(MLIR, Canonicalizer)


# -- As MLIR reads them ------------------------------------------------------------------------

CHECKED = {"client-api": "opencl", "pipeline": "cse"}
"""Strings that MLIR checks when it reads them, and values that it takes."""


def other_value(info: OptionInfo) -> Any:
    """Return a value of an option that is not its default."""
    kind = info.codec.metavar
    if kind.endswith(",..."):
        element = info._replace(default=None, codec=info.codec._replace(metavar=kind[:-4]))
        return (other_value(element),)
    if "pass-manager" in kind:
        return OpPassManager("func.func").add(Canonicalizer(max_iterations=2))
    if not kind or kind == "<bool>":
        return not info.default
    if "|" in kind.removesuffix("|<none>"):
        return next(word for word in kind.strip("<>").split("|") if word != info.default)
    if kind == "<string>":
        return CHECKED.get(info.name) or "x" if info.default != "x" else "y"
    return 0.5 if kind == "<number>" else 1 if info.default != 1 else 2


def test_all_passes_with_their_defaults_and_with_others() -> None:
    """MLIR reads the text of each pass, and prints the values that the pass has."""
    for kind, is_other in product(CLASSES, (False, True)):
        infos = kind.option_infos()
        # MLIR cannot print a pass without values where there is no default.
        chosen = [info for info in infos if is_other or info.default is None]
        pass_ = kind(**{info.field: other_value(info) for info in chosen})
        element: Any = parse_pipeline(str(parsed(MLIR, f"any({pass_})"))).elements[0]
        names = {info.name for info in infos}
        options = [each for each in element.options if each.key in names]
        assert kind.name in PATCHED or len(options) == len(element.options)
        values = read_options(infos, options, kind.name, NAMES)
        for info in infos:
            value, printed = getattr(pass_, info.field), values.get(info.field, ())
            assert value in (None, printed), info
