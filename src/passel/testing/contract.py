"""Pytest tests for the guarantees of `IRAdapter` that the core relies on."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar
from unittest import SkipTest

from passel.diagnostics import Location
from passel.errors import PassFailedError
from passel.frontend import FrontendSettings, SourcePart
from passel.ir import InvalidIR, PrintFlags, SendsOps
from passel.manager import PassManager
from passel.passes import Pass
from passel.testing.sample import PROGRAM, Node, Sample, check, differ, equal, raised

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from passel.frontend import Frontend
    from passel.ir import IRAdapter

_NONSENSE = "qqqqqq.zzzzzz"
_KIND = "(name, registered, isolated) of the kind"
_FORMS = [PrintFlags(generic=g, debuginfo=d) for g, d in product((False, True), repeat=2)]


class AdapterContract:
    """The tests that check whether an adapter fulfills the contract of `IRAdapter`.

    To run the tests, define a subclass whose name starts with `Test`. The default values of the
    attributes assume an IR with all features. To turn off tests of features that the IR does not
    have, set `has_parents = False` or `interface = None`, or define a `program` without nested
    modules.

    Attributes:
        adapter: The adapter under test.
        names: A mapping from each role to the name of the ops with this role. The tests refer to
            ops by roles, such as `func`, since each IR has its own op names.
        program: The program that most tests use. The program must contain two ops with the role
            `func`, neither nested in the other. The IR may append ops that are not in `program`,
            such as terminators, to any body except the body of the top-level op.
        isolated: The roles of ops that are isolated from above.
        unregistered: The roles of ops that no dialect defines.
        interface: An interface that is implemented by exactly the ops whose role is in
            `implementing`; None to turn off the tests of interfaces.
        implementing: The roles of ops that implement `interface`.
        dialect: The name of a dialect that can be loaded, or an empty string.
        misspelt: A misspelled op name, the correct op name, and the name of an unknown dialect.
            Each of the three strings may be empty.
        has_parents: Whether the adapter can find the parent of an op.
        has_locations: Whether the ops that `build` returns have a location in a file.
        foreign: Passes of the IR's own framework, if the adapter can wrap passes.
        source: The text of an IR file, for an adapter with a frontend.

    A subclass defines four methods. `build(node, context)` returns a valid op for a node, including
    ops for all nested nodes. `change(op)` takes an op with any role, and changes the op without
    making it invalid. `break_(op)` makes an op with the role `func` invalid. `move(op, into)` moves
    an op with the role `func` to the end of the body of another op, which in `program` also
    contains ops with this role. If several tests fail, fix the first failure first.
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
    has_parents: bool = True
    has_locations: bool = False
    foreign: Sequence[Any] = ()
    source: str = ""

    def build(self, node: Node, context: Any) -> Any:
        """Return a valid op for a node, including ops for all nested nodes."""
        raise NotImplementedError

    def change(self, op: Any) -> None:
        """Change an op with any role without making the op invalid."""
        raise NotImplementedError

    def break_(self, op: Any) -> None:
        """Make an op with the role `func` invalid."""
        raise NotImplementedError

    def move(self, op: Any, into: Any) -> None:
        """Move an op with the role `func` to the end of the body of another op."""
        raise NotImplementedError

    # -- Kinds -------------------------------------------------------------------------------

    def test_kinds(self) -> None:
        """`kind_of` returns the right name, traits and interfaces for every op."""
        for _, node, op in self._sample().ops():
            kind = self.adapter.kind_of(op)
            what = f"{_KIND} that 'kind_of' returns for '{node.role}'"
            equal(kind[:3], self._kind(node.role), what)
            if self.interface is not None:
                what = f"'implements({self.interface.__name__})' of the kind of op '{node.role}'"
                expected = node.role in self.implementing
                equal(kind.implements(self.interface), expected, what)

    def test_identities(self) -> None:
        """The identity of an op is unique, and does not change when the op changes."""
        sample = self._sample()
        before = [self.adapter.identity_of(op) for _, _, op in sample.ops()]
        self.change(sample.top)
        after = [self.adapter.identity_of(op) for _, _, op in sample.ops()]
        equal(after, before, "the list of op identities after a change to one of the ops")
        equal(len(set(before)), len(before), "the number of identities of different ops")

    def test_keys(self) -> None:
        """`key_of` returns the same object for two ops if and only if the op names are equal."""
        sample, keys = self._sample(), dict[str, Any]()
        for _, node, op in (*sample.ops(), *self._sample(sample.context).ops()):
            name, key = self.names[node.role], self.adapter.key_of(op)
            what = f"'key_of' returns different objects for two '{name}' ops"
            check(keys.setdefault(name, key) is key, what)
        what = "the number of keys that 'key_of' returns for different op names"
        equal(len(set(keys.values())), len(keys), what)

    def test_named_kinds(self) -> None:
        """`kind_named` returns the kind of a registered op, and None for any other name."""
        sample = self._sample()
        roles = {self.names[node.role]: node.role for _, node in self.program.walk()}
        for name in (*roles, self.misspelt[0], "nosuchdialect", "", "any"):
            kind, role = self.adapter.kind_named(sample.context, name), roles.get(name)
            known = role is not None and role not in self.unregistered
            expected = self._kind(role) if role and known else None
            equal(kind and kind[:3], expected, f"{_KIND} that 'kind_named' returns for '{name}'")

    def test_suggestions(self) -> None:
        """`suggest_op` suggests a name for a misspelled op name, but not for an unrelated name."""
        context = self.adapter.create_context()
        name, meant, _ = self.misspelt
        suggestions = {_NONSENSE: ""} | ({name: f"; did you mean '{meant}'?"} if name else {})
        for wrong, expected in suggestions.items():
            found = self.adapter.suggest_op(context, wrong)
            equal(found, expected, f"'suggest_op' for '{wrong}'")

    # -- Nesting and attributes --------------------------------------------------------------

    def test_children(self) -> None:
        """`children` returns the ops immediately inside an op, in program order."""
        for path, node, op in self._sample().ops():
            expected = [self.names[inner.role] for inner in node.body]
            names = [self.adapter.kind_of(each).name for each in self.adapter.children(op)]
            names = names[: len(expected)] if path else names
            equal(names, expected, f"'children' of op '{node.role}'")

    def test_parents(self) -> None:
        """`parent` returns the enclosing op, and None for the top-level op."""
        sample = self._sample()
        equal(self.adapter.parent(sample.top), None, "'parent' of the top op")
        for path, node, op in sample.ops():
            enclosing = self.adapter.parent(op)
            if path and (self.has_parents or enclosing is not None):
                equal(enclosing, sample.at(path[:-1]), f"'parent' of op '{node.role}'")

    def test_attributes(self) -> None:
        """Every op has the right symbol name, and a known or unknown location."""
        for _, node, op in self._sample().ops():
            equal(self.adapter.symbol_name(op), node.symbol, f"'symbol_name' of op '{node.role}'")
            place: Any = self.adapter.location(op)
            what = f"'location' of op '{node.role}'"
            check(isinstance(place, Location), f"{what} is {place!r}, expected a Location")
            check(place.file or not self.has_locations, f"{what} has no file despite has_locations")

    def test_contexts(self) -> None:
        """`context_of` returns the context of an op, or None.

        A dialect can be loaded twice, and the error for an unknown dialect names the dialect.
        """
        sample = self._sample()
        found = self.adapter.context_of(sample.top)
        what = f"'context_of' returns {found!r}, expected the context passed to 'build', or None"
        check(found is None or found == sample.context, what)
        load = partial(self.adapter.load_dialects, sample.context)
        known = [self.dialect] if self.dialect else []
        for names in ([], known, [*known, *known]):
            load(names)
        if unknown := self.misspelt[2]:
            what = f"'load_dialects' with the unknown dialect '{unknown}'"
            error = raised(LookupError, lambda: load([*known, unknown]), what)
            check(f"'{unknown}'" in str(error), f"{what} raised '{error}', which does not name it")

    # -- Verification ------------------------------------------------------------------------

    def test_verify(self) -> None:
        """`verify` accepts valid IR, and the error for invalid IR contains the first invalid op.

        The message of the error does not start with the name of the op.
        """
        for path, _, op in self._sample().ops():
            if len(path) <= 1:
                self.adapter.verify(op, recursive=False)
        for index in range(len(self._sample().functions())):
            sample = self._sample()
            functions = sample.functions()
            func = functions[index]
            for broken in (func,) if index else (functions[-1], func):
                self.break_(broken)
            for op, recursive in ((sample.top, True), (func, False)):
                verify = partial(self.adapter.verify, op, recursive=recursive)
                what = f"'verify' of invalid IR with recursive={recursive}"
                error = raised(InvalidIR, verify, what)
                what = "the error from 'verify' after 'break_' is not about the op"
                check(error.op == func, f"{what} @{self.adapter.symbol_name(func)}")
                check(error.message, "the error from 'verify' has no message")
                what = f"the error message from 'verify' starts with a name: {error.message}"
                check(not error.message.startswith("'"), what)

    # -- Printing ----------------------------------------------------------------------------

    def test_print(self) -> None:
        """`print_op` prints all symbol names in program order, even for invalid IR."""
        symbols = [n.symbol for _, n in self.program.walk() if n.symbol and len(n.symbol) > 1]
        for flags, broken in product(_FORMS, (False, True)):
            sample = self._sample()
            func = sample.functions()[-1]
            if broken:
                self.break_(func)
            text = self.adapter.print_op(sample.top, flags)
            for symbol in symbols:
                check(symbol in text, f"no symbol '{symbol}' in the text from 'print_op': {text}")
            what = "the order of symbols in the text from 'print_op'"
            equal(sorted(symbols, key=text.index), symbols, what)
            check(not text.endswith("\n"), "the text from 'print_op' ends with a newline")
            own = self.adapter.symbol_name(func) or ""
            what = f"the text that 'print_op' returns for @{own} does not contain the symbol"
            check(own in self.adapter.print_op(func, flags), what)

    def test_fingerprint_of_the_unchanged(self) -> None:
        """Printing and verifying IR do not change the fingerprints of ops."""
        take, sample = self.adapter.fingerprint, self._sample()
        ops = [op for _, _, op in sample.ops()]
        before = [(take(op), take(op, recursive=False)) for op in ops]
        for flags in _FORMS:
            self.adapter.print_op(sample.top, flags)
        self.adapter.verify(sample.top, recursive=True)
        after = [(take(op), take(op, recursive=False)) for op in ops]
        equal(after, before, "the 'fingerprint' of ops that did not change")
        what = "'renew_fingerprint' returns a different object for an unchanged op"
        for op, (known, _) in zip(ops, before, strict=True):
            check(self.adapter.renew_fingerprint(op, known) is known, what)

    def test_fingerprint_of_the_changed(self) -> None:
        """Changing an op changes only the fingerprints of the op and of the enclosing ops."""
        take = self.adapter.fingerprint
        for path, node in self.program.walk():
            sample = self._sample()
            before = {place: (take(op), op) for place, _, op in sample.ops()}
            changed = sample.at(path)
            own = take(changed, recursive=False)
            self.change(changed)
            what = f"the non-recursive 'fingerprint' of changed op '{node.role}'"
            differ(take(changed, recursive=False), own, what)
            now = self.adapter.renew_fingerprint(changed, before[path][0])
            equal(now, take(changed), f"'renew_fingerprint' of changed op '{node.role}'")
            for place, (known, op) in before.items():
                if place == path[: len(place)]:
                    differ(take(op), known, "the 'fingerprint' of an op that contains a changed op")
                elif path != place[: len(path)]:
                    equal(take(op), known, "the 'fingerprint' of a sibling of a changed op")

    def test_moves(self) -> None:
        """A moved op keeps its fingerprint, but the fingerprints of its old and new parents change.

        The sequence that `children` returned before the move does not change.
        """
        take = self.adapter.fingerprint
        paths = [path for path, node in self.program.walk() if node.role == "func"]
        # Of several places the last one: if the op follows it, the order of all ops stays the same.
        places = {
            path: other[:-1]
            for path, other in product(paths, paths)
            if other[:-1] != path[:-1] and other[: len(path)] != path
        }
        for path, place in places.items():
            sample = self._sample()
            moved, into = sample.at(path), sample.at(place)
            changed = (sample.top, sample.at(path[:-1]), into)
            before, own = [*map(take, changed)], take(moved)
            parts, children = take(into, recursive=False), self.adapter.children(changed[1])
            count = len(children)
            self.move(moved, into)
            equal(len(children), count, "the length of an old result of 'children' after a move")
            for op, known in zip(changed, before, strict=True):
                differ(take(op), known, "the 'fingerprint' of an old or new parent of a moved op")
            what = "the non-recursive 'fingerprint' of the new parent of a moved op"
            differ(take(into, recursive=False), parts, what)
            equal(take(moved), own, "the 'fingerprint' of a moved op")

    # -- Runs --------------------------------------------------------------------------------

    def test_run(self) -> None:
        """A nested pass runs on each top-level function in order, and the run detects changes."""
        sample = self._sample()
        seen: list[str | None] = []

        def body(op: Any) -> None:
            seen.append(self.adapter.symbol_name(op))
            self.change(op)

        result = self._manager(sample, body).run(sample.top, jobs=1)  # `seen` is of this process
        funcs = [node.symbol for node in self.program.body if node.role == "func"]
        equal(seen, funcs, "the list of symbols of the ops that a nested pass ran on")
        if self.adapter.finds_changes:
            equal(result.changed, True, "'changed' for a run whose pass changed ops")
        again = self._manager(sample, lambda _: None).run(sample.top)
        check(not again.changed, "'changed' is True for a run that changed nothing")

    def test_run_of_a_pass_that_breaks_an_op(self) -> None:
        """If a pass makes ops invalid, the run fails with one failure for each invalid op."""
        sample = self._sample()
        manager = self._manager(sample, self.break_)
        what = "a run of a pass that leaves ops invalid"
        error = raised(PassFailedError, lambda: manager.run(sample.top), what)
        count = sum(node.role == "func" for node in self.program.body)
        equal(len(error.failures), count, "the number of failures for the invalid ops")

    # -- Optional abilities ------------------------------------------------------------------

    def test_sending(self) -> None:
        """Applying an op's encoded changes to an unchanged copy makes the copy equal to the op."""
        if not isinstance(able := self.adapter, SendsOps):
            raise SkipTest("the adapter does not have the ability SendsOps")
        context = self.adapter.create_context()
        sample, copy = self._sample(context), self._sample(context)
        functions = sample.functions()
        for func, other in zip(functions, copy.functions(), strict=True):
            noted = able.note(other)
            self.change(other)
            able.decode_changes(func, able.encode_changes(other, noted), context)()
            flags = PrintFlags(generic=True)
            after, expected = (self.adapter.print_op(op, flags) for op in (func, other))
            equal(after, expected, "the copy of an op after 'decode_changes'")
        kept = [now is func for now, func in zip(sample.functions(), functions, strict=True)]
        check(all(kept), "'decode_changes' replaced its op with a different object")

    def test_wrapping(self) -> None:
        """`wrap_pass` wraps the IR's own passes, and no other objects."""
        for foreign in self.foreign:
            wrapped = self.adapter.wrap_pass(foreign)
            what = f"'wrap_pass' returns {wrapped!r} for {foreign!r}, expected a Pass"
            check(isinstance(wrapped, Pass), what)
        with suppress(TypeError):
            equal(self.adapter.wrap_pass(3), None, "'wrap_pass(3)'")

    def test_files(self) -> None:
        """A frontend can parse the text that it emits, and then emits the same text again."""
        if not self.source:
            raise SkipTest("the attribute 'source' is empty")
        frontend: Frontend = self.adapter.make_frontend()
        own = {flag.name: flag.default for flag in frontend.flags}
        frontend.configure(FrontendSettings(own=own))
        texts = [self.source]
        for _ in range(2):
            context = frontend.new_context()
            part = SourcePart(texts[-1], "contract")
            text = frontend.emit(frontend.read(part, context, lambda _: None), context)
            texts.append(text if isinstance(text, str) else text.decode())
        equal(texts[2], texts[1], "the text that 'emit' writes after its output is parsed again")

    # -- For tests ---------------------------------------------------------------------------

    def _sample(self, context: Any = None) -> Sample:
        """Build the program."""
        context = self.adapter.create_context() if context is None else context
        return Sample(self.adapter, self.program, context, self.build(self.program, context))

    def _kind(self, role: str) -> tuple[str, bool, bool]:
        """Return the `name`, `registered` and `isolated` attributes of the kind for a role."""
        known = role not in self.unregistered
        return self.names[role], known, known and role in self.isolated

    def _manager(self, sample: Sample, body: Callable[[Any], object]) -> PassManager:
        """Return a manager that calls a function with each op of the role `func`."""
        name = self.names[self.program.role]
        manager = PassManager(name, sample.context, adapter=self.adapter)
        manager.nest(self.names["func"]).add(lambda op, _: body(op))
        return manager
