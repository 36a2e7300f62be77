"""Classes of passes that are made at run time: for functions, and for passes of an IR's own."""

from __future__ import annotations

from dataclasses import MISSING
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from passel.passes.base import Pass
from passel.passes.definition import is_taken
from passel.passes.options import option

if TYPE_CHECKING:
    from collections.abc import Iterable

PassT = TypeVar("PassT", bound=Pass[Any, Any])


class OptionSpec(NamedTuple):
    """An option of a class that is made at run time.

    Attributes:
        field: The name of the field in what the class stands for.
        type: Its type, as an annotation would say it.
        default: Its default; left out if it must be given.
        default_factory: Makes the default.
        help: One sentence for help.
        name: Its name in text, if not the field's with dashes for underscores.
    """

    field: str
    type: Any
    default: Any = MISSING
    default_factory: Any = MISSING
    help: str = ""
    name: str = ""


def make_pass_class(
    base: type[PassT],
    class_name: str,
    *,
    name: str = "",
    doc: str | None = None,
    module: str = "",
    options: Iterable[OptionSpec] = (),
    **attributes: Any,
) -> type[PassT]:
    """Return a subclass of a pass class, as a class statement would define it.

    A field with the name of an attribute that every pass has is called `name_` instead; its
    name in text is the same.

    Args:
        base: The class that runs such passes.
        class_name: Its name in reports, unless it has another `display_name`.
        name: Its name in textual pipelines; empty if it has none.
        doc: Its docstring, whose first line is its summary.
        module: Where it belongs to; by default where its base class does.
        options: Its options.
        attributes: What else stands in the class body.

    Raises:
        DefinitionError: An option's type cannot be read from text, or a name does not read
            back.
    """
    annotations: dict[str, Any] = {}
    namespace: dict[str, Any] = {
        "__doc__": doc,
        "__module__": module or base.__module__,
        **attributes,
    }
    if name:
        namespace["name"] = name
    for spec in options:
        field = field_for(base, spec.field)
        annotations[field] = spec.type
        namespace[field] = option(
            default=spec.default,
            default_factory=spec.default_factory,
            help=spec.help,
            name=spec.name or (spec.field.replace("_", "-") if field != spec.field else ""),
        )
    if annotations:
        namespace["__annotations__"] = annotations
    return cast("type[PassT]", type(class_name, (base,), namespace))


def field_for(base: type[Pass[Any, Any]], name: str) -> str:
    """Return the field in which `make_pass_class` keeps an option of this name."""
    return f"{name}_" if is_taken(base, name) else name
