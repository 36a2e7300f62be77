"""A faster version of xDSL's parser that adds source locations."""
# pyright: reportPrivateUsage=false
# xDSL's parser is extended by overriding its `_parse_*` methods; there is no public hook.

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NoReturn, cast

from xdsl.context import Context
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    FusedLoc,
    LocationAttr,
    MemRefType,
    NoneAttr,
    TensorType,
    VectorType,
)
from xdsl.ir import Attribute, AttributeInvT, BlockArgument, Operation, SSAValue, TypeAttribute
from xdsl.parser import AttrParser, Parser
from xdsl.parser.core import ForwardDeclaredValue, UnresolvedOperand
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.hints import isa
from xdsl.utils.lexer import Input, Position, Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from passel.xdsl.dense import values_in
from passel.xdsl.lexer import FastLexer, FastToken
from passel.xdsl.locations import SourceLocation, SourceText

_BEFORE_NAME: Final = re.compile(
    r"(?:[^=/]++|//[^\n]*+)*+=[ \t\n\r\f\v]*+(?://[^\n]*+[ \t\n\r\f\v]*+)*+"
)
"""The text before the name of an op, which contains the names of its results."""

# Spellings that mean the same attribute wherever they stand: no alias, no dialect's syntax,
# and an end that no longer token could cross.
_SCALAR: Final = r"(?:index|[su]?i[0-9]+|b?f[0-9]+)(?![\w$.])"
_PLAIN_TYPE: Final = re.compile(
    rf"{_SCALAR}|(?:memref|tensor|vector)<(?:(?:[0-9]+|\?)x)*{_SCALAR}>", re.ASCII
)
_PLAIN_ATTRIBUTE: Final = re.compile(rf"{_PLAIN_TYPE.pattern}|-?[0-9]+ : {_SCALAR}", re.ASCII)


class _DenseElement:
    """A hexadecimal element of a dense constant."""

    def __init__(self, element: Any) -> None:
        self._element = element

    def to_type(self, parser: AttrParser, type: Any) -> Any:  # noqa: A002 - as xDSL names it
        """Convert the element to a type. For a float type, the digits are the bits of the float."""
        if isinstance(type, AnyFloat):
            value, size = cast("int", self._element.value), type.compile_time_size
            if value.bit_length() > size * 8:
                parser.raise_error(
                    "hexadecimal float constant out of range for type", self._element.span
                )
            return type.unpack(value.to_bytes(size, "little"), 1)[0]
        return self._element.to_type(parser, type)


_HEXADECIMAL: Final = re.compile(r'<"0x([0-9A-Fa-f]+)">')
"""The elements of a dense constant in the hexadecimal form that printers write."""

_NO_KEY: Final = "expected identifier key for 'resource' entry"

_DEFINITION: Final = re.compile(r"^[ \t]*(#[\w$.-]+)[ \t]*=", re.MULTILINE)
"""The start of the definition of an attribute alias."""


