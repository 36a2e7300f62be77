"""The mode `passel-opt --compat=xdsl`, which runs passel's pipelines with xdsl-opt's flags.

With `--compat=xdsl`, xDSL's own driver runs with a faster parser and with passel's pipelines, which
can be nested. Between passes, only changed ops are verified.

Source: `xdsl.xdsl_opt_main.xDSLOptMain`, xDSL 0.74.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from time import perf_counter
from typing import IO, TYPE_CHECKING, Any

from xdsl.ir import Attribute
from xdsl.utils.diagnostic import Diagnostic
from xdsl.utils.exceptions import ArgSpecParseError
from xdsl.xdsl_opt_main import xDSLOptMain

from passel.errors import PassFailedError, PassFailure, PipelineError
from passel.frontend import UsageError
from passel.hooks import PassInstrumentation
from passel.ir import InvalidIR
from passel.manager import PassManager
from passel.passes import PassRegistry, default_registry
from passel.schedule import PassStep
from passel.xdsl.adapter import XDSLAdapter
from passel.xdsl.fast import make_parser
from passel.xdsl.registration import register_xdsl_passes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Dialect

    from passel.hooks import ObservedRun
    from passel.schedule import Step


def main(
    argv: Sequence[str],
    registry: PassRegistry | None,
    dialects: Sequence[Dialect],
    write: Callable[[str], None],
    after_parsing: Callable[[], None],
) -> int:
    """Run xdsl-opt's driver with passel's pipelines, and return the exit code.

    Args:
        argv: The command-line arguments.
        registry: The registry of available passes. None means that all installed passes are
            available.
        dialects: The dialects to register in addition to the installed dialects.
        write: A function that writes a string to standard output, and raises an error if it cannot
            write the whole string.
        after_parsing: A function that is called after the input has been parsed. If the input is
            split, the function is called after each chunk.
    """
    verify_attribute, colored = Attribute.__post_init__, Diagnostic.colored
    try:
        with warnings.catch_warnings():
            # Python hides deprecations from users of programs; xdsl-opt shows them.
            warnings.filterwarnings("default", category=DeprecationWarning)
            _CompatMain(argv, registry, dialects, write, after_parsing).run()
    except SystemExit as error:  # argparse, and --shrink
        if getattr(error, "__notes__", ()):
            raise  # a pass
        return error.code if isinstance(error.code, int) else 1
    except (PipelineError, UsageError):
        raise
    except (Exception, ArgSpecParseError) as error:  # noqa: BLE001 - xdsl-opt lets all through
        # With its notes, as tests look for them, but without the traceback.
        sys.stderr.write("".join(traceback.format_exception_only(error)))
        return 1
    finally:
        # xDSL's switches are global, and this process may not be over.
        Attribute.__post_init__, Diagnostic.colored = verify_attribute, colored
    return 0


class _CompatMain(xDSLOptMain):
    """xDSL's driver with passel's parser and pass manager."""

    def __init__(self, args: Sequence[str], *tool: Any) -> None:
        self.registry, dialects, self.write, self.after_parsing = tool
        self.adapter = XDSLAdapter(dominance=False, dialects=dialects)
        super().__init__(args=args)

    def register_all_dialects(self) -> None:
        self.ctx = self.adapter.create_context()

    def register_all_frontends(self) -> None:
        self.available_frontends["mlir"] = self._parse

    def _parse(self, stream: IO[Any]) -> ModuleOp:
        data = stream.read()
        text = data if isinstance(data, str) else data.decode("utf-8")  # text in older releases
        parser = make_parser(self.ctx, text, self.get_input_name())
        module = parser.parse_module(not self.args.no_implicit_module)
        self.after_parsing()
        return module

    def output_resulting_program(self, prog: ModuleOp) -> str:
        text = super().output_resulting_program(prog)
        if self.args.output_file is not None:
            return text
        self.write(text)
        return ""

    def setup_pipeline(self) -> None:
        registry = self.registry
        if registry is None:  # xDSL's own passes, also where passel has one of the same name
            registry = PassRegistry(default_registry())
            register_xdsl_passes(registry, override=True)
        self.manager = PassManager.parse(
            self.args.passes,
            self.ctx,
            registry=registry,
            adapter=self.adapter,
            flat_anchor="builtin.module",
            name="--passes",
        )
        self.manager.enable_verifier(not self.args.disable_verify)
        if self.args.print_between_passes or getattr(self.args, "time_passes", False):
            self.manager.add_instrumentation(_Narrator(self.args))

    def apply_passes(self, prog: ModuleOp) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride] - older releases ask whether to print
        try:
            if not self.args.disable_verify:
                self.adapter.verify(prog, recursive=True)
            self.manager.run(prog)
        except InvalidIR:
            prog.verify()  # raises the error that xdsl-opt would print
            raise
        except PassFailedError as error:
            first = error.failures[0]
            if first.kind == "invalid":
                prog.verify()  # the same
            cause = first.cause.__cause__ if isinstance(first.cause, PassFailure) else first.cause
            raise (cause or error) from None
        return True


class _Narrator(PassInstrumentation):
    """The instrumentation for `--print-between-passes` and `--time-passes`."""

    def __init__(self, args: Any) -> None:
        self.prints: bool = args.print_between_passes
        self.times: bool = getattr(args, "time_passes", False)

    def before_run(self, run: ObservedRun) -> None:
        self.last = ""

    def before_pass(self, step: Step, op: Any) -> None:
        if op.parent is not None:
            return
        if self.prints and self.last:
            sys.stdout.write(f"IR after {self.last}:\n{op!s}\n\n\n\n")
        self.last = step.pass_.name if isinstance(step, PassStep) else step.path
        self.started = perf_counter()

    def after_pass(self, step: Step, op: Any) -> None:
        if self.times and op.parent is None:
            sys.stdout.write(f"Pass {self.last} took {perf_counter() - self.started} seconds\n")
