"""Declared options: found in a class, read from whole blocks of text, and printed."""

from __future__ import annotations

import builtins
import sys
import typing
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import suggest
from passel.errors import MAX_PROBLEMS, DefinitionError, OptionError, Problem
from passel.passes.option_types import BadValue, Codec, ObjectCodec, codec_for
from passel.pipeline import print_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from dataclasses import Field

    from passel.pipeline import OptionNode


class OptionInfo(NamedTuple):
    """One declared option.

    Attributes:
        name: Its name in text, such as `max-iterations`.
        field: The field's name in Python.
        help: One sentence, may be empty.
        required: Whether it has no default.
        default: The default, if it has one.
        codec: How its values are read and printed.
    """

    name: str
    field: str
    help: str
    required: bool
    default: Any
    codec: Codec

    @property
    def metavar(self) -> str:
        """Placeholder of a value in `--help`, such as `<int>`; empty for a flag."""
        return self.codec.metavar

    @property
    def default_text(self) -> str:
        """The default as it is written in a pipeline."""
        return print_value(self.codec.spell(self.default, all_options=True))

    @property
    def is_object(self) -> bool:
        """Whether it is an object, which text cannot set."""
        return isinstance(self.codec, ObjectCodec)

    def node(self, value: Any, *, all_options: bool) -> OptionNode | None:
        """Return the option with a value, to be printed; None if it is left out as the default.

        Args:
            value: The value.
            all_options: Print what equals its default as well.
        """
        is_shown = self.required or (all_options and not self.is_object)
        if value is self.default and not is_shown:
            return None  # as most are
        node = self.codec.node(self.name, value, all_options=all_options)
        if is_shown or value != self.default:
            return node
        # To Python, False equals 0.
        same = self.codec.node(self.name, self.default, all_options=all_options)
        return None if node == same else node


def read_options(
    infos: Sequence[OptionInfo], nodes: Iterable[OptionNode], owner: str, scope: Any
) -> dict[str, Any]:
    """Turn option nodes into keyword arguments for the fields that they set.

    A scalar given twice takes the last value, a list given twice is appended to.

    Args:
        infos: The declared options.
        nodes: The options as written.
        owner: What the options belong to, for messages: `pass 'cse'`.
        scope: Handed to codecs that need more than text, such as a registry.

    Raises:
        OptionError: With every unknown, malformed and missing option.
    """
    by_name = {info.name: info for info in infos} | {info.field: info for info in infos}
    given: dict[str, list[OptionNode]] = {}
    places: dict[str, int] = {}
    found: list[tuple[int, Problem]] = []  # with the number of the option, to be sorted by it
    for place, node in enumerate(nodes):
        info = by_name.get(node.key)
        if info is not None:
            given.setdefault(info.field, []).append(node)
            places[info.field] = place
        elif len(found) < MAX_PROBLEMS:
            found.append((place, Problem(_unknown(node.key, owner, infos), node.span)))
    values: dict[str, Any] = {}
    for info in infos:
        if info.field in given:
            try:
                values[info.field] = info.codec.parse(
                    [node.value for node in given[info.field]], scope
                )
            except BadValue as error:
                problems = _located(error, info, given[info.field], owner)
                found += ((places[info.field], problem) for problem in problems)
        elif info.required:
            way_out = ", an object, so it is made in Python only" if info.is_object else ""
            problem = Problem(f"{owner} requires option '{info.name}'{way_out}")
            found.append((sys.maxsize, problem))
    if found:
        found.sort(key=lambda item: item[0])
        raise OptionError(*(problem for _, problem in found))
    return values


def _located(
    error: BadValue, info: OptionInfo, nodes: Sequence[OptionNode], owner: str
) -> list[Problem]:
    if error.problems:
        return list(error.problems)
    # What has no place is a missing value, or the whole of a list.
    node = next((node for node in nodes if node.value is None), nodes[-1])
    span = error.span or (node.value.span if node.value else None) or node.span
    return [Problem(f"option '{info.name}' of {owner}: {error.message}", span)]


def _unknown(key: str, owner: str, infos: Sequence[OptionInfo]) -> str:
    names = [info.name for info in infos if not info.is_object]
    if not key:
        return f"option without a name for {owner}"
    if key.startswith("<"):
        return f"'{key}=...>' stands for an object of {owner}, which text cannot set"
    others = f"; it has {', '.join(names) or 'no options'}"
    return f"no such option '{key}' for {owner}{suggest(key, names) or others}"


def declared_options(cls: type[Any]) -> Iterable[OptionInfo]:
    """Yield the options that a dataclass declares by its fields.

    Raises:
        UnknownTypeError: A type is not defined, at least not yet.
        DefinitionError: A type cannot be an option's, or a default is of another type.
    """
    from dataclasses import MISSING, fields

    hints = _hints(cls)
    for field in fields(cls):
        subject = f"option '{field.name}' of {cls.__qualname__}"
        try:
            codec = codec_for(hints[field.name])
        except DefinitionError as error:
            raise DefinitionError(f"{subject}: {error}") from None
        default: Any = field.default
        if field.default_factory is not MISSING:
            default = field.default_factory()
        required = default is MISSING
        if not required:
            try:
                default = codec.check(default)
            except BadValue as error:
                raise DefinitionError(f"default of {subject}: {error.message}") from None
        yield OptionInfo(
            name=field.metadata.get("name") or field.name.replace("_", "-"),
            field=field.name,
            help=field.metadata.get("help", ""),
            required=required,
            default=None if required else default,
            codec=codec,
        )


class UnknownTypeError(DefinitionError):
    """A type is not defined, at least not yet."""


def _hints(cls: type[Any]) -> dict[str, Any]:
    fields: dict[str, Field[Any]] = getattr(cls, "__dataclass_fields__", {})
    # A field may have the name of a type, which is meant in annotations all the same.
    types = {name: getattr(builtins, name) for name in fields if hasattr(builtins, name)}
    try:
        return typing.get_type_hints(cls, localns=types or None, include_extras=True)
    except NameError as error:
        used = next(
            (name for name, field in fields.items() if str(error.name) in str(field.type)), "?"
        )
        msg = (
            f"the type of option '{used}' of {cls.__qualname__} cannot be read when the program "
            f"runs: {error}; import or define it in the module, neither in a function nor under "
            "'if TYPE_CHECKING:'"
        )
        raise UnknownTypeError(msg) from None
