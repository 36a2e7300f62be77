"""The command passel-doc: Markdown about the passes of any package."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from passel.ir.frontend import UsageError
from passel.passes.plugins import import_plugin, named_passes_in
from passel.specification.classes import class_doc
from passel.tool.flag_groups import FlagGroup, flag
from passel.tool.flag_values import ir_of
from passel.tool.help import Program
from passel.tool.information import loaded_passes
from passel.tool.irs import chosen_ir
from passel.tool.output import put
from passel.tool.program import run_program

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passel.passes import Pass, PassRegistry
    from passel.tool.flags import CommandLine


class _Flags(FlagGroup):
    """Documentation."""

    ir: str = flag("the IR that names are looked up for", "<name>", "xdsl", parse=ir_of)
    o: str = flag("where it goes", "<file>", "-")


PROGRAM = Program.of(
    "passel-doc",
    "write Markdown about passes",
    "[<pass>|<file.py>|<module>]...",
    _Flags,
    """\
  passel-doc cse canonicalize
  passel-doc my_passes.py -o passes.md
  passel-doc my_compiler.passes --ir=mlir
""",
    "Without arguments, it is about all passes that are installed.\n",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run passel-doc.

    Args:
        argv: The arguments without the program's name; by default those of the process.

    Returns:
        The exit code: 0 if all went well, 1 if something is wrong with the command line, a pass or
        the output.
    """
    return run_program(PROGRAM, argv, _run)


def _run(line: CommandLine) -> int:
    flags = _Flags(line)
    registry = chosen_ir([f"--ir={flags.ir}"]).registry
    if line.inputs:
        found = {each: None for name in line.inputs for each in _named(name, registry)}
    else:
        found = {pass_class: None for _, pass_class in loaded_passes(registry)}
    return put(class_doc(found), flags.o)


def _named(name: str, registry: PassRegistry) -> Iterator[type[Pass[Any, Any]]]:
    """Yield the pass of a name, or those of a file or module."""
    info = registry.lookup_pass(name)
    if info is not None:
        yield info.pass_class
        return
    if registry.lookup_pipeline(name):
        raise UsageError(
            f"'{name}' is a pipeline, not a pass: passel-opt --help-pass={name} describes it"
        )
    hint = registry.suggest(name)
    if hint or not (name.endswith(".py") or find_spec(name.partition(".")[0])):
        raise UsageError(f"there is no pass '{name}'{hint or ', nor a module of that name'}")
    found = list(named_passes_in(import_plugin(name)))
    if not found:
        raise UsageError(f"'{name}' defines no passes")
    yield from found
