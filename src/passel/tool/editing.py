"""IR in the user's editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from passel.diagnostics import file_problem
from passel.ir.frontend import UnreadableError, UsageError
from passel.manager.reading import read_ir

if TYPE_CHECKING:
    from passel.tool.shared import Shared


def edit(text: str, title: str, context: Any, shared: Shared) -> Any:
    """Open IR in the user's editor, until it comes back valid, and return the op at the top.

    Args:
        text: The IR.
        title: What the file is called after.
        context: The IR's own context.
        shared: Services and settings of the tool.

    Raises:
        UsageError: The editor fails, or what it leaves is not valid and is not mended. The
            file is kept.
    """
    file = Path(mkdtemp(prefix="passel-"), f"after-{title}.mlir")
    file.write_text(f"{text}\n", encoding="utf-8")
    while True:
        _call_editor(file)
        try:
            edited = file.read_text(encoding="utf-8")
            shared.renderer.add_source(str(file), edited)
            op = read_ir(shared.adapter, context, edited, str(file))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read '{file}': {file_problem(error)}") from None
        except UnreadableError as error:
            for diagnostic in error.diagnostics:
                shared.renderer(diagnostic)
            if not _asks_again():
                raise UsageError(f"the edited IR is not valid; it is kept in {file}") from None
            continue
        file.unlink()
        file.parent.rmdir()
        return op


def _call_editor(file: Path) -> None:
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        code = subprocess.call([*shlex.split(editor), str(file)])  # noqa: S603 - the user's own
    except (OSError, ValueError) as error:
        raise UsageError(
            f"cannot start the editor '{editor}': {file_problem(error)}; set $EDITOR to another "
            f"(the IR is in {file})"
        ) from None
    if code:
        raise UsageError(f"the editor '{editor}' exited with {code}; the IR is kept in {file}")


def _asks_again() -> bool:
    """Return whether the user wants to mend the IR."""
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    sys.stderr.write("edit again? [Y/n] ")
    sys.stderr.flush()
    answer = sys.stdin.readline()
    return bool(answer) and not answer.strip().lower().startswith("n")
