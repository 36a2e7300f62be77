"""A parser that builds ops from templates, and functions from the signatures of earlier ones."""
# pyright: reportPrivateUsage=false
# xDSL's parser is extended by overriding its `_parse_*` methods; there is no public hook.

from __future__ import annotations

import re
from collections.abc import Hashable
from functools import cache, lru_cache
from sys import intern
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    FileLineColLoc,
    IntAttr,
    LocationAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.lexer import Span

from passel.xdsl.fast.known import (
    VARIED,
    Types,
    has_known_parser,
    is_known_attribute,
    is_xdsl_class,
    is_xdsl_code,
)
from passel.xdsl.fast.templates import (
    FUNCTION_HEAD,
    LINE,
    LineParts,
    Template,
    name_spans,
    parts_of_line,
    shape_of,
)
from passel.xdsl.locations import SourceLocation
from passel.xdsl.source_parser import SourceParser

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from xdsl.context import Context

_MAX_SHAPES: Final = 20_000
"""The maximum number of shapes per stack of dialects; each takes half a kilobyte."""

_ends_located: Final = re.compile(
    r'(.*) loc\((?:unknown|"([^"\\\n\v\f]*)":(0|[1-9][0-9]*):(0|[1-9][0-9]*))\)', re.ASCII
).fullmatch
"""Matches a line that ends with a location as printers write it."""

_OP_NAME: Final = re.compile(r'"([^"\\]*)"|([a-zA-Z_][a-zA-Z0-9_$.]*)', re.ASCII)
_DIALECT_NAME: Final = re.compile(r"([!#])([a-zA-Z_][\w$]*)(?:\.|\s*<\s*)([\w$.]*)", re.ASCII)
"""A type or attribute of a dialect."""


_MET: Final = "met once"  # templates are made of what comes again
_REFUSED: Final = "has none"


@lru_cache(maxsize=_MAX_SHAPES)
def _location(file: str | None, line: str, column: str) -> LocationAttr:
    if file is None:
        return UnknownLoc()
    return FileLineColLoc(StringAttr(file), IntAttr(int(line)), IntAttr(int(column)))


@lru_cache(maxsize=_MAX_SHAPES)
def _hint(name: str) -> str | None:
    """Return the name of a value as its name hint, or None if the name is a number."""
    return intern(name) if SSAValue.is_valid_name(name) else None


_Shapes = dict[Hashable, Template | str]


class _Line(NamedTuple):
    """A line that an op may be on.

    Attributes:
        match: The regex match of the line, from the first token.
        parts: The parts of the line, with a null character in place of an explicit location.
        location: The location of an op on the line.
        follower: The first token of the next line, or an empty string if there is none that the
            regex recognizes.
        shapes: The known shapes of lines inside ops of the enclosing dialects.
    """

    match: re.Match[str]
    parts: LineParts
    location: LocationAttr
    follower: str
    shapes: _Shapes

    def remember(self, what: Template | str) -> None:
        """Store the template of the shape, or the reason why the shape has no template."""
        if len(self.shapes) >= _MAX_SHAPES:
            self.shapes.clear()  # those that come often are soon back
        self.shapes[self.parts.key] = what


