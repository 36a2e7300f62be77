"""How to replay a reproducer: a command for the tool, or lines of Python where none will do."""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.instruments.pass_origins import dialect_origins, is_installed, origin_of
from passel.ir import (
    BringsFrontend,
    TakesDialects,
    WritesSources,
    ability_of,
    adapter_named,
    installed_name,
)
from passel.passes.callables import CallablePass
from passel.passes.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from passel.hooks import Run
    from passel.instruments.pass_origins import PassOrigin
    from passel.ir import IRAdapter
    from passel.passes.base import Pass
    from passel.schedule import PassStep

_ALLOWED = re.compile(r" --allow-effects=(\S*)")

_IN_PYTHON = {
    "--verify-each=always": 'enable_verifier("always")',
    "--verify-analyses": "enable_analysis_verifier()",
    "--check-isolation": "enable_isolation_check()",
}
"""Methods of a manager that do what flags of the tool do."""


def how_to_replay(
    run: Run, file: str, steps: Iterable[PassStep], command: str | None = None
) -> str:
    """Return how to see a failure again, for people.

    Args:
        run: The run that failed.
        file: The reproducer; empty if it went to a stream without a name.
        steps: The passes in its pipeline.
        command: The command, with `{file}` for the file's quoted name, if one was given; it
            has all passes, and reads the IR.
    """
    passes = list(dict.fromkeys(each.pass_ for s in steps for each in walk(s.pass_)))
    if problem := _unnamed(passes):
        return f"it cannot be replayed: {problem}"
    effects = sorted({effect for each in passes for effect in each.own_effects()})
    if command is not None:
        return f"to replay: {_given(run, file, command, effects)}"
    foreign = [each for each in passes if not is_installed(each, run.adapter)]
    origins = list(dict.fromkeys(map(origin_of, foreign)))
    reading = _Reading.of(run)
    is_observed = bool(run.gates or _observers(run))
    plugins = [*reading.plugins, *origins]  # passes of the latter replace others of their names
    if reading.by_tool and not is_observed and all(each.plugin for each in plugins):
        flags = [*_plugin_flags(plugins), *_effects_flag(effects), *reading.flags, *run.checks]
        return f"to replay: {_command(plugins, flags, file)}"
    lines = _Lines()
    lines.load(file, run.adapter)
    lines.register(origins)
    lines.read(reading)
    if effects:
        lines.arguments.append(f"allow_effects={tuple(effects)!r}")
    lines.observe(run)
    return str(lines)


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


# -- A command -------------------------------------------------------------------------------


def _given(run: Run, file: str, command: str, effects: Sequence[str]) -> str:
    """Return a command that was given, with the flags that it lacks."""
    if "--run-reproducer" in command:
        if allowed := _ALLOWED.search(command):
            effects = sorted({*allowed[1].split(","), *effects})
            command = command.replace(allowed[0], "")
        flags = [*_effects_flag(effects), *reading_flags(run), *run.checks]
        missing = [flag for flag in flags if flag.partition("=")[0] not in command]
        command = command.replace("--run-reproducer", " ".join(["--run-reproducer", *missing]))
    return command.replace("{file}", shlex.quote(file or "-"))


def _command(origins: Iterable[PassOrigin], flags: Iterable[str], file: str) -> str:
    words = ["passel-opt", "--run-reproducer", *dict.fromkeys(flags), file or "-"]
    folders = dict.fromkeys(each.search_path for each in origins if each.search_path)
    variable = f"PYTHONPATH={shlex.quote(':'.join(folders))} " if folders else ""
    return variable + shlex.join(words)


def _plugin_flags(origins: Iterable[PassOrigin]) -> Iterator[str]:
    return (f"--load-pass-plugin={each.plugin}" for each in origins)


def _effects_flag(effects: Sequence[str]) -> list[str]:
    return [f"--allow-effects={','.join(effects)}"] if effects else []


def reading_flags(run: Run) -> Sequence[str]:
    """Return the flags with which the tool reads the IR of a run."""
    writes = ability_of(run.adapter, WritesSources)
    return () if writes is None else writes.reading_flags(run.op, run.ir_context)


# -- What reads the IR -----------------------------------------------------------------------


class _Reading(NamedTuple):
    """Requirements for reading the IR back.

    Attributes:
        flags: Flags of the tool.
        by_tool: Whether the tool will do.
        plugins: Where dialects come from that the tool has to load.
        needs: Arguments of `load_reproducer`, each with what it has to be.
    """

    flags: Sequence[str] = ()
    by_tool: bool = False
    plugins: Sequence[PassOrigin] = ()
    needs: Mapping[str, str] = {}

    @classmethod
    def of(cls, run: Run) -> _Reading:
        """Find out which dialects of a run's IR another process does not have by itself."""
        adapter = run.adapter
        if ability_of(adapter, BringsFrontend) is None:
            return cls(needs={"parse": f"which returns the op of a text of {adapter.name}"})
        flags = reading_flags(run)
        installed = installed_name(adapter)
        there = adapter_named(installed) if installed else adapter
        classes = _classes_of_ops(adapter, run.op)
        unknown = _unknown_to(there, classes)
        if not unknown:
            return cls(flags, bool(installed))
        needs = {"context": "a context that has the dialects of the run's"}
        takes = ability_of(there, TakesDialects)
        if not installed or takes is None:
            return cls(flags, needs=needs)
        modules = dict.fromkeys(sys.modules.get(classes[name].__module__) for name in unknown)
        found = dialect_origins(filter(None, modules), takes)
        dialects = [each for some in found.values() for each in some]
        is_read = not _unknown_to(takes.with_dialects(dialects), classes)
        return cls(flags, is_read, tuple(found), needs)


