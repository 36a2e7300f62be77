"""Access to a build of MLIR's Python bindings, and detection of the build's features."""

from __future__ import annotations

import importlib
import os
import re
import sys
from contextlib import contextmanager, suppress
from functools import cache, cached_property, partial
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

from passel.errors import AdapterError
from passel.mlir.upstream import known_build

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

MAGIC = b"ML\xefR"
"""The magic number at the start of MLIR bytecode."""

_REGISTERING: dict[str, dict[str, str]] = {
    "circt": {"_mlir_libs._circt.register_dialects": "context"},
    "hk._mlir": {"dialects.hk.register_dialects": "context", "dialects.hk.register_passes": ""},
    "jaxlib.mlir": {
        "_mlir_libs._jax_mlir_ext.register_dialects": "registry",
        "_mlir_libs._chlo.register_dialect": "context",
        "_mlir_libs._mlirHlo.register_mhlo_dialect": "context",
        "_mlir_libs._sdy.register_dialect": "context",
        "_mlir_libs._sdyMpmd.register_dialect": "context",
        "_mlir_libs._stablehlo.register_dialect": "context",
        "_mlir_libs._mlirHlo.register_mhlo_passes": "",
        "_mlir_libs._stablehlo.register_stablehlo_passes": "",
    },
    "torch_mlir": {"dialects.torch.register_dialect": "context"},
}
"""Functions that register a build's dialects and passes, and the kind of argument they take.

An argument of the wrong kind may crash the process. A release may lack some functions. Importing
the modules of these functions registers passes.
"""

_BARE = ("iree.compiler", "mlir", "torch_mlir")
"""Large builds whose contexts can load dialects lazily. FlyDSL's contexts would crash."""

_APART = "the builds' libraries share names, so use each build in its own process"

_AVAILABLE = re.compile(r"Available dialects: (.*?)(?: ;| \(\* |$)")


class ContextDialects(partial[object]):
    """A function that adds dialects to a context rather than to a registry.

    Example:
        >>> from passel.mlir import MLIRAdapter
        >>> dialects = ContextDialects(lambda context: print("a", type(context).__name__))
        >>> context = MLIRAdapter("mlir", dialects=[dialects]).create_context()
        a Context
    """


class Bindings:
    """A build of MLIR's Python bindings, identified by the name of its root package.

    Attributes:
        root: The name of the root package, such as `mlir` or `iree.compiler`.
    """

    def __init__(self, root: str) -> None:
        """Store the name of the root package, without importing the package."""
        self.root = root

    @property
    def package(self) -> str:
        """The name of the top-level package, such as `iree`."""
        return self.root.partition(".")[0]

    def module(self, name: str) -> Any:
        """Import and return a module of the build, such as `ir` or `dialects.func`.

        Raises:
            AdapterError: If the build is not installed, or the module cannot be imported.
        """
        try:
            return importlib.import_module(f"{self.root}.{name}")
        except ImportError as error:
            is_missing = error.name == self.package or "shared object file" in str(error)
            known = known_build(self.package).distribution if is_missing else ""
            way_out = f"; pip install {known}" if known else ""
            if "undefined symbol" in str(error):
                way_out = f" (with {', '.join(self.loaded_beside())} already loaded; {_APART})"
            msg = f"MLIR's bindings '{self.root}' cannot be used: {error}{way_out}"
            raise AdapterError(msg) from error

    def is_loaded(self) -> bool:
        """Return whether the native library of the build is loaded."""
        return f"{self.root}._mlir_libs" in sys.modules

    def loaded_beside(self) -> dict[str, Path]:
        """Map the root package of each other loaded build to that build's library folder."""
        suffix = "._mlir_libs"
        loaded = [(name, module) for name, module in sys.modules.items() if name.endswith(suffix)]
        folders = {name.removesuffix(suffix): Path(each.__path__[0]) for name, each in loaded}
        return {root: folder for root, folder in folders.items() if root != self.root}

    def check_owner(self, path: Path) -> None:
        """Check that no other loaded build contains a library that this build uses.

        Args:
            path: The path of the library.

        Raises:
            AdapterError: If another loaded build contains the library.
        """
        for root, folder in self.loaded_beside().items():
            if path.is_relative_to(folder):
                raise AdapterError(
                    f"'{self.root}' uses {path}, which is part of '{root}': {_APART}"
                )

    @cached_property
    def ir(self) -> Any:
        """The module `ir` of the build.

        Raises:
            AdapterError: If the build is not installed, or its MLIR release is older than MLIR 22.
        """
        try:  # its own module `ir` imports NumPy
            module = importlib.import_module(f"{self.root}._mlir_libs._mlir.ir")
        except ImportError:
            module = self.module("ir")
        if not hasattr(module.Context, "get_num_threads"):  # what passel needs that came last
            raise AdapterError(f"MLIR's bindings '{self.root}' are too old: use MLIR 22 or newer")
        return module

    @cached_property
    def passmanager(self) -> Any:
        """The module `passmanager` in the build's native library."""
        return self.library.passmanager

    @cached_property
    def library(self) -> Any:
        """The extension module or submodule that defines the classes of the bindings."""
        return sys.modules[self.ir.Operation.__module__.removesuffix(".ir")]

    @cached_property
    def path(self) -> str:
        """The path of the extension module's shared library."""
        name = self.library.__name__
        while not (path := getattr(sys.modules[name], "__file__", None)):
            name = name.rpartition(".")[0]
        return str(path)

    def new_context(
        self, dialects: Iterable[Callable[[Any], object]] = (), *, loads: bool = True
    ) -> Any:
        """Return a new context with all dialects of the build, and register the build's passes.

        Args:
            dialects: Functions that add dialects to a `DialectRegistry`, or `ContextDialects`
                objects.
            loads: Whether to load all dialects immediately. Loading takes most of the time and
                memory that a context needs. If `loads` is false, and the build supports lazy
                loading, the context loads each dialect on first use.
        """
        is_bare = not loads and self.root in _BARE
        context = self.ir.Context(**{"load_on_create_dialects": ()} if is_bare else {})
        registry = self.ir.DialectRegistry()
        takes = {"context": (context,), "registry": (registry,), "": ()}
        for name, taken in _REGISTERING.get(self.root, {}).items():
            module, _, function = name.rpartition(".")
            with suppress(ModuleNotFoundError):
                found = importlib.import_module(f"{self.root}.{module}")
                getattr(found, function, bool)(*takes[taken])  # a release may lack it
        for each in dialects:
            each(context if isinstance(each, ContextDialects) else registry)
        context.append_dialect_registry(registry)
        return context

    def dialect_names(self, context: Any) -> list[str]:
        """Return the names of the dialects that a context can load.

        The bindings cannot list dialects, so the names are taken from MLIR's error for an unknown
        dialect.
        """
        try:
            self.ir.Operation.parse("no_such_dialect.op", context=context)
        except self.ir.MLIRError as error:
            if found := _AVAILABLE.search(str(error)):
                return [name.removesuffix(" (*)") for name in found[1].split(", ")]
        return []

    def children(self, op: Any) -> list[Any]:
        """Return the ops immediately inside the regions of `op`, in program order."""
        return [child for region in op.operation.regions for block in region for child in block]

    def walk(self, op: Any) -> Iterator[Any]:
        """Yield `op` and all nested ops, in program order."""
        stack = [op]
        while stack:
            inner = stack.pop()
            yield inner
            stack.extend(reversed(self.children(inner)))


