"""A pass for any IR that is for one process."""

from typing import Any

from passel import Pass, PassContext, default_registry


class Local(Pass[Any]):
    """Do nothing."""

    name = "local"
    can_fork = False

    def run(self, op: Any, ctx: PassContext) -> None:
        """Return."""


default_registry().register(Local)
