"""Services and settings that all parts of one run share."""

from __future__ import annotations

import os
from copy import copy
from typing import TYPE_CHECKING, Any

from passel.execution.dialects import DialectCheck
from passel.execution.failures import FailureReporter
from passel.execution.fingerprints import Fingerprinter
from passel.execution.options import VerifyEach
from passel.ir import FindsDialects, FusesPasses, ability_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from passel.execution.options import PassGate, RunOptions
    from passel.execution.reports import Reports
    from passel.hooks import Instrumentor
    from passel.ir import IRAdapter, RunPolicies
    from passel.schedule import NestedStep, PassStep, PipelineCompiler


class RunServices:
    """Services and settings that all parts of one run share.

    Attributes:
        compiler: Compiles pipelines for the IR's context.
        hooks: The hooks of the run.
        options: What is checked.
        gates: What decides whether steps run.
        reports: Where diagnostics and failures go.
        adapter: The adapter of the IR.
        policies: How the IR's ops are treated.
        verifies: Whether the IR is verified.
        skips: Whether ops are not verified after passes that leave them unchanged.
        knows_changes: Whether it is known what has changed, whether or not the run is observed.
        tracks: Whether the run finds out which ops change.
        isolates: Whether changes by passes on other ops are noticed.
        defers: Whether siblings are verified together, where no observer could notice.
        fuses: The adapter's fusing of steps, unless they are to run one by one.
        failures: Makes failures.
        fingerprints: Takes the fingerprints of ops.
        dialects: Holds passes to their dialects, if claims are checked.
        states: What passes' `initialize` returned.
        ordinals: Numbers of ops among their siblings, if steps are observed.
        matched: Keys of nested pipelines that had some op to run on.
        declared: Whether passes of a nested step declare that they change only their ops.
        identity_of: A function from ops to keys of a dictionary.
        process: The process that runs.
    """

    def __init__(
        self,
        compiler: PipelineCompiler,
        hooks: Instrumentor,
        options: RunOptions,
        gates: Sequence[PassGate],
        reports: Reports,
    ) -> None:
        self.compiler: PipelineCompiler = compiler
        self.hooks: Instrumentor = hooks
        self.options: RunOptions = options
        self.gates: Sequence[PassGate] = gates
        self.reports: Reports = reports
        self.adapter: IRAdapter = compiler.adapter
        self.policies: RunPolicies = self.adapter.policies()
        is_strict = options.analyses or options.isolation
        finds_changes = self.policies.finds_changes
        self.verifies: bool = options.verify is not VerifyEach.OFF
        self.skips: bool = finds_changes and options.verify is VerifyEach.CHANGED
        self.knows_changes: bool = is_strict or (finds_changes and self.verifies)
        self.tracks: bool = self.knows_changes or hooks.finds_changes
        self.isolates: bool = options.isolation or (self.tracks and finds_changes)
        together = self.policies.verifies_together and self.verifies
        self.defers: bool = together and not self.tracks and not hooks.sees_steps
        one_by_one = hooks.one_by_one or gates or is_strict
        self.fuses: FusesPasses | None = (
            None if one_by_one else ability_of(self.adapter, FusesPasses)
        )
        self.failures: FailureReporter = FailureReporter(self.adapter)
        self.fingerprints: Fingerprinter = Fingerprinter(self.adapter)
        self.dialects: DialectCheck | None = None
        if options.analyses and (finder := ability_of(self.adapter, FindsDialects)) is not None:
            self.dialects = DialectCheck(self.failures, finder, compiler.context)
        self.states: dict[PassStep, Any] = {}
        self.ordinals: dict[Hashable, int] = {}
        self.matched: set[str] = set()
        self.declared: dict[NestedStep, bool] = {}
        self.identity_of: Callable[[Any], Hashable] = self.adapter.identity_of
        self.process: int = os.getpid()

    def branch(self, hooks: Instrumentor) -> RunServices:
        """Return services for another thread: reports are held back, numbers of ops are shared."""
        other = copy(self)
        other.hooks, other.reports = hooks, self.reports.branch()
        other.process = os.getpid()
        other.states = dict(self.states)
        return other

    def end_copy(self) -> None:
        """End this process if it is a child that a pass has forked and let return or raise."""
        if os.getpid() != self.process:
            os._exit(0)
