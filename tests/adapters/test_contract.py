"""What the core relies on in every adapter, method by method of `passel.ir.IRAdapter`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from passel.diagnostics import Location
from passel.ir import InvalidIR, PrintFlags

if TYPE_CHECKING:
    from subjects import Node, Subject


@pytest.fixture
def context(subject: Subject) -> Any:
    """A new context of the adapter's IR."""
    return subject.adapter.create_context()


@pytest.fixture
def program(subject: Subject, node: type[Node], context: Any) -> Any:
    """A module with two functions, a module with one, and ops that nobody knows."""
    return subject.build(
        node(
            "module",
            None,
            (
                node("func", "f"),
                node("unknown"),
                node("module", "inner", (node("func", "g"), node("other"))),
                node("region", None, (node("unknown"), node("func", "h"))),
                node("func", "last"),
            ),
        ),
        context,
    )


def test_name(subject: Subject) -> None:
    """An adapter says which IR it is for."""
    assert subject.adapter.name


def test_kinds(subject: Subject, program: Any) -> None:
    """Every op answers for itself: its name, whether it is registered and isolated."""
    adapter = subject.adapter
    func, unknown, module, region, _ = adapter.children(program)
    for op, role in ((func, "func"), (unknown, "unknown"), (module, "module"), (region, "region")):
        kind = adapter.kind_of(op)
        assert kind.name == subject.names[role]
        assert kind.registered == (role != "unknown")
        assert kind.isolated == (role in ("module", "func"))


def test_interfaces(subject: Subject, program: Any) -> None:
    """Only ops that implement an interface say so, and unregistered ops never do."""
    func, unknown, module, region, _ = subject.adapter.children(program)
    answers = [
        subject.adapter.kind_of(op).implements(subject.interface)
        for op in (func, unknown, module, region)
    ]
    assert answers == [True, False, False, False]


def test_keys(subject: Subject, program: Any) -> None:
    """All ops of a name share one key object, other names have other ones."""
    adapter = subject.adapter
    func, unknown, module, region, last = adapter.children(program)
    (_, other) = adapter.children(module)
    (unknown_inside, *_) = adapter.children(region)
    key_of = adapter.key_of
    assert key_of(func) is key_of(last)
    assert key_of(unknown) is key_of(unknown_inside)
    assert len({key_of(op) for op in (func, unknown, module, region, other)}) == 5


def test_keys_of_one_context(
    subject: Subject, program: Any, node: type[Node], context: Any
) -> None:
    """A key holds for the context: ops that are built later have the same one."""
    key_of = subject.adapter.key_of
    for role, index in (("func", 0), ("unknown", 1), ("region", 3)):
        later = subject.build(node(role, "later" if role == "func" else None), context)
        assert key_of(later) is key_of(subject.adapter.children(program)[index])


def test_named_kinds(subject: Subject, context: Any) -> None:
    """Registered names have a kind, which is that of their ops; other names have none."""
    adapter = subject.adapter
    for role in ("module", "func", "region"):
        kind = adapter.kind_named(context, subject.names[role])
        assert kind is not None
        assert (kind.name, kind.registered) == (subject.names[role], True)
        assert kind.isolated == (role != "region")
    for name in (subject.names["unknown"], subject.misspelt[0], "nosuchdialect", "", "any"):
        assert adapter.kind_named(context, name) is None


def test_unregistered_names_stay_unknown(subject: Subject, program: Any, context: Any) -> None:
    """That ops of a name occur does not make it a registered one."""
    assert subject.adapter.children(program)
    assert subject.adapter.kind_named(context, subject.names["unknown"]) is None


def test_suggestions(subject: Subject, context: Any) -> None:
    """A misspelt op name gets a suggestion, nonsense gets none."""
    name, suggestion, _ = subject.misspelt
    assert subject.adapter.suggest_op(context, name) == f"; did you mean '{suggestion}'?"
    assert subject.adapter.suggest_op(context, "qqqqqq.zzzzzz") == ""


def test_children(subject: Subject, program: Any) -> None:
    """What is immediately inside comes in program order, and nothing deeper."""
    adapter = subject.adapter
    names = [adapter.kind_of(op).name for op in adapter.children(program)]
    roles = ("func", "unknown", "module", "region", "func")
    assert names == [subject.names[role] for role in roles]
    assert [adapter.symbol_name(op) for op in adapter.children(program)] == [
        "f",
        None,
        "inner",
        None,
        "last",
    ]


def test_children_are_a_snapshot(subject: Subject, program: Any) -> None:
    """Moving ops while they are processed does not disturb the iteration."""
    adapter = subject.adapter
    children = adapter.children(program)
    subject.move(children[0], children[2])
    assert len(children) == 5
    assert len(adapter.children(program)) == 4


def test_parents(subject: Subject, program: Any) -> None:
    """Every op knows what it is in; the top op is in nothing."""
    adapter = subject.adapter
    assert adapter.parent(program) is None
    for child in adapter.children(program):
        assert adapter.parent(child) == program
        for inner in adapter.children(child):
            assert adapter.parent(inner) == child


def test_locations(subject: Subject, program: Any) -> None:
    """Every op has a location, be it an unknown one."""
    adapter = subject.adapter
    for op in (program, *adapter.children(program)):
        assert isinstance(adapter.location(op), Location)


def test_context_of(subject: Subject, program: Any, context: Any) -> None:
    """Ops know their own context or none, and never another one."""
    assert subject.adapter.context_of(program) in (None, context)


