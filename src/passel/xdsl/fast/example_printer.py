"""A printer that prints ops of a known key by example."""
# pyright: reportPrivateUsage=false
# xDSL's printer names values in `print_ssa_value`; there is no public way to name one otherwise.

from __future__ import annotations

from io import StringIO
from typing import IO, TYPE_CHECKING, Any, Final, cast

from xdsl.dialects.builtin import IntegerAttr
from xdsl.printer import Printer
from xdsl.traits import IsTerminator

from passel.xdsl.fast import PrintingMemory
from passel.xdsl.fast.ghost_printer import AttributeHole, ValueHole
from passel.xdsl.fast.text_templates import ONCE, TextTemplate, attribute_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.dialects.builtin import StringAttr
    from xdsl.ir import Attribute, Block, Operation, SSAValue

    from passel.xdsl.fast.examples import Examples

_FLAGS: Final = ("print_generic_format", "print_debuginfo", "print_properties_as_attributes")

_PATIENCE: Final = 64
"""Ops of new keys in a row after which it seems that the IR does not repeat itself."""

_LEAP: Final = 3 * _PATIENCE
"""Ops of which the key is not even looked at then, so that in vain costs little."""


class ExamplePrinter(Printer):
    """xDSL's `Printer`, but that it fills in what it has printed once for an op alike.

    The text is the same, and so are the names of values and blocks that it remembers. An op
    is printed by example if its operands have names already, and its key was learned: an op
    of the key was shown to its printer as a ghost, which consulted nothing beyond the key.

    Args:
        args: As for `Printer`.
        memory: What was learned from ops printed before.
        keywords: As for `Printer`.

    Attributes:
        examples: What was learned.
        ops_by_example: How many ops were printed by example.
    """

    def __init__(self, *args: Any, memory: PrintingMemory | None = None, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        flags = {name: getattr(self, name) for name in _FLAGS}
        self.examples: Examples = (memory or PrintingMemory()).examples(**flags)
        self.ops_by_example: int = 0
        # By address, of values in scope; xDSL's table has all, which keeps them alive.
        self._names: dict[int, str] = {}
        self._outer_names: list[dict[int, str]] = []
        self._new_in_a_row = 0
        self._left_out = 0
        self._terminators: dict[type[Operation], bool] = {}

    # ---- text ------------------------------------------------------------------------

    def print_string(self, text: str, *args: Any, **keywords: Any) -> None:
        """Print a text, which is indented after its line ends."""
        if self.stream is None or "\n" in text:
            super().print_string(text, *args, **keywords)
        else:
            self._current_column += len(text)
            self.stream.write(text)

    def print_attribute(self, attribute: Attribute) -> None:
        """Print an attribute."""
        text = self.examples.texts.get(id(attribute))
        if text is None and self.examples.is_met_again(attribute):
            text = self.examples.learn_text(attribute)
        if text:
            self.print_string(text)
        else:
            super().print_attribute(attribute)

    def print_block(
        self,
        block: Block,
        print_block_args: bool = True,
        print_block_terminator: bool = True,
    ) -> None:
        """Print a block, each op on a line of its own."""
        if print_block_args:
            self._print_new_line()
            self.print_block_name(block)
            if block.args:
                with self.in_parens():
                    self.print_list(block.args, self.print_block_argument)
            self.print_string(":")
        with self.indented():
            width = self._indent * self.indent_num_spaces
            new_line = "\n" + " " * width
            op = block._first_op
            while op is not None:
                if print_block_terminator or not self._is_terminator(op):
                    template = self._find(op)
                    if template is None or not self._fill(op, template, new_line, width):
                        self._print_new_line()
                        super().print_op(op)
                op = op._next_op

    def _is_terminator(self, op: Operation) -> bool:
        known = self._terminators.get(type(op))
        if known is None:
            known = op.has_trait(IsTerminator, value_if_unregistered=False)
            self._terminators[type(op)] = known
        return known

    def _print_new_line(self, *args: Any, **keywords: Any) -> None:
        if self.stream is None or args or keywords or self._next_line_callback:
            super()._print_new_line(*args, **keywords)
            return
        width = self._indent * self.indent_num_spaces
        self.stream.write("\n" + " " * width)
        self._current_line += 1
        self._current_column = width

    def print_ssa_value(self, value: SSAValue[Any]) -> str:
        """Print the name of a value, which gets one if it has none."""
        name = self._names[id(value)] = super().print_ssa_value(value)
        return name

    def enter_scope(self) -> None:
        """Begin to count names anew; those outside cannot be used inside."""
        super().enter_scope()
        self._outer_names.append(self._names)
        self._names = {}

    def exit_scope(self) -> None:
        """Go on counting where it was left off."""
        super().exit_scope()
        self._names = self._outer_names.pop()

    # ---- ops -------------------------------------------------------------------------

    def print_op(self, op: Operation) -> None:
        """Print an op with its results."""
        template = self._find(op)
        if template is None or not self._fill(op, template, "", self._current_column):
            super().print_op(op)

    def _find(self, op: Operation) -> TextTemplate | None:
        """Return the template of an op's key, if there is one or this op gives one."""
        if self._left_out:
            self._left_out -= 1
            return None
        if self.stream is None or self.diagnostic.op_messages:
            return None
        examples = self.examples
        shape = examples.shape_of(op)
        key = examples.key_of(op, shape) if shape.keyed else ()
        if key is None:
            return None
        template = shape.templates.get(key)
        if isinstance(template, TextTemplate):
            self._new_in_a_row = 0
            return template
        if template is None:
            self._count_new()
            examples.remember(shape, key, ONCE)
        return examples.learn(op, shape) if template is ONCE else None

    def _count_new(self) -> None:
        self._new_in_a_row += 1
        if self._new_in_a_row == _PATIENCE:
            self._new_in_a_row, self._left_out = 0, _LEAP

    def _fill(self, op: Operation, template: TextTemplate, new_line: str, column: int) -> bool:
        """Print an op from a template, unless a value has a name or lacks one unexpectedly.

        Args:
            op: The op.
            template: The template of its key.
            new_line: What to print before it: the end of a line and indentation, or nothing.
            column: The column at which it starts then.

        Returns:
            Whether it was printed. If not, nothing was.
        """
        names, named = self._names, self._ssa_values
        values, results = op._operands, op.results
        try:
            operands = [names[id(value)] for value in values]
        except KeyError:
            return False
        for result in results:
            if result in named:
                return False
        if template.is_particular and not self._can_name(op, template):
            return False
        parts = [self._name(result) for result in results]
        parts += operands
        self.ops_by_example += 1
        self.examples.filled += 1
        if not template.is_plain:
            if new_line:
                self._print_new_line()
            self._fill_segments(op, template, parts)
            return True
        if template.extras:
            self._add_extras(op, template, parts)
        pick, holes = template.pick, tuple(parts)
        text = template.text % (holes if pick is None else pick(holes))
        self.stream.write(new_line + text)  # pyright: ignore[reportOptionalMemberAccess] - see `_find`
        self._current_column = column + len(text)
        if new_line:
            self._current_line += 1
        return True

    def _can_name(self, op: Operation, template: TextTemplate) -> bool:
        """Return whether successors have names, and arguments in the text have none yet."""
        return all(op._successors[index] in self._blocks for index in template.successors) and all(
            _argument(op, *where) not in self._ssa_values for where in template.arguments
        )

    def _fill_segments(self, op: Operation, template: TextTemplate, parts: list[str]) -> None:
        """Print an op that has regions, or names of its own."""
        if template.is_isolated:
            self.enter_scope()
        self._add_extras(op, template, parts)
        holes = tuple(parts)
        for text, pick, region in template.segments:
            filled = text % (holes if pick is None else pick(holes))
            self.stream.write(filled)  # pyright: ignore[reportOptionalMemberAccess] - see `_find`
            self._current_column += len(filled)
            if region is not None:
                self.print_region(op.regions[region.index], *region.arguments)
        if template.is_isolated:
            self.exit_scope()

    def _name(self, value: SSAValue[Any]) -> str:
        """Name a value as `print_ssa_value` does."""
        hint = value._name
        if hint:
            names = self._ssa_names[-1]
            index = names.get(hint, 0)
            name = f"{hint}_{index}" if index else hint
            names[hint] = index + 1
        else:
            ids = self._next_valid_name_id
            name = str(ids[-1])
            ids[-1] += 1
        self._ssa_values[value] = self._names[id(value)] = name
        return name

    def _add_extras(self, op: Operation, template: TextTemplate, parts: list[str]) -> None:
        """Add what stands for anything else than results and operands."""
        texts = self.examples.texts
        if template.operand_types:
            operands = [*op._operands]
            for index in template.operand_types:
                type_ = operands[index]._type
                parts.append(texts.get(id(type_)) or self._text_of(type_))
        if template.result_types:
            results = [*op.results]
            for index in template.result_types:
                type_ = results[index]._type
                parts.append(texts.get(id(type_)) or self._text_of(type_))
        for name in template.properties:
            attribute = op.properties[name]
            parts.append(texts.get(id(attribute)) or self._text_of(attribute))
        for hole in template.others:
            parts.append(self._part(op, hole))  # noqa: PERF401 - a name may depend on the last

    def _part(self, op: Operation, hole: ValueHole | AttributeHole) -> str:
        if isinstance(hole, AttributeHole):
            attribute = attribute_at(op, hole.place)
            if hole.method == "print_attribute":
                return self._text_of(attribute)
            text = cast("StringAttr", attribute).data
            return self._captured(getattr(super(), hole.method), text)
        kind, index = hole
        if kind == "successor":
            return self._blocks[op._successors[index]]
        return self._name(_argument(op, int(kind), index))

    def _text_of(self, attribute: Attribute) -> str:
        """Return the text of an attribute of which none is at hand."""
        if attribute.__class__ is IntegerAttr:
            text = self.examples.text_of_integer(cast("IntegerAttr[Any]", attribute))
            if text:
                return text
        return self._captured(self.print_attribute, attribute)

    def _captured(self, method: Callable[..., None], argument: object) -> str:
        """Return what a method prints."""
        stream, column = self.stream, self._current_column
        captured = StringIO()
        self.stream: IO[str] | None = captured
        try:
            method(argument)
        finally:
            self.stream, self._current_column = stream, column
        return captured.getvalue()


def _argument(op: Operation, region: int, index: int) -> SSAValue[Any]:
    """Return an argument of the first block of a region."""
    return cast("Block", op.regions[region]._first_block)._args[index]
