"""Classes of passes that Python accepts and no run could use, each refused with the way out."""

from __future__ import annotations

import functools
import types
from typing import TYPE_CHECKING, Any

import pytest

from passel import (
    DefinitionError,
    InterfacePass,
    OperationPass,
    Options,
    Pass,
    PassContext,
    PassFailedError,
    PassManager,
    PipelineError,
    Statistic,
    option,
)
from passel.testing import ToyAdapter, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable


class Table:
    """An interface."""


def refused(name: str = "P", base: Any = Pass, **body: Any) -> str:
    """Return the message with which a class is refused."""
    with pytest.raises(DefinitionError) as caught:
        type(name, (base,), body)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value)


# -- Methods -----------------------------------------------------------------------------------


def method(parameters: str) -> Any:
    """Return a function with these parameters."""
    return eval(f"lambda {parameters}: None")  # noqa: S307 - of this file


@pytest.mark.parametrize(
    "parameters", ["self, op", "", "self, op, ctx, more", "self, *, op, ctx", "op, ctx"]
)
def test_run_takes_the_op_and_the_context(parameters: str) -> None:
    """With other parameters the class is refused, before a run finds out."""
    assert refused(run=method(parameters)) == (
        f"P.run({parameters.replace('*, ', '')}) cannot be called with 'op' and 'ctx': write "
        "run(self, op, ctx), where ctx is the PassContext of this execution"
    )


def test_a_decorated_run_has_the_parameters_of_the_function() -> None:
    """What a decorator takes and passes on says nothing."""
    short, whole = method("self, op"), method("self, op, ctx")
    assert "P.run(self, op) cannot be called" in refused(run=functools.wraps(short)(method("*all")))
    assert type("P", (Pass,), {"run": functools.wraps(whole)(method("*all"))})


def test_the_op_comes_first() -> None:
    """Passes of xDSL take the context first, so that authors write it so."""
    assert refused(run=method("self, ctx, op")) == (
        "P.run takes 'ctx' first; a pass is run with the op first: write run(self, op, ctx)"
    )


def test_other_methods_have_their_parameters() -> None:
    """The same holds for what else a run calls."""
    assert refused(initialize=method("self")).endswith(
        "cannot be called with 'ir_context': write initialize(self, ir_context)"
    )
    assert refused(can_schedule_on=method("self")).endswith(
        "cannot be called with 'kind': write can_schedule_on(self, kind)"
    )


@pytest.mark.parametrize(
    ("body", "way_out"),
    [
        ({}, "write it"),
        ({"apply": method("self, ctx, op")}, "write its apply as run(self, op, ctx)"),
    ],
)
def test_a_pass_without_a_body_does_not_run(body: dict[str, Any], way_out: str) -> None:
    """It may stand in a pipeline, which is refused as a whole before anything runs."""
    bare = type("Bare", (Pass,), {"name": "bare", **body})
    ran: list[object] = []

    def note(op: Any, handle: Any) -> None:
        ran.append(op)

    pm = PassManager("toy.module", adapter=ToyAdapter()).add(note, bare())
    message = f"Bare does not define run(self, op, ctx): {way_out}"
    with pytest.raises(DefinitionError) as caught:
        pm.run(parse_toy("toy.module()"))
    assert (str(caught.value), ran) == (message, [])


def test_a_class_that_lacks_something_has_its_place_in_text(
    parse: Callable[[str], PassManager], registry: Any
) -> None:
    """Where the pipeline was written as text, the name is marked."""
    registry.register(type("Bare", (Pass,), {"name": "bare"}))
    with pytest.raises(PipelineError) as caught:
        parse("toy.module(bare)").run(parse_toy("toy.module()"))
    (problem,) = caught.value.problems
    assert problem.span is not None
    assert problem.span.text == "bare"


# -- Making instances --------------------------------------------------------------------------


def test_init_is_made_from_the_options() -> None:
    """The author's own is refused, with its parameters as options."""
    init = method("self, limit, deep=False")
    message = refused(__init__=init)
    assert message == (
        "P defines __init__, which is made from the annotated fields: declare 'limit', 'deep' in "
        "the class body, as in 'limit: int = 8', and build what is costly in "
        "initialize(self, ir_context)"
    )
    assert "declare its options in the class body" in refused(__init__=method("self"))
    assert "defines __init__" in refused(base=Options, __init__=init)


