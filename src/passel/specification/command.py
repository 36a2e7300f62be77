"""The command passel-tblgen: generators on `.td` files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from passel.diagnostics import suggest
from passel.errors import PasselError, SpecificationError
from passel.instruments.whole_files import write_whole
from passel.passes.plugins import import_plugin, named_passes_in
from passel.specification.base_classes import pass_decls
from passel.specification.markdown import pass_doc
from passel.specification.native import native_facts, native_module, native_stubs
from passel.specification.records import read_files, with_defaults
from passel.specification.td_file import pass_td

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PROGRAM = "passel-tblgen"

_GENERATORS = {
    "gen-pass-decls": "a Python module with base classes of the passes",
    "gen-pass-doc": "Markdown, as mlir-tblgen writes it",
    "gen-pass-stubs": "typed classes for passes in C++: FILE.py, FILE.pyi and FILE.txt",
    "gen-td": "TableGen of passes in Python: FILE is a Python file or a module",
}
"""Flags that ask for an output, and their help."""

DeclaredT = TypeVar("DeclaredT")


def main(argv: Sequence[str] | None = None) -> int:
    """Run passel-tblgen.

    Args:
        argv: The arguments without the program's name; by default those of the process.

    Returns:
        The exit code: 0 if all went well, 1 if a file is wrong or cannot be written. For a
        wrong command line, the process exits with 2.
    """
    arguments = _parser().parse_args(argv)
    try:
        _write_all(_generated(arguments), arguments.output)
    except PasselError as error:
        has_place = isinstance(error, SpecificationError) and error.place
        sys.stderr.write(f"{'' if has_place else f'{PROGRAM}: error: '}{error}\n")
        return 1
    return 0


def _generated(arguments: argparse.Namespace) -> str | dict[str, str]:
    """Return what the command line asks for: an output, or several by the suffixes of their files.

    The first of several is printed if there is no `-o`.
    """
    if arguments.generator == "gen-td":
        classes = [each for file in arguments.file for each in named_passes_in(import_plugin(file))]
        chosen = _chosen(classes, arguments, lambda each: each.name)
        if not chosen:
            raise SpecificationError("no passes are defined there", ", ".join(arguments.file))
        return pass_td(chosen)
    passes = read_files(arguments.file, arguments.include, program=arguments.tblgen)
    passes = _chosen(passes, arguments, lambda each: each.argument)
    passes = with_defaults(passes, arguments.default)
    if arguments.generator == "gen-pass-doc":
        return pass_doc(passes)
    if arguments.generator == "gen-pass-decls":
        return pass_decls(passes, group=arguments.name, module=arguments.module)
    return {
        ".pyi": native_stubs(passes),
        ".py": native_module(arguments.root),
        ".txt": native_facts(passes),
    }


def _write_all(outputs: str | dict[str, str], output: str) -> None:
    if isinstance(outputs, str):
        write(outputs, output)
    elif output == "-":
        write(next(iter(outputs.values())), output)
    else:
        for suffix, text in outputs.items():
            write(text, str(Path(output).with_suffix(suffix)))


def write(text: str, output: str) -> None:
    """Write what was generated to a file, or to the standard output for `-`.

    Raises:
        SpecificationError: The file cannot be written.
    """
    if output == "-":
        sys.stdout.buffer.write(text.encode())
        sys.stdout.flush()
        return
    try:
        write_whole(Path(output), text)
    except OSError as error:
        raise SpecificationError(f"cannot write '{output}': {error.strerror}") from None


def _chosen(
    passes: Sequence[DeclaredT], arguments: argparse.Namespace, name_of: Callable[[DeclaredT], str]
) -> Sequence[DeclaredT]:
    """Return the passes that `--passes` names, or all."""
    if arguments.passes is None:
        return passes
    wanted = [name.strip() for name in arguments.passes.split(",")]
    known = set(map(name_of, passes))
    for name in wanted:
        if name not in known:
            message = f"there is no pass '{name}'{suggest(name, known)}"
            raise SpecificationError(message, ", ".join(arguments.file))
    return [each for each in passes if name_of(each) in wanted]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        PROGRAM,
        description="Make Python, documentation and TableGen of passes declared in TableGen.",
        allow_abbrev=False,
    )
    parser.add_argument("file", nargs="+", help="a .td file", metavar="FILE")
    parser.add_argument(
        "-I",
        dest="include",
        action="append",
        default=[],
        metavar="DIRECTORY",
        help="a directory of included files; may be given several times",
    )
    parser.add_argument("-o", dest="output", default="-", metavar="FILE", help="the output")
    _add(parser, "passes", "NAME,...", "only these passes, by their names in pipelines")
    _add(parser, "name", "GROUP", "name of the group, for register_<group>_passes", default="")
    _add(parser, "module", "MODULE", "where the classes derived from the bases are", default="")
    _add(parser, "root", "PACKAGE", "bindings that have the passes (mlir)", default="mlir")
    _add(parser, "tblgen", "PROGRAM", "the llvm-tblgen to use", default="")
    parser.add_argument(
        "-default",
        "--default",
        action="append",
        default=[],
        metavar="PASS:OPTION=CPP",
        help="a default that differs from the declared one, as where a constructor sets it",
    )
    generators = parser.add_mutually_exclusive_group(required=True)
    for name, text in _GENERATORS.items():
        generators.add_argument(
            f"-{name}", f"--{name}", dest="generator", action="store_const", const=name, help=text
        )
    return parser


def _add(
    parser: argparse.ArgumentParser, name: str, metavar: str, text: str, default: str | None = None
) -> None:
    # LLVM's tools take one dash or two.
    parser.add_argument(f"-{name}", f"--{name}", metavar=metavar, default=default, help=text)
