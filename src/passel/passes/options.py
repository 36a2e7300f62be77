"""Options: typed fields of a pass that are parsed from text and printed.

The options of a pass are the annotated fields of its class. `passel.passes.option_types` lists the
supported types.
"""

from __future__ import annotations

import sys
import typing
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, dataclass_transform

from passel.diagnostics import suggest
from passel.errors import DefinitionError, OptionError, PipelineError, Problem
from passel.passes.option_types import OBJECT, BadValue, Codec, codec_for
from passel.pipeline import OptionNode, OptionText, located, parse_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from dataclasses import Field


_MAX_PROBLEMS = 100
"""The maximum number of unknown options that an error lists."""


def option(
    *,
    default: Any = ...,
    default_factory: Callable[[], Any] | Any = ...,
    help: str = "",  # noqa: A002 - the word that argparse and MLIR's users look for
    name: str = "",
) -> Any:
    """Declare an option of a pass, and set its description, name in text or default factory.

    Args:
        default: The default value. An option without a default is required.
        default_factory: A function that is called for each new pass and returns the default value
            of the option.
        help: A one-sentence description for `--help`.
        name: The name in text; by default the name of the field, with dashes instead of underscores
            and without a trailing underscore.

    Example:
        >>> class Unroll(Options):
        ...     factor: int = option(default=4, help="How often to repeat the body.")
        >>> str(Unroll(factor=8))
        '{factor=8}'

    Source: `mlir::Pass::Option`, a subclass of `llvm::cl::opt`, MLIR 22.
    """
    from dataclasses import field

    made: dict[str, Any] = {"default": default, "default_factory": default_factory}
    given = {key: value for key, value in made.items() if value is not ...}
    return field(**given, metadata={"help": help, "name": name})


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(option,))
class Options:
    """The base class of sets of options. Subclasses become frozen dataclasses automatically.

    To define a struct-valued option or the options of a registered pipeline, derive from this
    class. `Pass` also derives from this class. Instances are equal if they have the same class and
    equal values.

    Example:
        >>> class Tiling(Options):
        ...     sizes: tuple[int, ...] = ()
        ...     peel: bool = False
        >>> str(Tiling(sizes=(4, 8), peel=True))
        '{peel=true sizes={4,8}}'
        >>> Tiling.parse("sizes=4,8")
        Tiling(sizes=(4, 8), peel=False)
    """

    option_metavar: ClassVar[str] = "<options>"

    _way_out: ClassVar[str] = "options are immutable; create new ones with dataclasses.replace"
    """The advice in the error message for an assignment to an attribute."""

    _fields: ClassVar[tuple[OptionInfo, ...]] = ()
    """All options, including options whose values are objects."""

    def __init_subclass__(cls, *, abstract: bool = False, **kwargs: Any) -> None:
        """Turn the subclass into a frozen dataclass, and check its fields.

        An abstract class has no fields and no instances.

        Raises:
            DefinitionError: A field is invalid, or its type is not defined in the module yet.
        """
        super().__init_subclass__(**kwargs)
        if abstract:
            return
        from passel.passes.definition import make_dataclass

        make_dataclass(cls)
        cls._fields = tuple(declared_options(cls))

    def __post_init__(self) -> None:
        """Check every value and convert it to its canonical form, such as a list to a tuple."""
        for info in self._fields:
            value = getattr(self, info.field)
            try:
                checked = info.codec.check(value)
            except (ValueError, OverflowError) as error:
                message = f"option '{info.name}' of {type(self).__name__}: {error}"
                raise OptionError(message) from None
            if checked is not value:
                object.__setattr__(self, info.field, checked)

    def __setattr__(self, name: str, value: object) -> None:
        """Reject an assignment to an attribute.

        Raises:
            FrozenInstanceError: Always.
        """
        from dataclasses import FrozenInstanceError

        msg = f"cannot assign to '{name}' of {type(self).__name__}: {self._way_out}"
        raise FrozenInstanceError(msg)

    @classmethod
    def option_infos(cls) -> tuple[OptionInfo, ...]:
        """Return the options that can be set in text, in the order of their declaration."""
        return tuple(info for info in cls._fields if not info.is_object)

    @classmethod
    def parse(cls, text: str, *, scope: Any = None) -> typing.Self:
        """Parse the text of options, without braces, and return the options.

        Args:
            text: The text of the options, such as `sizes=4,8 peel`.
            scope: The registry that resolves pass names in options that contain pipelines.

        Raises:
            OptionError: The text is invalid. The error lists every problem.
        """
        return cls(**cls.read_options(parse_options(text), cls.__name__, scope))

    @classmethod
    def from_option_text(cls, text: OptionText, scope: Any) -> typing.Self:
        """Parse the value of a struct-valued option, such as `{a=1 b=2}`."""
        return cls(**cls.read_options(parse_options(located(text)), f"'{cls.__name__}'", scope))

    def to_option_text(self, *, all_options: bool) -> OptionText:
        """Return the options as the text of a struct-valued option."""
        return OptionText(self.option_text(all_options=all_options), "{")

    @staticmethod
    def argument_options(argument: str) -> Iterable[tuple[str, str]] | None:  # noqa: ARG004 - for overrides
        """Return the options that text in square brackets sets, as in xDSL's `mlir-opt[cse]`.

        Returns:
            The name and the value of each option; None if the pass takes no such text.
        """
        return None

    @classmethod
    def read_options(cls, nodes: Iterable[OptionNode], owner: str, scope: Any) -> dict[str, Any]:
        """Return a dict from field names to the values that syntax nodes assign to these options.

        Args:
            nodes: The syntax nodes of the options in the text.
            owner: A phrase for messages that says whose options these are, such as `pass 'cse'`.
            scope: The registry that resolves pass names in the values of options.

        Raises:
            OptionError: Options are unknown, malformed or missing. The error lists all problems.
        """
        return read_options(cls._fields, nodes, owner, scope)

    def option_nodes(self, *, all_options: bool = False) -> tuple[OptionNode, ...]:
        """Return the options as syntax nodes, sorted by name.

        Args:
            all_options: Whether to include options that have their default value.
        """
        nodes = (
            info.node(getattr(self, info.field), all_options=all_options)
            for info in sorted(self._fields, key=lambda info: info.name)
        )
        return tuple(node for node in nodes if node is not None)

    def option_text(self, *, all_options: bool = False) -> str:
        """Return the options as text such as `a=1 b=2`, sorted by name.

        Args:
            all_options: Whether to also print options that have their default value.
        """
        return " ".join(map(str, self.option_nodes(all_options=all_options)))

    def __str__(self) -> str:
        return f"{{{self.option_text()}}}"


