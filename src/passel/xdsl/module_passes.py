"""Wrappers that run xDSL's own passes as passel passes on any isolated op.

A `ModulePass` runs only on modules. An op that is not a module is moved into a temporary module
before a `ModulePass` runs, and is moved back afterwards, even after an error.
"""

from __future__ import annotations

import dataclasses
import re
import types
import typing
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import ArgSpecParseError, PassFailedException
from xdsl.utils.hints import isa

from passel.errors import DefinitionError, PassFailure
from passel.passes import Pass, Statistic, option
from passel.passes.factory import field_for, make_pass_class
from passel.passes.option_types import codec_for
from passel.pipeline import spelled
from passel.xdsl.symbols import closest_enclosing

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from passel.passes import PassContext

_KNOWN: dict[str, Mapping[str, str]] = {
    "apply-eqsat-pdl": {"run-programs": "", "read-files": "pdl_file"},  # it calls mlir-opt
    "apply-eqsat-pdl-interp": {"read-files": "pdl_interp_file"},
    "apply-pdl": {"read-files": "pdl_file"},
    "apply-pdl-interp": {"read-files": "pdl_interp_file"},
    "eqsat-add-costs": {"read-files": "cost_file"},
    "mlir-opt": {"run-programs": ""},
    # The IR names the passes that it runs.
    "transform-interpreter": {"read-files": "", "run-programs": ""},
}
"""The effects outside the IR by pass name, each with the field that enables the effect, if any."""


def effects_of(kind: type[ModulePass], pass_: Any = None) -> tuple[str, ...]:
    """Return the effects that passes of a class may have outside the IR.

    A pass of another package can declare its effects in the same way as passel's passes. The
    effects of a pass without a declaration are unknown.

    Args:
        kind: The `ModulePass` class.
        pass_: An object with the fields of a pass. A missing field counts as not None. If `pass_`
            is None, the result contains the effects of all passes of the class.
    """
    if kind.__module__.partition(".")[0] != "xdsl":
        return tuple(getattr(kind, "effects", ("unknown",)))
    fields = _KNOWN.get(kind.name, {})
    return tuple(
        effect
        for effect, field in fields.items()
        if pass_ is None or not field or getattr(pass_, field, True) is not None
    )


_RENDERED_OP = re.compile(r"\w+\(\n(?:\t.*\n)*\) ?")
"""An op with its nested ops, as xDSL includes it in messages."""


class XDSLPass(Pass[Operation]):
    """The base class of the wrappers around xDSL's passes.

    `pass_class_for` creates a subclass for each `ModulePass` class, with an option for each field.
    """

    module_pass_class: ClassVar[type[ModulePass]]
    field_names: ClassVar[dict[str, str]] = {}
    listed: ClassVar[dict[str, Any]] = {}
    """The types of options that are always lists in passel, but lists or single values in xDSL."""
    created: ClassVar[Statistic] = Statistic("Number of operations created", name="num-created")
    erased: ClassVar[Statistic] = Statistic("Number of operations erased", name="num-erased")
    ir = "xdsl"
    can_thread = False  # some change the op that encloses theirs, or keep things in tables

    def module_pass(self) -> ModulePass:
        """Create the `ModulePass` with the options of this pass."""
        values = {own: getattr(self, ours) for own, ours in self.field_names.items()}
        for own, hint in self.listed.items():
            if len(values[own]) == 1 and isa(values[own][0], hint):
                (values[own],) = values[own]
        return self.module_pass_class(**values)

    def own_effects(self) -> tuple[str, ...]:
        """Return the effects that the `ModulePass` is known to have outside the IR."""
        return effects_of(self.module_pass_class, self)

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Apply the `ModulePass` to a module, or to any other op inside a temporary module.

        Raises:
            PassFailure: If the pass fails or cannot run on the op.
        """
        module_pass = self.module_pass()
        try:
            if isinstance(op, ModuleOp):
                self._apply(module_pass, op, ctx)
                return
            with _in_own_module(op, self.name, ctx) as module:
                self._apply(module_pass, module, ctx)
        except (ArgSpecParseError, PassFailedException) as error:  # the former a BaseException
            raise PassFailure(_RENDERED_OP.sub("", str(error))) from error

    def _apply(self, module_pass: ModulePass, module: ModuleOp, ctx: PassContext) -> None:
        # Comparing all ops takes some percent of a pass's time.
        before = list(module.walk()) if ctx.collects_statistics else None
        module_pass.apply(ctx.ir_context, module)
        if before is not None:
            # The ops of `before` are alive, so no other can have the identity of one.
            old, new = set(map(id, before)), set(map(id, module.walk()))
            ctx.count(self.created, len(new - old))
            ctx.count(self.erased, len(old - new))

    def __reduce__(self) -> tuple[Any, ...]:
        # The class was made at run time, so pickle would not find it.
        return wrap_module_pass, (self.module_pass(),)


def _mlir_opt_options(argument: str) -> tuple[tuple[str, str], ...]:
    """Return the options of `mlir-opt` for xDSL's abbreviation `mlir-opt[...]`."""
    arguments = (
        "--mlir-print-op-generic",
        "--allow-unregistered-dialect",
        "-p",
        f"builtin.module({argument})",
    )
    return tuple(("arguments", str(spelled(text))) for text in arguments)


