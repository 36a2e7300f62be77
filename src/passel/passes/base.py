"""Passes: frozen values that are declared by their class body and run on one op.

Pass            runs on any op that is isolated from above
OperationPass   runs on ops of one name, its anchor
InterfacePass   runs on ops that have a trait or implement an interface

`Pass` is also the protocol of every other kind of pass. `Pass` declares, with defaults, every
method that managers, schedules, runs, reports and tools call. These never test the kind of a pass.

    written in Python   a class statement; its annotated fields are its options
    a function          made by `passel.passes.factory.pass_of`
    an IR's own         made by the adapter, of a class (xDSL) or a name (MLIR)
    a crossing          runs a pipeline on another IR; takes elements in parentheses

`passel.passes.factory` makes passes and pass classes at run time.
"""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, cast, dataclass_transform

from passel.errors import DefinitionError
from passel.ir import op_name_of
from passel.passes.options import Options, option
from passel.passes.pass_type import PassType  # noqa: TC001 - fields are read when a class is made
from passel.passes.statistics import Statistic, statistics_of
from passel.pipeline import PassNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    # Only for its default: a plain `Pass` means `Pass[Any]` to type checkers.
    from typing_extensions import TypeVar

    from passel.ir import OpKind
    from passel.passes.context import PassContext, PipelineTree
    from passel.passes.options import OptionInfo
    from passel.pipeline import ElementNode

    OpT = TypeVar("OpT", default=Any)
    StateT = TypeVar("StateT", default=None)
    InterfaceT = TypeVar("InterfaceT")
