"""Write `builds.txt` anew: passes and pipelines of builds of the bindings that cannot list them.

    python tests/support/build_names.py iree.compiler -o names.txt

A name is a string in the build's libraries that its parser of pipelines knows. The lines are for
releases that are installed one at a time, and their union is what belongs below the build. A star
marks pipelines.
"""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path

from passel.mlir.bindings import bindings_named

_NAME = re.compile(rb"(?<=\0)[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?=\0)")

_PIPELINE = 3


def names_of(root: str) -> list[str]:
    """Return the names that a build's parser knows; a star marks those of pipelines."""
    bindings = bindings_named(root)
    context, manager = bindings.new_context(), bindings.passmanager.PassManager
    package = Path(bindings.module("ir").__file__).parent
    folder = package.parent if package.name == "mlir" else package
    found: set[str] = set()
    for library in folder.rglob("*.so*"):
        found.update(name.decode() for name in _NAME.findall(library.read_bytes()))

    def marked(name: str) -> str:
        try:
            made = manager.parse(f"any({name})", context)
        except ValueError as error:
            return "" if "does not refer to a registered" in str(error) else name
        if (child := os.fork()) == 0:  # some passes cannot be printed, pipelines can
            text = str(made)
            os._exit(0 if text.startswith((f"any({name})", f"any({name}{{")) else _PIPELINE)
        is_pipeline = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == _PIPELINE
        return f"{name}*" if is_pipeline else name

    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the parser prints what options are wrong
    return list(filter(None, map(marked, sorted(found))))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root")
    parser.add_argument("-o", required=True, type=Path)
    given = parser.parse_args()
    given.o.write_text("\n".join(names_of(given.root)) + "\n", encoding="utf-8")
