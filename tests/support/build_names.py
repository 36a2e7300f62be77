"""Write a build's section of `builds.txt` anew: the dialects, passes and pipelines that it has.

    python tests/support/build_names.py circt circt==1.162.0

It runs where the build is installed. A name is a string in the build's libraries that its parser of
pipelines knows. A star marks pipelines, a dot dialects. The class of a pass follows its name unless it
is the usual one; a dump on an empty function shows it.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from passel.mlir import MLIRAdapter
from passel.mlir.pipelines import facts_of, usual_class
from passel.mlir.upstream import BUILDS

if TYPE_CHECKING:
    from passel.mlir.bindings import Bindings

_NAME = re.compile(rb"(?<=\0)[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?=\0)")

_BANNER = re.compile(r" IR Dump Before (\S+?)(?::| \()")

_PIPELINE = 3

_SECONDS = 5


def names_of(package: str) -> list[str]:
    """Return the names that a build knows, dialects first."""
    adapter = MLIRAdapter.for_package(package)
    assert adapter
    bindings, context = adapter.bindings, adapter.create_context()
    parse = bindings.passmanager.PassManager.parse
    folder = Path(bindings.module("ir").__file__).parents[bindings.root.count(".")]
    # Linkers let a string be the end of another one.
    found: set[str] = {*re.findall(r" ([a-z][a-z0-9-]*)(?=[=* \n])", BUILDS.read_text("utf-8"))}
    for library in folder.rglob("*.so*"):
        for name in _NAME.findall(library.read_bytes()):
            parts = name.decode().split("-")
            found |= {"-".join(parts[number:]) for number in range(len(parts))}

    def marked(name: str) -> str:
        try:
            made = parse(f"any({name})", context)
        except ValueError as error:
            return "" if "does not refer to a registered" in str(error) else name
        if (child := os.fork()) == 0:  # some passes cannot be printed, pipelines can
            text = str(made)
            os._exit(0 if text.startswith((f"any({name})", f"any({name}{{")) else _PIPELINE)
        is_pipeline = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == _PIPELINE
        return f"{name}*" if is_pipeline else name

    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the parser prints what options are wrong
    dialects = [f"{name}." for name in bindings.dialect_names(context)]
    words = filter(None, map(marked, sorted(found)))
    context.enable_multithreading(False)
    return [
        *dialects,
        *(each if each[-1] == "*" else with_class(bindings, context, each) for each in words),
    ]


def with_class(bindings: Bindings, context: Any, name: str) -> str:
    """Return the name of a pass with that of its class, unless the latter is the usual one."""
    usual = usual_class(bindings, name, facts_of(bindings, name).class_name)
    module = bindings.ir.Module.parse("func.func private @f()", context)
    for pipeline in f"any({name})", f"builtin.module(func.func({name}))":
        with TemporaryFile() as file:
            if os.fork() == 0:  # some passes crash
                signal.alarm(_SECONDS)
                os.dup2(file.fileno(), 2)
                with suppress(Exception):
                    manager = bindings.passmanager.PassManager.parse(pipeline, context)
                    manager.enable_ir_printing(print_before_all=True, print_after_all=False)
                    manager.run(module.operation)
                os._exit(0)
            os.wait()
            file.seek(0)
            found = _BANNER.search(file.read().decode(errors="replace"))
        if found and found[1] != usual:
            return f"{name}={found[1]}"
    return name


def main(package: str, release: str) -> None:
    """Replace the section of a build, or add one."""
    head, *sections = re.split(r"^(?=\S)", BUILDS.read_text("utf-8"), flags=re.MULTILINE)
    kept = [section for section in sections if not section.startswith(f"{package} ")]
    lines = wrap(" ".join(names_of(package)), 98, break_on_hyphens=False)
    new = f"{package} {release}\n" + "".join(f"  {line}\n" for line in lines)
    BUILDS.write_text("".join([head, *sorted([*kept, new])]), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
