"""Passes: immutable objects that are declared as classes, and that transform or check an op.

`Pass` runs on any op that is isolated from above. `OperationPass` runs only on ops with one name,
which is the anchor of the pass. `InterfacePass` runs on ops that have a trait or implement an
interface.

`Pass` is also the interface of all other kinds of passes in the table below. `Pass` declares every
method that managers, schedules, runs, reports and tools call, with a default implementation. The
callers never test the class of a pass.

    written in Python   a class statement; its annotated fields are its options
    a function          created by `passel.passes.factory.pass_of`
    of xDSL or MLIR     created by the adapter, from a class (xDSL) or a name (MLIR)
    a crossing          runs the passes in its parentheses on another IR

`passel.passes.factory` creates passes and pass classes at run time.
"""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, cast, dataclass_transform

from passel.errors import DefinitionError
from passel.ir.adapters import op_name_of
from passel.passes.options import Options, option
from passel.passes.pass_type import PassType  # noqa: TC001 - fields are read when a class is made
from passel.passes.statistics import Statistic, statistics_of
from passel.pipeline import PassNode

if TYPE_CHECKING:
    from collections.abc import Sequence

    # Only for its default: a plain `Pass` means `Pass[Any]` to type checkers.
    from typing_extensions import TypeVar

    from passel.ir import OpKind
    from passel.passes.context import PassContext, StateT
    from passel.pipeline import ElementNode

    OpT = TypeVar("OpT", default=Any)
else:
    OpT = typing.TypeVar("OpT")
    StateT = typing.TypeVar("StateT")
