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
from passel.passes import Pass, option
from passel.passes.factory import field_for, make_pass_class
from passel.passes.option_types import codec_for
from passel.pipeline import spelled
from passel.xdsl.symbols import closest_enclosing

if TYPE_CHECKING:
    from collections.abc import Generator

    from passel.passes import PassContext

_KNOWN: dict[str, tuple[str, ...]] = {
    "apply-eqsat-pdl": ("read-files", "run-programs"),  # it calls mlir-opt
    "apply-eqsat-pdl-interp": ("read-files",),
    "apply-pdl": ("read-files",),
    "apply-pdl-interp": ("read-files",),
    "eqsat-add-costs": ("read-files",),
    "mlir-opt": ("run-programs",),
    # The IR names the passes that it runs.
    "transform-interpreter": ("read-files", "run-programs"),
}
"""The effects of xDSL's passes outside the IR, by pass name."""


def effects_of(kind: type[ModulePass]) -> tuple[str, ...]:
    """Return which effects outside the IR a pass of a `ModulePass` class may have.

    For xDSL's own passes, the effects come from a table in this module. Any other `ModulePass`
    class can declare its effects in the class attribute `effects`, as passel's passes do. Without a
    declaration, the result is `("unknown",)`.
    """
    if kind.__module__.partition(".")[0] == "xdsl":
        return _KNOWN.get(kind.name, ())
    return tuple(getattr(kind, "effects", ("unknown",)))


_RENDERED_OP = re.compile(r"\w+\(\n(?:\t.*\n)*\) ?")
"""An op with its nested ops, as xDSL includes it in messages."""


class XDSLPass(Pass[Operation]):
    """The base class of the wrappers around xDSL's passes.

    `pass_class_for` creates a subclass for each `ModulePass` class, with an option for each field
    of the `ModulePass` class.
    """

    module_pass_class: ClassVar[type[ModulePass]]
    field_names: ClassVar[dict[str, str]] = {}
    listed: ClassVar[dict[str, Any]] = {}
    """The types in xDSL, by field name, of options that take a list or a single value there.

    In passel, these options always take a list.
    """
    ir = "xdsl"
    can_thread = False  # some change the op that encloses theirs, or keep things in tables

    def module_pass(self) -> ModulePass:
        """Create the wrapped `ModulePass` object with the options of this pass."""
        values = {own: getattr(self, ours) for own, ours in self.field_names.items()}
        for own, hint in self.listed.items():
            if len(values[own]) == 1 and isa(values[own][0], hint):
                (values[own],) = values[own]
        return self.module_pass_class(**values)

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Apply the `ModulePass` to `op`; if `op` is not a module, wrap it in a temporary module.

        Raises:
            PassFailure: If the `ModulePass` fails, replaces `op`, or changes the temporary module
                outside `op`.
        """
        module_pass = self.module_pass()
        try:
            if isinstance(op, ModuleOp):
                module_pass.apply(ctx.ir_context, op)
                return
            with _in_own_module(op, self.name) as module:
                module_pass.apply(ctx.ir_context, module)
        except (ArgSpecParseError, PassFailedException) as error:  # the former a BaseException
            raise PassFailure(_RENDERED_OP.sub("", str(error))) from error

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

    If the values of a field cannot be written as text, its option accepts any Python object.
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
def _in_own_module(op: Operation, name: str) -> Generator[ModuleOp]:
    """Move an op into a temporary module, and move the op or its replacement back afterwards.

    The temporary module has the attributes of the enclosing module, since passes read their target
    from these attributes.

    Raises:
        PassFailure: If the pass replaced `op`, added ops next to `op`, or changed attributes of the
            module.
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
            if place is not None and (result is op or op not in results):
                Rewriter.insert_op(result, place)
    if op not in results:
        problem = "replaced the op that it ran on"
    elif len(results) > 1:
        problem = "added ops next to the op that it ran on"
    elif module.attributes != attributes:
        problem = "changed attributes of the module around the op that it ran on"
    else:
        return
    raise PassFailure(f"it {problem}; run builtin.module({name}) instead")
