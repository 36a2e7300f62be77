"""Declarations of the flags of passel-opt, and settings that store the values of the flags.

Each class attribute declares a flag, whose name has dashes in place of underscores. Instances store
the values. The declarations are used for parsing, help and replay commands, and by passel-bisect
and passel-reduce.

Source: `mlir-opt --help`, MLIR 22; `xdsl-opt --help`, xDSL 0.74.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

from passel.errors import DefinitionError
from passel.execution.strategies import jobs_of, jobs_of_environment
from passel.frontend import Flag, FrontendSettings, UsageError
from passel.ir import PrintFlags
from passel.tool.command_line import (
    DITTO,
    FlagGroup,
    color_of,
    flag,
    names_of,
    number_of,
    plugin_of,
    read_flags,
    read_known_flags,
    verify_mode_of,
)
from passel.tool.irs import IRChoice, ir_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from passel.execution.strategies import Jobs
    from passel.frontend import Frontend
    from passel.instruments.terminals import Color
    from passel.passes import PassRegistry
    from passel.tool.irs import ToolDefinition

common: Callable[..., Any] = partial(flag, common=True)
"""Declares a common flag, which the short help shows."""

_kept: dict[str, Any] = {"replayed": True, "searched": True}
"""Properties of flags that other runs on the input need in order to do the same."""


class PipelineFlags(FlagGroup):
    """Pipeline."""

    pass_pipeline: str | None = common(
        "the pipeline, such as 'builtin.module(func.func(cse))', or @<file>",
        "<pipeline>",
        short=("p", "passes"),
        parse=str,
        searched=True,
    )
    jobs: Jobs | None = common(
        "the number of worker processes, or auto (default: $PASSEL_JOBS or 1)",
        "<n>",
        short=("j",),
        parse=jobs_of,
        searched=True,
    )
    mlir_disable_threading: bool = flag("", searched=True)
    dump_pass_pipeline: bool = flag("print the pipeline that will be run")
    lint: bool = common("check the pipeline for mistakes and wasted work, without running it")
    load_pass_plugin: tuple[str, ...] = common(
        "load passes and dialects from a Python file or module",
        "<file>",
        short=("load-dialect-plugin",),
        repeated=True,
        parse=plugin_of,
        **_kept,
    )
    no_fast_paths: bool = flag(
        "turn off passel's fast paths (same as PASSEL_FAST=0)", ir="xdsl", **_kept
    )
    verify_each: bool | Literal["always"] = common(
        "verify after passes that changed the IR (true), or all passes (always)",
        "<true|false|always>",
        True,
        implied="true",
        choices=("true", "false", "1", "0", "always"),
        parse=verify_mode_of,
        searched=True,
    )
    verify_analyses: bool = flag(
        "detect stale analyses; detect changes outside a pass's op", **_kept
    )
    check_isolation: bool = flag(DITTO, **_kept)
    stop_after: str = common(
        "stop after the pass at <place>; start after it", "<place>", replayed=True
    )
    start_after: str = common(DITTO, "<place>", replayed=True)


class InputFlags(FlagGroup):
    """Input."""

    ir: str = common("the IR to use, such as xdsl or mlir", "<name>", "xdsl", parse=ir_of, **_kept)
    allow_unregistered_dialect: bool = common("accept ops of unregistered dialects", **_kept)
    no_implicit_module: bool = flag("do not wrap the input's top-level op in a module", **_kept)
    split_input_file: str = common(
        "split the input at each marker, and process each part separately",
        "<marker>",
        implied="// -----",
    )
    disable_verify: bool = flag(
        "do not verify the input or the results of passes",
        short=("mlir-very-unsafe-disable-verifier-on-parsing",),
        **_kept,
    )
    verify_roundtrip: bool = flag("check that printing and parsing preserve the input", ir="mlir")
    irdl_file: str = flag("load the dialects of an IRDL file", "<file>", ir="mlir", **_kept)


class OutputFlags(FlagGroup):
    """Output."""

    o: str = common(
        "the output file, written only on success",
        "<file>",
        "-",
        short=("output-file",),
        searched=True,
    )
    target: str = common(
        "the output format, such as riscv-asm", "<target>", "mlir", short=("t",), ir="xdsl"
    )
    emit_bytecode: bool = flag("write MLIR bytecode, optionally in version <n>", ir="mlir")
    emit_bytecode_version: int | None = flag(DITTO, "<n>", parse=number_of, ir="mlir")
    output_split_marker: str = flag("the line to print between two parts", "<marker>", "// -----")
    mlir_print_op_generic: bool = common("print ops in generic form", short=("print-op-generic",))
    mlir_print_debuginfo: bool = flag(
        "print locations; print them in readable form", short=("print-debuginfo",)
    )
    mlir_pretty_debuginfo: bool = flag(DITTO, ir="mlir")
    mlir_use_nameloc_as_prefix: bool = flag(
        "name values after the names in their locations", ir="mlir"
    )
    mlir_print_assume_verified: bool = flag("print the IR without verifying it first", ir="mlir")
    mlir_print_skip_regions: bool = flag("print regions as {...}; print no aliases")
    mlir_print_local_scope: bool = flag(DITTO)
    mlir_elide_elementsattrs_if_larger: int | None = flag(
        "elide data larger than <n>", "<n>", parse=number_of
    )
    mlir_elide_resource_strings_if_larger: int | None = flag(DITTO, "<n>", parse=number_of)


class DiagnosticFlags(FlagGroup):
    """Diagnostics."""

    verify_diagnostics: str = common(
        "check diagnostics against expected-error comments", "<all|only-expected>", implied="all"
    )
    mlir_diagnostic_verbosity_level: str = flag(
        "the lowest level to show; show no notes", "<level>", "remarks"
    )
    mlir_disable_diagnostic_notes: bool = flag(DITTO)
    mlir_print_op_on_diagnostic: bool = flag("print the op that an error is about", default=True)
    mlir_print_stacktrace_on_diagnostic: bool = flag("show the Python traceback if a pass crashes")
    color: Color = flag(
        "use colors; auto uses them on terminals, unless $NO_COLOR is set",
        "<auto|always|never>",
        "auto",
        implied="always",
        choices=("auto", "always", "never", "true", "false", "1", "0"),
        parse=color_of,
        searched=True,
    )
    remarks_filter: str = flag(
        "show optimization remarks in categories that match <regex>", "<regex>"
    )
    remarks_filter_passed: str = flag("show matching 'passed' remarks; 'missed' remarks", "<regex>")
    remarks_filter_missed: str = flag(DITTO, "<regex>")
    remarks_filter_failed: str = flag(
        "show matching 'failure' remarks; 'analysis' remarks", "<regex>"
    )
    remarks_filter_analyse: str = flag(DITTO, "<regex>")
    remark_policy: str = flag(
        "show all remarks at a location, or only the last", "<all|final>", "all"
    )
    remark_format: str = flag(
        "the format of remarks; the file for them",
        "<emitRemark|yaml|bitstream>",
        "emitRemark",
    )
    remarks_output_file: str = flag(DITTO, "<file>", "mlir-remarks.yaml")


class PrintingFlags(FlagGroup):
    """IR printing."""

    mlir_print_ir_before: tuple[str, ...] = flag(
        "print the IR before these passes; after them", "<passes>", (), parse=names_of
    )
    mlir_print_ir_after: tuple[str, ...] = flag(DITTO, "<passes>", (), parse=names_of)
    mlir_print_ir_before_all: bool = flag("print the IR before each pass")
    mlir_print_ir_after_all: bool = common(
        "print the IR after each pass", short=("print-between-passes",)
    )
    mlir_print_ir_after_change: bool = common("limit --mlir-print-ir-after-all to changed IR")
    mlir_print_ir_after_failure: bool = flag("print the IR after each failed pass")
    mlir_print_ir_diff: bool = common("print the changes of each pass as a unified diff")
    mlir_print_ir_module_scope: bool = flag("print the top-level op instead of the op of the pass")
    mlir_print_ir_tree_dir: str = flag("write the IR to a tree of files in <dir>", "<dir>")


class ReportFlags(FlagGroup):
    """Timing, statistics, records."""

    mlir_timing: bool = common("print how long each pass took", short=("time-passes",))
    mlir_timing_display: Literal["list", "tree"] = flag(
        "report times as a list or tree; as text or JSON", "<list|tree>", "tree"
    )
    mlir_output_format: Literal["text", "json"] = flag(DITTO, "<text|json>", "text")
    mlir_pass_statistics: bool = common("print the statistics of all passes")
    mlir_pass_statistics_display: Literal["list", "pipeline", "json"] = flag(
        "the format of statistics", "<list|pipeline|json>", "pipeline"
    )
    info_output_file: str = flag("write timing and statistics to a file", "<file>")
    record: str = common("record the run for passel-report and passel-bisect", "<file>")
    log_actions_to: str = flag("log pass executions; only those at a location", "<file>")
    log_mlir_actions_filter: str = flag(DITTO, "<file:line[:col]>")
    profile_actions_to: str = flag("write a trace for Chrome or Perfetto", "<file>")
    mlir_debug_counter: str = flag(
        "skip or limit pass executions; print the counters", "<counters>", replayed=True
    )
    mlir_print_debug_counter: bool = flag(DITTO)


class ReproducerFlags(FlagGroup):
    """Reproducers."""

    mlir_pass_pipeline_crash_reproducer: str = common(
        "write a reproducer if the run fails (<file>.running if it is killed)", "<file>"
    )
    mlir_pass_pipeline_local_reproducer: bool = flag("write a reproducer of the failed pass only")
    mlir_generate_reproducer: str = flag("write a reproducer of the run", "<file>")
    run_reproducer: bool = common("run the pipeline recorded in the input", searched=True)
    allow_effects: tuple[str, ...] = flag(
        "effects to allow: all, read-files, run-programs, write-files, unknown",
        "<effects>",
        (),
        parse=names_of,
        **_kept,
    )


class InformationFlags(FlagGroup):
    """Information."""

    help: bool = common("show this help, or help for all flags", short=("h",))
    help_all: bool = common(DITTO)
    help_pass: str = common("show the documentation of a pass or pipeline", "<pass>")
    list_passes: bool = common(
        "list passes and pipelines with their options", short=("help-passes",)
    )
    show_dialects: bool = flag("list the available dialects")
    compat: str = flag("interpret flags as xdsl-opt does", "<xdsl>", choices=("xdsl",))
    version: bool = common("show the versions", short=("v",))


class Settings(
    PipelineFlags,
    InputFlags,
    OutputFlags,
    DiagnosticFlags,
    PrintingFlags,
    ReportFlags,
    ReproducerFlags,
    InformationFlags,
):
    """The settings that a command line selects, including the passes that are given as flags.

    Args:
        words: The command-line arguments.
        tool: The definition of the tool.
        choice: The IR that the command line selects; see `chosen_ir`.

    Raises:
        UsageError: If an argument is invalid. The error reports the first invalid argument.

    Attributes:
        tool: The definition of the tool.
        choice: The selected IR, with its passes.
        registry: The registry of available passes.
        input: The path of the input file, or `-` for standard input.
        threading: Whether the IR's library may use threads and passel may use worker processes.
        brought: The names of the flags that the IR and the tool add to the flags of passel-opt.
    """

    def __init__(self, words: Sequence[str], tool: ToolDefinition, choice: IRChoice) -> None:
        own = choice.own_flags
        taken = (each for each in self.flags.values() if tool.takes(each))
        known = by_name((*taken, *own, *tool.flags))
        line = read_flags(words, known, choice.registry, tool.name)
        super().__init__(line)
        self.tool: ToolDefinition = tool
        self.choice: IRChoice = choice
        self.registry: PassRegistry = choice.registry
        self.brought: tuple[str, ...] = tuple(each.name for each in (*own, *tool.flags))
        self.input: str = line.inputs[0] if line.inputs else "-"
        self.threading: bool = not self.mlir_disable_threading
        try:
            self.jobs: Jobs | None = self.jobs or jobs_of_environment()
        except ValueError as error:
            raise UsageError(str(error)) from None

    def configured_frontend(self) -> Frontend:
        """Return the frontend of the IR, configured with these settings.

        Raises:
            UsageError: If the IR does not support a flag or the value of a flag.
        """
        choice, frontend = self.choice, self.choice.frontend
        for given, typed, *_ in self.line.flags:
            is_other = given.ir not in {"", choice.scope}
            if given.name in frontend.refused:
                raise UsageError(f"'{typed}' {frontend.refused[given.name]}")
            if self.tool.adapter is not None and (given.name == "ir" or is_other):
                what = f"{self.tool.name} reads only '{choice.name}'"
                raise UsageError(f"'{typed}' is not supported: {what}")
            if is_other:
                raise UsageError(f"'{typed}' requires --ir={given.ir}, not --ir={choice.name}")
        own = [each for each in self.flags.values() if each.ir == choice.scope]
        frontend.configure(
            FrontendSettings(
                implicit_module=not self.no_implicit_module,
                allow_unregistered=self.allow_unregistered_dialect,
                threading=self.threading and self.jobs != 1,
                printing=self.print_flags,
                own={each.name: self.line.value(each) for each in (*own, *choice.own_flags)},
            )
        )
        return frontend

    def words_without(self, name: str) -> list[str]:
        """Return the arguments of the command line without a flag and its value."""
        return read_known_flags(self.line.words, {name: self.flags[name]}).inputs

    @property
    def print_flags(self) -> PrintFlags:
        """The flags that control how IR is printed."""
        return PrintFlags(
            generic=self.mlir_print_op_generic,
            debuginfo=self.mlir_print_debuginfo,
            local_scope=self.mlir_print_local_scope,
            elide_elements=self.mlir_elide_elementsattrs_if_larger,
            elide_resources=self.mlir_elide_resource_strings_if_larger,
            skip_regions=self.mlir_print_skip_regions,
            pretty_locations=self.mlir_pretty_debuginfo,
            name_locations=self.mlir_use_nameloc_as_prefix,
            assume_verified=self.mlir_print_assume_verified,
        )


GROUPS = cast("tuple[type[FlagGroup], ...]", Settings.__bases__)
"""All groups, in the order of the help."""


def by_name(flags: Iterable[Flag]) -> dict[str, Flag]:
    """Return a dict that maps the long name and the short names of each flag to the flag.

    Raises:
        DefinitionError: If a flag has no name, or if two flags have the same name.
    """
    found: dict[str, Flag] = {}
    for each in flags:
        for name in (each.name, *each.short):
            if not name or name in found:
                what = f"flag '--{name}' already exists" if name else f"it has no name: {each}"
                raise DefinitionError(f"cannot add a flag to the tool: {what}")
            found[name] = each
    return found


def chosen_ir(words: Sequence[str], tool: ToolDefinition) -> IRChoice:
    """Load the plugins of a command line, and return the IR that the command line selects.

    If the command line names an unknown IR, the result is xDSL, and parsing the flags raises an
    error.

    Args:
        words: The command-line arguments.
        tool: The definition of the tool.

    Raises:
        UsageError: If a plugin cannot be loaded.
    """
    ir, plugin = Settings.flags["ir"], Settings.flags["load_pass_plugin"]
    line = read_known_flags(words, by_name((ir, plugin)))
    for name in line.value(plugin):
        if name not in tool.plugins:
            from passel.tool.plugins import load_plugin

            tool.plugins[name] = load_plugin(name, tool.registry)
    return IRChoice(tool.adapter.name if tool.adapter else line.value(ir), tool)
