"""Options: typed fields of a pass, with one way to text and one way back.

A pass's options are the annotated fields of its class. This module declares them
(`option`), finds the codec for a field's type, and reads and prints whole option blocks.
It knows no pass; `passel.passes.option_types` knows the types.
"""

from __future__ import annotations

import builtins
import contextlib
import sys
import typing
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, dataclass_transform

from passel.diagnostics import suggest
from passel.errors import MAX_PROBLEMS, DefinitionError, OptionError, Problem
from passel.passes.codecs import BadValue, Codec
from passel.passes.option_types import OptionValue, codec_for
from passel.pipeline import (
    OptionNode,
    OptionText,
    parse_options,
    print_options,
    print_value,
    split_struct,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from dataclasses import Field


def option(
    *,
    default: Any = ...,
    default_factory: Callable[[], Any] | Any = ...,
    help: str = "",  # noqa: A002 - the word that argparse and MLIR's users look for
    name: str = "",
) -> Any:
    """Declare an option of a pass, where a plain `field: type = default` says too little.

    Args:
        default: The value when the option is not given; without one it must be given.
        default_factory: Makes the default, for values that are made per pass.
        help: One sentence for `--help`.
        name: Its name in text, if not the field's with dashes for underscores.

    Example:
        >>> class Unroll(Options):
        ...     factor: int = option(default=4, help="How often to repeat the body.")
        >>> str(Unroll(factor=8))
        '{factor=8}'

    Source: `llvm::cl::opt` as `mlir::Pass::Option`, MLIR 22.
    """
    from dataclasses import field

    made: dict[str, Any] = {"default": default, "default_factory": default_factory}
    given = {key: value for key, value in made.items() if value is not ...}
    return field(**given, metadata={"help": help, "name": name})


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


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(option,))
class Options(OptionValue):
    """Base class of a set of options: a frozen dataclass, without a decorator.

    Use it for option structs nested in other options and for the options of registered
    pipelines; passes have the same machinery built in. Two instances are equal if they are
    of the same class and all their values are equal.

    Example:
        >>> class Tiling(Options):
        ...     sizes: tuple[int, ...] = ()
        ...     peel: bool = False
        >>> str(Tiling(sizes=(4, 8), peel=True))
        '{peel=true sizes={4,8}}'
        >>> Tiling.parse("sizes=4,8")
        Tiling(sizes=(4, 8), peel=False)
    """

    option_metavar = "<options>"

    fields_are_options: ClassVar[bool] = True
    """Whether the annotated fields are options; False if they only hold what is given."""

    _way_out: ClassVar[str] = "options never change; dataclasses.replace makes others"
    """Advice for those who assign to an attribute."""

    __options: ClassVar[tuple[OptionInfo, ...] | None] = None

    def __init_subclass__(cls, *, abstract: bool = False, **kwargs: Any) -> None:
        """Make the subclass a frozen dataclass and check its fields if it is possible now.

        An abstract class leaves that to its subclasses: it has no fields, and no instances.
        """
        super().__init_subclass__(**kwargs)
        cls.__options = None if cls.fields_are_options and not abstract else ()
        if abstract:
            return
        from passel.passes.definition import make_dataclass

        make_dataclass(cls)
        if cls.__options is None:
            # Annotations may name what is defined later or locally; they are read when needed.
            with contextlib.suppress(_UnknownTypeError):
                cls.__options = tuple(_option_infos(cls))

    def __post_init__(self) -> None:
        """Check every value and bring it to its canonical form (a list becomes a tuple)."""
        for info in self.option_infos():
            value = getattr(self, info.field)
            try:
                checked = info.codec.check(value)
            except BadValue as error:
                message = f"option '{info.name}' of {type(self).__name__}: {error.message}"
                raise OptionError(Problem(message)) from None
            if checked is not value:
                object.__setattr__(self, info.field, checked)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse to change.

        Raises:
            FrozenInstanceError: Always.
        """
        self._refuse_change(name)

    def __delattr__(self, name: str) -> None:
        """Refuse to change.

        Raises:
            FrozenInstanceError: Always.
        """
        self._refuse_change(name)

    def _refuse_change(self, name: str) -> None:
        from dataclasses import FrozenInstanceError

        msg = f"cannot assign to '{name}' of {type(self).__name__}: {self._way_out}"
        raise FrozenInstanceError(msg)

    @classmethod
    def option_infos(cls) -> tuple[OptionInfo, ...]:
        """Return the declared options in the order of declaration.

        Raises:
            DefinitionError: A field's type cannot be read from text, or is not defined in
                its module.
        """
        if cls.__options is None:
            cls.__options = tuple(_option_infos(cls))
        return cls.__options

    @classmethod
    def parse(cls, text: str, *, scope: Any = None) -> typing.Self:
        """Read options as they stand between a pass's braces.

        Args:
            text: For example `sizes=4,8 peel`.
            scope: The registry for options that hold pipelines.

        Raises:
            OptionError: With every problem in the text.
        """
        return cls(**read_options(cls.option_infos(), parse_options(text), cls.__name__, scope))

    @classmethod
    def from_options(cls, options: Options) -> typing.Self:
        """Return an instance with the values of others, such as a pass with those of its options.

        Args:
            options: An instance of a class that this one is derived from.

        Raises:
            TypeError: It is of another class.

        Example:
            >>> from passel import Options, Pass
            >>> class TileOptions(Options):
            ...     size: int = 8
            >>> class Tile(TileOptions, Pass):
            ...     name = "tile"
            >>> print(Tile.from_options(TileOptions(size=4)))
            tile{size=4}

        Source: `create<Pass>(<Pass>Options)`, as `mlir-tblgen -gen-pass-decls` declares it.
        """
        if not issubclass(cls, type(options)):
            msg = f"{cls.__qualname__} does not have the options of {type(options).__qualname__}"
            raise TypeError(msg)
        return cls(**{info.field: getattr(options, info.field) for info in options.option_infos()})

    @classmethod
    def from_option_text(cls, text: OptionText, scope: Any) -> typing.Self:
        """Read options that are the value of an option: `{a=1 b=2}`."""
        nodes = tuple(split_struct(text))
        return cls(**read_options(cls.option_infos(), nodes, f"'{cls.__name__}'", scope))

    def to_option_text(self, *, all_options: bool) -> OptionText:
        """Return the options as the value of an option."""
        return OptionText(self.option_text(all_options=all_options), "{")

    @classmethod
    def read_options(cls, nodes: Iterable[OptionNode], owner: str, scope: Any) -> dict[str, Any]:
        """Turn options as written into the fields that they set.

        Args:
            nodes: The options.
            owner: What they belong to, for messages: `pass 'cse'`.
            scope: The registry in which names inside of options are looked up.

        Raises:
            OptionError: With every unknown, malformed and missing option.
        """
        return read_options(cls.option_infos(), nodes, owner, scope)

    def option_nodes(self, *, all_options: bool = False) -> tuple[OptionNode, ...]:
        """Return the options as they are written, sorted by name.

        Args:
            all_options: Include those that equal their defaults.
        """
        infos = self.option_infos()
        if not infos:
            return ()
        nodes: list[OptionNode] = []
        for info in sorted(infos, key=_name):
            value = getattr(self, info.field)
            if value is info.default and not (all_options or info.required):
                continue  # most are
            if all_options or info.required or not _is_default(value, info):
                nodes.append(
                    OptionNode(info.name, info.codec.spell(value, all_options=all_options))
                )
        return tuple(nodes)

    def option_text(self, *, all_options: bool = False) -> str:
        """Return the options as `a=1 b=2`, sorted by name.

        Args:
            all_options: Print those that equal their defaults as well.
        """
        return print_options(self.option_nodes(all_options=all_options))

    def __str__(self) -> str:
        return f"{{{self.option_text()}}}"


_name = attrgetter("name")


def _is_default(value: Any, info: OptionInfo) -> bool:
    """Return whether an option need not be printed: to Python, False equals 0."""
    return bool(value == info.default) and (
        info.codec.spell(value, all_options=True)
        == info.codec.spell(info.default, all_options=True)
    )


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
            problem = Problem(f"{owner} requires option '{info.name}'")
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
    names = [info.name for info in infos]
    if not key:
        return f"option without a name for {owner}"
    hint = suggest(key, names)
    if not hint:
        hint = f"; it has {', '.join(names)}" if names else "; it has no options"
    return f"no such option '{key}' for {owner}{hint}"


def _option_infos(cls: type[Options]) -> Iterable[OptionInfo]:
    from dataclasses import MISSING, fields

    declared = fields(cls)  # pyright: ignore[reportArgumentType] - made one above
    hints = _hints(cls) if declared else {}
    for field in declared:
        codec = _codec(hints[field.name], f"option '{field.name}' of {cls.__qualname__}")
        default: Any = field.default
        if field.default_factory is not MISSING:
            default = field.default_factory()
        required = default is MISSING
        if not required:
            try:
                default = codec.check(default)
            except BadValue as error:
                msg = f"default of option '{field.name}' of {cls.__qualname__}: {error.message}"
                raise DefinitionError(msg) from None
        yield OptionInfo(
            name=field.metadata.get("name") or field.name.replace("_", "-"),
            field=field.name,
            help=field.metadata.get("help", ""),
            required=required,
            default=None if required else default,
            codec=codec,
        )


class _UnknownTypeError(DefinitionError):
    """A type is not defined, at least not yet."""


def _hints(cls: type[Options]) -> dict[str, Any]:
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
        raise _UnknownTypeError(msg) from None


def _codec(hint: Any, subject: str) -> Codec:
    try:
        return codec_for(hint)
    except DefinitionError as error:
        msg = f"{subject}: {error}"
        raise DefinitionError(msg) from None
