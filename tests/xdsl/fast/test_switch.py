"""Fast paths are taken on the releases they were tested with, can be switched off, keep to bounds."""

from __future__ import annotations

from itertools import chain

import pytest
from twins import assert_same
from xdsl.irdl import OpDef
from xdsl.printer import Printer
from xdsl.transforms.canonicalize import CanonicalizationRewritePattern
from xdsl.transforms.dead_code_elimination import region_dce
from xdsl_inputs import xdsl_context

from passel.xdsl import XDSLAdapter, fast
from passel.xdsl.fast import slow_paths, template_parser
from passel.xdsl.fast.template_parser import TemplateParser
from passel.xdsl.source_parser import SourceParser


def _ways() -> list[object]:
    """Return what is used to parse, print, rewrite, and verify."""
    folding = CanonicalizationRewritePattern()
    XDSLAdapter()
    return [
        fast.parser_class(),
        fast.printer_class(),
        fast.dead_code_eraser(),
        type(fast.canonicalizing_pattern(folding)),
        OpDef.verify.__module__,
    ]


_SLOW = [SourceParser, Printer, region_dce, CanonicalizationRewritePattern, "xdsl.irdl.operations"]


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
    lines = '"test.op"() : () -> ()\n' * 6
    parser = TemplateParser(context, f"builtin.module {{\n{lines}}}")
    parser.parse_top_level()
    assert parser.ops_from_templates == 0


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many shapes a source has, no more are remembered than allowed."""
    monkeypatch.setattr(template_parser, "_MAX_SHAPES", 20)
    lines = "".join(f'"test.op"() {{a = {n // 3}}} : () -> ()\n' for n in range(300))
    text = f"builtin.module {{\n{lines}}}"
    assert assert_same(text).from_templates
    parser = TemplateParser(xdsl_context(), text)
    parser.parse_top_level()
    assert len(list(chain.from_iterable(parser._shapes.values()))) <= 20  # pyright: ignore[reportPrivateUsage]