else:
    OpT = typing.TypeVar("OpT")
    StateT = typing.TypeVar("StateT")
    InterfaceT = typing.TypeVar("InterfaceT")


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(option,))
class Pass(Options, Generic[OpT, StateT], abstract=True):
    """A transformation or check of one op and everything nested in it.

    Subclass it, give it a `name`, annotate its options, and write `run`. The subclass is a
    frozen dataclass without a decorator: instances can be compared, printed and shared.
    A plain `Pass` is op-agnostic: it can run on every op that is isolated from above.

    Attributes:
        name: The name in textual pipelines. A pass without a name runs, but pipelines in text
            cannot refer to it.
        dependent_dialects: The dialects of ops that the pass may create; a run loads them first.
        anchor: The name of the ops that the pass runs on; None for any op.
        preserves: The analyses that the pass never invalidates, whether of its op or of nested or
            enclosing ops. `AllAnalyses` represents all analyses.
        ir: The name of the only IR that the pass runs on; empty for any.
        effects: The pass's effects outside the IR: any of `read-files`, `run-programs` and
            `write-files`. A pipeline from a recorded file runs the pass only if its effects are
            allowed; see `PassManager.restrict_effects`.
        can_fork: Whether the pass may run in a forked worker process or in a worker of an executor.
        can_thread: Whether the pass may run on several ops at once, in threads of one process.
            False for passes that change ops other than their own, or objects outside the IR.
        takes_elements: Whether the pass is written like a nested pipeline, `name(a,b)`, and made
            by `from_elements`.
        types: The roles of the pass in a pipeline, such as `(BUFFERIZATION,)`.
        constraints: Constraints on the position of the pass in a pipeline; see `passel.builder`.
        produces: The analyses of its op that the pass computes for later passes.
        requires: The analysis classes that an earlier pass must produce for the op or an enclosing
            op, and the names of the dialects that no earlier pass may have made illegal.
        makes_legal: The dialects that may appear in the IR after the pass.
        makes_illegal: The dialects that no longer appear in the IR after the pass.
        idempotent: Whether running the pass twice in a row has the same result as running it once.

    The type parameters are the class of the ops that the pass runs on and the type that
    `initialize` returns. Both are optional.

    Example:
        >>> class Noop(Pass):
        ...     '''Do nothing.'''
        ...
        ...     name = "noop"
        ...     times: int = 1
        ...
        ...     def run(self, op, ctx): ...
        >>> print(Noop(times=2), Noop() == Noop())
        noop{times=2} True

    Source: `mlir::Pass`, MLIR 22; the declaration by class body follows xDSL's passes.
    """

    _way_out: ClassVar[str] = (
        "passes are immutable, since one object runs on all ops; keep the data of one op in "
        "local variables of run, expensive objects in the state that initialize returns "
        "(ctx.state), and counts in statistics (ctx.count)"
    )

    name: ClassVar[str] = ""
    dependent_dialects: ClassVar[tuple[str, ...]] = ()
    anchor: ClassVar[str | None] = None
    preserves: ClassVar[tuple[type, ...]] = ()
    ir: ClassVar[str] = ""
    effects: ClassVar[tuple[str, ...]] = ()
    can_fork: ClassVar[bool] = True
    can_thread: ClassVar[bool] = True
    takes_elements: ClassVar[bool] = False
    types: ClassVar[tuple[PassType, ...]] = ()
    constraints: ClassVar[tuple[Any, ...]] = ()
    produces: ClassVar[tuple[type, ...]] = ()
    requires: ClassVar[tuple[type | str, ...]] = ()
    makes_legal: ClassVar[tuple[str, ...]] = ()
    makes_illegal: ClassVar[tuple[str, ...]] = ()
    idempotent: ClassVar[bool] = False

    def __init_subclass__(cls, *, abstract: bool = False, **kwargs: Any) -> None:
        """Make the subclass a frozen dataclass and check what it declares; see `Options`."""
        super().__init_subclass__(abstract=abstract, **kwargs)
        if abstract:
            return
        from passel.passes.definition import check_pass

        check_pass(cls)

    if not TYPE_CHECKING:

        def __class_getitem__(cls, parameters: Any) -> Any:
            """Make type parameters optional at run time, as their defaults do for type checkers."""
            given = parameters if isinstance(parameters, tuple) else (parameters,)
            expected = len(getattr(cls, "__parameters__", ()))
            return super().__class_getitem__(given + (None,) * (expected - len(given)))

    def initialize(self, ir_context: Any) -> StateT:
        """Build expensive state that does not depend on the IR, such as a set of rewrite patterns.

        `initialize` is called once per schedule, before any pass runs. `run` reads the result as
        `ctx.state` and must not change it, since passes may run on several ops at once.

        Args:
            ir_context: The IR's own context.

        Raises:
            PassFailure: The run has to fail before any pass runs.

        Source: `mlir::Pass::initialize`, MLIR 22.
        """
        return cast("StateT", None)

    def run(self, op: OpT, ctx: PassContext[StateT]) -> None:
        """Transform `op`, without erasing it or accessing IR outside of it.

        Raises:
            PassFailure: The pass fails on this op.
        """
        raise NotImplementedError

    def can_schedule_on(self, kind: OpKind) -> bool:
        """Return whether the pass can run on ops of this kind.

        Override the method to restrict a pass. It is called only for registered, isolated ops. If a
        pass of an `any` manager rejects a kind of op, the manager skips such ops; in other managers
        this is an error.

        Source: `mlir::Pass::canScheduleOn`, MLIR 22.
        """
        return self.anchor is None or self.anchor == kind.name

    @classmethod
    def check_complete(cls) -> None:
        """Refuse an incomplete class before anything runs.

        Raises:
            DefinitionError: The class does not define `run`.
        """
        if cls.run is Pass.run:
            other = next((name for name in ("apply", "rewrite") if hasattr(cls, name)), "")
            way_out = f": rename its method {other} to run" if other else ""
            raise DefinitionError(f"{cls.__qualname__} does not define run(self, op, ctx){way_out}")

    def requirement(self) -> str:
        """Return the ops that the pass runs on, as a phrase for messages: `on 'func.func' only`."""
        if self.anchor is not None:
            return f"on '{self.anchor}' only"
        return "on ops for which its can_schedule_on returns True"

    def own_effects(self) -> tuple[str, ...]:
        """Return the effects of the pass outside the IR, by default `effects`.

        Override the method if the effects depend on options. Effects of passes in options are not
        included.
        """
        return self.effects

    def may_run(self) -> Iterable[PipelineTree]:
        """Return the pipelines that the pass may run, in addition to those in its options.

        Checks before a run include these pipelines.
        """
        return ()

    @staticmethod
    def argument_options(argument: str) -> Iterable[tuple[str, str]] | None:  # noqa: ARG004 - for those that take one
        """Return the names and values of the options that `name[argument]` sets.

        Returns:
            The options, or None if the pass takes no argument.
        """
        return None

    @classmethod
    def from_elements(cls, elements: Sequence[ElementNode], registry: Any) -> Self:
        """Return the pass for `name(elements)`, for classes that take elements.

        Args:
            elements: The elements.
            registry: The registry of the enclosing pipeline.

        Raises:
            PipelineError: The elements are invalid.
        """
        raise NotImplementedError

    @property
    def short_name(self) -> str:
        """The name in messages: `name`, or `display_name` if there is none."""
        return self.name or self.display_name

    @property
    def display_name(self) -> str:
        """The name in reports and dumps: the class name, such as `CSE`.

        Source: `mlir::Pass::getName`, MLIR 22.
        """
        return type(self).__name__

    def dump_title(self, suffix: str = "") -> str:
        """Return the text that introduces a dump of the IR, such as `CSE (cse)`.

        Args:
            suffix: The text after the display name.
        """
        return f"{self.display_name}{suffix} ({self.name})"

    @classmethod
    def documentation(cls) -> str:
        """Return the docstring of the class, or of a base class that declares the same pass."""
        from inspect import cleandoc

        for base in cls.__mro__:
            if base is not cls and (not cls.name or getattr(base, "name", "") != cls.name):
                break
            doc = base.__dict__.get("__doc__") or ""
            # `dataclass` writes the signature there if the author wrote nothing.
            if doc and not doc.startswith(f"{base.__name__}("):
                return cleandoc(doc)
        return ""

    @classmethod
    def summary(cls) -> str:
        """Return the first line of the documentation."""
        return cls.documentation().partition("\n")[0]

    @classmethod
    def documented_options(cls) -> tuple[OptionInfo, ...]:
        """Return the options with their help, for documentation."""
        return cls.option_infos()

    @classmethod
    def statistics(cls) -> tuple[Statistic, ...]:
        """Return the statistics in the order of their declaration."""
        return statistics_of(cls)

    def to_node(self, *, all_options: bool = False) -> ElementNode:
        """Return the pass as an element of a pipeline, to be printed; see `to_text`."""
        name = self.name or f"unknown<{type(self).__name__}>"
        return PassNode(name, self.option_nodes(all_options=all_options))

    def to_text(self, *, all_options: bool = False) -> str:
        """Return the pass as text, as a pipeline prints it.

        Args:
            all_options: Whether to print options with default values too.
        """
        return str(self.to_node(all_options=all_options))

    def __str__(self) -> str:
        return self.to_text()


