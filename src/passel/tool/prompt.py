"""`--interactive`: a prompt over a session, on the standard input and the error stream."""

from __future__ import annotations

import cmd
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from passel.errors import PasselError, PassFailedError
from passel.instruments.ir_diff import coloured
from passel.instruments.terminals import shows_color
from passel.ir.frontend import UnreadableError, UsageError
from passel.search import Session
from passel.tool.editing import edit
from passel.tool.output import refusing
from passel.tool.process import Termination

if TYPE_CHECKING:
    from typing import TextIO

    from passel.diagnostics import Diagnostic
    from passel.ir.frontend import Parsed
    from passel.manager import PassManager, RunResult
    from passel.tool.shared import Shared

_INTRO = "Passes run one by one. Type help for the commands, quit to end with the IR as it is."


class Prompt(cmd.Cmd):
    """Reads commands about a session, and shows what they give.

    Args:
        manager: The pipeline.
        parsed: The IR.
        shared: Services and settings of the tool.

    Raises:
        UsageError: The standard input is the IR.
    """

    doc_header = "Commands; help <command> tells more:"

    def __init__(self, manager: PassManager, parsed: Parsed, shared: Shared) -> None:
        if shared.settings.input == "-":
            raise UsageError(
                "'--interactive' reads commands from the standard input: name the input's file"
            )
        super().__init__(stdout=sys.stderr)
        self.use_rawinput: bool = sys.stdin.isatty()
        self._out: TextIO = sys.stderr
        self._parsed = parsed
        self._context = manager.context
        self._shared = shared
        self._session = Session(
            manager, parsed.op, on_diagnostic=self._report, adapter=shared.adapter
        )
        self._result: RunResult | None = None

    def run(self) -> tuple[Parsed, RunResult]:
        """Take commands up to the last, and return the IR with the result of the last passes."""
        self._out.write(f"{_INTRO}\n")
        self._show_list()
        self.cmdloop()
        if self._result is None:
            self._result = self._session.step(0)
        return replace(self._parsed, op=self._session.op), self._result

    @property
    def prompt(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride] - read alone
        """The place, as the next command finds it."""
        place = self._session.place.rpartition("/")[2]
        return f"(after {place}) " if place else "(start) "

    def onecmd(self, line: str) -> bool:
        """Do a command; an error is shown, and ends nothing."""
        try:
            return bool(super().onecmd(line))
        except PassFailedError:
            self._say("the pass failed: the IR is as it was before")
        except PasselError as error:
            self._say(f"error: {error}")
        except UnreadableError as error:
            for diagnostic in error.diagnostics:
                self._report(diagnostic)
        except BaseException as error:
            if isinstance(error, (Exception, Termination)):
                raise
            self._say("interrupted: the IR is as it was before")  # by Ctrl-C, or `sys.exit`
        return False

    def emptyline(self) -> bool:
        """Do nothing: a pass does not run because Enter was pressed twice."""
        return False

    def default(self, line: str) -> None:
        """Say that there is no such command."""
        name = line.split(maxsplit=1)[0]
        self._say(f"error: there is no command '{name}'; type help for those there are")

    # -- Going on and back -----------------------------------------------------------------

    def do_step(self, argument: str) -> None:
        """`step [n]`: run the next pass, or n of them, each on all of its ops."""
        count = int(argument) if argument.isdecimal() else 0
        if argument and not count:
            raise UsageError(f"step takes a number from 1 on, not '{argument}'")
        if self._session.is_over:
            raise UsageError("all passes have run")
        self._ran(self._session.step(count or 1))

    def do_run(self, argument: str) -> None:
        """`run [place]`: run all passes, or up to a place: a path, or a pass's name."""
        self._ran(self._session.run_to(argument))

    def do_apply(self, argument: str) -> None:
        """`apply <passes>`: run passes that are not in the pipeline, such as cse,func.func(dce)."""
        if not argument:
            raise UsageError("apply takes passes, such as: apply cse,func.func(dce)")
        self._ran(self._session.apply(argument))

    def do_rewind(self, argument: str) -> None:
        """`rewind [place]`: go back to a place, a bookmark, or the start."""
        self._session.rewind(argument)

    def do_bookmark(self, argument: str) -> None:
        """`bookmark <name>`: give this state a name, for rewind and diff."""
        if not argument:
            raise UsageError("bookmark takes a name")
        self._session.bookmark(argument)

    def do_edit(self, argument: str) -> None:
        """`edit`: open the IR in $EDITOR, and go on with what comes back."""
        title = self._session.place.rpartition(":")[2] or "parsing"
        self._session.adopt(edit(self._session.text(), title, self._context, self._shared))

    # -- Looking ---------------------------------------------------------------------------

    def do_list(self, argument: str) -> None:
        """`list`: show the passes, and which have run."""
        self._show_list()

    def do_print(self, argument: str) -> None:
        """`print [@symbol]`: show the IR, or one op of it."""
        self._say(self._session.text(argument, flags=self._shared.settings.print_flags))

    def do_diff(self, argument: str) -> None:
        """`diff [place] [@symbol]`: show what has changed since a place, or the last stop."""
        words = argument.split()
        symbols = [word for word in words if word.startswith("@")]
        places = [word for word in words if not word.startswith("@")]
        text = self._session.diff("".join(places[:1]), symbol="".join(symbols[:1]))
        if shows_color(self._out, self._shared.settings.diagnostics.color):
            text = coloured(text)
        self._say(text.rstrip("\n") or "nothing has changed")

    def do_write(self, argument: str) -> None:
        """`write <file>`: write the IR to a file."""
        if not argument:
            raise UsageError("write takes a file")
        with refusing("cannot open output file", argument):
            Path(argument).write_text(f"{self._session.text()}\n", encoding="utf-8")

    def do_quit(self, argument: str) -> bool:
        """`quit`: end, with the IR as it is as the result."""
        return True

    def do_EOF(self, argument: str) -> bool:  # noqa: N802 - cmd's name for it
        """End, as quit does."""
        return True

    def get_names(self) -> list[str]:
        """Return what cmd looks for commands in, without the end of the input."""
        return [name for name in super().get_names() if name != "do_EOF"]

    def complete_run(self, text: str, *_: object) -> list[str]:
        """Return the places that begin with a text."""
        names = [path.rpartition(":")[2] for path in self._session.paths]
        return [each for each in (*names, *self._session.paths) if each.startswith(text)]

    def complete_rewind(self, text: str, *_: object) -> list[str]:
        """Return the places that begin with a text."""
        return self.complete_run(text)

    def complete_diff(self, text: str, *_: object) -> list[str]:
        """Return the places that begin with a text."""
        return self.complete_run(text)

    # -- Saying ----------------------------------------------------------------------------

    def _ran(self, result: RunResult) -> None:
        self._result = result
        changed = {True: "changed", False: "nothing changed", None: "ran"}[result.changed]
        left = len(self._session.paths) - self._session.position
        self._say(f"{changed}; {left} pass{'' if left == 1 else 'es'} to go")

    def _show_list(self) -> None:
        for number, path in enumerate(self._session.paths):
            self._say(f"{'*' if number < self._session.position else ' '} {path}")

    def _say(self, text: str) -> None:
        self._out.write(f"{text}\n")

    def _report(self, diagnostic: Diagnostic) -> None:
        with suppress(BrokenPipeError):
            self._shared.renderer(diagnostic)
