"""Watching what the parser of one op consults, to know whether it may become a template.

A dialect's code, in the parsers of its ops and attributes, can ask the parser only through a
`_Facade`, and looks at operands and successors whose class is replaced meanwhile by one that
reports what is read. xDSL's own code is let through: it is known what it does with what it
sees (`assumptions`). Whatever else is asked speaks against a template, so what is not
foreseen here makes parsing slower and never wrong.
"""
# pyright: reportPrivateUsage=false, reportIncompatibleMethodOverride=false

from __future__ import annotations

import sys
import threading
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Self, cast

from xdsl.dialects.builtin import FloatAttr, IntAttr, IntegerAttr
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue, Use
from xdsl.parser import Parser
from xdsl.parser.core import UnresolvedOperand
from xdsl.utils.mlir_lexer import MLIRTokenKind

from passel.xdsl.fast.contextual import CONTEXTUAL
from passel.xdsl.lexer import FastLexer, FastToken
from passel.xdsl.source_parser import SourceParser

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence
    from types import FrameType

    from xdsl.ir import Attribute, AttributeInvT
    from xdsl.utils.lexer import Span

_CONTEXTUAL: Final = frozenset(
    {
        *("parse_module", "parse_op", "parse_operation", "parse_optional_operation"),
        *("parse_region", "parse_argument", "parse_optional_argument"),
    }
)
ASKED_FREELY: Final = frozenset(
    name for name in dir(Parser) if name.startswith(("parse_", "in_")) and name not in _CONTEXTUAL
) | {"resolve_operand", "resolve_operands", "raise_error", "expect", "delimited", "Delimiter"}
"""Members of a parser that depend on nothing but tokens, aliases, and the types of operands."""

_XDSL_PARSING: Final = ("xdsl.parser.", "xdsl.irdl.declarative_assembly_format", "passel.xdsl.")
_XDSL_BUILDING: Final = ("xdsl.ir.", "xdsl.irdl.", *_XDSL_PARSING)

_watch: Final = threading.local()


class Watch:
    """Parses an op once more, only to see what its parser consults.

    Inside of the `with` block the parser is another one, and values and blocks that are used
    are others. Afterwards all is as it was, as if the op had been parsed once.

    Args:
        parser: The parser, which has parsed the op.
        bound: The names that the op's results have now.
        numbers: Where the numbers start on whose values the op must not depend.

    Attributes:
        refusals: Why the op must not become a template.
        results: The names of its results, with how many each stands for.
        op_name: Its name as the text has it.
        op_class: What the context says that name stands for.
        operands: The operands, by where their names start and end.
        successors: The same of successors.
        numbers: The integers that were parsed with their type, by where they start.
        facade: The parser as code of dialects sees it.
    """

    def __init__(
        self, parser: SourceParser, bound: Sequence[str], numbers: Container[int] = ()
    ) -> None:
        self.refusals: list[str] = []
        self.results: list[tuple[Span[str], int]] = []
        self.op_name = ""
        self.op_class: type[Operation] = Operation
        self.operands: dict[tuple[int, int], SSAValue[Any]] = {}
        self.successors: dict[tuple[int, int], Block] = {}
        self.numbers: dict[int, IntegerAttr[Any]] = {}
        self.hidden = numbers
        self.facade: Any = _Facade.__new__(_Facade)
        object.__setattr__(self.facade, "_watched", (self, parser))
        self._parser: Any = parser
        self._parser_class = type(parser)
        self._bound = bound
        self._former: list[tuple[SSAValue[Any] | Block, type[Any], Use | None]] = []

    def __enter__(self) -> Self:
        parser = self._parser
        state = parser._parser_state
        self._state = state.current_token, state.lexer.pos
        self._depths = len(state.dialect_stack), len(parser._op_names)
        self._values = {name: parser.ssa_values.pop(name) for name in self._bound}
        parser.__class__ = _watched_parser(self._parser_class)
        state.lexer.__class__ = _WatchedLexer
        state.lexer.furthest = -1
        _watch.current = self
        return self

    def __exit__(self, *_: object) -> None:
        _watch.current = None
        parser = self._parser
        state = parser._parser_state
        parser.__class__ = self._parser_class
        state.lexer.__class__ = FastLexer
        del state.lexer.furthest
        for each, class_, use in self._former:
            each.__class__ = class_
            if use is not None:
                each.first_use = use
                use._prev_use = None
            else:
                vars(each).pop("first_use", None)  # as if it had never had one
        parser.ssa_values.update(self._values)
        del state.dialect_stack[self._depths[0] :], parser._op_names[self._depths[1] :]
        state.current_token, state.lexer.pos = self._state
        # They refer to each other: without this, the parser would live until the next collection.
        self.facade = self._parser = None

    def parse(self) -> Operation | None:
        """Parse the op at the current token; None if its parser cannot be watched."""
        try:
            op = self._parser.parse_optional_operation()
        except Exception:  # noqa: BLE001 - that the first time went well proves it to look around
            return None
        if self._parser.lexer.furthest > self._parser.pos:
            self.refuse("tokens after the next one")
        return op

    def refuse(self, reason: str) -> None:
        """Note that the op's parser looked at something else than its line and operands."""
        self.refusals.append(reason)

    def add_operand(self, operand: UnresolvedOperand, value: SSAValue[Any]) -> None:
        """Note which value a name stands for, and watch it from now on."""
        span: Span[str] = object.__getattribute__(operand, "span")
        self.operands[span.start, span.end] = value
        self._observe(value)

    def add_successor(self, span: Span[str], block: Block) -> None:
        """Note which block a name stands for, and watch it from now on."""
        self.successors[span.start, span.end] = block
        self._observe(block)

    def _observe(self, each: SSAValue[Any] | Block) -> None:
        class_ = type(cast("object", each))
        if class_ in _WATCHED:
            self._former.append((each, class_, each.first_use))
            each.__class__ = _WATCHED[class_]
        elif class_ not in _WATCHED.values():
            self.refuse("an operand that is not defined yet")

    def accounts_for(self, op: Operation, spans: list[tuple[int, int]]) -> bool:
        """Return whether the op's parser made nothing of its line but this op.

        Args:
            op: The op that was parsed.
            spans: Where the names of the line start and end: each must be that of a result, an
                operand or a successor.
        """
        results = [(span.start, span.end) for span, size in self.results if size == 1]
        return (
            not self.refusals
            and [*results, *sorted({**self.operands, **self.successors})] == spans
            and set(self.operands.values()) == set(op._operands)
            and set(map(id, self.successors.values())) == set(map(id, op._successors))
            and self._has_only_uses(op)
        )

    def _has_only_uses(self, op: Operation) -> bool:
        """Return whether nothing but `op` began to use its operands and successors."""
        expected: dict[int, list[Use]] = {}
        for each, use in (
            *zip(op._operands, op._operand_uses, strict=True),
            *zip(op._successors, op._successor_uses, strict=True),
        ):
            expected.setdefault(id(each), []).insert(0, use)
        for each, _, former in self._former:
            uses: list[Use] = []
            use = each.first_use
            while use is not former and use is not None:
                uses.append(use)
                use = use._next_use
            if uses != expected.get(id(each), []):
                return False
        return True


