"""passel-tblgen: generate Python and documentation from passes declared in TableGen.

Usage: passel-tblgen <file>... [flags]

Examples:
  passel-tblgen -gen-pass-decls Passes.td -name=Demo -module=demo_passes -o demo_bases.py
  passel-tblgen -gen-pass-stubs Passes.td -o my_native_passes.py
  passel-tblgen -gen-pass-doc my_passes.py -o passes.md

One of the --gen-* flags selects the output.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from passel.diagnostics import suggest
from passel.frontend import UsageError
from passel.passes import Pass
from passel.specification.markdown import pass_doc
from passel.specification.python_code import native_module, native_stubs, native_table, pass_decls
from passel.specification.records import PassDeclaration, read_passes, with_defaults
from passel.specification.tablegen import SpecificationError
from passel.tool.command_line import FlagGroup, flag, names_of
from passel.tool.output import put
from passel.tool.plugins import classes_in, import_plugin
from passel.tool.programs import Program, run_program

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


DeclaredT = TypeVar("DeclaredT", bound="PassDeclaration | type[Pass[Any, Any]]")


class _Flags(FlagGroup):
    """Declarations."""

    gen_pass_decls: bool = flag("generate a Python module with base classes for passes")
    gen_pass_doc: bool = flag(
        "generate Markdown as mlir-tblgen does, also from Python files and modules"
    )
    gen_pass_stubs: bool = flag("generate typed classes for C++ passes: <file>.py, .pyi and .txt")
    include: tuple[str, ...] = flag(
        "a directory to search for included files", "<dir>", short=("I",), repeated=True
    )
    o: str = flag("the output file", "<file>", "-")
    passes: tuple[str, ...] | None = flag(
        "use only the passes with these names", "<name,...>", parse=names_of
    )
    name: str = flag("the group in the function name register_<group>_passes", "<group>")
    module: str = flag("the module that defines the subclasses of the base classes", "<module>")
    root: str = flag(
        "the root package of the bindings that contain the passes (default: mlir)",
        "<package>",
        "mlir",
    )
    no_descriptions: bool = flag("omit descriptions from the stubs")
    default: tuple[str, ...] = flag(
        "the default of an option, if a C++ constructor changes the declared default",
        "<pass:option=C++>",
        repeated=True,
    )


PROGRAM = Program(__doc__, _Flags)


def main(argv: Sequence[str] | None = None) -> int:
    """Run passel-tblgen.

    Args:
        argv: The command-line arguments; by default `sys.argv[1:]`.

    Returns:
        The exit code: 0 on success, or 1 after an error in the command line, a file or the output.
    """
    return run_program(PROGRAM, argv, _run)


def _run(flags: _Flags) -> int:
    asked = [name for name in _GENERATORS if getattr(flags, name)]
    if len(asked) != 1:
        known = [f"-{name.replace('_', '-')}" for name in _GENERATORS]
        raise UsageError(f"specify what to generate: one of {', '.join(known)}")
    if not flags.line.inputs:
        raise UsageError("expected at least one file with passes")
    try:
        outputs = _GENERATORS[asked[0]](flags.line.inputs, flags)
    except SpecificationError as error:
        if not error.place:
            raise
        sys.stderr.write(f"{error}\n")
        return 1
    if len(outputs) == 1 or flags.o == "-":
        return put(next(iter(outputs.values())), flags.o)
    for suffix, text in outputs.items():
        put(text, str(Path(flags.o).with_suffix(suffix)))
    return 0


def _doc(files: Sequence[str], flags: _Flags) -> dict[str, str]:
    modules = [each for each in files if _is_python(each)]
    defined = (each for name in modules for each in classes_in(import_plugin(name)))
    classes: list[type[Pass]] = [each for each in defined if issubclass(each, Pass) and each.name]
    if modules and not classes:
        raise SpecificationError("the files define no passes", ", ".join(modules))
    others = [each for each in files if each not in modules]
    declared = read_passes(*others, include=flags.include)
    return {".md": pass_doc(_chosen([*declared, *classes], files, flags))}


def _is_python(name: str) -> bool:
    """Return whether an input is a Python file or the dotted name of a module."""
    path = Path(name)
    if path.suffix in (".py", ".td") or path.exists():
        return path.suffix == ".py"
    return all(part.isidentifier() for part in name.split("."))


def _declared(files: Sequence[str], flags: _Flags) -> Sequence[PassDeclaration]:
    passes = read_passes(*files, include=flags.include)
    return with_defaults(_chosen(passes, files, flags), flags.default)


def _stubs(files: Sequence[str], flags: _Flags) -> dict[str, str]:
    passes = _declared(files, flags)
    return {
        ".pyi": native_stubs(passes, described=not flags.no_descriptions),
        ".py": native_module(flags.root),
        ".txt": native_table(passes),
    }


_GENERATORS: dict[str, Callable[[Sequence[str], _Flags], dict[str, str]]] = {
    "gen_pass_decls": lambda files, flags: {
        ".py": pass_decls(_declared(files, flags), group=flags.name, module=flags.module)
    },
    "gen_pass_doc": _doc,
    "gen_pass_stubs": _stubs,
}
"""Generators for each flag, by the suffixes of their files."""


def _chosen(
    passes: Sequence[DeclaredT], files: Sequence[str], flags: _Flags
) -> Sequence[DeclaredT]:
    """Return the passes in `--passes`, or all passes."""
    if flags.passes is None:
        return passes
    known = set(map(_name_of, passes))
    for name in flags.passes:
        if name not in known:
            message = f"there is no pass '{name}'{suggest(name, known)}"
            raise SpecificationError(message, ", ".join(files))
    return [each for each in passes if _name_of(each) in flags.passes]


def _name_of(declared: PassDeclaration | type[Pass[Any, Any]]) -> str:
    return declared.argument if isinstance(declared, PassDeclaration) else declared.name
