"""The state of one op in a run: what is known of its validity."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from passel.schedule import Step


class OpState:
    """The state of an op while a pipeline runs on it.

    Attributes:
        last_valid: The op's fingerprint when it was last known to be valid, or was taken to be;
            None if not known.
        last_seen: Its fingerprint at the last look, if passes have made claims since then.
        claims: Steps since then that state that they preserve everything, not verified yet.
        deferred: The step after which the op is to be verified together with its siblings.
        unsettled: Steps that the IR has run and verified by itself since the op was verified as
            a whole.
    """

    __slots__ = ("claims", "deferred", "last_seen", "last_valid", "unsettled")

    def __init__(self) -> None:
        self.last_valid: object = None
        self.last_seen: object = None
        self.claims: list[Step] = []
        self.deferred: Step | None = None
        self.unsettled: list[Step] = []

    def accept(self, fingerprint: object) -> None:
        """Take a fingerprint as that of a valid op, so that no claim since the last one is left."""
        self.last_valid, self.last_seen, self.claims = fingerprint, None, []

    def settle(self) -> None:
        """Note that the op was verified as a whole."""
        self.unsettled, self.claims = [], []
