"""The adapter contract as tests: what the core relies on, method by method of `IRAdapter`.

A subclass says how its IR is built and changed; pytest collects its tests. Nothing here imports
pytest.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from unittest import SkipTest

from passel.diagnostics import Location
from passel.errors import PassFailedError
from passel.ir import (
    BringsFrontend,
    InvalidIR,
    OpKind,
    PrintFlags,
    SendsOps,
    WrapsPasses,
)
from passel.ir.frontend import FrontendSettings, SourcePart
from passel.passes import Pass
from passel.testing.subject import Subject, about, check, equal, raised

if TYPE_CHECKING:
    from passel.ir.frontend import Frontend


class AdapterContract(Subject):
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

    A subclass defines four methods: `build(node, context)` returns a valid op for a node with all
    that is inside, `change(op)` changes an op of any role and leaves it valid, `break_(op)` makes
    an op of the role `func` invalid, `move(op, into)` moves an op to the end of what is inside of
    another. A test that fails says which method of the adapter returned what, what was expected,
    and where that is documented; the first one that fails is the one to read.

    Example:
        class TestMyAdapter(AdapterContract):
            adapter = MyAdapter()
            names = {"module": "my.module", "func": "my.func", ...}

            def build(self, node, context): ...

            def change(self, op): ...
    """

    # -- Kinds -------------------------------------------------------------------------------

    @about("name")
    def test_name(self) -> None:
        """An adapter has the name of its IR."""
        check(self.adapter.name, "the adapter has no name")

    def test_types(self) -> None:
        """Every method returns what it is declared to return: look at this first if it fails."""
        context, top = self._built()
        arguments: dict[str, tuple[tuple[Any, ...], Any]] = {
            "kind_of": ((top,), OpKind),
            "suggest_op": ((context, _NONSENSE), str),
            "children": ((top,), Sequence),
            "symbol_name": ((top,), str | None),
            "location": ((top,), Location),
            "print_op": ((top, PrintFlags()), str),
        }
        for method, (given, kind) in arguments.items():
            found = getattr(self.adapter, method)(*given)
            what = f"that of the top op is {found!r}, expected {getattr(kind, '__name__', kind)}"
            about(method)(check)(isinstance(found, kind), what)

    @about("kind_of")
    def test_kinds(self) -> None:
        """Every op answers for itself: its name, whether it is registered and isolated."""
        for node, op in self._ops():
            kind = self.adapter.kind_of(op)
            equal(kind.name, self.names[node.role], "the 'name' of an op's kind")
            known = node.role not in self.unregistered
            equal(kind.registered, known, f"'registered' of the kind of '{kind.name}'")
            isolated = known and node.role in self.isolated
            equal(kind.isolated, isolated, f"'isolated' of the kind of '{kind.name}'")

    @about("kind_of")
    def test_interfaces(self) -> None:
        """Only ops that implement an interface have it, and unregistered ops have none."""
        if self.interface is None:
            raise SkipTest("there are no interfaces")
        for node, op in self._ops():
            found = self.adapter.kind_of(op).implements(self.interface)
            what = f"'implements({self.interface.__name__})' of a {node.role}'s kind"
            equal(found, node.role in self.implementing, what)

    @about("key_of")
    def test_keys(self) -> None:
        """All ops of a name have one key object, also those built later; others have others."""
        context, top = self._built()
        later = self.build(self.program, context)
        keys: dict[str, Any] = {}
        for path, node in [*self.program.walk(), *self.program.walk()]:
            for root in (top, later):
                key = self.adapter.key_of(self._at(root, path))
                known = keys.setdefault(self.names[node.role], key)
                check(known is key, f"those of two ops '{self.names[node.role]}' are two objects")
        equal(len(set(keys.values())), len(keys), "the number of keys, for ops of as many names,")

    @about("kind_named")
    def test_named_kinds(self) -> None:
        """Registered names have a kind, which is that of their ops; other names have none."""
        context, _ = self._built()
        kind_named = self.adapter.kind_named
        for role in {node.role for _, node in self.program.walk()}:
            kind = kind_named(context, self.names[role])
            if role in self.unregistered:
                equal(kind, None, f"that of '{self.names[role]}', which is not registered,")
            else:
                found = kind and (kind.name, kind.registered, kind.isolated)
                expected = (self.names[role], True, role in self.isolated)
                what = f"name, 'registered' and 'isolated' of that of '{self.names[role]}'"
                equal(found, expected, what)
        for name in (self.misspelt[0], "nosuchdialect", "", "any"):
            equal(kind_named(context, name), None, f"the kind of '{name}'")

    @about("suggest_op")
    def test_suggestions(self) -> None:
        """A misspelt op name gets a suggestion, nonsense gets none."""
        context = self.adapter.create_context()
        name, meant, _ = self.misspelt
        if name:
            found = self.adapter.suggest_op(context, name)
            equal(found, f"; did you mean '{meant}'?", f"the suggestion for '{name}'")
        equal(self.adapter.suggest_op(context, _NONSENSE), "", f"the suggestion for '{_NONSENSE}'")

    # -- Nesting -----------------------------------------------------------------------------

    @about("children")
    def test_children(self) -> None:
        """Ops immediately inside come in program order, and nothing deeper."""
        adapter, (_, top) = self.adapter, self._built()
        for path, node in self.program.walk():
            inside = adapter.children(self._at(top, path))
            expected = [self.names[inner.role] for inner in node.body]
            names = [adapter.kind_of(op).name for op in inside]
            names = names[: len(expected)] if path else names
            equal(names, expected, f"the list of ops inside of a {node.role}")

    @about("symbol_name")
    def test_symbols(self) -> None:
        """An op that defines a symbol has its name, all others have none."""
        for node, op in self._ops():
            equal(self.adapter.symbol_name(op), node.symbol, f"that of a {node.role}")

    @about("children")
    def test_children_are_a_snapshot(self) -> None:
        """Moving ops while they are processed does not disturb the iteration."""
        _, top = self._built()
        for path, into in self._moves()[:1]:
            outer = self._at(top, path[:-1])
            children = self.adapter.children(outer)
            count = len(children)
            self.move(children[path[-1]], self._at(top, into))
            equal(len(children), count, "the length of a list after an op was moved elsewhere")
            equal(len(self.adapter.children(outer)), count - 1, "that of a new list")

    @about("parent")
    def test_parents(self) -> None:
        """Every op knows its parent, if the IR has parents; the top op has none."""
        adapter, (_, top) = self.adapter, self._built()
        self._same(adapter.parent(top), None, "that of the top op")
        for path, _ in self.program.walk():
            if path:
                enclosing = adapter.parent(self._at(top, path))
                if self.has_parents or enclosing is not None:
                    self._same(enclosing, self._at(top, path[:-1]), "that of an op inside")

    @about("location")
    def test_locations(self) -> None:
        """Every op has a location, be it an unknown one."""
        for node, op in self._ops():
            place: Any = self.adapter.location(op)
            check(isinstance(place, Location), f"that of a {node.role} is {place!r}")
            has_place = place.file or not self.has_locations
            check(has_place, f"that of a {node.role} has no file, though 'has_locations' is set")

    # -- Contexts and dialects ---------------------------------------------------------------

    @about("context_of")
    def test_context_of(self) -> None:
        """Ops know their own context or none, and never another one."""
        context, top = self._built()
        found = self.adapter.context_of(top)
        what = f"that of an op is {found!r}, expected the one that it was built in, or None"
        check(found is None or found == context, what)

    @about("load_dialects")
    def test_load_dialects(self) -> None:
        """Dialects are loaded by name, also twice; one that does not exist is named."""
        context, known = self.adapter.create_context(), [self.dialect] if self.dialect else []
        for names in ([], known, [*known, *known]):
            self.adapter.load_dialects(context, names)
        unknown = self.misspelt[2]
        if unknown:
            error = raised(
                LookupError,
                lambda: self.adapter.load_dialects(context, [*known, unknown]),
                f"the unknown dialect '{unknown}'",
            )
            check(f"'{unknown}'" in str(error), f"the error does not name '{unknown}': {error}")

    # -- Verification ------------------------------------------------------------------------

    @about("verify")
    def test_verify_accepts(self) -> None:
        """Valid IR passes, the whole as well as each op by itself."""
        _, top = self._built()
        self.adapter.verify(top, recursive=True)
        for path, _ in self.program.walk():
            if len(path) <= 1:
                self.adapter.verify(self._at(top, path), recursive=False)

    @about("verify")
    def test_verify_names_the_op(self) -> None:
        """The error of an op carries that op, wherever it is, and a reason without its name."""
        for path in self._functions():
            _, top = self._built()
            func = self._at(top, path)
            self.break_(func)
            verify = partial(self.adapter.verify, top, recursive=True)
            error = raised(InvalidIR, verify, _INSIDE)
            self._same(error.op, func, "the 'op' of the error, which is to blame,")
            check(error.message, "the error has no message")
            check(not error.message.startswith("'"), f"the message has a name: {error.message}")

    @about("verify")
    def test_verify_finds_the_first(self) -> None:
        """Of two invalid ops the first in program order is reported."""
        _, top = self._built()
        paths = self._functions()
        first, last = self._at(top, paths[0]), self._at(top, paths[-1])
        self.break_(last)
        self.break_(first)
        error = raised(InvalidIR, lambda: self.adapter.verify(top, recursive=True), _INSIDE)
        self._same(error.op, first, "the 'op' of the error, the first of two that are invalid,")

    @about("verify")
    def test_verify_one_op(self) -> None:
        """Without recursion the op itself is checked; of what is inside an IR may check more."""
        _, top = self._built()
        func = self._at(top, self._functions()[0])
        self.break_(func)
        verify = partial(self.adapter.verify, func, recursive=False)
        raised(InvalidIR, verify, "an invalid op, without recursion,")

    # -- Printing ----------------------------------------------------------------------------

    @about("print_op")
    def test_print(self) -> None:
        """Every form shows the symbols, in order, and ends without a newline."""
        _, top = self._built()
        symbols = [n.symbol for _, n in self.program.walk() if n.symbol and len(n.symbol) > 1]
        for flags in _FORMS:
            text = self.adapter.print_op(top, flags)
            for symbol in symbols:
                check(symbol in text, f"the text lacks the symbol '{symbol}': {text}")
            equal(sorted(symbols, key=text.index), symbols, "the order of symbols in the text")
            check(not text.endswith("\n"), "the text ends with a newline")

    @about("print_op")
    def test_print_invalid_ops(self) -> None:
        """IR that does not verify can be printed, since that is when it is looked at."""
        path = self._functions()[-1]
        for flags in _FORMS:
            _, top = self._built()
            func = self._at(top, path)
            self.break_(func)
            symbol = self.adapter.symbol_name(func) or ""
            for op in (func, top):
                text = self.adapter.print_op(op, flags)
                check(symbol in text, f"the text of an invalid op lacks its symbol '{symbol}'")

    @about("fingerprint")
    def test_print_changes_nothing(self) -> None:
        """Looking at IR is no change."""
        _, top = self._built()
        before = self.adapter.fingerprint(top)
        for flags in _FORMS:
            self.adapter.print_op(top, flags)
        self.adapter.verify(top, recursive=True)
        equal(self.adapter.fingerprint(top), before, "that of an op after it was printed")

    # -- Fingerprints ------------------------------------------------------------------------

    @about("fingerprint")
    def test_fingerprint_of_the_unchanged(self) -> None:
        """As long as nothing changes, fingerprints are equal."""
        for _, op in self._ops():
            for recursive in (True, False):
                first = self.adapter.fingerprint(op, recursive=recursive)
                second = self.adapter.fingerprint(op, recursive=recursive)
                equal(second, first, "that of an unchanged op")

    @about("fingerprint")
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
                check(
                    take(op) != known,
                    f"that of {self._named(op)} is as before, though a {node.role} was changed",
                )
            now = take(enclosing[-1], recursive=False)
            check(now != own, f"without recursion, that of a changed {node.role} is as before")
            for op, known in zip(others, others_before, strict=True):
                equal(take(op), known, "that of an op beside the one that was changed")

    @about("fingerprint")
    def test_fingerprint_of_the_moved(self) -> None:
        """An op that moves is a change of what it left and of what it is in now, not of itself."""
        take = self.adapter.fingerprint
        for path, place in self._moves():
            _, top = self._built()
            moved, into = self._at(top, path), self._at(top, place)
            changed = (top, self._at(top, path[:-1]), into)
            before, own = [*map(take, changed)], take(moved)
            parts = take(into, recursive=False)
            self.move(moved, into)
            for op, known in zip(changed, before, strict=True):
                check(
                    take(op) != known,
                    f"that of {self._named(op)} is as before, though an op in it was moved",
                )
            check(
                take(into, recursive=False) != parts,
                "without recursion, that of an op into which another one was moved is as before",
            )
            equal(take(moved), own, "that of an op that was moved, but not changed,")

    @about("fingerprint")
    def test_fingerprint_knows_nesting(self) -> None:
        """The same ops in the same order are another program when they are nested otherwise."""
        if self.flat is None:
            raise SkipTest("nothing can be built so")
        program, path, place = self.flat
        top = self._build("flat", program, self.adapter.create_context())
        before = self.adapter.fingerprint(top)
        self.move(self._at(top, path), self._at(top, place))
        check(
            self.adapter.fingerprint(top) != before,
            "that of a program is as before, though an op was moved into the one before it",
        )

    # -- Runs --------------------------------------------------------------------------------

    @about("key_of")
    def test_run(self) -> None:
        """A nested pass runs on each function at the top, in order; changes are noticed."""
        context, top = self._built()
        seen: list[str | None] = []

        def body(op: Any) -> None:
            seen.append(self.adapter.symbol_name(op))
            self.change(op)

        result = self._manager(context, body).run(top, jobs=1)  # `seen` is of this process
        funcs = [node.symbol for node in self.program.body if node.role == "func"]
        equal(seen, funcs, "the symbols of the ops that a nested pass ran on")
        if self.knows_changes:
            equal(result.changed, True, "'changed' of a run whose pass changed ops")
        again = self._manager(context, lambda _: None).run(top)
        check(not again.changed, "'changed' of a run that changed nothing is True")

    @about("verify")
    def test_run_of_a_pass_that_breaks_an_op(self) -> None:
        """An op that a pass breaks fails the run, and each such op is named."""
        context, top = self._built()
        error = raised(
            PassFailedError,
            lambda: self._manager(context, self.break_).run(top),
            "a run of a pass that leaves ops invalid",
        )
        count = sum(node.role == "func" for node in self.program.body)
        equal(len(error.failures), count, "the number of failures, for as many invalid ops,")

    @about("identity_of")
    def test_identities(self) -> None:
        """Keys of ops are equal for one op, whatever changes in it, and for no two."""
        _, top = self._built()
        ops = self.adapter.children(top)
        before = [self.adapter.identity_of(op) for op in ops]
        self.change(ops[0])
        after = [self.adapter.identity_of(op) for op in self.adapter.children(top)]
        equal(after, before, "those of ops after one of them was changed")
        equal(len(set(before)), len(ops), "the number of different ones, of as many ops,")

    @about("renew_fingerprint")
    def test_renewing(self) -> None:
        """A fingerprint is the same object until the op changes, and then another one."""
        _, top = self._built()
        last, renew = self.adapter.fingerprint(top), self.adapter.renew_fingerprint
        check(renew(top, last) is last, "that of an unchanged op is another object")
        self.change(top)
        now: Any = renew(top, last)
        check(now != last, "that of a changed op is as before")
        equal(now, self.adapter.fingerprint(top), "the one of a changed op")

    # -- Optional abilities ------------------------------------------------------------------

    @about("decode_changes")
    def test_sending(self) -> None:
        """Changes of one op change another like it in the same way."""
        able = self._able(SendsOps)
        context, top = self._built()
        copy = self.build(self.program, context)
        for path in self._functions():
            func, other = self._at(top, path), self._at(copy, path)
            noted = able.note(other)
            self.change(other)
            able.decode_changes(func, able.encode_changes(other, noted), context)()
            after, expected = (
                self.adapter.print_op(each, PrintFlags(generic=True)) for each in (func, other)
            )
            equal(after, expected, "the op that was to become like the other")
            check(self._at(top, path) is func, "the op became another object")

    @about("wrap_pass")
    def test_wrapping(self) -> None:
        """The IR's own passes become passes; what is no pass is a `TypeError`."""
        able = self._able(WrapsPasses)
        for foreign in self.foreign:
            wrapped = able.wrap_pass(foreign)
            check(isinstance(wrapped, Pass), f"{foreign!r} becomes {wrapped!r}, expected a Pass")
        raised(TypeError, lambda: able.wrap_pass(3), "3, which is no pass,")

    @about("make_frontend")
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
        equal(texts[2], texts[1], "the text that was printed, read and printed again")


_INSIDE = "an op with an invalid op inside"
_NONSENSE = "qqqqqq.zzzzzz"
_FORMS = [
    PrintFlags(generic=generic, debuginfo=debuginfo)
    for generic in (False, True)
    for debuginfo in (False, True)
]
