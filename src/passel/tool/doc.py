"""The command passel-doc: Markdown about the passes of any package."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from passel.errors import PasselError
from passel.ir import adapter_names
from passel.ir.frontend import UsageError
from passel.passes.plugins import import_plugin, named_passes_in
from passel.specification.classes import class_doc
from passel.specification.command import write
from passel.tool.information import loaded_passes
from passel.tool.irs import chosen_ir

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passel.passes import Pass, PassRegistry

PROGRAM = "passel-doc"


def main(argv: Sequence[str] | None = None) -> int:
    """Run passel-doc.

    Args:
        argv: The arguments without the program's name; by default those of the process.

    Returns:
        The exit code: 0 if all went well, 1 if something is wrong with a pass or the output.
        For a wrong command line, the process exits with 2.
    """
    arguments = _parser().parse_args(argv)
    try:
        registry = chosen_ir([f"--ir={arguments.ir}"]).names(None)
        if arguments.what:
            found = {each: None for name in arguments.what for each in _named(name, registry)}
        else:
            found = {pass_class: None for _, pass_class in loaded_passes(registry)}
        write(class_doc(found), arguments.output)
    except PasselError as error:
        print(f"{PROGRAM}: error: {error}", file=sys.stderr)
        return 1
    return 0


def _named(name: str, registry: PassRegistry) -> Iterator[type[Pass[Any, Any]]]:
    """Yield the pass of a name, or those of a file or module."""
    info = registry.lookup_pass(name)
    if info is not None:
        yield info.pass_class
        return
    hint = registry.suggest(name)
    if hint or not (name.endswith(".py") or find_spec(name.partition(".")[0])):
        raise UsageError(f"there is no pass '{name}'{hint or ', nor a module of that name'}")
    found = list(named_passes_in(import_plugin(name)))
    if not found:
        raise UsageError(f"'{name}' defines no passes")
    yield from found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        PROGRAM, description="Write Markdown about passes.", allow_abbrev=False
    )
    parser.add_argument(
        "what",
        nargs="*",
        metavar="PASS|FILE.py|MODULE",
        help="passes by name, or all that a file or a module defines; by default all installed",
    )
    irs = sorted(adapter_names())
    parser.add_argument(
        "--ir", choices=irs, default="xdsl", help="the IR that names are looked up for (xdsl)"
    )
    parser.add_argument("-o", dest="output", default="-", metavar="FILE", help="the output")
    return parser
