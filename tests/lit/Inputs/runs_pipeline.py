"""A pass that runs passes on its op."""

from xdsl.dialects.builtin import ModuleOp

from passel import OperationPass, PassContext, PassManager


class RunsPipeline(OperationPass[ModuleOp]):
    """Run a pipeline."""

    name = "runs-pipeline"
    pipeline: str = ""

    def run(self, op: ModuleOp, ctx: PassContext) -> None:
        """Run it."""
        ctx.run_pipeline(PassManager.parse(self.pipeline, ctx.ir_context), op)
