"""`--print-completion`, tried by typing into the shells themselves."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tool_fixtures import only_error

from passel import Pass, PassContext, PassRegistry
from passel.mlir import MLIRAdapter
from passel.tool import opt_main

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tool_fixtures import Tool

pty = pytest.importorskip("pty")

SHELLS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "fish": ["fish", "--private", "--no-config", "-i"],
    "zsh": ["zsh", "-f", "-i"],
}
# A program of its name completes, and shows what the shell makes of the line.
SHOW = """\
case $1 in --complete=*) exec {python} -m passel "$@" ;; esac
printf '<BEGIN>'
printf '<%s>' "$@"
printf '<END>\\n'
"""
# fish wants to control its terminal.
ON_TERMINAL = """\
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""
READY = "ready" + "now"

COMPLETED = {
    "flag": ("--mlir-timing-d", ["--mlir-timing-display="], "--mlir-timing-display"),
    "choice": ("--mlir-timing-display=l", ["--mlir-timing-display=list"]),
    "installed IR": ("--ir=ml", ["--ir=mlir"]),
    "choice by itself": ("--mlir-timing-display l", ["--mlir-timing-display", "list"]),
    "boolean": ("--mlir-timing=f", ["--mlir-timing=false"]),
    "optional value": ("--verify-each=al", ["--verify-each=always"]),
    "pass": ("--symbol-d", ["--symbol-dce"]),
    "pass of MLIR": ("--ir=mlir --affine-scal", ["--ir=mlir", "--affine-scalrep"]),
    "list of passes": (
        "--mlir-print-ir-after=cse,symbol-d",
        ["--mlir-print-ir-after=cse,symbol-dce"],
    ),
    "one pass": ("--help-pass=symbol-d", ["--help-pass=symbol-dce"]),
    "pipeline": ("-p 'builtin.module(cse,symbol-d", ["-p", "builtin.module(cse,symbol-dce"]),
    "option in a pipeline": (
        "-p 'builtin.module(cse,canonicalize{region-simplify=normal max-i",
        ["-p", "builtin.module(cse,canonicalize{region-simplify=normal max-iterations="],
    ),
    "option of a pass": ("--canonicalize=max-i", ["--canonicalize=max-iterations="]),
    "value of an option": ("--canonicalize=top-down=f", ["--canonicalize=top-down=false"]),
    "second option of a pass": (
        "--canonicalize='top-down=false max-i",
        ["--canonicalize=top-down=false max-iterations="],
    ),
    "input": ("kern", ["kernels.mlir"]),
    "output": ("-o kern", ["-o", "kernels.mlir"]),
    "file": ("--log-actions-to=kern", ["--log-actions-to=kernels.mlir"]),
    "directory": ("--mlir-print-ir-tree-dir=some-d", ["--mlir-print-ir-tree-dir=some-dir"]),
}


