"""Build a pipeline in Python, run it on a file, and catch what fails."""

from pathlib import Path

from hoist_constants import HoistConstants
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp

from passel import OperationPass, PassContext, PassFailedError, PassFailure, PassManager
from passel.xdsl import XDSLAdapter, parse_source

KERNELS = Path(__file__).with_name("kernels.mlir")


class CheckLeaf(OperationPass[FuncOp]):
    """Fail on functions that call others."""

    name = "check-leaf"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Blame the first call."""
        for inner in op.walk():
            if isinstance(inner, CallOp):
                raise PassFailure(f"calls @{inner.callee.string_value()}", op=inner)


def main() -> None:
    """Run one pipeline that succeeds, and one that does not."""
    context = XDSLAdapter().create_context()
    module = parse_source(context, KERNELS.read_text(encoding="utf-8"), KERNELS.name)

    pm = PassManager(ModuleOp, context)
    with pm.nest(FuncOp) as funcs:
        funcs.add(HoistConstants(limit=8), "cse")
    pm.add("symbol-dce")
    result = pm.run(module)
    print(f"{pm} changed the module: {result.changed}")
    for path, counts in result.statistics.items():
        print(f"  {path}: {dict(counts)}")

    try:
        PassManager(ModuleOp, context).add_nested(FuncOp, CheckLeaf()).run(module)
    except PassFailedError as error:
        print(error)
        for failure in error.failures:
            print(f"  {failure.kind} on {failure.where}: {failure.cause}")


if __name__ == "__main__":
    main()
