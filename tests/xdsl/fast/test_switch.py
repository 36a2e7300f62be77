"""Fast paths are taken on the releases they were tested with, can be switched off, keep to bounds."""

from __future__ import annotations

from itertools import chain
from unittest.mock import patch

import pytest
from twins import assert_same
from xdsl.dialects.builtin import ModuleOp
from xdsl.irdl import OpDef
from xdsl.printer import Printer
from xdsl_inputs import xdsl_context

from passel import PassManager
from passel.xdsl import XDSLAdapter, fast
from passel.xdsl.fast import dead_code, slow_paths, template_parser
from passel.xdsl.fast.template_parser import TemplateParser
from passel.xdsl.passes import canonicalize
from passel.xdsl.passes.canonicalize import Canonicalizer
from passel.xdsl.source_parser import SourceParser


def _ways() -> list[object]:
    """Return what is used to parse, print, verify, and rewrite."""
    XDSLAdapter()
    with (
        patch.object(canonicalize, "QuickPattern", wraps=canonicalize.QuickPattern) as quick,
        patch.object(dead_code, "ClassTable", wraps=dead_code.ClassTable) as table,
    ):
        PassManager("builtin.module").add(Canonicalizer()).run(ModuleOp([]))
    parser = fast.make_parser(xdsl_context(), " " * 1000)
    rewriting = f"{quick.called=}, {table.called=}"
    return [type(parser), fast.printer_class(), OpDef.verify.__module__, rewriting]


_SLOW = [SourceParser, Printer, "xdsl.irdl.operations", "quick.called=False, table.called=False"]


def test_slow_paths() -> None:
    """Fast paths are on, on the installed release, except inside of `slow_paths()`."""
    assert fast.are_on()
    assert not any(way in _SLOW for way in _ways())
    with slow_paths():
        assert _ways() == _SLOW
    assert not any(way in _SLOW for way in _ways())


@pytest.mark.parametrize("release", ["", "0.59.0", "0.73.0", "0.74.1", "0.75.1", "0+unknown"])
def test_where_they_are_off(release: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `PASSEL_FAST=0`, and on releases that were not compared, xDSL's own code runs."""
    if release:
        monkeypatch.setattr(fast, "INSTALLED", release)
    else:
        monkeypatch.setenv("PASSEL_FAST", "0")
    assert _ways() == _SLOW


def test_contexts_of_other_classes() -> None:
    """Nothing is built from templates where names are looked up by code that is not xDSL's."""
    context = xdsl_context()
    context.__class__ = type("OwnContext", (type(context),), {})
    lines = '"test.op"() : () -> ()\n' * 60
    parser = fast.make_parser(context, f"builtin.module {{\n{lines}}}")
    assert type(parser) is SourceParser


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many shapes a source has, no more are remembered than allowed."""
    monkeypatch.setattr(template_parser, "_MAX_SHAPES", 20)
    lines = "".join(f'"test.op"() {{a = {n // 3}}} : () -> ()\n' for n in range(300))
    text = f"builtin.module {{\n{lines}}}"
    assert assert_same(text).from_templates
    parser = TemplateParser(xdsl_context(), text)
    parser.parse_top_level()
    assert len(list(chain.from_iterable(parser._shapes.values()))) <= 20  # pyright: ignore[reportPrivateUsage]
