"""How to replay a reproducer: a command with the file, and the flags that its replay needs."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

from passel.ir import BringsFrontend, WritesSources, ability_of, installed_name
from passel.passes.callables import CallablePass
from passel.passes.reachable import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from passel.hooks import Run
    from passel.passes.base import Pass
    from passel.schedule import PassStep

_ALLOWED = re.compile(r" --allow-effects=(\S*)")
_COMMAND = "passel-opt --run-reproducer {file}"


def how_to_replay(
    run: Run, file: str, steps: Sequence[PassStep], command: str | None = None
) -> str:
    """Return how to see a failure again, for people.

    Args:
        run: The run that failed.
        file: The reproducer.
        steps: The passes in its pipeline.
        command: The command, with `{file}` for the file's quoted name, if one was given.
    """
    if problem := _unnamed(_passes_of(steps)):
        return f"it cannot be replayed: {problem}"
    if completed := replay_command(run, steps, command):
        return f"to replay: {completed.replace('{file}', shlex.quote(file))}"
    adapter = run.adapter.name
    return f"to replay, use `passel.load_reproducer`: passel-opt does not read {adapter}"


def replay_command(run: Run, steps: Iterable[PassStep], command: str | None = None) -> str:
    """Return the command that replays a file with a run's passes; empty if there is none.

    Args:
        run: The run.
        steps: Its passes.
        command: The command, if one was given.

    Returns:
        The command, with `{file}` for the file's quoted name.
    """
    passes, adapter = _passes_of(steps), run.adapter
    is_read = installed_name(adapter) and ability_of(adapter, BringsFrontend)
    if _unnamed(passes) or (command is None and not is_read):
        return ""
    return _completed(command or _COMMAND, run, passes)


def _passes_of(steps: Iterable[PassStep]) -> list[Pass[Any, Any]]:
    return list(dict.fromkeys(each.pass_ for s in steps for each in walk(s.pass_)))


def _unnamed(passes: Iterable[Pass[Any, Any]]) -> str:
    for each in passes:
        if isinstance(each, CallablePass):
            return (
                f"pass {each.display_name} is a function, which no file can name; make it a class "
                "of passes with a name"
            )
        if not each.name:
            return f"pass {type(each).__name__} has no name; give it one"
    return ""


def allowing(command: str, passes: Iterable[Pass[Any, Any]]) -> str:
    """Return a command that also allows the effects of passes, if it replays a file."""
    effects = {effect for each in passes for effect in each.own_effects()}
    if not effects or "--run-reproducer" not in command:
        return command
    if allowed := _ALLOWED.search(command):
        effects.update(allowed[1].split(","))
        command = command.replace(allowed[0], "")
    flag = f"--allow-effects={','.join(sorted(effects))}"
    return command.replace("--run-reproducer", f"--run-reproducer {flag}")


def _completed(command: str, run: Run, passes: Iterable[Pass[Any, Any]]) -> str:
    """Return a command with the flags that it lacks for replaying a file."""
    if "--run-reproducer" in command:
        flags = [*_reading_flags(run), *run.checks]
        missing = [flag for flag in flags if flag.partition("=")[0] not in command]
        command = command.replace("--run-reproducer", " ".join(["--run-reproducer", *missing]))
    return allowing(command, passes)


def _reading_flags(run: Run) -> Sequence[str]:
    """Return the flags with which the tool reads the IR of a run."""
    writes = ability_of(run.adapter, WritesSources)
    if writes is not None:
        return writes.reading_flags(run.op, run.ir_context)
    name = installed_name(run.adapter)
    return (f"--ir={name}",) if name else ()
