"""Passes: frozen values that are declared by their class body and run on one op.

Pass            runs on any op that is isolated from above
OperationPass   runs on ops of one name, its anchor
InterfacePass   runs on ops that have a trait or implement an interface

`Pass` is also the protocol of every other kind of pass: all that managers, schedules, runs,
reports and tools may ask of one is declared here, with a default. They never ask which kind a
pass is; what is special about a kind is its answer to one of these questions.

    written in Python   a class statement; its annotated fields are its options
    a function          made by `passel.passes.callables.pass_of`
    an IR's own         made by the adapter, of a class (xDSL) or a name (MLIR)
    a crossing          runs a pipeline on another IR; takes elements in parentheses

Classes that are made at run time are made by `passel.passes.factory`.
"""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, dataclass_transform

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
        name: The name in textual pipelines. A pass without one runs, but cannot be parsed.
        dependent_dialects: Dialects of ops that the pass may create, loaded before the run.
        anchor: The name of the only op that the pass runs on; None for any op.
        preserves: Analyses that the pass never invalidates: neither of its op, nor of nested or
            enclosing ones. `AllAnalyses` stands for every one.
        ir: The name of the only IR that the pass runs on; empty for any.
        effects: What the pass may do outside the IR: any of `read-files`, `run-programs` and
            `write-files`. A pipeline from a recorded file runs such a pass only if it is allowed
            to; see `PassManager.restrict_effects`.
        can_fork: Whether it may run in a worker process: a copy of this one, or one of an executor.
        can_thread: Whether it may run on several ops at once, in threads of one process. Not if
            it changes other ops than its own, or objects beside the IR.
        takes_elements: Whether it is written like a nested pipeline, `name(a,b)`; then
            `from_elements` makes it.
        types: The parts that it plays in a pipeline, such as `(BUFFERIZATION,)`.
        constraints: Where it may go in a pipeline, as `passel.builder` declares it.
        produces: Analyses of its op that it computes for passes after it, valid when it ends.
        requires: Analyses (classes), of its op or of an enclosing one, that a pass before it must
            produce, and dialects (names) that no pass before it may have made illegal.
        makes_legal: Dialects that its ops may be of afterwards.
        makes_illegal: Dialects that no op is of afterwards.
        idempotent: Whether a second run right after the first changes nothing.

    The type parameters are the class of the ops that it runs on and what `initialize`
    returns; both may be left out.

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
        "passes never change, as one object runs on all ops; keep the data of one op in "
        "variables of run, what is costly to build in what initialize returns (ctx.state), and "
        "count with ctx.count"
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
            """Let type parameters be left out, as their defaults do for type checkers."""
            given = parameters if isinstance(parameters, tuple) else (parameters,)
            expected = len(getattr(cls, "__parameters__", ()))
            return super().__class_getitem__(given + (None,) * (expected - len(given)))

    def initialize(self, ir_context: Any) -> StateT:
        """Build things that are costly and independent of the IR, such as a set of patterns.

        Called once per schedule, before anything runs; `ctx.state` hands the result to
        `run`. It must not be changed there: ops may be processed at the same time.

        Args:
            ir_context: The IR's own context.

        Raises:
            PassFailure: The run fails before any pass has run.

        Source: `mlir::Pass::initialize`, MLIR 22.
        """
        raise NotImplementedError

    @classmethod
    def has_state(cls) -> bool:
        """Return whether `initialize` is to be called."""
        return cls.initialize is not Pass.initialize

    def run(self, op: OpT, ctx: PassContext[StateT]) -> None:
        """Transform `op`. It must not erase `op`, nor read or change anything outside of it.

        Raises:
            PassFailure: The pass gives up on this op.
        """
        raise NotImplementedError

    def can_schedule_on(self, kind: OpKind) -> bool:
        """Return whether the pass can run on ops of this kind. Override it to be picky.

        It is asked for registered, isolated ops only. In an `any` manager a single refusal
        keeps the whole manager from such ops; elsewhere it is an error to run there.

        Source: `mlir::Pass::canScheduleOn`, MLIR 22.
        """
        return self.anchor is None or self.anchor == kind.name

    @classmethod
    def check_complete(cls) -> None:
        """Refuse a class that lacks what a run needs, before anything runs.

        Raises:
            DefinitionError: It defines no `run`; with the way out.
        """
        if cls.run is Pass.run:
            other = next((name for name in ("apply", "rewrite") if hasattr(cls, name)), "")
            way_out = f": write its {other} as this" if other else ""
            msg = f"{cls.__qualname__} does not define run(self, op, ctx){way_out}"
            raise DefinitionError(msg)

    def requirement(self) -> str:
        """Return which ops the pass can run on, as messages put it: `on 'func.func' only`."""
        if self.anchor is not None:
            return f"on '{self.anchor}' only"
        return "on such ops as its can_schedule_on accepts"

    def own_effects(self) -> tuple[str, ...]:
        """Return the effects of the pass outside the IR, by default `effects`.

        Override it where that depends on options. Passes that it holds speak for themselves.
        """
        return self.effects

    def may_run(self) -> Iterable[PipelineTree]:
        """Return the pipelines that the pass may run, besides those in its options.

        For checks before a run: the run itself goes by what `PassContext.run_pipeline` has run.
        """
        return ()

    @staticmethod
    def argument_options(argument: str) -> Iterable[tuple[str, str]] | None:  # noqa: ARG004 - for those that take one
        """Return the options that `name[argument]` means, by name, as they would be written.

        None if the pass takes no argument.
        """
        return None

    @classmethod
    def from_elements(
        cls,
        elements: Sequence[ElementNode],  # noqa: ARG003 - for those that take them
        registry: Any,  # noqa: ARG003
    ) -> Self:
        """Return the pass for `name(elements)`; for classes that take elements.

        Args:
            elements: The elements.
            registry: Where names around it are looked up.

        Raises:
            PipelineError: The argument is wrong.
        """
        msg = f"{cls.__qualname__} takes elements, but does not define from_elements"
        raise DefinitionError(msg)

    @property
    def display_name(self) -> str:
        """The name in reports and dumps: the class's, such as `CSE`.

        Source: `mlir::Pass::getName`, MLIR 22.
        """
        return type(self).__name__

    @classmethod
    def documentation(cls) -> str:
        """Return the class's own docstring, or its base's if that declares the same pass."""
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
        """Return the options as they are listed for users, with their help."""
        return cls.option_infos()

    @classmethod
    def statistics(cls) -> tuple[Statistic, ...]:
        """Return the declared statistics in the order of declaration."""
        return statistics_of(cls)

    def to_node(self, *, all_options: bool = False) -> ElementNode:
        """Return the pass as an element of a pipeline, to be printed; see `to_text`."""
        name = self.name or f"unknown<{type(self).__name__}>"
        return PassNode(name, self.option_nodes(all_options=all_options))

    def to_text(self, *, all_options: bool = False) -> str:
        """Return the pass as in a pipeline's text.

        Args:
            all_options: Print the options that equal their defaults as well.
        """
        return str(self.to_node(all_options=all_options))

    def __str__(self) -> str:
        return self.to_text()