def _caller(depth: int = 2) -> FrameType:
    return sys._getframe(depth)


def _is_in(frame: FrameType | None, modules: tuple[str, ...]) -> bool:
    name = frame.f_globals.get("__name__", "") if frame is not None else ""
    return f"{name}.".startswith(modules)


def _refuse(reason: str) -> None:
    watch = getattr(_watch, "current", None)
    if watch is not None:
        watch.refuse(reason)


class _Facade(Parser):
    """The parser as code of dialects sees it."""

    def __getattribute__(self, name: str) -> Any:
        watch, parser = object.__getattribute__(self, "_watched")
        if name not in ASKED_FREELY and not _is_in(_caller(), _XDSL_PARSING):
            if name == "pos":
                return _Position(parser.pos)
            watch.refuse(f"parser.{name}")
        return getattr(parser, name)

    def __setattr__(self, name: str, value: object) -> None:
        watch, parser = object.__getattribute__(self, "_watched")
        watch.refuse(f"parser.{name} = ...")
        setattr(parser, name, value)


class _Position(int):
    """A position that can be handed on and compared, but of which nothing can be made."""


def _refusing(name: str) -> Callable[..., Any]:
    original = getattr(int, name)

    def method(self: int, *args: Any) -> Any:
        _refuse(f"parser.pos.{name}")
        return original(self, *args)

    return method


for _name in (
    *("add", "radd", "sub", "rsub", "mul", "rmul", "floordiv", "mod", "divmod", "truediv"),
    *("and", "or", "xor", "lshift", "rshift", "neg", "pos", "abs", "invert", "pow"),
    *("hash", "repr", "str", "format", "index", "bool", "float", "int", "reduce_ex"),
):
    setattr(_Position, f"__{_name}__", _refusing(f"__{_name}__"))


class _WatchedOperand(UnresolvedOperand):
    """An operand of which only xDSL's parser may read the name."""

    def __getattribute__(self, name: str) -> Any:
        if not _is_in(_caller(), _XDSL_PARSING):
            _refuse(f"operand.{name}")
        return object.__getattribute__(self, name)


def _reading(free: frozenset[str]) -> Callable[[Any, str], Any]:
    def read(self: Any, name: str) -> Any:
        if name not in free and not _only_builds(name, _caller()):
            _refuse(f"value.{name}")
        return object.__getattribute__(self, name)

    return read


def _only_builds(name: str, frame: FrameType) -> bool:
    """Return whether a value is read to build the op that uses it."""
    if name == "__class__":
        # `isinstance` of an abstract class, of which xDSL asks whether it is a value at all.
        outer: FrameType | None = frame
        while outer is not None and _is_in(outer, ("abc.",)):
            outer = outer.f_back
        return _is_in(outer, _XDSL_BUILDING)
    if name == "add_use":
        return _is_in(frame, _XDSL_BUILDING)
    return name == "first_use" and frame.f_code.co_name in {"add_use", "_has_only_uses"}