class TemplateParser(SourceParser):
    """A `SourceParser` that reuses what it parsed in earlier lines of the same shape.

    The function `passel.xdsl.fast.templates.shape_of` defines the shape of a line. The IR and all
    errors are the same as those of `SourceParser`, except that ops of the same shape share type and
    attribute objects. A template is made from an op if the op has no regions and is on a single
    line, and if xDSL defines the op's parser and attributes (see `passel.xdsl.fast.known`). A line
    that does not fit the template of its shape is parsed by `SourceParser`. The signature of a
    function is parsed only once if later functions have the same signature.

    Attributes:
        ops_from_templates: The number of ops that were built from templates.
    """

    def __init__(self, context: Context, *arguments: Any) -> None:
        super().__init__(context, *arguments)
        self._shapes: dict[tuple[str, ...], _Shapes] = {}
        # The first function of each signature, and the types of its arguments.
        self._functions: dict[Hashable, tuple[Operation, Sequence[Attribute]]] = {}
        self._types = Types()
        self._has_known_parser = cache(has_known_parser)
        self._known_ops = 0
        self.ops_from_templates: int = 0

    def _parse_block_body(self, block: Block) -> None:
        """Parse the ops of a block."""
        while True:
            line = self._parse_known_lines(block)
            op = self.parse_optional_operation() if line is None else self._parse_new_line(line)
            if op is None:
                return
            block.add_op(op)

    # ---- lines of known shapes -------------------------------------------------------

    def _parse_known_lines(self, block: Block) -> _Line | None:
        """Build ops from templates up to the first line without one.

        Returns:
            The first line without a template, or None if it cannot become a template.
        """
        text = self._parser_state.lexer.input.content
        if (size := len(cast("Collection[object]", self.ctx.loaded_ops))) != self._known_ops:
            self._shapes.clear()  # a name may stand for another op, now that more are known
            self._known_ops = size
        dialects = tuple(dict.fromkeys(reversed(self._parser_state.dialect_stack)))
        shapes = self._shapes.setdefault(dialects, {})
        match = LINE.match(text, self._token.start)
        line, end, source = None, 0, self._source
        while match is not None:
            content = match[1]
            if content[-1] == "{" or content[0] in "}^":
                break  # a region follows, or a block ends
            following = LINE.match(text, match.end())
            explicit = _ends_located(content) if content[-1] == ")" else None
            # No line that an op can be on contains a null character.
            parts = parts_of_line(content if explicit is None else f"{explicit[1]}\0")
            if explicit is not None:
                location = _location(*explicit.groups()[1:])
            elif source is None:
                location = UNKNOWN_LOC
            else:
                location = SourceLocation(source, match.start(1) + parts.start)
            follower = "" if following is None else following[2]
            line = _Line(match, parts, location, follower, shapes)
            if not self._build(line, block):
                break
            line = None
            end = match.end()
            match = following
        if end:
            self._resume_at(end)
        return line

    def _build(self, line: _Line, block: Block) -> bool:
        """Build an op and append it to the block, if the line fits the template of its shape.

        Returns:
            Whether an op was built.
        """
        _, (_, _, key, names, spelling), location, follower, shapes = line
        template = shapes.get(key)
        if not isinstance(template, Template) or follower not in template.followers:
            return False
        operands = self._find_operands(template, names)
        if operands is None:
            return False
        filling = None
        if spelling:
            filling = self._spelled.get(spelling)
            if filling is None and (filling := template.filling(spelling)) is None:
                return False
            self._spelled[spelling] = filling
        op = template.build(operands, filling, location)
        if template.successors:
            op.successors = self._find_blocks(template, line)
        for name, result in zip(names[: template.bound], op.results, strict=False):
            self.ssa_values[name] = (result,)
            if (hint := _hint(name)) is not None:
                result.name_hint = hint
        block.add_op(op)
        self.ops_from_templates += 1
        return True

    def _find_operands(self, template: Template, names: list[str]) -> list[SSAValue[Any]] | None:
        """Return the operands with the given names.

        The result is None if an operand does not fit, if a result has the name of another value, or
        if xDSL refuses the name of a successor.
        """
        for at in template.successors:
            if names[at] not in self.blocks and not Block.is_valid_name(names[at]):
                return None
        values, forward = self.ssa_values, self.forward_ssa_references
        for name in names[: template.bound]:
            if name in values or name in forward:
                return None
        operands: list[SSAValue[Any]] = []
        for at, expected in template.operands:
            found = values.get(names[at])
            if not found:
                return None
            value = found[0]
            if value._type is not expected and self._types.first(value._type) is not expected:
                return None
            operands.append(value)
        return operands

    def _find_blocks(self, template: Template, line: _Line) -> Sequence[Block]:
        """Return the successors of an op, and declare those that are not yet defined."""
        spans, start = name_spans(line.parts.text), line.match.start(1)
        for at in sorted(template.successors):
            self._resume_at(start + spans[at][0])
            self.parse_successor()
        return [self.blocks[line.parts.names[at]][0] for at in template.successors]

    # ---- lines to learn from ---------------------------------------------------------

    def _parse_new_line(self, line: _Line) -> Operation | None:
        """Parse an op without a template, and make a template from the op if possible."""
        op = self.parse_optional_operation()
        known = line.shapes.get(line.parts.key)
        if known is None:
            line.remember(_MET)
        if op is None or known is None or known is _REFUSED:
            return op
        template = self._to_template(line, op)
        if template is not None:
            # The line's tokens made the same of it before: none after them was taken.
            former = known.followers if isinstance(known, Template) else ()
            template.followers.update((line.follower, *former))
        line.remember(template or _REFUSED)
        return op

    def _to_template(self, line: _Line, op: Operation) -> Template | None:
        """Return a template of an op that was just parsed, or None if a template is impossible."""
        text, start, _, names, spelling = line.parts
        name = _OP_NAME.match(text, start)
        following = LINE.match(self.lexer.input.content, line.match.end())
        if (
            name is None
            or following is None
            or not line.follower
            or self._token.start != following.start(1)
            or type(op.location) is not type(line.location)
            or op.location != line.location
        ):
            return None
        op_name = name[1] or name[2]
        found = self.ctx.get_optional_op(op_name, dialect_stack=self._parser_state.dialect_stack)
        if found is not type(op) or not self._has_known_parser(found, generic=name[2] is None):
            return None
        if not self._names_known_attributes(text):
            return None
        operands, results, successors = op._operands, op.results, op._successors
        values, named = (*operands, *results), (*operands, *successors)
        parts = [each._type for each in values] + [*op.properties.values(), *op.attributes.values()]
        bound = text.count("%", 0, start)
        used: dict[int, int] = {}  # which of the names each value or block has, by address
        for at, (first, _) in enumerate(name_spans(text)[bound:], bound):
            known = self.blocks if text[first] == "^" else self.ssa_values
            if found := known.get(names[at]):
                used.setdefault(id(found[0]), at)
        if (
            op.regions
            or bound not in {0, len(results)}
            # Other names are part of an attribute's text.
            or len(names) - bound != len(named)
            or not all(id(each) in used for each in named)
            or not all(map(is_known_attribute, parts))
        ):
            return None
        type_of = self._types.first
        template = Template(
            op_class=type(op),
            bound=bound,
            operands=tuple((used[id(each)], type_of(each._type)) for each in operands),
            successors=tuple(used[id(each)] for each in successors),
            result_types=tuple(type_of(each._type) for each in results),
            properties=op.properties.copy(),
            attributes=op.attributes.copy(),
        )
        if spelling:
            template.varied = VARIED.get(op.name) if is_xdsl_class(type(op)) else None
            varied = op.properties.get(template.varied or "")
            if varied is None or template.filling(spelling) != varied:
                return None
        return template

    def _names_known_attributes(self, text: str) -> bool:
        """Return whether the classes of all dialect types and attributes in a line are known.

        The parser of an unknown class may return an attribute of a known class.
        """
        for sigil, dialect, name in _DIALECT_NAME.findall(text):
            find = self.ctx.get_optional_type if sigil == "!" else self.ctx.get_optional_attr
            class_ = find(f"{dialect}.{name}")
            if class_ is None or not is_xdsl_class(class_):
                return False
        return True

    # ---- functions -------------------------------------------------------------------

    def parse_operation(self) -> Operation:
        """Parse an op; for a function, reuse the parsed signature of an earlier one if possible."""
        head = FUNCTION_HEAD.match(self.lexer.input.content, self._token.start)
        if head is None:
            return super().parse_operation()
        key = head[1], shape_of(head[3])[0]
        if (known := self._functions.get(key)) is not None:
            return self._parse_body(*known, head)
        op = super().parse_operation()
        if (
            is_xdsl_class(type(op))
            and is_xdsl_code(type(op).parse)
            and (entry := op.regions[0].first_block) is not None
            and all(map(is_known_attribute, op.properties.values()))
            and self._names_known_attributes(head[3])
        ):
            self._functions[key] = op, entry.arg_types
        return op

    def _parse_body(
        self, known: Operation, types: Sequence[Attribute], head: re.Match[str]
    ) -> Operation:
        """Parse the rest of a function with the signature and types of a known function."""
        source, stack, first = self.lexer.input, self._parser_state.dialect_stack, head.start(3)
        self._resume_at(head.end())
        arguments = [
            self.Argument(Span(first + start, first + end, source), type_)
            for (start, end), type_ in zip(name_spans(head[3]), types, strict=True)
        ]
        stack.append("func")
        region = self.parse_region(arguments or None)
        stack.pop()
        location = self.parse_optional_location()
        if location is None and self._source is not None:
            location = SourceLocation(self._source, head.start())
        return type(known).create(
            properties={**known.properties, "sym_name": StringAttr(head[2])},
            regions=[region],
            location=location,
        )
