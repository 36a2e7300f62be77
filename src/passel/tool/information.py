"""What the tool tells about itself: help, passes, dialects, versions."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from passel._version import __version__
from passel.tool.flag_table import GROUPS
from passel.tool.flags import PROGRAM

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.passes import PassRegistry
    from passel.passes.options import OptionInfo
    from passel.tool.flag_table import Flag

_EXAMPLES = f"""\
Examples:
  {PROGRAM} in.mlir -p 'builtin.module(func.func(cse,canonicalize),symbol-dce)'
  {PROGRAM} in.mlir --cse --canonicalize='max-iterations=2' -o out.mlir
  {PROGRAM} in.mlir -p cse,convert-scf-to-cf            (xDSL's flat form)
  {PROGRAM} in.mlir --load-pass-plugin=my_pass.py --my-pass
  {PROGRAM} tests.mlir --split-input-file --verify-diagnostics
"""


_WIDTH = 44
_PRODUCER = 5
"""Where it stands in bytecode: behind the magic number and a version of one byte."""
_WIDEST_OPTION = 60


def help_text() -> str:
    """Return the short help."""
    lines = [
        f"{PROGRAM}: run nested pass pipelines on MLIR text, with xDSL or MLIR itself",
        "",
        f"Usage: {PROGRAM} [<file>|-] [flags]",
        "",
        _EXAMPLES,
    ]
    for title, flags in GROUPS.items():
        shown = [flag for flag in flags if flag.help]
        if shown:
            lines += [f"{title}:", *map(_flag_line, shown), ""]
    lines.append("Passes are flags too, in the order given: see --help-passes.")
    return "\n".join(lines) + "\n"


def _flag_line(flag: Flag) -> str:
    value = f"={flag.metavar}" if flag.metavar else ""
    if flag.implied is not None:
        value = f"[{value}]"
    short = [f"-{name}" for name in flag.short if len(name) == 1]
    names = ", ".join([*short, f"{'-' if len(flag.name) == 1 else '--'}{flag.name}{value}"])
    return f"  {names:<{_WIDTH}} {flag.help}"


def list_passes(registry: PassRegistry) -> str:
    """Return `--list-passes`: the passes with their options, as mlir-opt lists them."""
    return "Passes:\n" + _listing(_passes(registry), 2)


def help_passes(registry: PassRegistry) -> str:
    """Return `--help-passes`: passes and pipelines with their options."""
    text = "Compiler passes to run\n  Passes:\n" + _listing(_passes(registry), 4)
    pipelines = [
        (info.name, info.summary, info.options.option_infos() if info.options else ())
        for info in registry.pipelines()
    ]
    return text + "  Pass Pipelines:\n" + _listing(pipelines, 4) if pipelines else text


def show_dialects(ir: str) -> str:
    """Return `--show-dialects` for an IR."""
    if ir == "mlir":
        from passel.mlir import MLIRAdapter

        adapter = MLIRAdapter()
        return f"Available Dialects: {','.join(adapter.dialect_names(adapter.create_context()))}\n"
    from passel.xdsl.registration import installed_universe

    return f"Available Dialects: {','.join(sorted(installed_universe().all_dialects))}\n"


def version_text(ir: str) -> str:
    """Return the versions of passel and of the IR that it works on."""
    if ir == "mlir":
        return f"passel {__version__} ({_version_of_mlir()})\n"
    from importlib.metadata import version

    return f"passel {__version__} (xDSL {version('xdsl')})\n"


def _version_of_mlir() -> str:
    """Return the release of MLIR that the bindings are built from: bytecode names its producer."""
    from io import BytesIO

    from passel.mlir.bindings import bindings_named

    ir = bindings_named("mlir").ir
    stream = BytesIO()
    ir.Module.parse("module {}", context=ir.Context()).operation.write_bytecode(stream)
    producer = stream.getvalue()[_PRODUCER:].partition(b"\0")[0].decode()
    return producer.replace("MLIR", "MLIR's bindings ", 1)


def _passes(registry: PassRegistry) -> Iterator[tuple[str, str, tuple[OptionInfo, ...]]]:
    for info in registry.passes():
        pass_class = info.pass_class
        yield info.name, pass_class.summary(), pass_class.option_infos()


def _listing(entries: Iterable[tuple[str, str, tuple[OptionInfo, ...]]], indent: int) -> str:
    rows: list[tuple[str, str]] = []
    for name, summary, options in entries:
        rows.append((f"{'':{indent}}--{name}", f"-   {summary}" if summary else ""))
        for option in sorted(options, key=lambda option: option.name):
            value = f"={option.metavar}" if option.metavar else ""
            rows.append((f"{'':{indent + 2}}--{option.name}{value}", f"- {_option_help(option)}"))
    width = max((len(left) for left, _ in rows if len(left) <= _WIDEST_OPTION), default=0)
    return "".join(f"{left:<{width}} {right}".rstrip() + "\n" for left, right in rows)


def _option_help(option: OptionInfo) -> str:
    text = inspect.cleandoc(option.help).partition("\n")[0]
    if option.required:
        return f"{text} (required)".lstrip()
    default = option.codec.format(option.default, all_options=True)
    return f"{text} (default {default})".lstrip()