InterfaceT = typing.TypeVar("InterfaceT")


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(option,))
class Pass(Options, Generic[OpT, StateT], abstract=True):
    """A transformation or check of an op and all ops nested in it.

    To define a pass, subclass `Pass`, set `name`, annotate the options, and write `run`. The
    subclass becomes a frozen dataclass automatically, so instances can be compared, printed and
    shared. By default, a pass is op-agnostic: it can run on every op that is isolated from above.

    Attributes:
        name: The name of the pass in textual pipelines. A pass without a name can run, but
            textual pipelines cannot contain the pass.
        dependent_dialects: The names of the dialects whose ops the pass may create. The dialects
            are loaded before any pass runs.
        anchor: The name of the ops that the pass runs on; None for any op.
        preserves: The classes of the analyses that the pass always preserves, for the op that it
            runs on and for nested and enclosing ops. `AllAnalyses` means all analyses.
        op_class: The class that was given as the anchor; None if the anchor is a name. The pass
            runs only on the IR of this class.
        ir: The name of the IR that the pass runs on; an empty string for any IR, or for that of
            `op_class`.
        effects: The effects of the pass outside the IR: any of `read-files`, `run-programs` and
            `write-files`. A pipeline from a reproducer can run the pass only if these effects are
            allowed; see `PassManager.restrict_effects`.
        can_fork: Whether the pass may run in a forked worker process or in a worker of an executor.
        can_thread: Whether the pass may run on several ops concurrently, in threads of one process.
            `can_thread` must be False if the pass changes ops outside the op that it runs on, or
            objects outside the IR.
        takes_elements: Whether the text of the pass has the form of a nested pipeline, such as
            `name(a,b)`. `from_elements` creates the pass from this text.
        types: The roles of the pass in a pipeline, such as `(BUFFERIZATION,)`; see `PassType`.
        constraints: The constraints on the position of the pass in a pipeline; see
            `passel.builder`.
        produces: The classes of the analyses that the pass computes for its op, for use by later
            passes.
        requires: The classes of the analyses that an earlier pass in the pipeline must produce, for
            the same op or for an enclosing op.
        idempotent: Whether running the pass twice in a row has the same result as running it once.

    `Pass` has two optional type parameters: the class of the ops that the pass runs on, and the
    type that `initialize` returns.

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

    Source: `mlir::Pass`, MLIR 22. Options are declared in the class body, as in xDSL.
    """

    _way_out: ClassVar[str] = (
        "passes are immutable, since one object runs on all ops; keep the data of one op in "
        "local variables of run, expensive objects in the state that initialize returns "
        "(ctx.state), and counts in statistics (ctx.count)"
    )

    _target: ClassVar[str] = ""
    """The attribute that the first type parameter sets: `anchor`, `interface`, or none."""

    name: ClassVar[str] = ""
    dependent_dialects: ClassVar[tuple[str, ...]] = ()
    anchor: ClassVar[str | None] = None
    op_class: ClassVar[type | None] = None
    preserves: ClassVar[tuple[type, ...]] = ()
    ir: ClassVar[str] = ""
    effects: ClassVar[tuple[str, ...]] = ()
    can_fork: ClassVar[bool] = True
    can_thread: ClassVar[bool] = True
    takes_elements: ClassVar[bool] = False
    types: ClassVar[tuple[PassType, ...]] = ()
    constraints: ClassVar[tuple[Any, ...]] = ()
    produces: ClassVar[tuple[type, ...]] = ()
    requires: ClassVar[tuple[type, ...]] = ()
    idempotent: ClassVar[bool] = False

    def __init_subclass__(cls, *, abstract: bool = False, **kwargs: Any) -> None:
        """Turn the subclass into a frozen dataclass, and check its declarations; see `Options`."""
        super().__init_subclass__(abstract=abstract, **kwargs)
        if abstract:
            return
        from passel.passes.definition import check_pass

        check_pass(cls)
        if cls._target and cls._target not in vars(cls) and (given := _parameter(cls)):
            setattr(cls, cls._target, given)
        anchor: Any = vars(cls).get("anchor")
        if anchor is not None:
            cls.op_class = anchor if isinstance(anchor, type) else None
            cls.anchor = op_name_of(anchor, f"{cls.__qualname__}: ")

    if not TYPE_CHECKING:

        def __class_getitem__(cls, parameters: Any) -> Any:
            """Fill in omitted type arguments at run time, as the defaults do for type checkers."""
            given = parameters if isinstance(parameters, tuple) else (parameters,)
            expected = len(getattr(cls, "__parameters__", ()))
            return super().__class_getitem__(given + (None,) * (expected - len(given)))

    def initialize(self, ir_context: Any) -> StateT:
        """Build expensive state, such as a set of rewrite patterns, that does not depend on the IR.

        `initialize` is called once for each compiled pipeline, before any pass runs. `run` reads
        the result as `ctx.state`. `run` must not change the result, since several calls of `run`
        may be active at once.

        Args:
            ir_context: The context of the IR, such as `mlir.ir.Context`.

        Raises:
            PassFailure: The pass cannot be initialized. The run fails before any pass runs.

        Source: `mlir::Pass::initialize`, MLIR 22.
        """
        return cast("StateT", None)

    def run(self, op: OpT, ctx: PassContext[StateT]) -> None:
        """Transform `op` without erasing it or accessing IR outside it.

        Raises:
            PassFailure: The pass fails on `op`.
        """
        raise NotImplementedError

    def can_schedule_on(self, kind: OpKind) -> bool:
        """Return whether the pass can run on ops of the given kind.

        Override this method to restrict the ops that a pass can run on. The method is called only
        for ops that are registered and isolated from above. If a pass in a manager with the anchor
        `any` rejects a kind of op, the manager skips ops of that kind. If the anchor is an op name
        instead, and a pass rejects ops with this name, the pipeline does not compile.

        Source: `mlir::Pass::canScheduleOn`, MLIR 22.
        """
        return self.anchor is None or self.anchor == kind.name

    @classmethod
    def check_complete(cls) -> None:
        """Reject an incomplete pass class before any pass runs.

        Raises:
            DefinitionError: The class does not define `run`, an `OperationPass` has no anchor, or
                an `InterfacePass` has no interface.
        """
        if cls.run is Pass.run:
            raise DefinitionError(f"{cls.__qualname__} does not define run(self, op, ctx)")
        is_default = cls.can_schedule_on in (Pass.can_schedule_on, InterfacePass.can_schedule_on)  # pyright: ignore[reportUnknownMemberType]
        if cls._target and getattr(cls, cls._target) is None and is_default:
            base = "OperationPass[<class of an op>]"
            if cls._target == "interface":
                base = "InterfacePass[<class of a trait or interface>]"
            raise DefinitionError(
                f"{cls.__qualname__} needs an {cls._target}: derive from {base}, or define "
                f"{cls._target} in the class body"
            )

    def requirement(self) -> str:
        """Return a phrase that says which ops the pass accepts, such as `on 'func.func' only`."""
        if self.anchor is not None:
            return f"on '{self.anchor}' only"
        return "on ops for which the pass's can_schedule_on returns True"

    def own_effects(self) -> tuple[str, ...]:
        """Return the effects of the pass outside the IR; by default, the attribute `effects`.

        Override this method if the effects depend on the options. If options contain other passes,
        the result does not include the effects of those passes.
        """
        return self.effects

    @classmethod
    def from_elements(cls, elements: Sequence[ElementNode], registry: Any) -> Self:
        """Create the pass from text of the form `name(elements)`.

        This method is called only if `takes_elements` is True.

        Args:
            elements: The syntax nodes for the text in parentheses.
            registry: The registry that resolves pass names in the enclosing pipeline.

        Raises:
            PipelineError: The elements are invalid.
        """
        raise NotImplementedError

    @property
    def short_name(self) -> str:
        """The name of the pass in messages: `name`, or `display_name` if `name` is empty."""
        return self.name or self.display_name

    @property
    def display_name(self) -> str:
        """The name of the pass in reports and dumps: by default, the class name, such as `CSE`.

        Source: `mlir::Pass::getName`, MLIR 22.
        """
        return type(self).__name__

    def dump_title(self, suffix: str = "") -> str:
        """Return the title of a dump of the IR, such as `CSE (cse)`.

        Args:
            suffix: The text to insert after the display name.
        """
        return f"{self.display_name}{suffix} ({self.name})"

    @classmethod
    def documentation(cls) -> str:
        """Return the docstring of the pass class, or an empty string.

        A pass class without a docstring uses the docstring of a base class with the same `name`.
        """
        from inspect import cleandoc

        for base in cls.__mro__:
            if base is not cls and (not cls.name or getattr(base, "name", "") != cls.name):
                break
            doc = base.__dict__.get("__doc__") or ""
            # `dataclass` stores the signature as the docstring of a class without a docstring.
            if doc and not doc.startswith(f"{base.__name__}("):
                return cleandoc(doc)
        return ""

    @classmethod
    def summary(cls) -> str:
        """Return the first line of the pass's documentation."""
        return cls.documentation().partition("\n")[0]

    @classmethod
    def statistics(cls) -> tuple[Statistic, ...]:
        """Return the statistics of the pass in the order of their declaration."""
        return statistics_of(cls)

    def to_node(self, *, all_options: bool = False) -> ElementNode:
        """Return the syntax node of the pass, for printing; see `to_text`."""
        name = self.name or f"unknown<{type(self).__name__}>"
        return PassNode(name, self.option_nodes(all_options=all_options))

    def to_text(self, *, all_options: bool = False) -> str:
        """Return the text of the pass in a printed pipeline.

        Args:
            all_options: Whether to also print options that have their default value.
        """
        return str(self.to_node(all_options=all_options))

    def __str__(self) -> str:
        return self.to_text()