def test_a_check_of_several_options_begins_with_those_of_each() -> None:
    """Without them, values would not be what the annotations say."""
    assert refused(__post_init__=method("self")) == (
        "P.__post_init__ must begin with super().__post_init__(), which checks the values"
    )

    class Range(Options):
        first: int = 0
        last: int = 9

        def __post_init__(self) -> None:
            """Refuse an empty range."""
            super().__post_init__()
            if self.first > self.last:
                raise ValueError("empty")

    assert Range(first=3).last == 9
    with pytest.raises(ValueError, match="empty"):
        Range(first=10)


def test_an_option_has_a_type() -> None:
    """What is no annotated field is no option."""
    assert refused(limit=option(default=3)) == (
        "option 'limit' of P has no type: annotate it, as in 'limit: int = option(...)'"
    )


@pytest.mark.parametrize(
    ("default", "way_out"),
    [
        ([], "default of option 'x' of P is [], which can be changed, and passes are values: for "),
        (option(default=[1]), "for a list, write tuple[int, ...] and (1, 2)"),
        ({}, "write a subclass of Options"),
    ],
)
def test_a_default_cannot_be_changed(default: Any, way_out: str) -> None:
    """It would be shared by all passes of the class."""
    assert way_out in refused(__annotations__={"x": "tuple[int, ...]"}, x=default)


# -- Type parameters and anchors -----------------------------------------------------------------


def derived(base: Any, parameter: Any, **body: Any) -> Callable[[], Any]:
    """Return what defines a class with a type parameter."""
    return lambda: types_new(base[parameter], body)


def types_new(base: Any, body: dict[str, Any]) -> type:
    """Define a class P."""
    return types.new_class("P", (base,), exec_body=lambda namespace: namespace.update(body))


@pytest.mark.parametrize(
    ("define", "message"),
    [
        (
            derived(OperationPass, "func.func"),
            (
                "P derives from OperationPass['func.func'], which takes the class of an op: write the "
                "class, or OperationPass without brackets, and anchor = 'func.func' in the class body"
            ),
        ),
        (
            derived(OperationPass, "FuncOp"),
            (
                "P derives from OperationPass['FuncOp'], which takes the class of an op, not its "
                "name: write OperationPass[FuncOp]"
            ),
        ),
        (
            derived(OperationPass, int | str),
            (
                "P derives from OperationPass[int | str], which takes the class of one op: derive "
                "from Pass, and override can_schedule_on to choose among ops"
            ),
        ),
        (
            derived(InterfacePass, "SymbolTable"),
            (
                "P derives from InterfacePass['SymbolTable'], which takes the class of a trait or "
                "interface: write InterfacePass[SymbolTable]"
            ),
        ),
        (derived(InterfacePass, Table()), "interface: write InterfacePass[Table]"),
        (derived(OperationPass, int), "P derives from OperationPass[int]: int is not an op class"),
        (
            derived(Pass, Any, anchor=Table),
            "anchor of P is Table, not the name of an op: derive from OperationPass[Table], or ",
        ),
    ],
)
def test_type_parameters_are_classes(define: Callable[[], type], message: str) -> None:
    """Others would be ignored, and the pass would have no anchor."""
    with pytest.raises(DefinitionError) as caught:
        define()
    assert message in str(caught.value)


# -- Passes never change -------------------------------------------------------------------------


class Counting(Pass):
    """Changes itself in the way that an option says."""

    name = "counting"
    how: str = ""
    seen = Statistic("Ops seen")

    def run(self, op: Any, ctx: PassContext) -> None:
        """Change the pass."""
        if self.how == "assign":
            self.how = "new"  # pyright: ignore[reportAttributeAccessIssue]
        elif self.how == "another":
            self.other = 3  # pyright: ignore[reportAttributeAccessIssue]
        elif self.how == "delete":
            del self.how  # pyright: ignore[reportAttributeAccessIssue]
        else:
            self.seen += 1  # pyright: ignore[reportOperatorIssue, reportAttributeAccessIssue, reportUnknownMemberType]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("assign", "FrozenInstanceError: cannot assign to 'how' of Counting: passes never change"),
        ("another", "FrozenInstanceError: cannot assign to 'other' of Counting: passes never "),
        ("delete", "FrozenInstanceError: cannot assign to 'how' of Counting: passes never change"),
        (
            "count",
            "TypeError: statistic 'seen' is a declaration, without a number: count by ctx.count(",
        ),
    ],
)
def test_a_pass_that_changes_itself_fails(how: str, message: str) -> None:
    """The failure says what to do instead."""
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(Counting(how=how))
    with pytest.raises(PassFailedError) as caught:
        pm.run(parse_toy("toy.module()"))
    assert message in str(caught.value)


def test_run_is_a_method() -> None:
    """Something else of that name is shown."""
    assert refused(run=3) == "P.run is 3, not a method: write run(self, op, ctx)"