# -- The options that a class declares -----------------------------------------------------------


class OptionInfo(NamedTuple):
    """The declaration of an option.

    Attributes:
        name: The name in pipeline text, such as `max-iterations`.
        field: The name of the field in Python.
        help: A one-sentence description; an empty string if the option has no description.
        required: Whether the option has no default.
        default: The default value; None for a required option.
        codec: The codec that parses, prints and checks values.
    """

    name: str
    field: str
    help: str
    required: bool
    default: Any
    codec: Codec

    @property
    def default_text(self) -> str:
        """The text of the default value, as in a printed pipeline."""
        return str(self.codec.spell(self.default, True))

    @property
    def is_object(self) -> bool:
        """Whether values are Python objects, which cannot be set in text."""
        return self.codec is OBJECT

    def node(self, value: Any, *, all_options: bool) -> OptionNode | None:
        """Return the syntax node for a value of the option, or None if the value is not printed.

        Args:
            value: The value of the option.
            all_options: Whether to also print default values. Even then, a default value is not
                printed if it is an object or, as in MLIR, an empty list.
        """
        if not self.required and (self.is_object or not all_options or value == ()):
            # To Python, False equals 0.
            is_same = self.is_object or str(self.codec.spell(value, True)) == self.default_text
            if value is self.default or (is_same and value == self.default):
                return None
        if self.is_object:
            return OptionNode(f"<{self.name}", OptionText("...>"))
        return OptionNode(self.name, self.codec.spell(value, all_options))