def _classes_of_ops(adapter: IRAdapter, op: Any) -> dict[str, type]:
    """Return the classes of the registered ops in an op, by their names."""
    found: dict[str, type] = {}
    todo = [op]
    while todo:
        # Not in place of `op`: on MLIR's ops, the top one alone keeps the others alive.
        inner = todo.pop()
        kind = adapter.kind_of(inner)
        if kind.registered:
            found[kind.name] = type(inner)
        todo += adapter.children(inner)
    return found


def _unknown_to(adapter: IRAdapter, names: Iterable[str]) -> list[str]:
    """Return the ops that a new context of an adapter does not have."""
    context = adapter.create_context()
    return [name for name in names if adapter.kind_named(context, name) is None]


# -- Lines of Python -------------------------------------------------------------------------


@dataclass(slots=True)
class _Lines:
    """Lines of Python that load a reproducer and run it.

    Attributes:
        imports: The lines before them.
        arguments: What `load_reproducer` is given.
        calls: The lines after that.
        needs: Names that have to be defined where they run.
    """

    imports: list[str] = field(default_factory=lambda: ["from passel import load_reproducer"])
    arguments: list[str] = field(default_factory=list[str])
    calls: list[str] = field(default_factory=list[str])
    needs: list[str] = field(default_factory=list[str])

    def load(self, file: str, adapter: IRAdapter) -> None:
        """Name the file and the IR."""
        self.arguments.append(_quoted(file) if file else "file")
        if not file:
            self.needs.append("`file`, the name of one with what was written")
        if installed := installed_name(adapter):
            self.arguments.append(_quoted(installed))
            return
        kind = type(adapter)
        shown = repr(adapter)
        is_call = shown.startswith(f"{kind.__name__}(")
        self.arguments.append(shown if is_call else f"{kind.__name__}()")
        module = sys.modules.get(kind.__module__)
        if kind.__module__ != "__main__" and getattr(module, kind.__name__, None) is kind:
            public = next(_public_modules(kind), kind.__module__)
            self.imports.append(f"from {public} import {kind.__name__}")
        else:
            self.needs.append(f"class {kind.__name__}")

    def register(self, origins: Iterable[PassOrigin]) -> None:
        """Give it the passes that no installed package has."""
        names = [each.name for each in origins]
        if names:
            self.arguments.append(f"passes=[{', '.join(names)}]")
        for each in origins:
            if each.module:
                self.imports.append(f"from {each.module} import {each.name}")
            else:
                self.needs.append(f"class {each.name}")

    def read(self, reading: _Reading) -> None:
        """Let it read the IR."""
        for name, meaning in reading.needs.items():
            self.arguments.append(f"{name}={name}")
            self.needs.append(f"`{name}`, {meaning}")
        if "--allow-unregistered-dialect" in reading.flags:
            self.arguments.append("allow_unregistered=True")

    def observe(self, run: Run) -> None:
        """Let the manager check what the run has checked, and observe what has observed it."""
        self.calls += [f"case.manager.{_IN_PYTHON[flag]}" for flag in run.checks]
        for name in _observers(run):
            self.calls.append("case.manager.add_instrumentation(instrumentation)")
            self.needs.append(f"`instrumentation`, the {name} by which a pass failed")
        if run.gates:
            self.calls.append("case.manager.add_gate(gate)")
            self.needs.append("`gate`, which decided what ran")

    def __str__(self) -> str:
        lines = dict.fromkeys(self.imports)
        where = f", where you have {_listed(self.needs)}" if self.needs else ""
        load = f"case = load_reproducer({', '.join(self.arguments)})"
        body = [*lines, load, *self.calls, "case.run()"]
        return "\n".join([f"to replay, in Python{where}:", *(f"    {line}" for line in body)])


def _observers(run: Run) -> list[str]:
    """Return the classes of instrumentations by which passes failed."""
    causes = (getattr(failure.cause, "raised_by", "") for failure in run.failures)
    return list(dict.fromkeys(filter(None, causes)))


def _public_modules(kind: type[Any]) -> Iterator[str]:
    """Yield the packages around a class that export it, outermost first."""
    parts = kind.__module__.split(".")
    for count in range(1, len(parts)):
        name = ".".join(parts[:count])
        if vars(sys.modules[name]).get(kind.__name__) is kind:
            yield name


def _quoted(text: str) -> str:
    return f'"{text}"' if '"' not in text and "\\" not in text else repr(text)


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
