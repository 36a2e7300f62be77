"""Reproducers, compared with the real mlir-opt: what is said, and what is in the files.

Both tools run the same pipelines. The pass that fails is `sharding-propagation`, on functions
without a body; a plugin gives passel one that fails alike.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import SHARDING_PROPAGATION

if TYPE_CHECKING:
    from collections.abc import Callable

    from tool_fixtures import MlirOpt, Tool

LOAD = "--load-pass-plugin=plugin.py"
ONE = "func.func private @a()\nfunc.func @b() {\n  return\n}\n"
TWO = "func.func private @a()\nfunc.func private @b()\n"
INNER = f"builtin.module @m {{\n{ONE}}}\n"
CRASH = "--mlir-pass-pipeline-crash-reproducer={file}"
LOCAL = "--mlir-pass-pipeline-local-reproducer"
GENERATE = "--mlir-generate-reproducer={file}"

RECORDED = """\
func.func @f() {{
  return
}}
{{-#
  external_resources: {{
    {group}: {{
      {entries}
    }}
  }}
#-}}
"""


def recorded(entries: str, group: str = "mlir_reproducer") -> str:
    """Return an input with resources."""
    return RECORDED.format(group=group, entries=entries)


@dataclass(frozen=True, slots=True)
class Use:
    """One use of both tools.

    Attributes:
        name: What it shows.
        source: The input.
        flags: The command line; `{file}` is where the reproducer goes.
        differs: What differs and is wanted to, with the reason: of `code`, `said`, `file`,
            `out`.
    """

    name: str
    source: str
    flags: tuple[str, ...]
    differs: tuple[tuple[str, str], ...] = ()


ALL_NAMED = ("said", "one error names all that failed; MLIR names the first")
USES = [
    Use("global", ONE, ("-p=any(func.func(sharding-propagation))", CRASH)),
    Use("global-several", TWO, ("-p=any(func.func(sharding-propagation))", CRASH), (ALL_NAMED,)),
    Use("merged", ONE, ("-p=any(func.func(cse),func.func(sharding-propagation),cse,sccp)", CRASH)),
    Use("nested", INNER, ("-p=any(any(func.func(sharding-propagation),cse),cse)", CRASH)),
    Use("no-verifier", ONE, ("-p=any(func.func(sharding-propagation))", CRASH, "--verify-each=0")),
    Use("local", ONE, ("-p=any(cse,func.func(cse,sharding-propagation))", CRASH, LOCAL)),
    Use(
        "local-several",
        TWO,
        ("-p=any(cse,func.func(cse,sharding-propagation))", CRASH, LOCAL),
        (("said", "MLIR reports a local failure twice, and writes the file twice (llvm#57639)"),),
    ),
    Use("local-nested", INNER, ("-p=any(any(func.func(cse,sharding-propagation)))", CRASH, LOCAL)),
    Use("local-alone", ONE, ("-p=any(func.func(sharding-propagation))", LOCAL)),
    Use("success", ONE, ("-p=any(cse)", CRASH)),
    Use(
        "unwritable",
        ONE,
        ("-p=any(func.func(sharding-propagation))", f"{CRASH}/x"),
        (("said", "a file that cannot be written is refused before anything runs"),),
    ),
    Use("generate", ONE, ("-p=any(cse,func.func(cse,sccp),symbol-dce)", GENERATE)),
    Use(
        "generate-unwritable",
        ONE,
        ("-p=any(cse)", f"{GENERATE}/x"),
        (
            ("code", "a file that was asked for and cannot be written is an error"),
            ("said", "which one line tells"),
            ("out", "as any error, it leaves no output"),
        ),
    ),
    Use("generate-failure", ONE, ("-p=any(func.func(sharding-propagation))", GENERATE)),
    Use("kept", recorded("k: true, b: false", "zoo"), ()),
    Use("kept-text", recorded('k: "a\\22\\\\", "two words": "0x0800000001"', "zoo"), ()),
    Use("kept-pipeline", recorded('pipeline: "any(absent)"'), ()),
    Use("run", recorded('pipeline: "builtin.module(cse)"'), ("--run-reproducer",)),
    Use("run-others-kept", recorded("k: true", "zoo"), ("--run-reproducer",)),
    Use("run-nothing", ONE, ("--run-reproducer",)),
    Use("unknown-key", recorded("verify: true"), ("--run-reproducer",)),
    Use("no-boolean", recorded('verify_each: "true"'), ("--run-reproducer",)),
    Use("no-string", recorded("pipeline: true"), ("--run-reproducer",)),
    Use("twice", recorded("verify_each: true, verify_each: false"), ("--run-reproducer",)),
    Use("no-resource", recorded("k: 3", "zoo"), ()),
    Use(
        "bad-pipeline",
        recorded('pipeline: "builtin.module(csee)"'),
        ("--run-reproducer",),
        (("said", "the place is in the file, not in the text of the pipeline"),),
    ),
    Use(
        "bad-anchor",
        recorded('pipeline: "func.func(cse)"'),
        ("--run-reproducer",),
        (("said", "the message goes on with what to write instead"),),
    ),
]


@dataclass(frozen=True, slots=True)
class Effect:
    """What a tool did, as far as both can agree.

    Attributes:
        code: Whether it failed.
        said: Errors and notes with their places, but for passel's own notes.
        file: The reproducer as mlir-opt prints it.
        out: The output as mlir-opt prints it.
    """

    code: bool
    said: tuple[str, ...]
    file: str
    out: str


_OWN = re.compile(
    r"note: (?:to replay|to write a reproducer|on '|see current)|error: 'func.func' op pass "
)
_SPLIT = "\n// -----\n"


def _said(text: str, file: Path) -> tuple[str, ...]:
    lines = [line for line in text.splitlines() if re.search(r": (?:error|note): ", line)]
    return tuple(line.replace(str(file), "FILE") for line in lines if not _OWN.search(line))


@pytest.fixture
def both(tmp_path: Path, tool: Tool, mlir_opt: MlirOpt) -> Callable[[Use], tuple[Effect, Effect]]:
    """Return a function that runs both tools: first mlir-opt."""
    Path("plugin.py").write_text(SHARDING_PROPAGATION)

    def run(row: Use) -> tuple[Effect, Effect]:
        files = tmp_path / "theirs.mlir", tmp_path / "ours.mlir"
        theirs, ours = ([flag.format(file=file) for flag in row.flags] for file in files)
        runs = (
            mlir_opt(*theirs, source=row.source),
            tool(LOAD, "--mlir-disable-threading", *ours, stdin=row.source),
        )
        texts = [file.read_text() if file.exists() else "" for file in files]
        texts += [run.out if run.out.strip() else "" for run in runs]
        printed = texts
        if any(texts):  # which one process prints
            printed = mlir_opt("--split-input-file", source=_SPLIT.join(texts)).out.split(_SPLIT)
        assert len(printed) == len(texts)
        return tuple(
            Effect(run.code != 0, _said(run.err, file), text.strip(), out.strip())
            for run, file, text, out in zip(runs, files, printed, printed[2:], strict=False)
        )  # pyright: ignore[reportReturnType]

    return run


@pytest.mark.parametrize("use", [pytest.param(use, id=use.name) for use in USES])
def test_reproducers_are_those_of_mlir_opt(
    use: Use, both: Callable[[Use], tuple[Effect, Effect]]
) -> None:
    """Exit code, messages, file and output are the same but for what the table says."""
    expected, actual = both(use)
    for what in ("code", "said", "file", "out"):
        same = getattr(actual, what) == getattr(expected, what)
        if what in dict(use.differs):
            assert not same, f"{what} no longer differs: {getattr(actual, what)}"
        else:
            assert getattr(actual, what) == getattr(expected, what)


@pytest.mark.parametrize("flags", [(), (LOCAL,)], ids=["global", "local"])
def test_each_tool_replays_the_file_of_the_other(
    flags: tuple[str, ...], tmp_path: Path, tool: Tool, mlir_opt: MlirOpt
) -> None:
    """The failure is the same, at the same place, in a file of either tool."""
    Path("plugin.py").write_text(SHARDING_PROPAGATION)
    theirs, ours = tmp_path / "theirs.mlir", tmp_path / "ours.mlir"
    run = ["-p=any(cse,func.func(sharding-propagation),cse)", *flags]
    mlir_opt(*run, CRASH.format(file=theirs), source=ONE)
    tool(LOAD, *run, CRASH.format(file=ours), stdin=ONE)
    by_mlir = mlir_opt("--run-reproducer", str(ours))
    by_passel = tool(LOAD, "--run-reproducer", str(theirs))
    message = ":2:3: error: 'func.func' op only one block is supported!"
    assert f"{ours}{message}" in by_mlir.err
    assert f"{theirs}{message}" in by_passel.err
