"""`--cache`: ops at the top of a source whose results are known are not even parsed.

The others are parsed, run and printed together, in a process of their own, as shards are. If that
fails, or has anything to report, nothing is kept, and the source is processed the plain way.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from passel.diagnostics import brief
from passel.errors import PasselError
from passel.ir import ANY, ShipsOps, ability_of
from passel.ir.frontend import SlicesSources, UsageError
from passel.manager import OpPassManager
from passel.passes import Pass
from passel.passes.walking import walk
from passel.store import (
    Store,
    StoreError,
    UnknowableError,
    code_of,
    default_directory,
    digest_of,
    versions_of,
)
from passel.tool.flag_values import CACHE_MODES, cache_of
from passel.tool.sharding import (
    SAME_FOR_SHARDS,
    forked_results,
    manager_for_shards,
    workers_of_run,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from passel.ir.frontend import Slices, SourcePart
    from passel.manager import PassManager
    from passel.tool.shared import Shared

_FORM = "1"
"""The form of keys and results."""

_WORTH_KEEPING = 0.0002
"""Seconds of work on an op that are worth keeping: ten times what it takes to find it."""

_PER_SHARD = 10_000
"""Characters for which it pays to take another process."""

_VERIFIED = 10
"""One of so many known results is run again by `--cache=verify`."""

_IN_KEY_OTHERWISE = frozenset(
    {
        "cache",
        "cache-explain",
        "cluster",
        "jobs",
        "load-pass-plugin",
        "o",
        "pass-pipeline",
        "pipeline-variable",
    }
)
"""Flags whose meaning is part of the key in another way, or does not change the result."""

_MOST_NAMED = 5
"""Ops that an explanation names."""


class _NotKeptError(Exception):
    """A reason why results of a source are not kept."""


class _Place(NamedTuple):
    """Where results are kept, and what of it is used."""

    mode: str
    directory: Path


class _Plan(NamedTuple):
    """A source whose results may be known.

    Attributes:
        slices: Its ops.
        anchors: What the nested pipelines run on.
        around: What all keys have in common, by names for explanations.
        places: Whether results may depend on where in the source an op is.
    """

    slices: Slices
    anchors: Sequence[str]
    around: Mapping[str, str]
    places: bool


def process_with_store(source: SourcePart, shared: Shared) -> str | bytes | None:
    """Return the result of a source; None if it is to be processed the plain way.

    Raises:
        PasselError: A known result is not what the passes make of an op now.
    """
    place = _place(shared)
    if place.mode == "off":
        return None
    try:
        plan = _plan(source, shared)
        store = Store(place.directory, writes=place.mode != "read")
        return _Run(source, shared, plan, store, place.mode).result()
    except (_NotKeptError, UnknowableError) as error:
        _explain(shared, f"not used: {error}")
    except OSError as error:  # of code that cannot be read
        _explain(shared, f"not used: {brief(error)}")
    except StoreError as error:
        print(f"{shared.settings.program}: warning: no results are kept: {error}", file=sys.stderr)
    return None


def _place(shared: Shared) -> _Place:
    """Return what the flag says, and what the environment says besides."""
    said = [shared.settings.kept.cache, _of_environment()]
    directories = [each for each in said if each and each not in CACHE_MODES]
    mode = next(filter(None, said), "off")
    directory = Path(directories[0]).expanduser() if directories else default_directory()
    return _Place(mode if mode in CACHE_MODES else "on", directory)


def _of_environment() -> str:
    try:
        return cache_of(os.environ.get("PASSEL_CACHE") or "")
    except ValueError as error:
        raise UsageError(f"the environment's PASSEL_CACHE {error}") from None


class _Run:
    """One source, of which some may be known.

    Args:
        source: The source.
        shared: Services and settings of all parts of the input.
        plan: Its ops and their keys.
        store: The results.
        mode: How it is used.
    """

    def __init__(
        self, source: SourcePart, shared: Shared, plan: _Plan, store: Store, mode: str
    ) -> None:
        self._source = source
        self._shared = shared
        self._plan = plan
        self._store = store
        self._mode = mode
        slices = plan.slices
        around = digest_of(each for item in plan.around.items() for each in item)
        self._around_key = digest_of([around, "around"])
        self._last_key = digest_of(["last", source.name])
        self._keys = [
            digest_of([around, slices.text(n), *slices.seen(n, places=plan.places)])
            for n in range(len(slices))
        ]

    def result(self) -> str | None:
        """Return the result.

        Raises:
            PasselError: A known result is not what the passes make of an op now.
            StoreError: The store cannot be used.
            _NotKeptError: Results of this source are not kept.
        """
        keys = self._keys
        known = self._store.find([*keys, self._around_key])
        around = known.get(self._around_key)
        missing = [n for n, key in enumerate(keys) if key not in known]
        if self._shared.settings.kept.cache_explain:
            self._explain_misses(missing)
        again: list[int] = []
        if self._mode == "verify":
            hits = [n for n, key in enumerate(keys) if key in known]
            again = random.sample(hits, -(-len(hits) // _VERIFIED))
        work = sorted({*missing, *again}) or ([] if around is not None else [0])
        found, cost = {}, 0.0
        if work:
            before = os.times()
            found, around = self._run(work)
            after = os.times()
            cost = sum(after[2:4]) - sum(before[2:4])
        self._compare(again, found, known)
        results = [found[n] if n in found else known[key] for n, key in enumerate(keys)]
        try:
            joined = self._plan.slices.join(results, around, self._plan.anchors)
        except ValueError:
            raise _NotKeptError("what is kept is not of this form") from None
        if joined is None:
            raise _NotKeptError("ops at the top change what others see of them")
        if found and self._mode != "read":
            self._keep(found, around, cost)
        self._shared.reports.note_unmatched(())
        return joined

    def _run(self, work: Sequence[int]) -> tuple[dict[int, Any], Any]:
        """Return the results of some ops, and of what is around."""
        slices = self._plan.slices
        size = sum(len(slices.text(n)) for n in work)
        jobs = workers_of_run(self._shared)
        count = min(len(work), jobs * 4, size // _PER_SHARD) if jobs > 1 else 1
        step = -(-len(work) // max(count, 1))
        chunks = [work[n : n + step] for n in range(0, len(work), step)]
        frontends = [slices.frontend(each) for each in chunks]
        ran = forked_results(jobs, self._source, self._shared, frontends)
        if ran is None:
            raise _NotKeptError("the run fails, or has something to report")
        found: dict[int, Any] = {}
        around: Any = None
        for chunk, each in zip(chunks, ran, strict=True):
            assert isinstance(each.emitted, bytes)  # noqa: S101 - as its frontend emits it
            results, around = slices.results(each.emitted)
            found.update(zip(chunk, results, strict=True))
        return found, around

    def _compare(
        self, again: Iterable[int], found: Mapping[int, Any], known: Mapping[bytes, Any]
    ) -> None:
        for index in again:
            if found[index] != known[self._keys[index]]:
                place = self._source.location(self._source.text.find(self._text(index)))
                raise PasselError(
                    f"the result kept for {self._name(index)} ({place}) is not what the passes "
                    "make of it now: one of them depends on more than its op, options and code "
                    "(Pass.cache_key can say on what); passel-cache clear drops all results"
                )

    def _keep(self, found: Mapping[int, Any], around: Any, cost: float) -> None:
        texts = {n: len(self._text(n)) for n in found}
        per_character = cost / max(sum(texts.values()), 1)
        entries: dict[bytes, Any] = {
            self._keys[n]: result
            for n, result in found.items()
            if texts[n] * per_character >= _WORTH_KEEPING
        }
        if entries:
            entries[self._around_key] = around
            entries[self._last_key] = {
                k: digest_of([v]).hex() for k, v in self._plan.around.items()
            }
            try:
                self._store.keep(entries)
            except StoreError as error:
                program = self._shared.settings.program
                print(f"{program}: warning: no results are kept: {error}", file=sys.stderr)

    def _text(self, index: int) -> str:
        return self._plan.slices.text(index)

    def _name(self, index: int) -> str:
        """Return the first line of an op up to its symbol."""
        line = self._text(index).partition("\n")[0]
        head, at, rest = line.partition("@")
        return f"{head}@{rest.partition('(')[0]}" if at else line

    def _explain_misses(self, missing: Sequence[int]) -> None:
        total = len(self._keys)
        words = f"{total - len(missing):,} of {total:,} ops known"
        if len(missing) == total:
            last = self._store.find([self._last_key]).get(self._last_key)
            if isinstance(last, dict):
                parts = self._plan.around.items()
                then = cast("dict[str, str]", last)
                changed = [k for k, v in parts if then.get(k) != digest_of([v]).hex()]
                words += f"; since the last run, {', '.join(changed) or 'all texts'} changed"
        elif missing:
            named = [self._name(n) for n in missing[:_MOST_NAMED]]
            more = ", ..." if len(missing) > len(named) else ""
            words += f"; new is the text, or what it refers to, of {', '.join(named)}{more}"
        _explain(self._shared, words)


def _plan(source: SourcePart, shared: Shared) -> _Plan:
    """Return what is needed to look results up.

    Raises:
        _NotKeptError: Results of this source are not kept.
        UnknowableError: It is not known what they depend on.
    """
    frontend, settings = shared.frontend, shared.settings
    if not isinstance(frontend, SlicesSources) or not isinstance(source.text, str):
        raise _NotKeptError(f"--ir={shared.adapter.name} does not cut its input")
    if others := sorted(settings.written.keys() - SAME_FOR_SHARDS):
        raise _NotKeptError(f"--{others[0]} concerns the run as a whole")
    tool = settings.tool
    if (
        tool.setup is not None
        or tool.dialects
        or shared.cluster is not None
        or not hasattr(os, "fork")
    ):
        raise _NotKeptError("the tool, or a cluster, does what a key does not hold")
    manager = manager_for_shards(shared, is_asked=True)
    if manager is None:
        raise _NotKeptError("the pipeline is not of nested pipelines alone, or has effects")
    anchors = _anchors(manager)
    packages = ["passel"]
    if ships := ability_of(shared.adapter, ShipsOps):
        packages += ships.versions()
    around = {
        "the form": _FORM,
        **versions_of(packages),
        "the IR": shared.adapter.name,
        "the pipeline": manager.to_text(all_options=True),
        "a flag": repr(
            [
                words
                for name, words in sorted(settings.written.items())
                if name not in _IN_KEY_OTHERWISE
            ]
        ),
        "the environment": repr(
            sorted(item for item in os.environ.items() if item[0].startswith("PASSEL_FAST"))
        ),
    }
    said, code = _passes(manager, settings.pipeline.load_pass_plugin, packages)
    around |= {**said, **code}
    places = bool(code) or settings.print_flags.debuginfo
    slices = frontend.slices(source)
    if slices is None:
        raise _NotKeptError("the layout of the input is unusual, or it has resources")
    around["what is around the ops"] = repr(slices.around)
    around["the input's name"] = source.name if places else ""
    return _Plan(slices, anchors, around, places)


def _anchors(manager: PassManager) -> list[str]:
    """Return what the nested pipelines run on.

    Raises:
        _NotKeptError: They nest deeper.
    """
    anchors: list[str] = []
    for each in manager:
        assert isinstance(each, OpPassManager)  # noqa: S101 - the manager of shards has no others
        if any(isinstance(inner, OpPassManager) for inner in each):
            raise _NotKeptError("the pipeline nests deeper than the ops at the top")
        anchors.append(ANY if each.anchor == ANY else each.anchor)
    return anchors


def _passes(
    manager: PassManager, plugins: Sequence[str], packages: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return what passes are, and digests of the code of theirs that is in no known package.

    Raises:
        _NotKeptError: A pass does not say that it can be run on ops in any order.
        UnknowableError: It is not known what code matters.
    """
    modules: set[str] = set()
    said: dict[str, str] = {}
    for pass_, *_ in walk(manager):
        kind = type(pass_)
        if not pass_.contract.is_automatic:
            raise _NotKeptError(
                f"pass '{pass_.name}' may keep something from one op to the next: set "
                f"can_fork = True in {kind.__qualname__} if it does not"
            )
        try:
            key = pass_.cache_key()
        except Exception as error:
            raise _NotKeptError(f"the key of pass '{pass_.name}': {brief(error)}") from error
        if key is None:
            raise _NotKeptError(f"pass '{pass_.name}' has no key")
        names = [f"{each.__module__}.{each.__qualname__}" for each in kind.__mro__]
        said[f"pass '{pass_.name}'"] = repr([names, key])
        modules |= {each.__module__ for each in kind.__mro__ if issubclass(each, Pass)}
    modules |= {
        f"passel_plugin_{Path(each).stem}" if each.endswith(".py") else each for each in plugins
    }
    return said, code_of(sorted(modules), packages)


def _explain(shared: Shared, text: str) -> None:
    if shared.settings.kept.cache_explain:
        print(f"{shared.settings.program}: cache: {text}", file=sys.stderr)
