"""A pass for any IR, of a class that no other process can import."""

from typing import Any

from passel import Pass, PassContext, default_registry


def make() -> type[Pass[Any]]:
    """Return the class."""

    class Local(Pass[Any]):
        """Do nothing."""

        name = "local"

        def run(self, op: Any, ctx: PassContext) -> None:
            """Return."""

    return Local


default_registry().register(make())
