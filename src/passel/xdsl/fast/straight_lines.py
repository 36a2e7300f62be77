"""Declarative formats of ops as straight lines of printing.

xDSL interprets a format for each op: whether a space is due is state that it hands from directive
to directive. Nearly always that is the same for all ops of a format, so it is found out once.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xdsl.irdl.declarative_assembly_format import (
    AttrDictDirective,
    AttributeVariable,
    FunctionalTypeDirective,
    KeywordDirective,
    OperandVariable,
    OptionalGroupDirective,
    OptionalOperandVariable,
    OptionalSuccessorVariable,
    OptionalUnitAttrVariable,
    PrintingState,
    PunctuationDirective,
    ResultVariable,
    SuccessorVariable,
    TypeDirective,
    VariadicOperandVariable,
    VariadicSuccessorVariable,
    WhitespaceDirective,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from xdsl.irdl.declarative_assembly_format import FormatDirective
    from xdsl.printer import Printer

    Step = Callable[[Printer, Any], None]


class _Spacing(NamedTuple):
    """What a directive has to know of those before it; see `PrintingState`."""

    last_was_punctuation: bool = False
    should_emit_space: bool = True


_Spacings = frozenset[_Spacing]
"""All that may be so at one place of a format."""

_AFTER_A_WORD: Final = frozenset({_Spacing()})

_LITERALS: Final = frozenset({WhitespaceDirective, PunctuationDirective, KeywordDirective})
_WORDS: Final = frozenset({OperandVariable, SuccessorVariable, FunctionalTypeDirective})
"""Directives that print a word, after a space unless one is out of place."""

_OPTIONAL_WORDS: Final = frozenset(
    {
        *(VariadicOperandVariable, OptionalOperandVariable, TypeDirective),
        *(VariadicSuccessorVariable, OptionalSuccessorVariable),
    }
)
"""Directives that print the same, or nothing."""


class _NotStraightError(Exception):
    """Whether a space is due depends on the op."""


def straight_line(directives: Iterable[FormatDirective]) -> tuple[Step, ...] | None:
    """Return what prints an op as directives do.

    Args:
        directives: The directives of a format, all of them xDSL's own.

    Returns:
        None if spaces depend on the op, or if there is a directive of an unusual kind.
    """
    try:
        return _compiled(directives, _AFTER_A_WORD)[0]
    except _NotStraightError:
        return None


def _compiled(
    directives: Iterable[FormatDirective], spacings: _Spacings, present: object = None
) -> tuple[tuple[Step, ...], _Spacings]:
    """Return the steps of directives, and the spacings after them.

    Args:
        directives: The directives.
        spacings: The spacings before them.
        present: One of the directives, if it is known to print something.
    """
    steps: list[Step] = []
    text = ""
    for directive in directives:
        kind = type(directive)
        if kind in _LITERALS:
            literal, spacings = _literal(directive, spacings)
            text += literal
            continue
        is_word = kind in _WORDS or _types_one(directive)
        if is_word:
            text += _whitespace(spacings)
        if text:
            steps.append(_print_text(text))
            text = ""
        if is_word:
            steps.append(_word(directive))
            spacings = _AFTER_A_WORD
        elif isinstance(directive, OptionalGroupDirective):
            step, spacings = _group(directive, spacings)
            steps.append(step)
        elif kind is not OptionalUnitAttrVariable:  # which prints nothing
            steps.append(_optional(directive, spacings))
            spacings = _AFTER_A_WORD if directive is present else spacings | _AFTER_A_WORD
    if text:
        steps.append(_print_text(text))
    return tuple(steps), spacings


def _only(found: set[str]) -> str:
    if len(found) != 1:
        raise _NotStraightError
    return found.pop()


def _whitespace(spacings: _Spacings) -> str:
    """Return what most directives print first."""
    return _only({" " if emit or not punctuation else "" for punctuation, emit in spacings})


def _literal(directive: FormatDirective, spacings: _Spacings) -> tuple[str, _Spacings]:
    """Return what a directive prints for every op, and the spacings after it."""
    texts: set[str] = set()
    after: set[_Spacing] = set()
    for spacing in spacings:
        printer, state = _Recorder(), PrintingState(*spacing)
        directive.print(printer, state, None)  # pyright: ignore[reportArgumentType] - it looks at no op
        texts.add(printer.text)
        after.add(_Spacing(state.last_was_punctuation, state.should_emit_space))
    return _only(texts), frozenset(after)


class _Recorder:
    """Takes the place of a printer for directives that print a fixed text."""

    def __init__(self) -> None:
        self.text = ""

    def print_string(self, text: str) -> None:
        self.text += text


def _types_one(directive: FormatDirective) -> bool:
    """Return whether a directive prints the type of one operand or result."""
    return type(directive) is TypeDirective and type(directive.inner) in {
        OperandVariable,
        ResultVariable,
    }


def _word(directive: Any) -> Step:
    """Return what prints for a directive that prints a word, but for the space before it."""
    if type(directive) is OperandVariable:
        return _print_value(directive.name)
    if _types_one(directive):
        return _print_type(directive.inner.name)
    return _interpret(directive, "")


def _optional(directive: Any, spacings: _Spacings) -> Step:
    """Return what prints for a directive that prints a word or nothing."""
    if type(directive) is AttrDictDirective:
        return _print_attributes(directive)
    whitespace = _whitespace(spacings)
    if isinstance(directive, AttributeVariable):
        return _print_attribute(directive, whitespace)
    if type(directive) is VariadicOperandVariable:
        return _print_values(directive.name, whitespace)
    if type(directive) in _OPTIONAL_WORDS:
        return _interpret(directive, whitespace)
    raise _NotStraightError


def _group(directive: OptionalGroupDirective, spacings: _Spacings) -> tuple[Step, _Spacings]:
    present = (*directive.then_whitespace, directive.then_first, *directive.then_elements)
    then, after_then = _compiled(present, spacings, directive.anchor)
    otherwise, after_otherwise = _compiled(directive.else_elements, spacings)
    is_present = directive.anchor.is_present

    def step(printer: Printer, op: Any) -> None:
        for each in then if is_present(op) else otherwise:
            each(printer, op)

    return step, after_then | after_otherwise


def _print_text(text: str) -> Step:
    def step(printer: Printer, _: Any) -> None:
        printer.print_string(text)

    return step


def _print_value(name: str) -> Step:
    get = attrgetter(name)

    def step(printer: Printer, op: Any) -> None:
        printer.print_ssa_value(get(op))

    return step


def _print_values(name: str, whitespace: str) -> Step:
    get = attrgetter(name)

    def step(printer: Printer, op: Any) -> None:
        if values := get(op):
            printer.print_string(whitespace)
            printer.print_list(values, printer.print_ssa_value)

    return step


def _print_type(name: str) -> Step:
    get = attrgetter(f"{name}.type")

    def step(printer: Printer, op: Any) -> None:
        printer.print_attribute(get(op))

    return step


def _print_attribute(directive: AttributeVariable, whitespace: str) -> Step:
    def step(printer: Printer, op: Any) -> None:
        attribute = directive.get(op)
        if attribute is not None and attribute != directive.default_value:
            printer.print_string(whitespace)
            directive.print_attr(printer, attribute)

    return step


def _print_attributes(directive: AttrDictDirective) -> Step:
    interpret = _interpret(directive, " ")
    expected = directive.expected_properties

    def step(printer: Printer, op: Any) -> None:
        if op.attributes or not expected.isdisjoint(op.properties):
            interpret(printer, op)

    return step


def _interpret(directive: FormatDirective, whitespace: str) -> Step:
    spacing = _Spacing(last_was_punctuation=not whitespace, should_emit_space=bool(whitespace))

    def step(printer: Printer, op: Any) -> None:
        directive.print(printer, PrintingState(*spacing), op)

    return step
