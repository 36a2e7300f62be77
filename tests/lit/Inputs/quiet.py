"""A pass for any IR."""

from typing import Any

from passel import Pass, PassContext


class Quiet(Pass[Any]):
    """Do nothing."""

    name = "quiet"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Return."""
