"""A pass that runs on ops of any build of MLIR's bindings."""

from typing import Any

from passel import Pass, PassContext, option


class TagOps(Pass[Any]):
    """Tag the ops of a dialect with the name of the enclosing function."""

    name = "tag-ops"
    dialect: str = option(help="The dialect.")

    def run(self, op: Any, ctx: PassContext) -> None:
        """Set the attribute `tag` of ops in the first block of a function."""
        for inner in op.operation.regions[0].blocks[0]:
            if inner.operation.name.startswith(f"{self.dialect}."):
                inner.operation.attributes["tag"] = op.operation.attributes["sym_name"]
