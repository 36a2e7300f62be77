"""Write a build's section of `builds.txt` anew: the dialects, passes and pipelines that it has.

    python tests/support/build_names.py circt circt==1.162.0

It runs where the build is installed. A name is a string in the build's libraries that its parser of
pipelines knows. A star marks pipelines, a dot dialects.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from textwrap import wrap

from passel.mlir import MLIRAdapter
from passel.mlir.upstream import BUILDS

_NAME = re.compile(rb"(?<=\0)[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?=\0)")

_PIPELINE = 3


def names_of(package: str) -> list[str]:
    """Return the names that a build knows, dialects first."""
    adapter = MLIRAdapter.for_package(package)
    assert adapter
    bindings, context = adapter.bindings, adapter.create_context()
    parse = bindings.passmanager.PassManager.parse
    folder = Path(bindings.module("ir").__file__).parents[bindings.root.count(".")]
    # Linkers let a string be the end of another one.
    found: set[str] = {*re.findall(r" ([a-z][a-z0-9-]*)(?=[* \n])", BUILDS.read_text("utf-8"))}
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
    return [*dialects, *filter(None, map(marked, sorted(found)))]


def main(package: str, release: str) -> None:
    """Replace the section of a build, or add one."""
    head, *sections = re.split(r"^(?=\S)", BUILDS.read_text("utf-8"), flags=re.MULTILINE)
    kept = [section for section in sections if not section.startswith(f"{package} ")]
    lines = wrap(" ".join(names_of(package)), 98, break_on_hyphens=False)
    new = f"{package} {release}\n" + "".join(f"  {line}\n" for line in lines)
    BUILDS.write_text("".join([head, *sorted([*kept, new])]), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
