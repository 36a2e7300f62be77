"""One build of MLIR's Python bindings, and what it is able to do.

Builds differ: by the release of LLVM, and by what their vendor compiled in. Each ability is
looked for in the modules themselves.
"""

from __future__ import annotations

import importlib
import os
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import AdapterError
from passel.mlir.builds import new_context

if TYPE_CHECKING:
    from collections.abc import Iterator


class Abilities(NamedTuple):
    """Abilities of a build beyond those that all builds have.

    Attributes:
        isolation_query: `Operation.has_trait` and `ir.IsIsolatedFromAboveTrait`.
        bytecode: `Operation.write_bytecode`.
        location_setter: `Operation.location` can be set.
        location_queries: Locations can be taken apart, by `Location.is_a_file` or by their
            classes.
    """

    isolation_query: bool
    bytecode: bool
    location_setter: bool
    location_queries: bool


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
        )

    def new_context(self) -> Any:
        """Return a context with all dialects of the build; its passes are registered as well."""
        return new_context(self.root, self.ir)

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