def test_load_dialects(subject: Subject, context: Any) -> None:
    """Dialects are loaded by name, also twice; one that does not exist is named."""
    adapter = subject.adapter
    adapter.load_dialects(context, [subject.dialect])
    adapter.load_dialects(context, [subject.dialect, subject.dialect])
    adapter.load_dialects(context, [])
    unknown = subject.misspelt[2]
    with pytest.raises(LookupError, match=f"dialect '{unknown}'"):
        adapter.load_dialects(context, [subject.dialect, unknown])


def test_verify_accepts(subject: Subject, program: Any) -> None:
    """Valid IR passes, the whole as well as each op by itself."""
    adapter = subject.adapter
    adapter.verify(program, recursive=True)
    for op in (program, *adapter.children(program)):
        adapter.verify(op, recursive=False)


def test_verify_names_the_op(subject: Subject, program: Any) -> None:
    """The error of a nested op carries that op, and a reason without its name."""
    adapter = subject.adapter
    func, _ = adapter.children(adapter.children(program)[2])
    subject.break_(func)
    with pytest.raises(InvalidIR) as caught:
        adapter.verify(program, recursive=True)
    assert caught.value.op == func
    assert caught.value.message
    assert not caught.value.message.startswith("'")


def test_verify_finds_the_first(subject: Subject, program: Any) -> None:
    """Of two invalid ops the first in program order is reported."""
    adapter = subject.adapter
    first, *_, last = adapter.children(program)
    subject.break_(last)
    subject.break_(first)
    with pytest.raises(InvalidIR) as caught:
        adapter.verify(program, recursive=True)
    assert caught.value.op == first


def test_verify_one_op(subject: Subject, program: Any) -> None:
    """Without recursion the op itself is checked; of what is inside an IR may check more."""
    adapter = subject.adapter
    adapter.verify(program, recursive=False)
    func, *_ = adapter.children(program)
    subject.break_(func)
    with pytest.raises(InvalidIR):
        adapter.verify(func, recursive=False)


@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize("debuginfo", [False, True])
def test_print(subject: Subject, program: Any, generic: bool, debuginfo: bool) -> None:
    """Every form shows the symbols, in order, and ends without a newline."""
    text = subject.adapter.print_op(program, PrintFlags(generic=generic, debuginfo=debuginfo))
    places = [text.index(symbol) for symbol in ("inner", "last")]
    assert places == sorted(places)
    assert text == text.rstrip("\n")


@pytest.mark.parametrize("generic", [False, True])
def test_print_invalid_ops(subject: Subject, program: Any, generic: bool) -> None:
    """IR that does not verify can be printed, since that is when it is looked at."""
    func, *_ = subject.adapter.children(program)
    subject.break_(func)
    flags = PrintFlags(generic=generic)
    assert subject.names["func"] in subject.adapter.print_op(func, flags)
    assert "inner" in subject.adapter.print_op(program, flags)


def test_print_changes_nothing(subject: Subject, program: Any) -> None:
    """Looking at IR is no change."""
    before = subject.adapter.fingerprint(program)
    for generic in (False, True):
        subject.adapter.print_op(program, PrintFlags(generic=generic))
    subject.adapter.verify(program, recursive=True)
    assert subject.adapter.fingerprint(program) == before


def test_fingerprint_of_the_unchanged(subject: Subject, program: Any) -> None:
    """As long as nothing changes, fingerprints are equal."""
    for op in (program, *subject.adapter.children(program)):
        assert subject.adapter.fingerprint(op) == subject.adapter.fingerprint(op)


@pytest.mark.parametrize("path", [(), (0,), (2,), (2, 0), (3, 1), (4,)])
def test_fingerprint_of_the_changed(subject: Subject, program: Any, path: tuple[int, ...]) -> None:
    """A change of any op shows in everything around it, and nowhere else."""
    adapter = subject.adapter
    around = [program]
    for index in path:
        around.append(adapter.children(around[-1])[index])
    others = [op for op in adapter.children(program) if op not in around and len(path) > 0]
    before = [adapter.fingerprint(op) for op in around]
    before_others = [adapter.fingerprint(op) for op in others]
    subject.change(around[-1])
    assert all(adapter.fingerprint(op) != b for op, b in zip(around, before, strict=True))
    assert [adapter.fingerprint(op) for op in others] == before_others


def test_fingerprint_of_the_moved(subject: Subject, program: Any) -> None:
    """An op that moves is a change of what it left and of what it is in now."""
    adapter = subject.adapter
    _, unknown, module, region, _ = adapter.children(program)
    before = [adapter.fingerprint(op) for op in (program, module, region)]
    (moved, *_) = adapter.children(region)
    own = adapter.fingerprint(unknown)
    subject.move(moved, module)
    after = [adapter.fingerprint(op) for op in (program, module, region)]
    assert all(a != b for a, b in zip(after, before, strict=True))
    assert adapter.fingerprint(unknown) == own


def test_fingerprint_knows_nesting(subject: Subject, node: type[Node], context: Any) -> None:
    """The same ops in the same order are another program when they are nested otherwise."""
    adapter = subject.adapter
    module = subject.build(
        node("module", None, (node("region", None, (node("unknown"),)), node("unknown"))), context
    )
    region, last = adapter.children(module)
    before = adapter.fingerprint(module)
    subject.move(last, region)
    assert adapter.fingerprint(module) != before


def test_fingerprint_without_the_place(subject: Subject, program: Any) -> None:
    """Where the op itself stands does not count."""
    adapter = subject.adapter
    func, _, module, *_ = adapter.children(program)
    before = adapter.fingerprint(func)
    subject.move(func, module)
    assert adapter.fingerprint(func) == before
