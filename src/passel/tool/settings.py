"""Settings of a command line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from passel.errors import DefinitionError
from passel.ir import PrintFlags
from passel.ir.frontend import FrontendSettings, UsageError
from passel.tool.flag_groups import (
    ActionFlags,
    DiagnosticFlags,
    InformationFlags,
    InputFlags,
    OutputFlags,
    PipelineFlags,
    PrintingFlags,
    RecordFlags,
    ReportFlags,
    ReproducerFlags,
    SteppingFlags,
    flags_by_name,
)
from passel.tool.flag_values import jobs_or_auto
from passel.tool.flags import read_flags
from passel.tool.irs import chosen_ir

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passel.execution.strategies import Jobs
    from passel.ir.frontend import Flag, Frontend
    from passel.manager import PassManager
    from passel.passes import PassRegistry
    from passel.tool.flags import CommandLine, PassFlag
    from passel.tool.irs import IRChoice, ToolDefinition


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
