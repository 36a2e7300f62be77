"""A pass with a remark of each kind, as MLIR's own tests have one."""

from xdsl.ir import Operation

from passel import Pass, PassContext


class TestRemark(Pass[Operation]):
    """Say the same of each op inside, some of it twice."""

    name = "test-remark"

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Report."""
        for inner in [each for each in op.walk() if each is not op]:
            say, more = ctx.remark, {"reason": "a test", "suggest": "read {it}"}
            say.missed("test", inner, text="missed", category="a-missed", **more)
            say.passed("test", inner, text="passed, to be dropped", category="one-passed", **more)
            say.passed("test", inner, text="passed", category="one-passed", **more)
            say.failed(
                "test", inner, text="failed", category="two-failed", times=2, share=0.5, last=True
            )
            say.analysis("test", inner, category="two-analysis")
        ctx.preserve_all()
