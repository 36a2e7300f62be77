"""Settings of a command line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

from passel.errors import DefinitionError
from passel.ir import PrintFlags
from passel.ir.frontend import Flag, FrontendSettings, UsageError
from passel.tool.flags import (
    color_of,
    ir_of,
    jobs_or_auto,
    names_of,
    number_of,
    plugin_of,
    read_flags,
    verify_mode_of,
)
from passel.tool.irs import chosen_ir

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from passel.execution.strategies import Jobs
    from passel.instruments.terminals import Color
    from passel.ir.frontend import Frontend
    from passel.manager import PassManager
    from passel.passes import PassRegistry
    from passel.tool.flags import CommandLine, PassFlag
    from passel.tool.irs import IRChoice, ToolDefinition

flag: Callable[..., Any] = cast("Callable[..., Any]", Flag)
"""Declares a flag where an attribute has the type of its value."""


class FlagGroup:
    """Flags that belong together, and their values; the docstring is their heading in the help.

    Attributes:
        flags: The flags by the names of the attributes.
    """

    flags: ClassVar[dict[str, Flag]] = {}

    def __init_subclass__(cls) -> None:
        """Collect the flags."""
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Flag)}
        cls.flags = cls.flags | own

    @classmethod
    def title(cls) -> str:
        """Return the heading."""
        return (cls.__doc__ or "").rstrip(".")

    def __init__(self, line: CommandLine) -> None:
        for name, declared in self.flags.items():
            setattr(self, name, line.value(declared))

    @property
    def is_asked_for(self) -> bool:
        """Whether any of them is given a value that is not empty."""
        return any(vars(self).values())


class PipelineFlags(FlagGroup):
    """Pipeline."""

    pass_pipeline: str | None = flag(
        "what to run: 'builtin.module(func.func(cse),symbol-dce)', or @<file>",
        "<pipeline>",
        short=("p", "passes"),
        parse=str,
        common=True,
        searched=True,
    )
    jobs: Jobs | None = flag(
        "worker processes, or auto for all processors; by default $PASSEL_JOBS, or none",
        "<n>",
        short=("j",),
        parse=jobs_or_auto,
        common=True,
        searched=True,
    )
    mlir_disable_threading: bool = flag("", searched=True)
    dump_pass_pipeline: bool = flag("print the pipeline that will be run")
    lint: bool = flag(
        "check the pipeline instead of running it: what is wrong, or wastes time", common=True
    )
    load_pass_plugin: tuple[str, ...] = flag(
        "a Python file or module with passes or dialects",
        "<file>",
        short=("load-dialect-plugin",),
        repeated=True,
        parse=plugin_of,
        common=True,
        replayed=True,
        searched=True,
    )
    no_fast_paths: bool = flag(
        "parse, print, verify and rewrite by xDSL's own code alone; also $PASSEL_FAST=0",
        ir="xdsl",
        replayed=True,
        searched=True,
    )
    verify_each: bool | Literal["always"] = flag(
        "verify after passes: those that changed the IR, none, or all",
        "<true|false|always>",
        True,
        implied="true",
        choices=("true", "false", "1", "0", "always"),
        parse=verify_mode_of,
        common=True,
        searched=True,
    )
    verify_analyses: bool = flag(
        "check that analyses change nothing and passes preserve truly",
        replayed=True,
        searched=True,
    )
    check_isolation: bool = flag(
        "check after each pass that it changed nothing outside of its op",
        replayed=True,
        searched=True,
    )


class SteppingFlags(FlagGroup):
    """Stopping and going on."""

    stop_after: str = flag(
        "run no pass behind this one; the result is the IR there",
        "<place>",
        common=True,
        replayed=True,
    )
    start_after: str = flag(
        "run no pass up to this one; the input is the IR there",
        "<place>",
        common=True,
        replayed=True,
    )


class InputFlags(FlagGroup):
    """Input."""

    ir: str = flag(
        "what works on the input: xdsl, mlir, or another installed IR",
        "<name>",
        "xdsl",
        parse=ir_of,
        common=True,
        replayed=True,
        searched=True,
    )
    allow_unregistered_dialect: bool = flag(
        "accept operations of unknown dialects", common=True, replayed=True, searched=True
    )
    no_implicit_module: bool = flag(
        "the input's single top-level op is what is processed", replayed=True, searched=True
    )
    split_input_file: str = flag(
        "process each part between markers by itself", "<marker>", implied="// -----", common=True
    )
    disable_verify: bool = flag(
        "verify nothing: neither the input, nor after passes",
        short=("mlir-very-unsafe-disable-verifier-on-parsing",),
        replayed=True,
        searched=True,
    )
    verify_roundtrip: bool = flag(
        "check that the input prints and parses to itself (--ir=mlir)", ir="mlir"
    )
    irdl_file: str = flag(
        "dialects to define first, in IRDL (--ir=mlir)",
        "<file>",
        ir="mlir",
        replayed=True,
        searched=True,
    )


class OutputFlags(FlagGroup):
    """Output."""

    o: str = flag(
        "where the result goes; written only on success",
        "<file>",
        "-",
        short=("output-file",),
        common=True,
        searched=True,
    )
    target: str = flag(
        "what to print instead of MLIR, such as riscv-asm",
        "<target>",
        "mlir",
        short=("t",),
        ir="xdsl",
        common=True,
    )
    emit_bytecode: bool = flag("write MLIR bytecode (--ir=mlir)", ir="mlir")
    emit_bytecode_version: int | None = flag(
        "its version, for older readers", "<n>", parse=number_of, ir="mlir"
    )
    output_split_marker: str = flag(
        "the line between the parts of split output", "<marker>", "// -----"
    )
    mlir_print_op_generic: bool = flag(
        "print operations in generic form", short=("print-op-generic",), common=True
    )
    mlir_print_debuginfo: bool = flag("print locations", short=("print-debuginfo",))
    mlir_pretty_debuginfo: bool = flag("print locations for people (--ir=mlir)")
    mlir_use_nameloc_as_prefix: bool = flag("name values after their locations (--ir=mlir)")
    mlir_print_skip_regions: bool = flag("print {...} for what is inside the top-level op")
    mlir_print_assume_verified: bool = flag("print without verifying first (--ir=mlir)")


class DiagnosticFlags(FlagGroup):
    """Diagnostics."""

    verify_diagnostics: str = flag(
        "check expected-error comments: all, or only what is expected",
        "<all|only-expected>",
        implied="all",
        common=True,
    )
    mlir_diagnostic_verbosity_level: str = flag(
        "show no diagnostics below this level",
        "<errors|warnings|remarks>",
        "remarks",
    )
    mlir_disable_diagnostic_notes: bool = flag("show no notes that stand alone")
    mlir_print_op_on_diagnostic: bool = flag("show the op that an error is about", default=True)
    mlir_print_stacktrace_on_diagnostic: bool = flag("show where in Python a pass crashed")
    color: Color = flag(
        "colour diagnostics and diffs; auto: on terminals, without $NO_COLOR",
        "<auto|always|never>",
        "auto",
        implied="always",
        choices=("auto", "always", "never", "true", "false", "1", "0"),
        parse=color_of,
        searched=True,
    )

    @property
    def shows_warnings(self) -> bool:
        """Whether warnings are shown."""
        return self.mlir_diagnostic_verbosity_level != "errors"

    @property
    def shows_remarks(self) -> bool:
        """Whether remarks are shown."""
        return self.mlir_diagnostic_verbosity_level == "remarks"


class PrintingFlags(FlagGroup):
    """IR printing."""

    mlir_print_ir_before: tuple[str, ...] = flag(
        "print the IR before these passes", "<passes>", (), parse=names_of
    )
    mlir_print_ir_after: tuple[str, ...] = flag(
        "print the IR after these passes", "<passes>", (), parse=names_of
    )
    mlir_print_ir_before_all: bool = flag("print the IR before each pass")
    mlir_print_ir_after_all: bool = flag(
        "print the IR after each pass", short=("print-between-passes",), common=True
    )
    mlir_print_ir_after_change: bool = flag(
        "print after passes only if they changed the IR", common=True
    )
    mlir_print_ir_after_failure: bool = flag("print the IR after each pass that failed")
    mlir_print_ir_module_scope: bool = flag("print the top-level op, whatever a pass ran on")
    mlir_print_ir_tree_dir: str = flag("print to files in this directory", "<dir>")
    mlir_print_ir_diff: bool = flag("print what each pass changed, as a unified diff", common=True)
    mlir_print_local_scope: bool = flag("print without aliases at the top")
    mlir_elide_elementsattrs_if_larger: int | None = flag(
        "leave out values of larger constants", "<n>", parse=number_of
    )
    mlir_elide_resource_strings_if_larger: int | None = flag(
        "leave out larger resources", "<n>", parse=number_of
    )


class ReportFlags(FlagGroup):
    """Timing and statistics."""

    mlir_timing: bool = flag("print how long each pass took", short=("time-passes",), common=True)
    mlir_timing_display: Literal["list", "tree", "ops"] = flag(
        "as a tree, a list of passes, or the slowest passes on single ops",
        "<list|tree|ops>",
        "tree",
    )
    mlir_output_format: Literal["text", "json"] = flag(
        "how to print the timing", "<text|json>", "text"
    )
    mlir_pass_statistics: bool = flag("print the statistics of all passes", common=True)
    mlir_pass_statistics_display: Literal["list", "pipeline", "json"] = flag(
        "like the pipeline, a list of all passes, or JSON",
        "<list|pipeline|json>",
        "pipeline",
    )
    info_output_file: str = flag("where timing and statistics go instead of stderr", "<file>")


class ReproducerFlags(FlagGroup):
    """Reproducers."""

    mlir_pass_pipeline_crash_reproducer: str = flag(
        "write a file to replay a failure with; <file>.running if the process is killed",
        "<file>",
        common=True,
    )
    mlir_pass_pipeline_local_reproducer: bool = flag("write only the pass that failed")
    mlir_generate_reproducer: str = flag("write a file to replay the run with", "<file>")
    run_reproducer: bool = flag(
        "run the pipeline that the input brings along", common=True, searched=True
    )
    allow_effects: tuple[str, ...] = flag(
        "what that pipeline may do: read-files, run-programs, write-files, unknown, or all",
        "<effects>",
        (),
        parse=names_of,
        replayed=True,
        searched=True,
    )


class ActionFlags(FlagGroup):
    """Actions."""

    log_actions_to: str = flag("log each pass execution", "<file>")
    log_mlir_actions_filter: str = flag("log only for ops at these places", "<file:line[:col]>")
    profile_actions_to: str = flag("write a Chrome/Perfetto trace", "<file>")
    mlir_debug_counter: str = flag(
        "skip and limit pass executions: pass-execution-skip=1,pass-execution-count=2",
        "<counters>",
        replayed=True,
    )
    mlir_print_debug_counter: bool = flag("print the counters in the end")


class RecordFlags(FlagGroup):
    """Records."""

    record: str = flag(
        "write all that each pass does to a file, for passel-report", "<file>", common=True
    )


class InformationFlags(FlagGroup):
    """Information."""

    help: bool = flag("this page", short=("h",), common=True)
    help_all: bool = flag("the same with all flags", common=True)
    help_pass: str = flag(
        "all about a pass: its options, statistics, dialects", "<pass>", common=True
    )
    list_passes: bool = flag(
        "all passes and pipelines with their options", short=("help-passes",), common=True
    )
    show_dialects: bool = flag("the dialects that are available")
    compat: str = flag("'xdsl': take the flags as xdsl-opt does", "<xdsl>", choices=("xdsl",))
    version: bool = flag("the versions of passel and the IR", short=("v",), common=True)


GROUPS: tuple[type[FlagGroup], ...] = tuple(FlagGroup.__subclasses__())
"""All groups, in the order of their definitions."""


def flags_by_name(own: Sequence[Flag] = ()) -> dict[str, Flag]:
    """Return all flags by their long and short names.

    Args:
        own: Those of an IR or of a tool that passel-opt does not know by itself.

    Raises:
        DefinitionError: One of these has the name of another flag, or none.
    """
    known = [*(each for group in GROUPS for each in group.flags.values()), *own]
    found: dict[str, Flag] = {}
    for each in known:
        for name in (each.name, *each.short):
            if not name or name in found:
                what = f"there is a flag '--{name}' already" if name else f"it has no name: {each}"
                raise DefinitionError(f"a flag of a tool or an IR cannot be used: {what}")
            found[name] = each
    return found


def _jobs_of_environment() -> Jobs | None:
    text = os.environ.get("PASSEL_JOBS")
    try:
        return jobs_or_auto(text) if text else None
    except ValueError as error:
        raise UsageError(f"the environment's PASSEL_JOBS {error}") from None


class Settings:
    """Settings of a command line, in which passes are flags as well, read once.

    Args:
        words: The command line.
        tool: The tool.
        ir: The IR that it means.

    Raises:
        UsageError: For the first argument that is wrong.

    Attributes:
        tool: The tool.
        ir: The IR.
        flags: All flags, by all of their names.
        registry: The passes that the command line may name.
        program: Its name, for messages.
        line: The command line.
        words: The command line as it was given.
        written: The flags that were given, by name, as they can be written again.
        passes: Passes given as flags, in order.
        input: The input's name; `-` for the standard input.
        stray: Inputs that may be meant as options of the pass given just before.
        threading: Whether the IR's library may use threads, and passel other processes.
        jobs: How many worker processes there may be; None for none, and the IR's own threads.
        own: The values of the flags that are for the IR alone, by name.
        brought: The flags of the IR and of the tool that others do not have, by name.
    """

    def __init__(self, words: Sequence[str], tool: ToolDefinition, ir: IRChoice) -> None:
        self.flags: Mapping[str, Flag] = flags_by_name((*ir.own_flags, *tool.flags))
        line = read_flags(words, self.flags, ir.registry, tool.name)
        self.tool: ToolDefinition = tool
        self.ir: IRChoice = ir
        self.registry: PassRegistry = ir.registry
        self.program: str = tool.name
        own = ir.own_flags
        self.brought: tuple[str, ...] = tuple(each.name for each in (*own, *tool.flags))
        self.line: CommandLine = line
        self.words: tuple[str, ...] = line.words
        self.written: Mapping[str, Sequence[str]] = line.written
        self.passes: Sequence[PassFlag] = line.passes
        self.input: str = line.inputs[0] if line.inputs else "-"
        self.stray: Mapping[str, str] = line.stray
        self.pipeline: PipelineFlags = PipelineFlags(line)
        self.stepping: SteppingFlags = SteppingFlags(line)
        self.reading: InputFlags = InputFlags(line)
        self.output: OutputFlags = OutputFlags(line)
        self.diagnostics: DiagnosticFlags = DiagnosticFlags(line)
        self.printing: PrintingFlags = PrintingFlags(line)
        self.reports: ReportFlags = ReportFlags(line)
        self.reproducers: ReproducerFlags = ReproducerFlags(line)
        self.actions: ActionFlags = ActionFlags(line)
        self.records: RecordFlags = RecordFlags(line)
        self.information: InformationFlags = InformationFlags(line)
        self.threading: bool = not self.pipeline.mlir_disable_threading
        self.jobs: Jobs | None = self.pipeline.jobs or _jobs_of_environment()
        known = flags_by_name(own).values()
        of_ir = (each for each in known if each.ir == ir.scope or each in own)
        self.own: Mapping[str, Any] = {each.name: line.value(each) for each in of_ir}

    @classmethod
    def of(cls, words: Sequence[str], tool: ToolDefinition) -> Settings:
        """Return the settings of a command line, for the IR that it means.

        Raises:
            UsageError: For the first argument that is wrong.
        """
        return cls(words, tool, chosen_ir(words, tool))

    def frontend(self) -> Frontend:
        """Return the IR's frontend with these settings.

        Raises:
            UsageError: A flag means nothing for this IR, or its value is wrong.
        """
        ir, frontend = self.ir, self.ir.frontend
        for name in self.written:
            if name in frontend.refused:
                raise UsageError(f"'--{name}' {frontend.refused[name]}")
            theirs = self.flags[name].ir
            if self.tool.adapter is not None and (name == "ir" or theirs not in {"", ir.scope}):
                raise UsageError(
                    f"'--{name}' means nothing here: {self.program} reads '{ir.name}' alone"
                )
            if theirs not in {"", ir.scope}:
                raise UsageError(f"'--{name}' is for --ir={theirs}, not for --ir={ir.name}")
        frontend.configure(self.for_frontend)
        return frontend

    def set_up(self, manager: PassManager) -> None:
        """Let the tool's author change how a manager runs, as the tool's own flags ask for.

        Raises:
            DefinitionError: Its passes were changed.
        """
        setup, flags = self.tool.setup, self.tool.flags
        if setup is None:
            return
        before = manager.to_text(all_options=True)
        setup(manager, {each.name: self.line.value(each) for each in flags})
        if manager.to_text(all_options=True) != before:
            raise DefinitionError(
                f"the setup of {self.program} changes the passes, which a reproducer could not "
                "tell from those that were asked for: register them as a pipeline"
            )

    @property
    def print_flags(self) -> PrintFlags:
        """How IR is to be printed."""
        output, printing = self.output, self.printing
        return PrintFlags(
            generic=output.mlir_print_op_generic,
            debuginfo=output.mlir_print_debuginfo,
            local_scope=printing.mlir_print_local_scope,
            elide_elements=printing.mlir_elide_elementsattrs_if_larger,
            elide_resources=printing.mlir_elide_resource_strings_if_larger,
            skip_regions=output.mlir_print_skip_regions,
            pretty_locations=output.mlir_pretty_debuginfo,
            name_locations=output.mlir_use_nameloc_as_prefix,
            assume_verified=output.mlir_print_assume_verified,
        )

    @property
    def for_frontend(self) -> FrontendSettings:
        """Settings for the IR's frontend."""
        return FrontendSettings(
            implicit_module=not self.reading.no_implicit_module,
            allow_unregistered=self.reading.allow_unregistered_dialect,
            threading=self.threading and self.jobs != 1,
            printing=self.print_flags,
            own=self.own,
        )
