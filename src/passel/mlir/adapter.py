"""The adapter for MLIR's Python bindings.

The adapter hides the traps of the bindings: an op has any number of Python objects, op classes
override `name` or `parent` with attributes of the op, builds differ in their queries, and some
queries crash the process on invalid IR.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager, suppress
from functools import cache, partial
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, Any

from passel.diagnostics import closest, suggest
from passel.errors import AdapterError, DefinitionError
from passel.ir import IRAdapter, PrintFlags
from passel.mlir.bindings import (
    ContextDialects,
    bare_contexts,
    bindings_named,
    context_lock,
    on_threads,
    parent_of,
    view_of,
)
from passel.mlir.calls import calls_of
from passel.mlir.capi import address
from passel.mlir.contents import FAITHFUL, printed, symbol_name
from passel.mlir.diagnostics import convert_location
from passel.mlir.kinds import Kinds
from passel.mlir.lifetime import NativeLifetime
from passel.mlir.verification import verify

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Hashable, Iterable, Sequence
    from contextlib import AbstractContextManager
    from types import ModuleType

    from passel.diagnostics import Diagnostic, Location
    from passel.frontend import Frontend
    from passel.ir import OpKind
    from passel.mlir.bindings import Bindings
    from passel.mlir.names import MLIRSource
    from passel.schedule import Step


class MLIRAdapter(IRAdapter):
    """The adapter for one build of MLIR's bindings; contexts are its `ir.Context`.

    Ops are `Operation`, `OpView` or `Module` objects. The adapter returns `OpView`s, of the op's
    own class (`func.FuncOp`) if the build has one. Compare ops by `==`, because the bindings make a
    new object for each query. Keep a reference to the top-level op while you use nested ops:
    deleting it frees the whole tree, whatever Python objects refer to it.

    Args:
        root: The root package of the build, or its name.
        dialects: Functions that add dialects to a `DialectRegistry`, and `ContextDialects`, which
            add dialects to a context. These functions are called for each new context.

    Example:
        >>> adapter = MLIRAdapter("mlir")
        >>> context = adapter.create_context()
        >>> adapter.kind_named(context, "func.func").isolated
        True
    """

    name = "mlir"
    finds_changes = False  # its verifier is faster
    allows_threads = False

    def __init__(
        self,
        root: ModuleType | str = "mlir",
        *,
        dialects: Sequence[Callable[[Any], object]] = (),
    ) -> None:
        self.bindings: Bindings = bindings_named(root if isinstance(root, str) else root.__name__)
        self._kinds = Kinds(self.bindings)
        self._dialects = tuple(dialects)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), dialects=self._dialects), (self.bindings.root,)

    def __repr__(self) -> str:
        """Return an expression that creates an adapter for the build, without the dialects."""
        return f'{type(self).__name__}("{self.bindings.root}")'

    @classmethod
    def for_package(cls, package: str) -> MLIRAdapter | None:
        """Return the adapter for a build, by its top-level package or a module of its library."""
        if not package.isidentifier():
            root, library, _ = package.partition("._mlir_libs")
            return cls(root) if library else None
        with suppress(ValueError):  # of a module without a specification, as a script is one
            spec = find_spec(package)
            for folder in (spec and spec.submodule_search_locations) or ():
                for found in (*Path(folder).glob("_mlir_libs"), *Path(folder).glob("*/_mlir_libs")):
                    inner = found.parent.relative_to(folder).parts
                    return cls(".".join((package, *inner)))
        return None

    def build_name(self) -> str:
        """Return the top-level package of the build, which is also the name of its entry point."""
        return self.bindings.package

    @property
    def key_of(self) -> Callable[[Any], Hashable]:
        """The class of an op, which is faster to get than the name; without a class, the name."""
        generic, plain = self.bindings.ir.OpView, self.bindings.ir.Operation
        module = self.bindings.ir.Module

        def key_of(op: Any) -> Hashable:
            found: Any = op.__class__
            if found is plain or found is module:
                op = self.op_of(op)
                found = op.__class__
            return intern(op.operation.name) if found is generic or found is plain else found

        return key_of

    def op_of(self, thing: Any) -> Any:
        """Return the object that passes get for an op, given any object for the op."""
        return view_of(thing.operation)

    def entered_context(self) -> Any:
        """Return the context of the innermost `with Context():`, or None."""
        ir = sys.modules.get(f"{self.bindings.root}.ir")
        return None if ir is None else ir.Context.current

    @contextmanager
    def in_context(self, context: Any) -> Generator[None]:
        """Make a context current in the calling thread, inside the `with` block."""
        context.__enter__()
        try:
            yield
        finally:
            with suppress(RuntimeError):  # a pass has entered another one, and not left it
                context.__exit__(None, None, None)

    def create_context(self) -> Any:
        """Return a context with the dialects of the build and of the adapter."""
        return self.bindings.new_context(self._dialects)

    def create_bare_context(self) -> Any:
        """Return a context with the same dialects, which are loaded on first use."""
        context = self.bindings.new_context(self._dialects, loads=False)
        bare_contexts.add(context)
        return context

    def prepare(self, context: Any, passes: Iterable[object]) -> None:
        """Load all dialects for Python passes, which can create ops of loaded dialects only."""
        from passel.mlir.native import NativePass  # noqa: PLC0415 - for pipelines alone

        if context in bare_contexts and not all(isinstance(each, NativePass) for each in passes):
            bare_contexts.discard(context)
            context.load_all_available_dialects()

    def is_dialect(self, thing: object) -> bool:
        """Return whether an object is a `ContextDialects`, or a function `register_dialects`.

        The build's own functions are called for every new context; some of them take a context.
        """
        is_own = str(getattr(thing, "__module__", "")).startswith(f"{self.bindings.root}.")
        is_named = getattr(thing, "__name__", "") == "register_dialects"
        return isinstance(thing, ContextDialects) or (is_named and not is_own)

    def with_dialects(self, dialects: Sequence[Any]) -> MLIRAdapter:
        """Return an adapter for the same build whose contexts have more dialects.

        Raises:
            DefinitionError: If one is not callable.
        """
        for each in dialects:
            if not callable(each):
                raise DefinitionError(f"expected a function of a DialectRegistry, got {each!r}")
        return MLIRAdapter(self.bindings.root, dialects=(*self._dialects, *dialects))

    def make_frontend(self) -> Frontend:
        """Return the frontend for one run of a tool."""
        from passel.mlir.frontend import MLIRFrontend  # noqa: PLC0415 - for tools alone

        return MLIRFrontend(self, self.bindings, self.create_bare_context)

    def context_of(self, op: Any) -> Any:
        """Return the context in which the op was created."""
        return op.operation.context

    def load_dialects(self, context: Any, names: Iterable[str]) -> None:
        """Load dialects by name, unless they are loaded already."""
        for name in names:
            try:
                context.get_dialect_descriptor(name)
            except ValueError:
                hint = suggest(name, self.bindings.dialect_names(context))
                msg = f"no dialect '{name}' is registered{hint}"
                raise LookupError(msg) from None

    def kind_of(self, op: Any) -> OpKind:
        """Return the `OpKind` of ops with the name of this op."""
        operation = op.operation
        return self._kinds.kind(operation.context, operation.name)

    def kind_named(self, context: Any, name: str) -> OpKind | None:
        """Return the kind of a registered op, loading its dialect if need be."""
        if not self._kinds.is_registered(context, name):
            return None
        return self._kinds.kind(context, name)

    def misfit(self, context: Any, outer: str, inner: str) -> str:
        """Return why a function cannot be immediately inside an op; empty for other ops."""
        known = [self._kinds.is_registered(context, name) for name in (outer, inner)]
        is_table = all(known) and self._kinds.has_isolated_ops(context, outer)
        if is_table or not all(known) or not self._kinds.is_function(context, inner):
            return ""
        return f"'{inner}' is a symbol, and symbols are allowed only in symbol tables"

    def suggest_op(self, context: Any, name: str) -> str:
        """Suggest an op of the intended dialect, among ops with a class."""
        dialect = closest(name.partition(".")[0], self.bindings.dialect_names(context))
        return suggest(name, self._op_names(dialect)) if dialect else ""

    def _op_names(self, dialect: str) -> list[str]:
        names: set[str] = set()
        for name in (dialect, f"_{dialect}_ops_gen"):
            with suppress(AdapterError):
                found: Any = self.bindings.module(f"dialects.{name}").__dict__
                names |= {str(getattr(each, "OPERATION_NAME", "")) for each in found.values()}
        return sorted(each for each in names if each.startswith(f"{dialect}."))

    def identity_of(self, op: Any) -> int:
        """Return the op's address, because some builds hash an op by its contents."""
        return address(op.operation)

    def is_surely(self, known: Any, op: Any) -> bool:
        """Return whether both are one Python object, which the bindings invalidate on erasure."""
        return known.operation is op.operation

    def children(self, op: Any) -> list[Any]:
        """Return the ops immediately inside the regions of `op`."""
        return self.bindings.children(op)

    @contextmanager
    def alone_in(self, context: Any, jobs: int | None = None) -> Generator[None]:
        """Allow only one run at a time in a context, because compiling may load dialects."""
        with context_lock(context), on_threads(context, jobs):
            yield

    def reporting(
        self, context: Any, report: Callable[[Diagnostic], bool]
    ) -> AbstractContextManager[None]:
        """Report the diagnostics that Python passes emit, such as with `Location.emit_error`."""
        return calls_of(self.bindings).reporting(context, report)

    def lifetime(self) -> NativeLifetime:
        """Return the policy for detecting erased ops, which a run must not access."""
        return NativeLifetime(self.bindings)

    def parent(self, op: Any) -> Any:
        """Return the enclosing op."""
        parent = parent_of(op)
        return None if parent is None else parent.opview

    def symbol_name(self, op: Any) -> str | None:
        """Return the op's `sym_name`."""
        return symbol_name(op.operation)

    def location(self, op: Any) -> Location:
        """Return the op's location in a file, if it has one."""
        return convert_location(op.operation.location)

    def verify(self, op: Any, *, recursive: bool) -> None:
        """Verify natively; see `passel.mlir.verification`."""
        verify(self.bindings, op, recursive=recursive)

    def print_op(self, op: Any, flags: PrintFlags) -> str:
        """Print the op with MLIR's printer, which prints invalid ops in generic form."""
        return printed(op.operation, flags).decode().rstrip("\n")

    def prints_apart(self, op: Any) -> bool:
        """Return whether the ops immediately inside share no values, like functions in a module."""
        regions = op.operation.regions
        if len(regions) != 1:
            return False
        blocks = list(regions[0].blocks)
        if len(blocks) != 1 or len(blocks[0].arguments) or not self.kind_of(op).isolated:
            return False
        inside = blocks[0].operations
        return len(inside) > 0 and all(
            len(each.operation.results) == 0
            and (len(each.operation.regions) == 0 or self.kind_of(each).isolated)
            for each in inside
        )

    def pass_source(self) -> MLIRSource:
        """Return the source of MLIR's own passes."""
        from passel.mlir.names import MLIRSource  # noqa: PLC0415 - for pipelines alone

        return MLIRSource(self.bindings.root)

    def lower(self, steps: Sequence[Step], *, verify: bool) -> tuple[Step, ...]:
        """Join adjacent native passes, and nested pipelines of native passes, into one step."""
        from passel.mlir.lowering import lower  # noqa: PLC0415 - for pipelines alone

        return lower(self.bindings, self._kinds, steps, verify=verify)

    def print_source(self, op: Any, context: Any, *, locations: bool = False) -> str:
        """Return the op in custom form, which MLIR parses without loss."""
        return self.print_op(op, PrintFlags(debuginfo=locations))

    def readable_source(self, text: str, context: Any) -> str:
        """Return the text unchanged, because it is in custom form."""
        return text

    def reading_flags(self, op: Any, context: Any) -> tuple[str, ...]:
        """Return the flags that `passel-opt` needs to read the op's file."""
        flags = [f"--ir={self.build_name()}"]
        if op.operation.name != "builtin.module":
            flags.append("--no-implicit-module")
        if context.allow_unregistered_dialects:
            flags.append("--allow-unregistered-dialect")
        return tuple(flags)

    def versions(self) -> dict[str, str]:
        """Return the distributions that contain the build, with their versions."""
        package = self.bindings.package
        return {package: _distributions_of(package)}

    def fingerprint(self, op: Any, *, recursive: bool = True) -> object:
        """Return a digest of the op's bytecode, or of its generic text if it has none.

        Writing bytecode is several times faster than printing text, even with verification.
        Verification is required, since writing an invalid op, or an op that uses values from
        outside, crashes the process. The structural hash of later releases covers neither regions
        nor locations.
        """
        from hashlib import blake2b  # noqa: PLC0415 - loads a library for more than this

        operation = op.operation
        if not recursive:
            return self._own_parts(operation)
        if (
            len(operation.operands) == 0
            and len(operation.successors) == 0
            and self.kind_of(op).isolated
            and calls_of(self.bindings).verify(operation)[0]
        ):
            stream = BytesIO()
            operation.write_bytecode(stream)
            return blake2b(stream.getbuffer(), digest_size=16).digest()
        return blake2b(operation.get_asm(**FAITHFUL), digest_size=16).digest()

    def _own_parts(self, operation: Any) -> tuple[object, ...]:
        """Return the parts of an op, with addresses in place of the ops inside."""
        text = operation.get_asm(**FAITHFUL, skip_regions=True)
        arguments = [
            tuple(str(argument.type) for argument in block.arguments)
            for region in operation.regions
            for block in region
        ]
        inside = list(map(self.identity_of, self.children(operation)))
        return (text, *arguments, *inside)


@cache
def _distributions_of(package: str) -> str:
    """Return the distributions that contain a package, with their versions."""
    from importlib import metadata  # noqa: PLC0415 - costs more than passel

    folder = f"\n{package.replace('.', '/')}/"
    found = [d for d in metadata.distributions() if folder in f"\n{d.read_text('RECORD')}"]
    text = ", ".join(sorted({f"{each.name} {each.version}" for each in found}))
    return text or "of no distribution"