def read_options(
    infos: Sequence[OptionInfo], nodes: Iterable[OptionNode], owner: str, scope: Any
) -> dict[str, Any]:
    """Return a dict from field names to the values that syntax nodes assign to these options.

    Args:
        infos: The declared options.
        nodes: The syntax nodes of the options in the text.
        owner: A phrase for messages that says whose options these are, such as `pass 'cse'`.
        scope: The registry that resolves pass names in the values of options.

    Raises:
        OptionError: Options are unknown, malformed or missing. The error lists all problems.
    """
    fields = {name: info.field for info in infos for name in (info.name, info.field)}
    given: dict[str, list[OptionNode]] = {}
    problems: list[Problem] = []
    for node in nodes:
        if field := fields.get(node.key):
            given.setdefault(field, []).append(node)
        elif len(problems) < _MAX_PROBLEMS:
            problems.append(Problem(_unknown(node.key, owner, infos), node.span))
    values: dict[str, Any] = {}
    for info in infos:
        found = given.get(info.field, [])
        try:
            if found:
                values[info.field] = info.codec.parse([node.value for node in found], scope)
            elif info.required:
                way_out = ", a Python object; create the pass in Python" if info.is_object else ""
                problems.append(Problem(f"{owner} requires option '{info.name}'{way_out}"))
        except PipelineError as error:
            problems += error.problems
        except BadValue as error:
            # A problem without a place concerns a missing value or a whole list.
            node = next((node for node in found if node.value is None), found[-1])
            span = error.span or (node.value.span if node.value else None) or node.span
            problems.append(Problem(f"option '{info.name}' of {owner}: {error}", span))
    if problems:
        # Problems are sorted by their places; problems without a place come last.
        raise OptionError(*sorted(problems, key=lambda p: p.span.start if p.span else sys.maxsize))
    return values


def _unknown(key: str, owner: str, infos: Sequence[OptionInfo]) -> str:
    names = [info.name for info in infos if not info.is_object]
    others = f"; it has {', '.join(names) or 'no options'}"
    return f"no such option '{key}' for {owner}{suggest(key, names) or others}"


def declared_options(cls: type[Any]) -> Iterable[OptionInfo]:
    """Yield the declaration of each option of a dataclass, and evaluate the types of its fields.

    Raises:
        DefinitionError: The type of an option is unsupported or not defined yet, or a default has
            the wrong type.
    """
    from dataclasses import MISSING, fields

    from passel.passes.definition import text_name

    for field in fields(cls):
        subject, default = f"option '{field.name}' of {cls.__qualname__}", field.default
        if field.default_factory is not MISSING:
            default = field.default_factory()
        required, field.type = default is MISSING, _type_of(field, cls)
        try:
            codec = codec_for(field.type)
            default = None if required else codec.check(default)
        except (DefinitionError, ValueError, OverflowError) as error:
            what = "" if isinstance(error, DefinitionError) else "default of "
            raise DefinitionError(f"{what}{subject}: {error}") from None
        text = field.metadata.get("help", "")
        yield OptionInfo(text_name(field), field.name, text, required, default, codec)


def _fields_of(cls: type[Any]) -> dict[str, Field[Any]]:
    return vars(cls).get("__dataclass_fields__", {})


def _type_of(field: Field[Any], cls: type[Any]) -> Any:
    """Return the type of an option, which the annotation in the option's class may state as text.

    An option may have the name of a type. In annotations, the name refers to the type.
    """
    owner = next(
        each for each in reversed(cls.__mro__) if _fields_of(each).get(field.name) is field
    )
    scope = {name: value for name, value in vars(owner).items() if name not in _fields_of(owner)}
    holder = type("", (), {"__module__": owner.__module__, "__annotations__": {"it": field.type}})
    try:
        return typing.get_type_hints(holder, None, scope, include_extras=True)["it"]
    except NameError as error:
        raise DefinitionError(
            f"the type of option '{field.name}' of {cls.__qualname__} cannot be evaluated at run "
            f"time: {error}; define or import the type in the module, not in a function or under "
            "'if TYPE_CHECKING:'"
        ) from None
