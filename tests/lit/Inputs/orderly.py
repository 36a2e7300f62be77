"""Passes that need something of others."""

from passel import Pass, PassContext


class Facts:
    """An analysis."""

    def __init__(self, op: object) -> None: ...


class Find(Pass):
    """Compute an analysis."""

    name = "find-facts"
    produces = (Facts,)

    def run(self, op: object, ctx: PassContext) -> None:
        """Compute them."""
        ctx.analysis(Facts)


class Use(Pass):
    """Use it."""

    name = "use-facts"
    requires = (Facts,)

    def run(self, op: object, ctx: PassContext) -> None:
        """Do nothing."""
