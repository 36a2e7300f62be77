"""A parser that parses lines of a known shape by example."""
# pyright: reportPrivateUsage=false
# xDSL's parser is extended by overriding its `_parse_*` methods; there is no public hook.

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Final, NamedTuple

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.lexer import Span

from passel.xdsl.fast.contents import Shared
from passel.xdsl.fast.contextual import CONTEXTUAL
from passel.xdsl.fast.lines import (
    LINE,
    can_follow,
    name_spans,
    op_start,
    shape_of,
    shape_without_numbers,
)
from passel.xdsl.fast.templates import Names, Template, append, hint_of, to_template
from passel.xdsl.fast.watching import Watch
from passel.xdsl.locations import SourceLocation
from passel.xdsl.source_parser import SourceParser

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from xdsl.context import Context
    from xdsl.ir import Attribute, OpResult, TypeAttribute

    from passel.xdsl.locations import SourceText

_MAX_SHAPES: Final = 20_000
"""Shapes that are remembered of one source; at half a kilobyte each."""

_MAX_HINTS: Final = 20_000
"""Names of which the hint is remembered."""

_FREE_EXAMPLES: Final = 64
"""Ops that are watched in any case. Watching one costs about as much as parsing two."""

_LINES_PER_EXAMPLE: Final = 8
"""Ops parsed by example that pay for watching another one."""

_PATIENCE: Final = 64
"""Lines of new shapes in a row after which it seems that the source does not repeat itself."""

_LEAP: Final = 3 * _PATIENCE
"""Lines of which the shape is not even looked at then, so that in vain costs little."""


class _Seen:
    """The state of a shape without a template."""


_UNKNOWN: Final = "not a hint"
_ONCE: Final = _Seen()
_NEVER: Final = _Seen()

_Shapes = dict[Hashable, Template | _Seen]