class OperationPass(Pass[OpT, StateT], abstract=True):
    """A pass that runs on ops of one name only: `OperationPass[FuncOp]`.

    The type parameter, an op class of any IR, gives the anchor. For ops without a class, set
    `anchor` in the class body.

    Example:
        >>> class OnFunctions(OperationPass):
        ...     name = "on-functions"
        ...     anchor = "func.func"
        >>> OnFunctions.anchor
        'func.func'

    Source: `mlir::OperationPass<OpT>`, MLIR 22.
    """

    anchor: ClassVar[str | None] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Take the anchor from the type parameter."""
        super().__init_subclass__(**kwargs)
        if "anchor" not in cls.__dict__ and (given := _parameter(cls, OperationPass, "an op")):
            cls.anchor = op_name_of(given)

    @classmethod
    def check_complete(cls) -> None:
        """Reject a class without an anchor or without `run`."""
        super().check_complete()
        if cls.anchor is None and cls.can_schedule_on is OperationPass.can_schedule_on:
            raise DefinitionError(
                f"{cls.__qualname__} needs an anchor: derive from OperationPass[FuncOp], with the "
                "class of the op, or write anchor = 'func.func' in the class body"
            )

    def can_schedule_on(self, kind: OpKind) -> bool:
        """Accept the anchor only."""
        return kind.name == self.anchor


class InterfacePass(Pass[Any, StateT], Generic[InterfaceT, StateT], abstract=True):
    """A pass that runs on ops with a trait or interface: `InterfacePass[SymbolTable]`.

    It has no anchor. A manager for an op without the interface rejects the pass when the pipeline
    is built; an `any` manager with the pass skips such ops.

    Source: `mlir::InterfacePass<InterfaceT>`, MLIR 22.
    """

    interface: ClassVar[type | None] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Take the interface from the type parameter."""
        super().__init_subclass__(**kwargs)
        if "interface" not in cls.__dict__:
            cls.interface = _parameter(cls, InterfacePass, "a trait or interface") or cls.interface

    @classmethod
    def check_complete(cls) -> None:
        """Reject a class without an interface or without `run`."""
        super().check_complete()
        if cls.interface is None and cls.can_schedule_on is InterfacePass.can_schedule_on:  # pyright: ignore[reportUnknownMemberType]
            raise DefinitionError(
                f"{cls.__qualname__} needs an interface: derive from InterfacePass[SymbolTable], "
                "with the class of the trait or interface"
            )

    def can_schedule_on(self, kind: OpKind) -> bool:
        """Accept ops that implement the interface."""
        return self.interface is not None and kind.implements(self.interface)

    def requirement(self) -> str:
        """Return the restriction to ops that implement the interface."""
        name = "its interface" if self.interface is None else self.interface.__name__
        return f"on ops that implement {name}"


def _parameter(cls: type, base: type, expected: str) -> type | None:
    """Return X if `cls` derives from `base[X, ...]`, or from a subclass of it, and X is a class.

    Raises:
        DefinitionError: X is neither a class nor a type variable nor `Any`.
    """
    for generic in cls.__dict__.get("__orig_bases__", ()):
        origin = typing.get_origin(generic)
        if isinstance(origin, type) and issubclass(origin, base):
            given = typing.get_args(generic)[0]
            if given is Any or isinstance(given, typing.TypeVar):
                return None
            if isinstance(given, type):
                return given
            shown = getattr(given, "__forward_arg__", given)
            raise DefinitionError(
                f"{cls.__qualname__} derives from {base.__name__}[{shown!r}], which takes the "
                f"class of {expected}; for the name of an op, write anchor = 'func.func'"
            )
    return None
