"""A pass on the ops of any build of MLIR's bindings."""

from typing import Any

from passel import Pass, PassContext, option


class TagOps(Pass[Any]):
    """Tag the ops of a dialect with the name of the function that they are in."""

    name = "tag-ops"
    dialect: str = option(help="The dialect.")

    def run(self, op: Any, ctx: PassContext) -> None:
        """Look at the function's first block."""
        for inner in op.operation.regions[0].blocks[0]:
            if inner.operation.name.startswith(f"{self.dialect}."):
                inner.operation.attributes["tag"] = op.operation.attributes["sym_name"]
