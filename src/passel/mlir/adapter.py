"""The adapter for MLIR's Python bindings.

The adapter hides pitfalls of the bindings: one op may have several Python objects, op classes
override `name` or `parent` with accessors for op attributes, builds provide different queries, and
some queries crash the process on invalid IR.
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
from passel.mlir.lifetime import place_of, watch
from passel.mlir.verification import verify

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Hashable, Iterable, Sequence
    from contextlib import AbstractContextManager
    from types import ModuleType

    from passel.diagnostics import Diagnostic, Location
    from passel.frontend import Frontend
    from passel.ir import OpKind
    from passel.mlir.bindings import Bindings
    from passel.mlir.lifetime import NeighbourWatch
    from passel.mlir.names import MLIRSource
    from passel.schedule import Step


class MLIRAdapter(IRAdapter):
    """The adapter for one build of MLIR's bindings.

    Contexts are `ir.Context` objects of the build. The adapter accepts `Operation`, `OpView` and
    `Module` objects as ops, and returns `OpView` objects. If the build has a Python class for an
    op, the returned object is an instance of this class, such as `func.FuncOp`. Compare ops with
    `==` rather than `is`, because each query creates a new Python object for the op. Keep a
    reference to the top-level op while you use nested ops, because MLIR frees them together with
    the top-level op.

    Args:
        root: The root package of the build: either the module object or its name.
        dialects: Functions that add dialects to a `DialectRegistry`, or `ContextDialects` objects,
            which add dialects to a context. The adapter calls each element for every new context.

    Example:
        >>> adapter = MLIRAdapter("mlir")
        >>> context = adapter.create_context()
        >>> adapter.kind_named(context, "func.func").isolated
        True
    """

    name = "mlir"
    finds_changes = False  # its verifier is faster
    allows_threads = False
    survives_loss = False
    place_of: Any = staticmethod(place_of)

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
        """Return an expression that creates an adapter for the same build.

        The new adapter has no added dialects.
        """
        return f'{type(self).__name__}("{self.bindings.root}")'

    @classmethod
    def for_package(cls, package: str) -> MLIRAdapter | None:
        """Return an adapter for the build in a package, or None if the package contains no build.

        Args:
            package: The name of a top-level package, or the name of a module inside the package
                `_mlir_libs` of a build.
        """
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
        """Return the build's name for `--ir`, which is the name of the top-level package."""
        return self.bindings.package

    @property
    def key_of(self) -> Callable[[Any], Hashable]:
        """A function that returns the key of an op.

        The key is the op's Python class if the build has one, and the op's name otherwise.
        Reading the class is faster than reading the name.
        """
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
        """Convert an `Operation`, `OpView` or `Module` to the op object that passes receive."""
        return view_of(thing.operation)

    def entered_context(self) -> Any:
        """Return the context of the innermost `with Context():` block, or None if there is none."""
        ir = sys.modules.get(f"{self.bindings.root}.ir")
        return None if ir is None else ir.Context.current

    @contextmanager
    def in_context(self, context: Any) -> Generator[None]:
        """Make a context current in the calling thread for the duration of the `with` block."""
        context.__enter__()
        try:
            yield
        finally:
            with suppress(RuntimeError):  # a pass has entered another one, and not left it
                context.__exit__(None, None, None)

    def create_context(self) -> Any:
        """Return a new context with the build's dialects and the adapter's additional dialects."""
        return self.bindings.new_context(self._dialects)

    def create_bare_context(self) -> Any:
        """Return a new context that loads each dialect on first use, if possible.

        If the build does not support this, the context loads all dialects immediately. In both
        cases, the context has the same dialects as a context from `create_context`.
        """
        context = self.bindings.new_context(self._dialects, loads=False)
        bare_contexts.add(context)
        return context

    def prepare(self, context: Any, passes: Iterable[object]) -> None:
        """Load all dialects of a context if any of the passes is a Python pass.

        Python passes can create only ops whose dialects are loaded.
        """
        from passel.mlir.native import NativePass  # noqa: PLC0415 - for pipelines alone

        if context in bare_contexts and not all(isinstance(each, NativePass) for each in passes):
            bare_contexts.discard(context)
            context.load_all_available_dialects()

    def is_dialect(self, thing: object) -> bool:
        """Return whether an object is a `ContextDialects` or a `register_dialects` function.

        The build's own functions are excluded, because passel calls them for every new context
        anyway.
        """
        is_own = str(getattr(thing, "__module__", "")).startswith(f"{self.bindings.root}.")
        is_named = getattr(thing, "__name__", "") == "register_dialects"
        return isinstance(thing, ContextDialects) or (is_named and not is_own)

    def with_dialects(self, dialects: Sequence[Any]) -> MLIRAdapter:
        """Return a copy of this adapter whose contexts contain additional dialects.

        Raises:
            DefinitionError: If an element of `dialects` is not callable.
        """
        for each in dialects:
            if not callable(each):
                raise DefinitionError(f"expected a function taking a DialectRegistry, got {each!r}")
        return MLIRAdapter(self.bindings.root, dialects=(*self._dialects, *dialects))

    def make_frontend(self) -> Frontend:
        """Return a new frontend for one run of a command-line tool."""
        from passel.mlir.frontend import MLIRFrontend  # noqa: PLC0415 - for tools alone

        return MLIRFrontend(self)

    def context_of(self, op: Any) -> Any:
        """Return the context in which an op was created."""
        return op.operation.context

    def load_dialects(self, context: Any, names: Iterable[str]) -> None:
        """Load the dialects with the given names, unless they are already loaded."""
        for name in names:
            try:
                context.get_dialect_descriptor(name)
            except ValueError:
                hint = suggest(name, self.bindings.dialect_names(context))
                raise LookupError(f"no dialect '{name}' is registered{hint}") from None

    def kind_of(self, op: Any) -> OpKind:
        """Return the `OpKind` for all ops with the same name as `op`."""
        operation = op.operation
        return self._kinds.kind(operation.context, operation.name)

    def kind_named(self, context: Any, name: str) -> OpKind | None:
        """Return the kind of the ops called `name`, or None if the name is not registered.

        If the dialect in the op name is not loaded yet, the method loads the dialect.
        """
        if not self._kinds.is_registered(context, name):
            return None
        return self._kinds.kind(context, name)

    def suggest_op(self, context: Any, name: str) -> str:
        """Return `; did you mean 'x'?` for a misspelled op name, or an empty string.

        The suggested op has a Python class, and belongs to the dialect with the most similar name.
        """
        dialect = closest(name.partition(".")[0], self.bindings.dialect_names(context))
        try:
            found: Any = self.bindings.module(f"dialects._{dialect}_ops_gen").__dict__
        except AdapterError:
            return ""
        names = {str(getattr(each, "OPERATION_NAME", "")) for each in found.values()}
        return suggest(name, sorted(names))

    def identity_of(self, op: Any) -> int:
        """Return the address of an op, which identifies the op.

        The hash of an op would be unsuitable, because some builds compute the hash from the op's
        contents.
        """
        return address(op.operation)

    def is_surely(self, known: Any, op: Any) -> bool:
        """Return whether `known` and `op` refer to the same Python object.

        Erasing an op invalidates its Python object, so a new op never has the Python object of an
        erased op.
        """
        return known.operation is op.operation

    def children(self, op: Any) -> list[Any]:
        """Return the ops immediately inside the regions of `op`."""
        return self.bindings.children(op)

    @contextmanager
    def alone_in(self, context: Any, jobs: int | None = None) -> Generator[None]:
        """Lock a context for one run, and limit MLIR to `jobs` threads inside the `with` block.

        Runs in the same context must not overlap, because compiling a pipeline may load dialects.
        """
        with context_lock(context), on_threads(context, jobs):
            yield

    def reporting(
        self, context: Any, report: Callable[[Diagnostic], bool]
    ) -> AbstractContextManager[None]:
        """Forward diagnostics of Python passes, such as those from `emit_error`, to `report`."""
        return calls_of(self.bindings).reporting(context, report)

    def watch(self, op: Any, children: Sequence[Any]) -> NeighbourWatch | None:
        """Return a watch that detects erased ops, since using one would crash the process."""
        return watch(self.bindings, op, children)

    def parent(self, op: Any) -> Any:
        """Return the op that encloses `op`, or None for a top-level op."""
        parent = parent_of(op)
        return None if parent is None else parent.opview

    def symbol_name(self, op: Any) -> str | None:
        """Return the name of the symbol that an op defines, or None if the op defines no symbol."""
        return symbol_name(op.operation)

    def location(self, op: Any) -> Location:
        """Return the source location of an op. The location may be unknown."""
        return convert_location(op.operation.location)

    def verify(self, op: Any, *, recursive: bool) -> None:
        """Verify an op with MLIR's verifier, as described in `passel.mlir.verification`."""
        verify(self.bindings, op, recursive=recursive)

    def print_op(self, op: Any, flags: PrintFlags) -> str:
        """Return the text that MLIR prints for an op, in generic form if the op is invalid."""
        return printed(op.operation, flags).decode().rstrip("\n")

    def prints_apart(self, op: Any) -> bool:
        """Return whether the ops immediately inside `op` certainly share no values."""
        regions = op.operation.regions
        blocks = list(regions[0]) if len(regions) == 1 else []
        if len(blocks) != 1 or len(blocks[0].arguments) or not self.kind_of(op).isolated:
            return False
        inside = blocks[0].operations
        return len(inside) > 0 and all(
            len(each.operation.results) == 0
            and (len(each.operation.regions) == 0 or self.kind_of(each).isolated)
            for each in inside
        )

    def pass_source(self) -> MLIRSource:
        """Return an object that looks up MLIR's own passes and pipelines by name."""
        from passel.mlir.names import MLIRSource  # noqa: PLC0415 - for pipelines alone

        return MLIRSource(self.bindings.root)

    def lower(self, steps: Sequence[Step], *, verify: bool) -> tuple[Step, ...]:
        """Combine each group of adjacent steps that run only MLIR's own passes into one step."""
        from passel.mlir.lowering import lower  # noqa: PLC0415 - for pipelines alone

        return lower(self.bindings, self._kinds, steps, verify=verify)

    def reading_flags(self, op: Any, context: Any) -> tuple[str, ...]:
        """Return the flags that `passel-opt` needs to parse a file that contains an op's text."""
        flags = [f"--ir={self.build_name()}"]
        if op.operation.name != "builtin.module":
            flags.append("--no-implicit-module")
        if context.allow_unregistered_dialects:
            flags.append("--allow-unregistered-dialect")
        return tuple(flags)

    def versions(self) -> dict[str, str]:
        """Map the name of the top-level package to the distributions that contain the build."""
        package = self.bindings.package
        return {package: _distributions_of(package)}

    def fingerprint(self, op: Any, *, recursive: bool = True) -> object:
        """Return a digest of an op's bytecode, or of the op's generic text if bytecode is unsafe.

        If `recursive` is false, the result consists of the op's text without regions, the types of
        block arguments, and the addresses of the ops immediately inside the op.

        Writing bytecode is several times faster than printing text, even though the op must be
        verified first. Bytecode is unsafe for an op that is invalid or uses values from outside the
        op, because writing the bytecode of such an op crashes the process. The structural hash in
        newer MLIR releases is unsuitable, because it covers neither regions nor locations.
        """
        from hashlib import blake2b  # noqa: PLC0415 - loads a library for more than this

        operation = op.operation
        if not recursive:
            text = operation.get_asm(**FAITHFUL, skip_regions=True)
            blocks = [block for region in operation.regions for block in region]
            arguments = [tuple(str(each.type) for each in block.arguments) for block in blocks]
            return (text, *arguments, *map(self.identity_of, self.children(operation)))
        uses_outside = len(operation.operands) > 0 or len(operation.successors) > 0
        if (
            uses_outside
            or not self.kind_of(op).isolated
            or not calls_of(self.bindings).verify(operation)[0]
        ):
            return blake2b(operation.get_asm(**FAITHFUL), digest_size=16).digest()
        stream = BytesIO()
        operation.write_bytecode(stream)
        return blake2b(stream.getbuffer(), digest_size=16).digest()


@cache
def _distributions_of(package: str) -> str:
    """Return the names and versions of the distributions that contain a package, as text."""
    from importlib import metadata  # noqa: PLC0415 - costs more than passel

    folder = f"\n{package.replace('.', '/')}/"
    found = [d for d in metadata.distributions() if folder in f"\n{d.read_text('RECORD')}"]
    text = ", ".join(sorted({f"{each.name} {each.version}" for each in found}))
    return text or "of no distribution"