class OperationPass(Pass[OpT, StateT], abstract=True):
    """A pass that runs on ops of one name only: `OperationPass[FuncOp]`.

    The anchor comes from the type parameter, an op class of any IR; set `anchor` in the
    class body where there is no class.

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
        """Refuse a class without an anchor as well."""
        super().check_complete()
        if cls.anchor is None and cls.can_schedule_on is OperationPass.can_schedule_on:
            msg = (
                f"{cls.__qualname__} needs an anchor: derive from OperationPass[FuncOp], with the "
                "class of the op, or write anchor = 'func.func' in the class body"
            )
            raise DefinitionError(msg)

    def can_schedule_on(self, kind: OpKind) -> bool:
        """Accept the anchor only."""
        return kind.name == self.anchor


class InterfacePass(Pass[Any, StateT], Generic[InterfaceT, StateT], abstract=True):
    """A pass that runs on ops with a trait or interface: `InterfacePass[SymbolTable]`.

    It has no anchor: in a manager for an op without the interface it is refused when the
    pipeline is built, and in an `any` manager it keeps such ops out.

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
        """Refuse a class without an interface as well."""
        super().check_complete()
        if cls.interface is None and cls.can_schedule_on is InterfacePass.can_schedule_on:  # pyright: ignore[reportUnknownMemberType]
            msg = (
                f"{cls.__qualname__} needs an interface: derive from InterfacePass[SymbolTable], "
                "with the class of the trait or interface"
            )
            raise DefinitionError(msg)

    def can_schedule_on(self, kind: OpKind) -> bool:
        """Accept ops that implement the interface."""
        return self.interface is not None and kind.implements(self.interface)

    def requirement(self) -> str:
        """Return which ops the pass can run on: those that implement the interface."""
        name = "its interface" if self.interface is None else self.interface.__name__
        return f"on ops that implement {name}"


def _parameter(cls: type, base: type, expected: str) -> type | None:
    """Return X if `cls` derives from `base[X, ...]`, or a subclass's, and X is a class.

    Raises:
        DefinitionError: X is something else, but for what stands for any class.
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
            msg = (
                f"{cls.__qualname__} derives from {base.__name__}[{shown!r}], which takes the "
                f"class of {expected}; an op's name is written anchor = 'func.func' in the body"
            )
            raise DefinitionError(msg)
    return None