class _Line(NamedTuple):
    """A line that is about to be parsed the ordinary way.

    Attributes:
        match: The line, from its first token.
        following: The next line, if there is one that can be one of ops.
        key: Its shape.
        names: Its names.
        numbers: Where the numbers that its shape leaves out start and end in the line.
        shapes: The shapes under the dialects around.
    """

    match: re.Match[str]
    following: re.Match[str] | None
    key: Hashable
    names: list[str]
    numbers: list[tuple[int, int]]
    shapes: _Shapes

    @property
    def text(self) -> str:
        """The line."""
        return self.match[1]

    @property
    def start(self) -> int:
        """Where it starts in the source."""
        return self.match.start(1)

    @property
    def next_start(self) -> int:
        """Where the token after it starts; -1 if that is not known."""
        return -1 if self.following is None else self.following.start(1)

    @property
    def follower(self) -> str:
        """The head of that token."""
        return "" if self.following is None else self.following[2]

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Where the names start and end in the source."""
        return [(self.start + first, self.start + end) for first, end in name_spans(self.text)]


class ExampleParser(SourceParser):
    """A `SourceParser` that builds an op from the text of its line, once it has seen others alike.

    The IR, errors and everything else are the same, but that types which consist of the same
    are one object. An op is built by example if it stands
    on one line, has no regions, and its shape was learned: two ops with lines of that shape
    gave the same op but for operands, successors and names, and the parser of one of them
    was seen to consult nothing but its own tokens and the types of its operands. Whatever is
    not as in the example is parsed the ordinary way.

    Args:
        context: As for `SourceParser`.
        text: As for `SourceParser`.
        filename: As for `SourceParser`.
        source: As for `SourceParser`.

    Attributes:
        lines_by_example: How many ops were built by example.
    """

    def __init__(
        self,
        context: Context,
        text: str,
        filename: str = "<unknown>",
        source: SourceText | None = None,
    ) -> None:
        super().__init__(context, text, filename, source)
        self._shapes: dict[tuple[str, ...], _Shapes] = {}
        self._hints: dict[str, str | None] = {}
        self._shared = Shared()
        self._examples = 0
        self._remembered = 0
        self._new_in_a_row = 0
        self._left_out = 0
        self.lines_by_example: int = 0

    def parse_optional_type(self) -> TypeAttribute | None:
        """Parse a type, if there is one; types that consist of the same are one object."""
        found = super().parse_optional_type()
        return None if found is None else self._shared.first(found)

    def _parse_block_body(self, block: Block) -> None:
        """Parse the ops of a block."""
        while True:
            line = None
            if self._left_out:
                self._left_out -= 1
            else:
                line = self._parse_known_lines(block)
            op = self.parse_optional_operation() if line is None else self._parse_new_line(line)
            if op is None:
                return
            block.add_op(op)

    # ---- lines of known shapes -------------------------------------------------------

    def _parse_known_lines(self, block: Block) -> _Line | None:
        """Parse all lines by example up to the first that is not known.

        Returns:
            That line, if an op on it could be learned from.
        """
        text = self._parser_state.lexer.input.content
        dialects = tuple(dict.fromkeys(reversed(self._parser_state.dialect_stack)))
        shapes = self._shapes.setdefault(dialects, {})
        size = len(self.ctx._loaded_ops)
        match = LINE.match(text, self._token.start)
        line, count, end = None, 0, 0
        while match is not None:
            content = match[1]
            if content[-1] == "{" or content[0] in "}^":
                break  # a region follows, or a block ends
            following = LINE.match(text, match.end())
            key, names = shape_of(content)
            numbers: list[tuple[int, int]] = []
            template = shapes.get(key)
            if template is None:
                bare = shape_without_numbers(content)
                if bare is not None and (template := shapes.get(bare[0])) is not _NEVER:
                    key, numbers = bare
            start = match.start(1)
            follower = "" if following is None else following[2]
            if (
                not isinstance(template, Template)
                or follower not in template.followers
                or (template.size != size and not self._is_current(template, size))
                or not self._build(template, block, names, numbers, start, content)
            ):
                line = _Line(match, following, key, names, numbers, shapes)
                break
            count += 1
            end = match.end()
            match = following
        if count:
            self.lines_by_example += count
            self._resume_at(end)
        return line

    def _is_current(self, template: Template, size: int) -> bool:
        """Return whether the op's name stands for what it did, now that the context knows more."""
        found = self.ctx.get_optional_op(
            template.op_name, dialect_stack=self._parser_state.dialect_stack
        )
        if found is not template.registered or len(self.ctx._loaded_ops) != size:
            return False
        template.size = size
        return True

    def _build(
        self,
        template: Template,
        block: Block,
        names: list[str],
        numbers: list[tuple[int, int]],
        start: int,
        content: str,
    ) -> bool:
        """Build an op and append it to the block, if everything is as in the template."""
        values = self.ssa_values
        operands = template.find_operands(names, values)
        if operands is None:
            return False
        bound = template.bound
        offset = start + template.name_offset
        forward = self.forward_ssa_references
        for at in range(bound):
            name = names[at]
            if name in values or name in forward:
                return False
            offset += len(name)
        attributes = self._find_numbers(template, numbers, content)
        successors = self._find_blocks(template, names, start, content)
        if successors is None or attributes is None:
            return False
        op = template.build(operands, successors)
        if attributes:
            template.put_numbers(op, attributes)
        if self._source is not None:
            op.location = SourceLocation(self._source, offset)
        results = op.results
        for at in range(bound):
            name, result = names[at], results[at]
            values[name] = (result,)
            self._set_hint(result, name)
        append(block, op)
        return True

    def _set_hint(self, result: OpResult, name: str) -> None:
        hints = self._hints
        hint = hints.get(name, _UNKNOWN)
        if hint is _UNKNOWN:
            if len(hints) >= _MAX_HINTS:
                hints.clear()
            hint = hints[name] = hint_of(name)
        if hint is not None:
            result._name = hint

    def _find_numbers(
        self, template: Template, spans: list[tuple[int, int]], content: str
    ) -> list[Attribute] | None:
        """Return the numbers of a line; None if one is not right for its type."""
        attributes: list[Attribute] = []
        for (start, end), (_, _, type_) in zip(spans, template.numbers, strict=True):
            spelling = content[start:end]
            number = self._spelled.get(spelling)
            if number is None:
                try:
                    number = IntegerAttr(int(spelling.partition(" ")[0]), type_)
                except (VerifyException, ValueError):
                    return None
                self._spelled[spelling] = number
            attributes.append(number)
        return attributes

    def _find_blocks(
        self, template: Template, names: list[str], start: int, content: str
    ) -> Sequence[Block] | None:
        """Return the successors, declaring those not met yet; None if a name is unusual."""
        if not template.successors:
            return ()
        blocks = self.blocks
        missing = sorted({at for at in template.successors if names[at] not in blocks})
        if missing:
            if not all(Block.is_valid_name(names[at]) for at in missing):
                return None
            spans = name_spans(content)
            for at in missing:
                name = names[at]
                first, last = spans[at]
                span = Span(start + first, start + last, self.lexer.input)
                self.forward_block_references[name].append(span)
                block = Block()
                if not Block.is_default_block_name(name):
                    block.name_hint = name
                blocks[name] = (block, None)
        return [blocks[names[at]][0] for at in template.successors]

    # ---- lines to learn from ---------------------------------------------------------

    def _parse_new_line(self, line: _Line) -> Operation | None:
        """Parse an op the ordinary way, and learn from it."""
        known = line.shapes.get(line.key)
        self._new_in_a_row = 0 if known else self._new_in_a_row + 1
        if known is None:
            self._remember(line, _ONCE)
            if self._new_in_a_row == _PATIENCE:
                self._new_in_a_row, self._left_out = 0, _LEAP
        elif known is _ONCE:
            allowed = _FREE_EXAMPLES + self.lines_by_example // _LINES_PER_EXAMPLE
            if self._examples < allowed and can_follow(line.follower):
                return self._parse_example(line)
        elif isinstance(known, Template) and can_follow(line.follower):
            return self._parse_second(line, known)
        return self.parse_optional_operation()

    def _remember(self, line: _Line, what: Template | _Seen) -> None:
        if line.key not in line.shapes:
            self._remembered += 1
        if self._remembered > _MAX_SHAPES:
            # Those that come often are soon back.
            for shapes in self._shapes.values():
                shapes.clear()
            self._remembered = 1
        line.shapes[line.key] = what

    def _parse_example(self, line: _Line) -> Operation | None:
        """Parse an op, and keep it as a template if it is one."""
        state = self._parser_state
        token, position = state.current_token, state.lexer.pos
        names = self._look_up(line)
        self._remember(line, _NEVER)
        op = self.parse_optional_operation()
        if names is None or op is None:
            return op
        template = self._to_template(line, names, op)
        if template is None or template.op_class in CONTEXTUAL:
            return op
        self._examples += 1
        numbers = [line.start + start for start, _ in line.numbers]
        with Watch(self, names.names[: names.bound], numbers) as watch:
            state.current_token, state.lexer.pos = token, position
            again = watch.parse()
            other = again and self._to_template(line, names, again)
            if (
                again is not None
                and other is not None
                and self._takes_numbers(
                    line, template, other, [watch.numbers.get(n) for n in numbers]
                )
                and template.agrees(other)
                and watch.accounts_for(again, line.spans)
            ):
                template.op_name, template.registered = watch.op_name, watch.op_class
                template.followers.add(line.follower)
                template.size = len(self.ctx._loaded_ops)
                self._remember(line, template)
        return op

    def _takes_numbers(
        self,
        line: _Line,
        template: Template,
        other: Template,
        hidden: Sequence[Attribute | None],
    ) -> bool:
        """Note where a template keeps its line's numbers.

        Args:
            line: The line.
            template: The template.
            other: The same, but that numbers were hidden. It is given those of the template.
            hidden: What stood for them.

        Returns:
            Whether each of the numbers is kept at one place of its own.
        """
        places = [other.find_number(number) for number in hidden if number is not None]
        template.numbers = tuple(place for place in places if place is not None)
        return len(template.numbers) == len(hidden) and self._equalize(
            line, template, template, other
        )

    def _equalize(self, line: _Line, template: Template, holder: Template, other: Template) -> bool:
        """Give another template the numbers of this one, if `holder` has those of the line."""
        own = [number for number in template.get_numbers(template) if number is not None]
        found = self._find_numbers(template, line.numbers, line.text)
        if found is None or template.get_numbers(holder) != found:
            return False
        template.put_numbers(other, own)
        return True

    def _parse_second(self, line: _Line, template: Template) -> Operation | None:
        """Parse an op on a line for which there is a template that did not do."""
        names = self._look_up(line)
        op = self.parse_optional_operation()
        if names is None or op is None:
            return op
        other = self._to_template(line, names, op)
        if other is not None:
            self._equalize(line, template, other, other)
        if other is None or (template.has_operands_as(other) and not template.agrees(other)):
            line.shapes[line.key] = _NEVER
        elif template.agrees(other):
            template.followers.add(line.follower)
        return op

    # ---- what the names of a line stand for ------------------------------------------

    def _look_up(self, line: _Line) -> Names | None:
        """Return what the names of a line stand for; None if that is unusual."""
        text, names = line.text, line.names
        start = op_start(text)
        bound = text.count("%", 0, max(start, 0))
        values: dict[int, int] = {}
        blocks: list[int] = []
        for at, (first, _) in enumerate(name_spans(text)):
            name = names[at]
            found = self.ssa_values.get(name)
            if at < bound:
                if found is not None or name in self.forward_ssa_references:
                    return None
            elif text[first] == "^":
                blocks.append(at)
            elif not found:
                return None
            else:
                values.setdefault(id(found[0]), at)
        return None if start < 0 else Names(names, bound, start, values, blocks)

    def _to_template(self, line: _Line, names: Names, op: Operation) -> Template | None:
        """Return an op that was just parsed as a template; None if it cannot be one."""
        if self._token.start != line.next_start:
            return None
        blocks: dict[int, int] = {}
        for at in names.blocks:
            found = self.blocks.get(line.names[at])
            if found is None:
                return None
            blocks.setdefault(id(found[0]), at)
        location = None if self._source is None else line.start + names.op_start
        return to_template(op, names, blocks, location)