class Shell:
    """A shell on a terminal, which has read the script."""

    def __init__(self, name: str, folder: Path) -> None:
        self._name = name
        self._master, slave = pty.openpty()
        environment = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "TERM": "dumb"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", ON_TERMINAL, *SHELLS[name]],
            cwd=folder,
            env={**environment, "HOME": str(folder), "LC_ALL": "C.UTF-8"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        start = {
            "bash": "source c.bash",
            "fish": "source c.fish",
            "zsh": "unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u; source c.zsh",
        }
        self.say(f"{start[name]}; echo ready''now\n")
        self.read_until(READY)

    def say(self, text: str) -> None:
        """Type something."""
        os.write(self._master, text.encode())

    def read_until(self, end: str) -> str:
        """Return what the shell writes until it has written something."""
        seen, deadline = "", time.monotonic() + 20
        while end not in seen:
            if not select.select([self._master], [], [], deadline - time.monotonic())[0]:
                pytest.fail(f"{self._name} did not write {end!r} but {seen!r}")
            seen += os.read(self._master, 65536).decode(errors="replace")
        return seen

    def completed(self, line: str) -> list[str]:
        """Return the arguments that a line has when its last word has been completed."""
        self.say(f"passel-opt {line}\t")
        time.sleep(0.1)  # a line that comes at once is taken as pasted
        # zsh writes a backslash before the space, in place of a quote inside of a word.
        quote = "" if self._name == "zsh" and "='" in line else "'" * (line.count("'") % 2)
        self.say(f"{quote}\n")
        shown = self.read_until("<END>")
        return re.findall(r"<([^<>]*)>", shown.rpartition("<BEGIN>")[2].partition("<END>")[0])

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()
        os.close(self._master)


@pytest.fixture(scope="module", params=SHELLS)
def shell(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shell]:
    """Each of the shells that are installed."""
    name: str = request.param
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    folder = tmp_path_factory.mktemp(name)
    command = [sys.executable, "-m", "passel", f"--print-completion={name}"]
    (folder / f"c.{name}").write_bytes(
        subprocess.run(command, capture_output=True, check=True).stdout
    )
    (folder / "passel-opt").write_text(f"#!/bin/sh\n{SHOW.format(python=sys.executable)}")
    (folder / "passel-opt").chmod(0o755)
    (folder / "kernels.mlir").touch()
    (folder / "some-dir").mkdir()
    shell = Shell(name, folder)
    yield shell
    shell.close()


@pytest.mark.parametrize("case", COMPLETED.values(), ids=COMPLETED)
def test_a_shell_completes_what_is_typed(shell: Shell, case: tuple[str, list[str]]) -> None:
    """Flags, their values, passes, their options, lists and pipelines of them, and files."""
    line, expected, *others = case
    done = shell.completed(line)
    done[-1] = done[-1].removesuffix("/")  # which zsh takes back when no more follows
    assert done == expected or done[-1] in others


def test_names_are_listed_without_the_dialects() -> None:
    """Completing imports nothing that passes are made of, but the builtin dialect."""
    program = (
        "import sys; from passel.tool import main; main(['--complete=passel-opt --symbol-d'])\n"
        "print([m for m in sys.modules if m.startswith('xdsl.dialects.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[0] == "--symbol-dce\tpass"
    assert done.stdout.splitlines()[-1] in {"[]", "['xdsl.dialects.builtin']"}


class Squash(Pass):
    """Do nothing, under a name of its own."""

    name = "squash-it"

    def run(self, op: object, ctx: PassContext) -> None:
        """Do nothing."""


def test_a_tool_of_ones_own_completes_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    """Its name, its passes, its IR and no other."""
    registry = PassRegistry()
    registry.register(Squash)

    def completed(line: str, **tool: Any) -> list[str]:
        assert opt_main([f"--complete={line}"], name="my-opt", registry=registry, **tool) == 0
        return [each.partition("\t")[0] for each in capsys.readouterr().out.splitlines()]

    assert completed("my-opt --squash") == ["--squash-it"]
    assert completed("my-opt --ir=mlir --symbol-d") == ["--symbol-dce"]
    assert completed("my-opt --csl-stencil-b") == []  # xDSL's
    assert completed("my-opt --ir") == ["--ir=", "--irdl-file="]
    assert completed("my-opt --squash", adapter=MLIRAdapter()) == ["--squash-it"]


def test_options_that_are_given_are_not_offered_again(tool: Tool) -> None:
    """Of the options of a pass, those that the braces lack are offered, each with its help."""
    line = "passel-opt -p 'builtin.module(func.func(canonicalize{top-down=false t"
    assert tool(f"--complete={line}").out.splitlines()[0] == (
        "builtin.module(func.func(canonicalize{top-down=false test-convergence=\t"
        "Fail if a limit was reached before nothing changed any more. (default false)"
    )


def test_passes_of_plugins_are_completed(tool: Tool) -> None:
    """The passes of a plugin that the line names are known."""
    Path("mine.py").write_text(
        "from passel import Pass\n"
        "class Mine(Pass):\n"
        "    name = 'mine-alone'\n"
        "    def run(self, op, ctx): ...\n"
    )
    line = "passel-opt --load-pass-plugin=mine.py --mine"
    assert tool(f"--complete={line}").out == "--mine-alone\tpass\n"


def test_another_shell_is_refused(tool: Tool) -> None:
    """The message lists those that there are."""
    assert "'--print-completion' takes one of bash, zsh, fish, not 'tcsh'" in only_error(
        tool("--print-completion=tcsh")
    )