class SourceParser(Parser):
    """A faster version of xDSL's parser that adds source locations to ops and block arguments.

    As in MLIR, an op or block argument without an explicit `loc(...)` is located at its name. Apart
    from locations, a `SourceParser` produces the same IR as xDSL's parser. Types and numbers with
    the same spelling share one object.

    Args:
        context: The context, which loads the dialects that the text uses.
        text: The source text.
        filename: The file name that locations and errors contain.
        source: The `SourceText` to which the added locations refer. If None, the parser adds no
            locations.
    """

    def __init__(
        self,
        context: Context,
        text: str,
        filename: str = "<unknown>",
        source: SourceText | None = None,
    ) -> None:
        super().__init__(context, "", filename)
        self._parser_state = ParserState(FastLexer(Input(text, filename)))
        self._source = source
        self._spelled: dict[str, Attribute] = {}
        self._first_uses: dict[SSAValue[Any], Span] = {}
        self._resources: dict[tuple[str, str], str] = {}
        self._read_ahead: dict[str, Any] = {}
        self._defined_at: dict[str, int] | None = None

    @property
    def _token(self) -> FastToken:
        return cast("FastToken", self._parser_state.current_token)

    def _resume_at(self, position: int) -> None:
        """Continue parsing at a position in the text."""
        state = self._parser_state
        state.lexer.pos = position
        state.current_token = state.lexer.lex()

    # ---- locations -------------------------------------------------------------------

    def parse_operation(self) -> Operation:
        """Parse an op, and locate it at its name unless it has an explicit `loc(...)`.

        Raises:
            ParseError: If the next tokens are not a valid op, or if the op is unregistered and the
                context does not allow unregistered ops.
        """
        start = self._token.start
        op = super().parse_operation()
        # An explicit `loc(unknown)` is a location of its own, hence identity.
        if op.location is UNKNOWN_LOC and self._source is not None:
            text = self.lexer.input.content
            if text[start] == "%" and (before := _BEFORE_NAME.match(text, start)):
                start = before.end()
            op.location = SourceLocation(self._source, start)
        return op

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        super()._register_ssa_definition(name, values, span)
        if self._source is None:
            return
        for value in values:
            if isinstance(value, BlockArgument) and value.location is UNKNOWN_LOC:
                value.location = SourceLocation(self._source, span.start)

    def _parse_location(self) -> Any:
        token = self._token
        if token.kind is MLIRTokenKind.STRING_LIT:
            return self._with_range(super()._parse_location())
        if token.kind is MLIRTokenKind.BARE_IDENT and token.text == "fused":
            return self._fused()
        if token.kind is MLIRTokenKind.HASH_IDENT and token.text not in self.attribute_aliases:
            location = self._defined_later(token.text)
            if location is not None:
                self._resume_at(token.start + len(token.text))
                if not isa(location, LocationAttr):
                    self.raise_error("Expected location alias.")
                return location
        return super()._parse_location()

    def _with_range(self, location: Any) -> Any:
        """Skip the end of a location range, which xDSL cannot represent."""
        if isinstance(location, FileLineColLoc) and self.parse_optional_keyword("to"):
            self.parse_optional_integer(allow_boolean=False, allow_negative=False)
            self.parse_punctuation(":")
            self.parse_integer(allow_boolean=False, allow_negative=False)
        return location

    def _fused(self) -> FusedLoc:
        self.parse_keyword("fused")
        if self.parse_optional_punctuation("<") is not None:
            self.parse_attribute()
            self.parse_punctuation(">")
        parts = self.parse_comma_separated_list(self.Delimiter.SQUARE, self._parse_location)
        return FusedLoc(tuple(parts), NoneAttr())

    def _defined_later(self, name: str) -> Any:
        """Return the value of an alias that is defined later in the text, or None."""
        here = self._token.start
        if self._defined_at is None:
            found = _DEFINITION.finditer(self.lexer.input.content)
            self._defined_at = {each[1]: each.end() for each in found}
        if name in self._defined_at and name not in self._read_ahead:
            self._read_ahead[name] = None  # inside of itself it is not defined
            self._resume_at(self._defined_at[name])
            self._read_ahead[name] = self.parse_attribute()
            self._resume_at(here)
        return self._read_ahead.get(name)

    # ---- values that are never defined -----------------------------------------------

    def resolve_operand(
        self,
        operand: UnresolvedOperand,
        type: AttributeInvT,  # noqa: A002 - as xDSL names it
    ) -> SSAValue[AttributeInvT]:
        """Resolve an operand to a value; if the value is not yet defined, record its first use.

        Raises:
            ParseError: If the value was already used or defined with a different type.
        """
        value = super().resolve_operand(operand, type)
        if value.__class__ is ForwardDeclaredValue:
            self._first_uses.setdefault(value, operand.span)
        return value

    def _refuse_undefined(self) -> NoReturn:
        references = self.forward_ssa_references.values()
        spans = [self._first_uses[value] for indices in references for value in indices.values()]
        first = min(spans, key=lambda span: span.start)
        self.raise_error(f"use of undeclared SSA value name '{first.text}'", first)

    # ---- speed: the same answers through fewer calls ---------------------------------

    @property
    def pos(self) -> Position:
        """The offset of the next token in the text."""
        return self._token.start

    def parse_optional_type(self) -> TypeAttribute | None:
        """Parse a type, or return None if the next token does not start a type."""
        return self._recall(_PLAIN_TYPE, Parser.parse_optional_type)

    def parse_optional_attribute(self) -> Attribute | None:
        """Parse an attribute, or return None if the next token does not start an attribute."""
        return self._recall(_PLAIN_ATTRIBUTE, Parser.parse_optional_attribute)

    def _recall(self, pattern: re.Pattern[str], parse: Callable[[Parser], Any]) -> Any:
        """Parse the text that `pattern` matches, or return the earlier result for equal text."""
        state = self._parser_state
        lexer = state.lexer
        match = pattern.match(lexer.input.content, self._token.start)
        if match is None:
            return parse(self)
        spelling = match[0]
        attribute = self._spelled.get(spelling)
        if attribute is None:
            attribute = parse(self)
            if attribute is not None:
                self._spelled[spelling] = attribute
            return attribute
        lexer.pos = match.end()
        state.current_token = lexer.lex()
        return attribute

    # ---- dense constants ---------------------------------------------------------------

    def _parse_tensor_literal_element(self) -> Any:
        """Parse an element of a dense constant, in which hexadecimal digits are a float's bits."""
        is_hexadecimal = self._token.text[:2] in ("0x", "0X")
        element = super()._parse_tensor_literal_element()
        return _DenseElement(element) if is_hexadecimal else element

    def parse_dense_int_or_fp_elements_attr(self, type: Any) -> Any:  # noqa: A002 - as xDSL names it
        """Parse a dense constant, whose elements may be in MLIR's hexadecimal format."""
        start = self._token.start
        match = _HEXADECIMAL.match(self.lexer.input.content, start)
        if match is not None and len(match[1]) % 2 == 0:
            self._resume_at(match.end())
            known: Any = type
            if known is None and self.parse_optional_punctuation(":"):
                known = self.parse_optional_type()
            if isinstance(known, MemRefType | TensorType | VectorType):
                values = values_in(bytes.fromhex(match[1]), known)
                if values is not None:
                    return cast("Any", DenseIntOrFPElementsAttr).from_list(known, values)
            self._resume_at(start)
        return super().parse_dense_int_or_fp_elements_attr(type)

    # ---- resources -------------------------------------------------------------------

    def _parse_dialect_resource_handle(
        self, dialect_name: str, interface: OpAsmDialectInterface
    ) -> str:
        """Parse the name of a resource, and return its name in this process.

        xDSL stores the resources of all sources in one table, and renames a resource whose name is
        taken. All uses in this source must refer to the new name.
        """
        name = self.parse_identifier(context_msg=" for resource handle")
        handle = self._resources.get((dialect_name, name))
        if handle is None:
            handle = self._resources[dialect_name, name] = interface.declare_resource(name)
            self.dialect_resources.add((dialect_name, handle))
        return handle

    def _parse_resources(self) -> None:
        """Parse the dialect or external resources in the metadata of a file."""
        kind = self.expect(self.parse_optional_identifier, "Expected a resource type key")
        self.parse_punctuation(":")
        if kind == "dialect_resources":
            self._parse_dialect_resources()
        elif kind == "external_resources":
            self.parse_comma_separated_list(self.Delimiter.BRACES, self._check_external)
        else:
            self.raise_error(f"got an unexpected key in file metadata: {kind}")

    def _check_external(self, *, is_entry: bool = False) -> None:
        """Check the syntax of a group of external resources, or of an entry of a group."""
        name = self._token.text
        if not (is_entry and self._skip_string()):
            self.expect(self.parse_optional_identifier, _NO_KEY)
        self.parse_punctuation(":")
        if not is_entry:
            entry = partial(self._check_external, is_entry=True)
            self.parse_comma_separated_list(self.Delimiter.BRACES, entry)
        elif self.parse_optional_boolean() is None and not self._skip_string():
            self.raise_error(f"expected string value for key '{name}'")

    def _skip_string(self) -> bool:
        """Skip a string, and return whether there was one."""
        token = self._token
        if token.kind not in (MLIRTokenKind.STRING_LIT, MLIRTokenKind.BYTES_LIT):
            return False
        self._resume_at(token.start + len(token.text))
        return True

    # ---- top level -------------------------------------------------------------------

    @property
    def dialect(self) -> str:
        """The dialect name of the innermost op that is being parsed."""
        return self._parser_state.dialect_stack[-1]

    def parse_top_level(self) -> list[Operation]:
        """Parse a source with ops, aliases and file metadata, and return the top-level ops.

        Raises:
            ParseError: If the source is not valid MLIR, or if it uses an undefined value.
        """
        ops: list[Operation] = []
        while (kind := self._token.kind) is not MLIRTokenKind.EOF:
            if kind in (MLIRTokenKind.HASH_IDENT, MLIRTokenKind.EXCLAMATION_IDENT):
                self.parse_alias()
            elif kind is MLIRTokenKind.FILE_METADATA_BEGIN:
                self.parse_comma_separated_list(
                    self.Delimiter.METADATA_TOKEN, self._parse_resources
                )
            elif (op := self.parse_optional_operation()) is not None:
                ops.append(op)
            else:
                self.raise_error("expected operation, alias definition or file metadata")
        if self.forward_ssa_references:
            self._refuse_undefined()
        return ops

    def parse_alias(self) -> None:
        """Parse the definition of an alias.

        Raises:
            ParseError: If the alias is already defined.
        """
        name = self._token.text
        self._resume_at(self._token.start + len(name))
        if name in self.attribute_aliases:
            self.raise_error(f"re-declaration of alias '{name}'")
        self.parse_punctuation("=", "after attribute alias name")
        self.attribute_aliases[name] = self.parse_attribute()