class _WatchedResult(OpResult[Any]):
    __getattribute__ = _reading(frozenset({"type", "_type"}))


class _WatchedArgument(BlockArgument[Any]):
    __getattribute__ = _reading(frozenset({"type", "_type"}))


class _WatchedBlock(Block):
    __getattribute__ = _reading(frozenset())


_WATCHED: Final[dict[type[object], type[Any]]] = {
    OpResult: _WatchedResult,
    BlockArgument: _WatchedArgument,
    Block: _WatchedBlock,
}


class _Subclassable:
    """Stops `__init_subclass__` before xDSL's, which closes attribute classes to subclasses."""

    def __init_subclass__(cls) -> None:
        pass


class _HiddenInteger(_Subclassable, IntAttr):
    """The value of a number of which nothing but the type may matter."""

    def __getattribute__(self, name: str) -> Any:
        if name not in {"__class__", "__post_init__", "_verify", "verify"}:
            _refuse("a number")
        return object.__getattribute__(self, name)

    def __eq__(self, other: object) -> bool:
        _refuse("a number")
        return self is other

    def __hash__(self) -> int:
        _refuse("a number")
        return id(self)


class _WatchedLexer(FastLexer):
    """Remembers how far it was read."""

    furthest: int

    def lex(self) -> FastToken:
        token = super().lex()
        self.furthest = max(self.furthest, token.start)
        return token


class _WatchedClass:
    """Stands for an op's class where xDSL's parser hands itself to the op's."""

    def __init__(self, watch: Watch, op_class: type[Operation]) -> None:
        self.watch = watch
        self.op_class = op_class

    def dialect_name(self) -> str:
        return self.op_class.dialect_name()

    def parse(self, _: Parser) -> Operation:
        return self.op_class.parse(self.watch.facade)


class _Watching(SourceParser):
    """Mixed into a parser's class while an op is watched."""

    def _get_op_by_name(self, name: str) -> Any:
        op_class = super()._get_op_by_name(name)
        watch: Watch = _watch.current
        watch.op_name, watch.op_class = name, op_class
        if op_class in CONTEXTUAL:
            watch.refuse("its author")
        return _WatchedClass(watch, op_class)

    def _parse_generic_operation(self, op_type: Any) -> Operation:
        return super()._parse_generic_operation(op_type.op_class)

    def _parse_dialect_type_or_attribute_body(self, *args: Any, **keywords: Any) -> Any:
        facade = _watch.current.facade
        return Parser._parse_dialect_type_or_attribute_body(facade, *args, **keywords)

    def _parse_op_result_list(self) -> list[tuple[Span[str], int]]:
        _watch.current.results = results = super()._parse_op_result_list()
        return results

    def parse_optional_unresolved_operand(self) -> UnresolvedOperand | None:
        operand = super().parse_optional_unresolved_operand()
        if operand is not None:
            operand.__class__ = _WatchedOperand
        return operand

    def resolve_operand(
        self,
        operand: UnresolvedOperand,
        type: AttributeInvT,  # noqa: A002 - as xDSL names it
    ) -> SSAValue[AttributeInvT]:
        value = super().resolve_operand(operand, type)
        _watch.current.add_operand(operand, value)
        return value

    def _parse_optional_operand_without_type(self) -> SSAValue[Any] | None:
        token = self._token
        value = super()._parse_optional_operand_without_type()
        if value is not None:
            _watch.current.add_operand(UnresolvedOperand(token.span, 0), value)
        return value

    def parse_optional_successor(self) -> Block | None:
        token = self._token
        block = super().parse_optional_successor()
        if block is not None:
            _watch.current.add_successor(token.span, block)
        return block

    def _get_block_from_name(self, block_name: Span[str]) -> Block:
        block = super()._get_block_from_name(block_name)
        _watch.current.add_successor(block_name, block)
        return block

    def parse_optional_builtin_int_or_float_attr(self) -> IntegerAttr[Any] | FloatAttr | None:
        watch: Watch = _watch.current
        start = self._token.start
        number = super().parse_optional_builtin_int_or_float_attr()
        if start not in watch.hidden or not isinstance(number, IntegerAttr):
            return number
        watch.numbers[start] = hidden = IntegerAttr(0, number.type)
        object.__setattr__(hidden, "value", _HiddenInteger(0))
        return hidden

    def parse_optional_characters(self, text: str) -> str | None:
        if text[:1] in {"%", "^"}:
            _refuse("the name of a value or a block")
        return super().parse_optional_characters(text)

    def _register_ssa_definition(
        self, name: str, values: Sequence[SSAValue[Attribute]], span: Span[str]
    ) -> None:
        if any(value.name_hint is not None for value in values):
            _refuse("a result that has a name already")
        super()._register_ssa_definition(name, values, span)

    def parse_optional_region(self, arguments: Iterable[Parser.Argument] | None = None) -> None:
        if self._token.kind is MLIRTokenKind.L_BRACE:
            _refuse("a region")
            raise NotImplementedError  # before the scope of names is another one


@cache
def _watched_parser(parser_class: type[SourceParser]) -> type[SourceParser]:
    return type(f"Watched{parser_class.__name__}", (_Watching, parser_class), {})
