"""One build of MLIR's Python bindings, and what it is able to do.

Builds differ: by the release of LLVM, and by what their vendor compiled in. Each ability is
looked for in the modules themselves. Most builds register their dialects and passes by
themselves; jaxlib does when it is told to.
"""

from __future__ import annotations

import importlib
import os
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import AdapterError

if TYPE_CHECKING:
    from collections.abc import Iterator


_JAXLIB = "jaxlib.mlir"
_JAXLIB_REGISTRIES = ("_jax_mlir_ext", "register_jax_dialects")
"""Modules of jaxlib, by release, that have MLIR's own dialects; importing them registers passes."""

_JAXLIB_DIALECTS = {
    "_chlo": "register_dialect",
    "_mlirHlo": "register_mhlo_dialect",
    "_sdy": "register_dialect",
    "_sdyMpmd": "register_dialect",
    "_stablehlo": "register_dialect",
}
_JAXLIB_PASSES = {
    "_mlirHlo": "register_mhlo_passes",
    "_stablehlo": "register_stablehlo_passes",
}


class Abilities(NamedTuple):
    """Abilities of a build beyond those that all builds have.

    Attributes:
        isolation_query: `Operation.has_trait` and `ir.IsIsolatedFromAboveTrait`.
        bytecode: `Operation.write_bytecode`.
        location_setter: `Operation.location` can be set.
        location_queries: Locations can be taken apart, by `Location.is_a_file` or by their
            classes.
        file_parser: `Module.parseFile`; without it only text is read.
    """

    isolation_query: bool
    bytecode: bool
    location_setter: bool
    location_queries: bool
    file_parser: bool


class Bindings:
    """A build of the bindings, by the name of its root package.

    Attributes:
        root: The package, such as `mlir` or `iree.compiler`.
        process: The process that has loaded it; 0 before that.
    """

    def __init__(self, root: str) -> None:
        """Import nothing yet."""
        self.root = root
        self.process: int = 0

    def module(self, name: str) -> Any:
        """Return a module of the build, such as `ir` or `dialects.func`.

        Raises:
            AdapterError: The build is not installed, or has no such module.
        """
        try:
            return importlib.import_module(f"{self.root}.{name}")
        except ImportError as error:
            msg = f"MLIR's bindings '{self.root}' cannot be used: {error}"
            raise AdapterError(msg) from error

    @cached_property
    def ir(self) -> Any:
        """The build's module `ir`."""
        self.process = os.getpid()
        return self.module("ir")

    @cached_property
    def passmanager(self) -> Any:
        """The build's module `passmanager`."""
        return self.module("passmanager")

    @cached_property
    def abilities(self) -> Abilities:
        """Abilities of the build, found by looking."""
        ir = self.ir
        return Abilities(
            isolation_query=hasattr(ir.Operation, "has_trait")
            and hasattr(ir, "IsIsolatedFromAboveTrait"),
            bytecode=hasattr(ir.Operation, "write_bytecode"),
            location_setter=getattr(ir.Operation.location, "fset", None) is not None,
            location_queries=hasattr(ir.Location, "is_a_file") or hasattr(ir, "FileLineColLoc"),
            file_parser=hasattr(ir.Module, "parseFile"),
        )

    def new_context(self) -> Any:
        """Return a context with all dialects of the build; its passes are registered as well.

        Source: `make_ir_context` in JAX's `interpreters/mlir.py`, which registers no passes.
        """
        context = self.ir.Context()
        if self.root != _JAXLIB:
            return context
        registry = self.ir.DialectRegistry()
        for name in _JAXLIB_REGISTRIES:
            _call_jaxlib(name, "register_dialects", registry)
        context.append_dialect_registry(registry)
        context.load_all_available_dialects()
        for name, function in _JAXLIB_DIALECTS.items():
            _call_jaxlib(name, function, context)
        for name, function in _JAXLIB_PASSES.items():
            _call_jaxlib(name, function)
        return context

    def lacks(self, needed: str) -> AdapterError:
        """Return the error for what the build does not offer."""
        return AdapterError(f"MLIR's bindings '{self.root}' cannot do this: they lack {needed}")

    def children(self, op: Any) -> list[Any]:
        """Return the ops immediately inside the regions of `op`, in program order."""
        return [child for region in op.operation.regions for block in region for child in block]

    def walk(self, op: Any) -> Iterator[Any]:
        """Yield `op` and all that is inside, in program order."""
        stack = [op]
        while stack:
            inner = stack.pop()
            yield inner
            stack.extend(reversed(self.children(inner)))


def _call_jaxlib(name: str, function: str, *arguments: Any) -> None:
    """Call a function of one of jaxlib's extension modules, if this release has it."""
    try:
        module = importlib.import_module(f"{_JAXLIB}._mlir_libs.{name}")
    except ModuleNotFoundError:
        return
    if hasattr(module, function):
        getattr(module, function)(*arguments)


def parent_of(op: Any) -> Any:
    """Return the plain `Operation` around an op, or None at the top."""
    try:
        parent = op.operation.parent
    except ValueError:  # it is detached
        return None
    return None if parent is None else parent.operation


def block_of(op: Any) -> Any:
    """Return the block around an op; asked at the top, the bindings end the process.

    Builds before 2025 have to look for it.
    """
    operation, parent = op.operation, parent_of(op)
    if parent is None:
        return None
    if hasattr(operation, "block"):
        return operation.block
    blocks = (block for region in parent.regions for block in region)
    return next(each for each in blocks if any(inner.operation == operation for inner in each))


@cache
def bindings_named(root: str) -> Bindings:
    """Return the build whose root package this is; there is one object for each."""
    return Bindings(root)


def bindings_of(thing: object) -> Bindings:
    """Return the build that an op, a context or another object of the bindings belongs to.

    Raises:
        AdapterError: It is not of any build.
    """
    for base in type(thing).__mro__:
        root, found, _ = base.__module__.partition("._mlir_libs")
        if found:
            return bindings_named(root)
    msg = f"{thing!r} is not an object of MLIR's bindings"
    raise AdapterError(msg)
