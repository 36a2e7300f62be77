"""Passes on xDSL's functions and modules that act on each op in a way that its name decides."""

from __future__ import annotations

from typing import Any
from zlib import crc32

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import UnitAttr

from passel import OpPassManager, Pass, PassContext, PassFailure, Statistic
from passel.xdsl import DominanceInfo


def _first(op: Any) -> Any:
    """Return the first op inside, or the op itself if there is none."""
    return next(iter(op.body.block.ops), op)


def _add(op: Any, ctx: PassContext, number: int) -> None:
    constant = ConstantOp.from_int_and_width(number, 32)
    constant.result.name_hint = "added"
    block = op.body.block
    if block.first_op is None:
        block.add_op(constant)
    else:
        block.insert_op_before(constant, block.first_op)


def _rename(op: Any, ctx: PassContext, number: int) -> None:
    """Give values names, which alone are no change."""
    for inner in op.body.block.ops:
        for result in inner.results:
            result.name_hint = f"n{number}"


def _reorder(op: Any, ctx: PassContext, number: int) -> None:
    """Put attributes in another order, which is no change either."""
    for inner in op.body.block.ops:
        for name in sorted(inner.attributes, reverse=True):
            inner.attributes[name] = inner.attributes.pop(name)


def _erase(op: Any, ctx: PassContext, number: int) -> None:
    for inner in reversed(tuple(op.body.block.ops)):
        if inner.results and not any(result.uses for result in inner.results):
            inner.detach()
            inner.erase()


def _swap(op: Any, ctx: PassContext, number: int) -> None:
    """Make all use the first value."""
    values = [inner.results[0] for inner in op.body.block.ops if inner.results]
    for inner in op.body.block.ops:
        if inner.operands:
            inner.operands[0] = values[0]  # dominates all


def _attribute(op: Any, ctx: PassContext, number: int) -> None:
    inner = _first(op)
    inner.attributes[f"a{number}"] = UnitAttr()


def _report(op: Any, ctx: PassContext, number: int) -> None:
    ctx.emit_warning(f"look {number}", _first(op)).attach_note("here")
    ctx.emit_remark("and there")


def _error(op: Any, ctx: PassContext, number: int) -> None:
    ctx.emit_error(f"bad {number}", _first(op))


def _fail(op: Any, ctx: PassContext, number: int) -> None:
    raise PassFailure(f"no {number}", op=_first(op))


def _crash(op: Any, ctx: PassContext, number: int) -> None:
    raise LookupError(number)


def _ask(op: Any, ctx: PassContext, number: int) -> None:
    known = ctx.cached_analysis(DominanceInfo) is not None
    enclosing = ctx.parent_analysis(DominanceInfo) is not None
    ctx.analysis(DominanceInfo)
    ctx.emit_remark(f"known: {known}, around: {enclosing}")
    ctx.preserve(DominanceInfo)


def _keep(op: Any, ctx: PassContext, number: int) -> None:
    ctx.preserve_all()


def _invalidate(op: Any, ctx: PassContext, number: int) -> None:
    """Leave IR behind that does not verify."""
    for inner in op.body.block.ops:
        if inner.name == "arith.constant":
            del inner.properties["value"]
            return


def _run(op: Any, ctx: PassContext, number: int) -> None:
    inner = Act(salt=number + 1, acts=("add", "report", "fail", "ask"))
    if not ctx.run_pipeline(OpPassManager("any").add("cse", inner)):
        ctx.emit_remark("it failed inside")


ACTS = {
    "add": _add,
    "ask": _ask,
    "attribute": _attribute,
    "crash": _crash,
    "erase": _erase,
    "error": _error,
    "fail": _fail,
    "invalidate": _invalidate,
    "keep": _keep,
    "rename": _rename,
    "reorder": _reorder,
    "report": _report,
    "run": _run,
    "swap": _swap,
}


class Act(Pass[Any]):
    """Do one of some acts, another one for each op."""

    name = "act"
    salt: int = 0
    acts: tuple[str, ...] = ()
    seen = Statistic("Ops seen")

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it."""
        ctx.count(self.seen)
        number = crc32(f"{ctx.adapter.symbol_name(op)} {self.salt}".encode())
        ACTS[self.acts[number % len(self.acts)]](op, ctx, number % 7)