@cache
def pass_class_for(module_pass_class: type[ModulePass]) -> type[XDSLPass]:
    """Return the passel pass class that wraps a `ModulePass` class.

    An option whose type has no textual form takes any Python object.
    """
    hints = typing.get_type_hints(module_pass_class)
    listed = {name: hint for name, hint in hints.items() if _in_text(hint) not in (hint, Any)}
    fields = [f for f in dataclasses.fields(module_pass_class) if f.name != "name" and f.init]
    names = {field.name: field_for(XDSLPass, field.name) for field in fields}
    attributes: dict[str, Any] = {}
    if module_pass_class.name == "mlir-opt":
        attributes["argument_options"] = staticmethod(_mlir_opt_options)
    return make_pass_class(
        XDSLPass,
        module_pass_class.__name__,
        name=module_pass_class.name,
        doc=module_pass_class.__doc__,
        module=module_pass_class.__module__,
        options={
            names[f.name]: _option(f, hints[f.name], is_listed=f.name in listed) for f in fields
        },
        effects=effects_of(module_pass_class),
        module_pass_class=module_pass_class,
        field_names=names,
        listed=listed,
        **attributes,
    )


def _option(field: dataclasses.Field[Any], hint: Any, *, is_listed: bool) -> tuple[Any, Any]:
    """Return the type and the declaration of an option."""
    default = field.default
    if default is field.default_factory and types.NoneType in typing.get_args(hint):
        default = None  # xDSL takes an option that can be None as optional
    if is_listed and default is not dataclasses.MISSING:
        default = _as_list(default)
    return _in_text(hint), option(default=default, default_factory=field.default_factory)


def _in_text(hint: Any) -> Any:
    """Return the type of an option, which is a list if lists are allowed, and `Any` for objects."""
    try:
        codec_for(hint)
    except DefinitionError:
        members: tuple[Any, ...] = typing.get_args(hint)
        lists = [member for member in members if typing.get_origin(member) is tuple]
        return _in_text(lists[0]) if lists else Any
    return hint


def _as_list(value: Any) -> Any:
    return cast("Any", value) if isinstance(value, tuple) else (value,)


def wrap_module_pass(module_pass: ModulePass) -> XDSLPass:
    """Wrap an xDSL pass as a passel pass with the same options."""
    pass_class = pass_class_for(type(module_pass))
    values = {ours: getattr(module_pass, own) for own, ours in pass_class.field_names.items()}
    for own in pass_class.listed:
        ours = pass_class.field_names[own]
        values[ours] = _as_list(values[ours])
    return pass_class(**values)


@contextmanager
def _in_own_module(op: Operation, name: str, ctx: PassContext) -> Generator[ModuleOp]:
    """Move an op into a temporary module, and move the contents of the module back afterwards.

    The temporary module has the attributes of the enclosing module, since passes read their target
    from these attributes. The ops that the pass added next to `op` are moved too, except for
    symbols that already exist.

    Raises:
        PassFailure: If the pass replaced `op` or changed attributes of the module, or if it added
            ops next to `op` although `op` is not in a block.
    """
    enclosing = closest_enclosing(op, lambda each: isinstance(each, ModuleOp))
    place, attributes = None, enclosing.attributes if enclosing else {}
    if op.parent is not None:
        following = op.next_op
        place = InsertPoint.before(following) if following else InsertPoint.at_end(op.parent)
        op.detach()
    module = ModuleOp([op], attributes=dict(attributes))
    try:
        yield module
    finally:
        results = [result for inner in module.body.blocks for result in inner.ops]
        for result in results:
            result.detach()
        if place is not None:
            _restore(results, op, place, name, ctx)
    if op not in results:
        problem = "replaced the op that it ran on"
    elif module.attributes != attributes:
        problem = "changed attributes of the module around its op"
    elif place is None and len(results) > 1:
        problem = "added ops next to its op, but the op is not in a module"
    else:
        return
    raise PassFailure(f"it {problem}; run builtin.module({name}) instead")


def _restore(
    results: list[Operation], op: Operation, place: InsertPoint, name: str, ctx: PassContext
) -> None:
    symbol_name = ctx.adapter.symbol_name
    present = {symbol: other for other in place.block.ops if (symbol := symbol_name(other))}
    added: list[str] = []
    for result in results:
        symbol = symbol_name(result)
        twin = present.get(symbol) if symbol and result is not op else None
        if twin is not None and twin.is_structurally_equivalent(result):
            result.erase()
            continue
        Rewriter.insert_op(result, place)
        if result is not op:
            added.append(f"@{symbol}" if symbol else result.name)
    if added:
        ctx.answer_for_changes_outside()
    if added and op in results:
        ctx.emit_remark(f"pass '{name}' added {', '.join(added)} next to its op", op)
