"""Settings of a manager about what runs check."""

from __future__ import annotations

from typing import Literal

from passel.execution import RunOptions, VerifyEach
from passel.passes.op_pass_manager import OpPassManager


class CheckedRuns(OpPassManager):
    """Base of managers whose runs check things."""

    _options: RunOptions

    def enable_verifier(self, enable: bool | Literal["always"] = True) -> None:
        """Set when the IR is verified after passes.

        Args:
            enable: True after each pass that changed its op (found by fingerprint), "always"
                after each pass that did not preserve everything, False never.

        Raises:
            ValueError: It is none of these.
        """
        modes = {True: VerifyEach.CHANGED, False: VerifyEach.OFF, "always": VerifyEach.ALWAYS}
        if enable not in modes:
            raise ValueError(f"enable_verifier takes True, False or 'always', not {enable!r}")
        self._options = self._options._replace(verify=modes[enable])

    def enable_analysis_verifier(self, enable: bool = True) -> None:
        """Set whether what passes claim is checked, which is slow: for finding one that is wrong.

        Each computation of an analysis must leave its op unchanged. After each pass, every
        analysis that was preserved and defines equality is computed again and compared, and an
        op of which everything was preserved must be unchanged. On IRs that do not themselves refuse
        it, such as xDSL, a pass must not make ops of dialects that neither the input nor
        `dependent_dialects` brought; xDSL's own passes, which cannot declare any, may.

        Source: `-verify-analysis-invalidation` and the expensive checks of LLVM's pass
        manager; MLIR has none.
        """
        self._options = self._options._replace(analyses=enable)

    def enable_isolation_check(self, enable: bool = True) -> None:
        """Set whether each pass is held to its op, which is slow: for finding one that is not.

        After each pass, the ops beside its op and the parts of its enclosing ops are compared
        with what they were. The pass that changed any of them fails. Without this check,
        changes outside of an op are noticed later, on IRs that find changes by fingerprint.
        """
        self._options = self._options._replace(isolation=enable)