class OperationPass(Pass[OpT, StateT], abstract=True):
    """A pass that runs only on ops with a certain name.

    The type parameter, an op class of any IR, determines the anchor, as in `OperationPass[FuncOp]`.
    If the ops have no Python class, set `anchor` in the body of the pass class.

    Example:
        >>> class OnFunctions(OperationPass):
        ...     name = "on-functions"
        ...     anchor = "func.func"
        >>> OnFunctions.anchor
        'func.func'

    Source: `mlir::OperationPass<OpT>`, MLIR 22.
    """

    _target = "anchor"


class InterfacePass(Pass[Any, StateT], Generic[InterfaceT, StateT], abstract=True):
    """A pass that runs only on ops with a certain trait or interface.

    The type parameter is the class of the trait or interface, as in `InterfacePass[SymbolTable]`.
    The pass has no anchor. If the pass is in a manager whose anchor is an op name, the pipeline
    compiles only if ops with this name implement the interface. If the anchor of the manager is
    `any`, the manager skips ops without the interface.

    Source: `mlir::InterfacePass<InterfaceT>`, MLIR 22.
    """

    _target = "interface"
    interface: ClassVar[type | None] = None

    def can_schedule_on(self, kind: OpKind) -> bool:
        """Return whether ops of the given kind implement the interface."""
        return self.interface is not None and kind.implements(self.interface)

    def requirement(self) -> str:
        """Return a phrase that says which interface an op must implement."""
        interface = self.interface
        return f"on ops that implement {interface.__name__}" if interface else super().requirement()


def _parameter(cls: type) -> type | None:
    """Return X if `cls` derives from `OperationPass[X]` or `InterfacePass[X]`, and X is a class.

    Raises:
        DefinitionError: X is neither a class nor a type variable nor `Any`.
    """
    for generic in cls.__dict__.get("__orig_bases__", ()):
        if getattr(typing.get_origin(generic), "_target", ""):
            given = typing.get_args(generic)[0]
            if isinstance(given, type):
                return given
            if given is not Any and not isinstance(given, typing.TypeVar):
                shown = getattr(given, "__forward_arg__", given)
                message = f"{cls.__qualname__}: {shown!r} in brackets is not a class"
                raise DefinitionError(f"{message}; to name an op, write anchor = 'func.func'")
    return None