bare_contexts: WeakSet[Any] = WeakSet()
"""The contexts that load dialects on first use."""


def view_of(operation: Any) -> Any:
    """Return the `OpView` of an op, or a plain `Operation` if no Python code needs the `OpView`.

    Creating an `OpView` imports NumPy and the module of the op's dialect. For contexts in
    `bare_contexts`, the function avoids these imports unless the build's module `ir` has already
    been imported.
    """
    context = operation.context
    is_needed = context not in bare_contexts or f"{bindings_of(context).root}.ir" in sys.modules
    return operation.opview if is_needed else operation


def parent_of(op: Any) -> Any:
    """Return the parent of `op` as a plain `Operation`, or None for a top-level op."""
    try:
        parent = op.operation.parent
    except ValueError:  # it is detached
        return None
    return None if parent is None else parent.operation


def block_of(op: Any) -> Any:
    """Return the block that contains an op, or None for a top-level op.

    Reading the attribute `block` of a top-level op would crash the process.
    """
    return None if parent_of(op) is None else op.operation.block


@cache
def bindings_named(root: str) -> Bindings:
    """Return the shared `Bindings` object for the build with the root package `root`."""
    return Bindings(root)


def bindings_of(thing: object) -> Bindings:
    """Return the build that defines the class of an object, such as an op or a context.

    Raises:
        AdapterError: If no build of the bindings defines the class.
    """
    return _bindings_of_class(type(thing))


@cache
def _bindings_of_class(kind: type) -> Bindings:
    modules = (base.__module__.partition("._mlir_libs") for base in kind.__mro__)
    for root, found, _ in modules:
        if found:
            return bindings_named(root)
    raise AdapterError(f"{kind.__name__} is not a class from MLIR's bindings")


_locks: WeakKeyDictionary[Any, RLock] = WeakKeyDictionary()


def context_lock(context: Any) -> RLock:
    """Return the lock that a thread holds while MLIR works on ops of a context.

    To report a diagnostic, MLIR's threads wait for Python's global interpreter lock (GIL). A thread
    that holds the GIL must therefore never wait for MLIR's threads.
    """
    lock = _locks.get(context)
    return _locks.setdefault(context, RLock()) if lock is None else lock


@contextmanager
def on_threads(context: Any, most: int | None) -> Generator[None]:
    """Limit the number of threads that MLIR uses for a context during the `with` block.

    MLIR creates one thread for each processor that the calling thread may use, so the function
    reduces the number of these processors while MLIR creates its threads. On a platform without CPU
    affinity for threads, MLIR uses one thread if its usual number of threads exceeds the limit.

    Args:
        context: The context whose threads are limited.
        most: The maximum number of threads, or None for no limit.
    """
    had_threads = context.get_num_threads() > 1
    if most is None or (most > 1 and not (had_threads and most < _processors())):
        yield
        return
    context.enable_multithreading(False)
    if most > 1 and hasattr(os, "sched_setaffinity"):
        ours = os.sched_getaffinity(0)
        os.sched_setaffinity(0, sorted(ours)[:most])
        try:
            context.enable_multithreading(True)
        finally:
            os.sched_setaffinity(0, ours)
    try:
        yield
    finally:
        if had_threads:
            context.enable_multithreading(False)
            context.enable_multithreading(True)


def has_no_threads(context: Any) -> bool:
    """Return whether MLIR certainly uses only the calling thread for ops of a context."""
    return context.get_num_threads() == 1 < _processors()


@cache
def _processors() -> int:
    """Return the size of MLIR's thread pool. A pool with one thread looks like no pool."""
    can_tell = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if can_tell else os.cpu_count() or 1
