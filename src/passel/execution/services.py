"""Services and settings that all parts of one run share."""

from __future__ import annotations

from copy import copy
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from passel.execution.dialects import DialectCheck
from passel.execution.failures import FailureReporter
from passel.execution.fingerprints import Fingerprinter
from passel.ir import FindsDialects, FusesPasses, ability_of
from passel.passes.preservation import OwnContracts

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from passel.execution.reports import Reports
    from passel.hooks import Instrumentor
    from passel.ir import IRAdapter, RunPolicies
    from passel.passes.preservation import Contracts
    from passel.schedule import PassStep, PipelineCompiler, Step


PassGate: TypeAlias = "Callable[[Step, Any], bool]"
"""Decides whether a step is to run on an op."""


class VerifyEach(Enum):
    """When the IR is verified during a run.

    The input itself is never verified by a run; that is its producer's task.
    """

    OFF = "false"
    CHANGED = "true"
    """After each pass, unless it preserved everything or the op's fingerprint is unchanged."""
    ALWAYS = "always"
    """After each pass that did not preserve everything, whether or not it changed the op."""


class Checks(NamedTuple):
    """Checks of a run, and the declarations that it takes as true.

    Attributes:
        verify: When the IR is verified.
        analyses: Whether claims to preserve analyses, or everything, are held against the IR.
        isolation: Whether it is looked for changes outside of an op after each pass on it.
        contracts: Knows what passes declare to preserve and to produce.
        timeout: How many seconds a pass may take on one op; None for any time.
    """

    verify: VerifyEach = VerifyEach.CHANGED
    analyses: bool = False
    isolation: bool = False
    contracts: Contracts = OwnContracts()
    timeout: float | None = None

    @property
    def claims(self) -> bool:
        """Whether a pass that states that it changes nothing is held to that at once."""
        return self.analyses or self.verify is VerifyEach.ALWAYS

    @property
    def flags(self) -> tuple[str, ...]:
        """Flags of passel-opt for what is checked and is not by default."""
        asked = {
            "--verify-each=always": self.verify is VerifyEach.ALWAYS,
            "--verify-analyses": self.analyses,
            "--check-isolation": self.isolation,
        }
        return tuple(flag for flag, is_asked in asked.items() if is_asked)


class RunServices:
    """Services and settings that all parts of one run share.

    Attributes:
        compiler: Compiles pipelines for the IR's context.
        hooks: The hooks of the run.
        checks: What is checked.
        gates: What decides whether steps run.
        reports: Where diagnostics and failures go.
        adapter: The adapter of the IR.
        policies: How the IR's ops are treated.
        failures: Makes failures.
        fingerprints: Takes the fingerprints of ops.
        dialects: Holds passes to their dialects, if claims are checked.
        states: What passes' `initialize` returned.
        ordinals: Numbers of ops among their siblings, if anybody observes steps.
        matched: Keys of nested pipelines that have run on some op.
        identity_of: A function from ops to keys of a dictionary.
    """

    def __init__(
        self,
        compiler: PipelineCompiler,
        hooks: Instrumentor,
        checks: Checks,
        gates: Sequence[PassGate],
        reports: Reports,
    ) -> None:
        self.compiler: PipelineCompiler = compiler
        self.hooks: Instrumentor = hooks
        self.checks: Checks = checks
        self.gates: Sequence[PassGate] = gates
        self.reports: Reports = reports
        self.adapter: IRAdapter = compiler.adapter
        self.policies: RunPolicies = self.adapter.policies()
        self.failures: FailureReporter = FailureReporter(self.adapter)
        self.fingerprints: Fingerprinter = Fingerprinter(self.adapter)
        self.dialects: DialectCheck | None = None
        if checks.analyses and (finder := ability_of(self.adapter, FindsDialects)) is not None:
            self.dialects = DialectCheck(self.failures, finder, compiler.context)
        self.states: dict[PassStep, Any] = {}
        self.ordinals: dict[Hashable, int] = {}
        self.matched: set[str] = set()
        self.identity_of: Callable[[Any], Hashable] = self.adapter.identity_of

    def branch(self, hooks: Instrumentor) -> RunServices:
        """Return services for another thread: reports are held back, numbers of ops are shared."""
        other = copy(self)
        other.hooks, other.reports = hooks, self.reports.branch()
        other.states = dict(self.states)
        return other

    @property
    def verifies(self) -> bool:
        """Whether the IR is verified."""
        return self.checks.verify is not VerifyEach.OFF

    @property
    def fuses(self) -> FusesPasses | None:
        """The adapter's fusing of steps, unless somebody wants them one by one."""
        checks = self.checks
        if self.hooks.one_by_one or self.gates or checks.analyses or checks.isolation:
            return None
        if checks.timeout is not None:
            return None
        return ability_of(self.adapter, FusesPasses)

    @property
    def skips(self) -> bool:
        """Whether ops are not verified after passes that leave them unchanged."""
        return self.policies.finds_changes and self.checks.verify is VerifyEach.CHANGED

    @property
    def knows_changes(self) -> bool:
        """Whether the run can tell what has changed, whoever observes it."""
        finds = self.policies.finds_changes and self.verifies
        return finds or self.checks.analyses or self.checks.isolation

    @property
    def tracks(self) -> bool:
        """Whether changes of ops are looked for."""
        return self.knows_changes or self.hooks.after_change is not None

    @property
    def defers(self) -> bool:
        """Whether siblings are verified together, which nobody must be able to tell."""
        together = self.policies.verifies_together and self.verifies and not self.tracks
        return together and not self.hooks.sees_steps
