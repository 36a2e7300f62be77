"""The adapter contract as tests: what the core relies on, method by method of `IRAdapter`.

A subclass says how its IR is built and changed; pytest collects its tests. Nothing here imports
pytest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar
from unittest import SkipTest

from passel.diagnostics import Location
from passel.errors import PassFailedError
from passel.ir import (
    BringsFrontend,
    InvalidIR,
    IRAdapter,
    PrintFlags,
    RenewsFingerprints,
    SendsOps,
    WrapsPasses,
    ability_of,
)
from passel.ir.frontend import FrontendSettings, SourcePart
from passel.manager import PassManager
from passel.passes import Pass
from passel.testing.program import PROGRAM, Node, check, equal, raised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from passel.ir.frontend import Frontend
    from passel.passes import PassContext


class AdapterContract:
    """Tests of an adapter. Subclass it, and name the subclass so that pytest finds it: `Test...`.

    Defaults are for an IR with everything. What yours does not have is left out by a class
    attribute: `program` without nested modules, `has_parents = False`, `interface = None`. A test
    that asks for what is left out is skipped.

    Attributes:
        adapter: The adapter.
        names: Op names by role.
        program: The program of most tests. It needs two ops of the role `func`, neither nested in
            the other. An IR may add ops at the end of any body but the top one, such
            as terminators.
        isolated: The roles of ops that are isolated from above.
        unregistered: The roles of ops that no dialect defines.
        interface: An interface that only ops of the roles in `implementing` implement; or None.
        implementing: The roles of these.
        dialect: A dialect that can be loaded; empty if there is none.
        misspelt: An op name, the name that is meant, and a dialect that does not exist; each may
            be empty.
        moves: Ops that `move` can move and where to, as paths in `program`.
        flat: A program, an op in it that directly follows another one, and that one: moved into
            it, the op still comes right after the same ops. None if nothing can be built so.
        has_parents: Whether ops know their parents.
        has_locations: Whether ops that `build` makes have a place in a file.
        knows_changes: Whether a run tells if the IR changed, by the adapter's policies.
        foreign: Passes of the IR's own, for an adapter that wraps them.
        source: The text of a file, for an adapter with a frontend.

    Example:
        class TestMyAdapter(AdapterContract):
            adapter = MyAdapter()
            names = {"module": "my.module", "func": "my.func", ...}

            def build(self, node, context): ...

            def change(self, op): ...
    """

    adapter: IRAdapter
    names: ClassVar[Mapping[str, str]]
    program: ClassVar[Node] = PROGRAM
    isolated: ClassVar[AbstractSet[str]] = frozenset({"module", "func"})
    unregistered: ClassVar[AbstractSet[str]] = frozenset({"unknown", "other"})
    interface: type | None = None
    implementing: ClassVar[AbstractSet[str]] = frozenset({"func"})
    dialect: str = ""
    misspelt: tuple[str, str, str] = ("", "", "")
    moves: ClassVar[Sequence[tuple[tuple[int, ...], tuple[int, ...]]]] = (
        ((0,), (2,)),
        ((3, 0), (2,)),
    )
    flat: ClassVar[tuple[Node, tuple[int, ...], tuple[int, ...]] | None] = (
        Node("module", None, (Node("region", None, (Node("unknown"),)), Node("unknown"))),
        (1,),
        (0,),
    )
    has_parents: bool = True
    has_locations: bool = False
    knows_changes: bool = True
    foreign: Sequence[Any] = ()
    source: str = ""

    # -- Defined by a subclass ---------------------------------------------------------------

    def build(self, node: Node, context: Any) -> Any:
        """Return the op for a node, valid, with all that is inside."""
        raise NotImplementedError

    def change(self, op: Any) -> None:
        """Change an op of any role, leaving it valid."""
        raise NotImplementedError

    def break_(self, op: Any) -> None:
        """Make an op of the role `func` invalid."""
        raise NotImplementedError

    def move(self, op: Any, into: Any) -> None:
        """Move an op to the end of what is inside of another."""
        raise NotImplementedError

    # -- Kinds -------------------------------------------------------------------------------

    def test_name(self) -> None:
        """An adapter has the name of its IR."""
        check(self.adapter.name, "the adapter has no name")

    def test_kinds(self) -> None:
        """Every op answers for itself: its name, whether it is registered and isolated."""
        for node, op in self._ops():
            kind = self.adapter.kind_of(op)
            equal(kind.name, self.names[node.role], "the name of an op's kind")
            known = node.role not in self.unregistered
            equal(kind.registered, known, f"'registered' of '{kind.name}'")
            isolated = known and node.role in self.isolated
            equal(kind.isolated, isolated, f"'isolated' of '{kind.name}'")

    def test_interfaces(self) -> None:
        """Only ops that implement an interface have it, and unregistered ops have none."""
        if self.interface is None:
            raise SkipTest("there are no interfaces")
        for node, op in self._ops():
            found = self.adapter.kind_of(op).implements(self.interface)
            equal(found, node.role in self.implementing, f"whether a {node.role} implements it")

    def test_keys(self) -> None:
        """All ops of a name have one key object, also those built later; others have others."""
        context, top = self._built()
        later = self.build(self.program, context)
        keys: dict[str, Any] = {}
        for path, node in [*self.program.walk(), *self.program.walk()]:
            for root in (top, later):
                key = self.adapter.key_of(self._at(root, path))
                known = keys.setdefault(self.names[node.role], key)
                check(known is key, f"two ops '{self.names[node.role]}' have different keys")
        equal(len(set(keys.values())), len(keys), "how many keys there are for as many names")

    def test_named_kinds(self) -> None:
        """Registered names have a kind, which is that of their ops; other names have none."""
        context, _ = self._built()
        kind_named = self.adapter.kind_named
        for role in {node.role for _, node in self.program.walk()}:
            kind = kind_named(context, self.names[role])
            if role in self.unregistered:
                equal(kind, None, f"the kind of '{self.names[role]}', of which there are ops,")
            else:
                found = kind and (kind.name, kind.registered, kind.isolated)
                expected = (self.names[role], True, role in self.isolated)
                equal(found, expected, f"the kind of '{self.names[role]}'")
        for name in (self.misspelt[0], "nosuchdialect", "", "any"):
            equal(kind_named(context, name), None, f"the kind of '{name}'")

    def test_suggestions(self) -> None:
        """A misspelt op name gets a suggestion, nonsense gets none."""
        context = self.adapter.create_context()
        name, meant, _ = self.misspelt
        if name:
            found = self.adapter.suggest_op(context, name)
            equal(found, f"; did you mean '{meant}'?", f"the suggestion for '{name}'")
        equal(self.adapter.suggest_op(context, "qqqqqq.zzzzzz"), "", "that for nonsense")

    # -- Nesting -----------------------------------------------------------------------------

    def test_children(self) -> None:
        """Ops immediately inside come in program order, and nothing deeper."""
        adapter, (_, top) = self.adapter, self._built()
        for path, node in self.program.walk():
            inside = adapter.children(self._at(top, path))
            expected = [self.names[inner.role] for inner in node.body]
            names = [adapter.kind_of(op).name for op in inside]
            equal(names[: len(expected)] if path else names, expected, "the ops inside")
            symbols = [adapter.symbol_name(op) for op in inside[: len(expected)]]
            equal(symbols, [inner.symbol for inner in node.body], "their symbols")

    def test_children_are_a_snapshot(self) -> None:
        """Moving ops while they are processed does not disturb the iteration."""
        _, top = self._built()
        for path, into in self.moves[:1]:
            outer = self._at(top, path[:-1])
            children = self.adapter.children(outer)
            count = len(children)
            self.move(children[path[-1]], self._at(top, into))
            equal(len(children), count, "the length of a list of ops after one was moved")
            equal(len(self.adapter.children(outer)), count - 1, "that of a new list")

    def test_parents(self) -> None:
        """Every op knows its parent, if the IR has parents; the top op has none."""
        adapter, (_, top) = self.adapter, self._built()
        equal(adapter.parent(top), None, "the op that encloses the top op")
        for path, _ in self.program.walk():
            if path:
                enclosing = adapter.parent(self._at(top, path))
                if self.has_parents or enclosing is not None:
                    equal(enclosing, self._at(top, path[:-1]), "the op that encloses an op")

    def test_locations(self) -> None:
        """Every op has a location, be it an unknown one."""
        for node, op in self._ops():
            place: Any = self.adapter.location(op)
            check(isinstance(place, Location), f"the location of a {node.role} is {place!r}")
            check(place.file or not self.has_locations, f"a {node.role} has no place in a file")

    # -- Contexts and dialects ---------------------------------------------------------------

    def test_context_of(self) -> None:
        """Ops know their own context or none, and never another one."""
        context, top = self._built()
        found = self.adapter.context_of(top)
        check(found is None or found == context, "an op says that it is of another context")

    def test_load_dialects(self) -> None:
        """Dialects are loaded by name, also twice; one that does not exist is named."""
        context, known = self.adapter.create_context(), [self.dialect] if self.dialect else []
        for names in ([], known, [*known, *known]):
            self.adapter.load_dialects(context, names)
        unknown = self.misspelt[2]
        if unknown:
            error = raised(
                LookupError, lambda: self.adapter.load_dialects(context, [*known, unknown])
            )
            check(f"'{unknown}'" in str(error), f"the error does not name '{unknown}': {error}")

    # -- Verification ------------------------------------------------------------------------

    def test_verify_accepts(self) -> None:
        """Valid IR passes, the whole as well as each op by itself."""
        _, top = self._built()
        self.adapter.verify(top, recursive=True)
        for path, _ in self.program.walk():
            if len(path) <= 1:
                self.adapter.verify(self._at(top, path), recursive=False)

    def test_verify_names_the_op(self) -> None:
        """The error of an op carries that op, wherever it is, and a reason without its name."""
        for path in self._functions():
            _, top = self._built()
            func = self._at(top, path)
            self.break_(func)
            error = raised(InvalidIR, lambda top=top: self.adapter.verify(top, recursive=True))
            equal(error.op, func, "the op that is to blame")
            check(error.message, "there is no reason")
            check(not error.message.startswith("'"), f"the reason has a name: {error.message}")

    def test_verify_finds_the_first(self) -> None:
        """Of two invalid ops the first in program order is reported."""
        _, top = self._built()
        paths = self._functions()
        first, last = self._at(top, paths[0]), self._at(top, paths[-1])
        self.break_(last)
        self.break_(first)
        error = raised(InvalidIR, lambda: self.adapter.verify(top, recursive=True))
        equal(error.op, first, "the op that is to blame")

    def test_verify_one_op(self) -> None:
        """Without recursion the op itself is checked; of what is inside an IR may check more."""
        _, top = self._built()
        func = self._at(top, self._functions()[0])
        self.break_(func)
        raised(InvalidIR, lambda: self.adapter.verify(func, recursive=False))

    # -- Printing ----------------------------------------------------------------------------

    def test_print(self) -> None:
        """Every form shows the symbols, in order, and ends without a newline."""
        _, top = self._built()
        symbols = [node.symbol for _, node in self.program.walk() if len(node.symbol or "") > 1]
        for flags in _FORMS:
            text = self.adapter.print_op(top, flags)
            places = [text.index(symbol) for symbol in symbols if symbol]
            equal(places, sorted(places), "the places of the symbols")
            equal(text, text.rstrip("\n"), "the text")

    def test_print_invalid_ops(self) -> None:
        """IR that does not verify can be printed, since that is when it is looked at."""
        path = self._functions()[-1]
        for flags in _FORMS:
            _, top = self._built()
            func = self._at(top, path)
            self.break_(func)
            symbol = self.adapter.symbol_name(func) or ""
            for op in (func, top):
                check(symbol in self.adapter.print_op(op, flags), f"'{symbol}' is not printed")

    def test_print_changes_nothing(self) -> None:
        """Looking at IR is no change."""
        _, top = self._built()
        before = self.adapter.fingerprint(top)
        for flags in _FORMS:
            self.adapter.print_op(top, flags)
        self.adapter.verify(top, recursive=True)
        equal(self.adapter.fingerprint(top), before, "the fingerprint")

    # -- Fingerprints ------------------------------------------------------------------------

    def test_fingerprint_of_the_unchanged(self) -> None:
        """As long as nothing changes, fingerprints are equal."""
        for _, op in self._ops():
            for recursive in (True, False):
                first = self.adapter.fingerprint(op, recursive=recursive)
                second = self.adapter.fingerprint(op, recursive=recursive)
                equal(first, second, "the fingerprint")

    def test_fingerprint_of_the_changed(self) -> None:
        """A change of any op shows in everything that encloses it, and nowhere else."""
        take = self.adapter.fingerprint
        for path, node in self.program.walk():
            _, top = self._built()
            enclosing = [self._at(top, path[:depth]) for depth in range(len(path) + 1)]
            beside = [(index,) for index in range(len(self.program.body))] if path else []
            others = [self._at(top, place) for place in beside if place != path[:1]]
            before, others_before = [*map(take, enclosing)], [*map(take, others)]
            own = take(enclosing[-1], recursive=False)
            self.change(enclosing[-1])
            for op, known in zip(enclosing, before, strict=True):
                check(take(op) != known, f"a changed {node.role} is not seen from {op}")
            now = take(enclosing[-1], recursive=False)
            check(now != own, f"a changed {node.role} is not seen by itself")
            for op, known in zip(others, others_before, strict=True):
                equal(take(op), known, "the fingerprint of an op that did not change")

    def test_fingerprint_of_the_moved(self) -> None:
        """An op that moves is a change of what it left and of what it is in now, not of itself."""
        take = self.adapter.fingerprint
        for path, place in self.moves:
            _, top = self._built()
            moved, into = self._at(top, path), self._at(top, place)
            changed = (top, self._at(top, path[:-1]), into)
            before, own = [*map(take, changed)], take(moved)
            parts = take(into, recursive=False)
            self.move(moved, into)
            for op, known in zip(changed, before, strict=True):
                check(take(op) != known, f"an op that moved is not seen from {op}")
            check(take(into, recursive=False) != parts, "an op that came in is not seen")
            equal(take(moved), own, "the fingerprint of the op that moved")

    def test_fingerprint_knows_nesting(self) -> None:
        """The same ops in the same order are another program when they are nested otherwise."""
        if self.flat is None:
            raise SkipTest("nothing can be built so")
        program, path, place = self.flat
        top = self.build(program, self.adapter.create_context())
        before = self.adapter.fingerprint(top)
        self.move(self._at(top, path), self._at(top, place))
        check(self.adapter.fingerprint(top) != before, "nesting is not seen")

    # -- Runs --------------------------------------------------------------------------------

    def test_run(self) -> None:
        """A nested pass runs on each function at the top, in order; changes are noticed."""
        context, top = self._built()
        seen: list[str | None] = []

        def body(op: Any) -> None:
            seen.append(self.adapter.symbol_name(op))
            self.change(op)

        result = self._manager(context, body).run(top, jobs=1)  # `seen` is of this process
        funcs = [node.symbol for node in self.program.body if node.role == "func"]
        equal(seen, funcs, "the functions that a nested pass ran on")
        if self.knows_changes:
            equal(result.changed, True, "whether the run says that it changed something")
        again = self._manager(context, lambda _: None).run(top)
        check(not again.changed, "a run that changed nothing says that it did")

    def test_run_of_a_pass_that_breaks_an_op(self) -> None:
        """An op that a pass breaks fails the run, and each such op is named."""
        context, top = self._built()
        error = raised(PassFailedError, lambda: self._manager(context, self.break_).run(top))
        count = sum(node.role == "func" for node in self.program.body)
        equal(len(error.failures), count, "how many failures there are")

    def test_identities(self) -> None:
        """Keys of ops are equal for one op, whatever changes in it, and for no two."""
        _, top = self._built()
        ops = self.adapter.children(top)
        before = [self.adapter.identity_of(op) for op in ops]
        self.change(ops[0])
        equal(
            [self.adapter.identity_of(op) for op in self.adapter.children(top)], before, "the keys"
        )
        equal(len(set(before)), len(ops), "how many keys there are")

    # -- Optional abilities ------------------------------------------------------------------

    def test_renewing(self) -> None:
        """A fingerprint is the same object until the op changes, and then another one."""
        able = self._able(RenewsFingerprints)
        _, top = self._built()
        last = self.adapter.fingerprint(top)
        check(able.renew_fingerprint(top, last) is last, "a fingerprint was not kept")
        self.change(top)
        now: Any = able.renew_fingerprint(top, last)
        check(now != last, "a change is not seen")
        equal(self.adapter.fingerprint(top), now, "the fingerprint")

    def test_sending(self) -> None:
        """Changes of one op change another like it in the same way."""
        able = self._able(SendsOps)
        context, top = self._built()
        copy = self.build(self.program, context)
        for path in self._functions():
            func, other = self._at(top, path), self._at(copy, path)
            noted = able.note(other)
            self.change(other)
            able.decode_changes(func, able.encode_changes(other, noted), context)
            after = self.adapter.print_op(func, PrintFlags(generic=True))
            equal(after, self.adapter.print_op(other, PrintFlags(generic=True)), "the op")
            check(self._at(top, path) is func, "the op became another object")

    def test_wrapping(self) -> None:
        """The IR's own passes become passes; what is no pass is a `TypeError`."""
        able = self._able(WrapsPasses)
        for foreign in self.foreign:
            wrapped = able.wrap_pass(foreign)
            check(isinstance(wrapped, Pass), f"{foreign!r} becomes {wrapped!r}")
        raised(TypeError, lambda: able.wrap_pass(3))

    def test_files(self) -> None:
        """Text that a frontend prints reads back, and prints the same."""
        if not self.source:
            raise SkipTest("no source is given")
        frontend: Frontend = self._able(BringsFrontend).make_frontend()
        own = {flag.name: flag.default for flag in frontend.flags}
        frontend.configure(FrontendSettings(own=own))
        texts: list[Any] = [self.source]
        for _ in range(2):
            context = frontend.new_context()
            part = SourcePart(texts[-1], "contract")
            parsed = frontend.parse(part, context, lambda _: None)
            texts.append(frontend.emit(parsed, context))
        equal(texts[2], texts[1], "the text")

    # ----------------------------------------------------------------------------------------

    def _built(self) -> tuple[Any, Any]:
        """Return a context with the program."""
        context = self.adapter.create_context()
        return context, self.build(self.program, context)

    def _ops(self) -> Iterator[tuple[Node, Any]]:
        """Yield all nodes with their ops."""
        _, top = self._built()
        for path, node in self.program.walk():
            yield node, self._at(top, path)

    def _at(self, op: Any, path: Sequence[int]) -> Any:
        for index in path:
            op = self.adapter.children(op)[index]
        return op

    def _functions(self) -> list[tuple[int, ...]]:
        return [path for path, node in self.program.walk() if node.role == "func"]

    def _manager(self, context: Any, body: Callable[[Any], object]) -> PassManager:
        manager = PassManager(self.names[self.program.role], context, adapter=self.adapter)
        manager.nest(self.names["func"]).add(_Acting(body=body))
        return manager

    def _able(self, ability: type[Any]) -> Any:
        able = ability_of(self.adapter, ability)
        if able is None:
            raise SkipTest(f"the adapter does not have the ability {ability.__name__}")
        return able


_FORMS = [
    PrintFlags(generic=generic, debuginfo=debuginfo)
    for generic in (False, True)
    for debuginfo in (False, True)
]


class _Acting(Pass):
    """Call a function of a test."""

    fields_are_options: ClassVar[bool] = False
    name = "acting"
    body: Any

    def run(self, op: Any, ctx: PassContext) -> None:
        self.body(op)
