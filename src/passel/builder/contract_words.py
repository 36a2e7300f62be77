"""Sentences about broken contracts: who, between whom, and the way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.analysis import analysis_name

if TYPE_CHECKING:
    from passel.builder.contract_model import Key, Place


def not_preserved(key: Key, offender: Place, producer: Place, consumer: Place) -> str:
    """Say that a pass does not preserve what one before it has produced for one after it."""
    name, pass_ = analysis_name(key.kind), offender.pass_
    if pass_.ir:
        way_out = f"if it does, declare that of '{pass_.name}' in a DeclarationTable"
    else:
        way_out = f"if it does, declare preserves = ({name},) in {type(pass_).__name__}"
    return (
        f"pass {offender} between {producer} and {consumer} does not preserve {name}; {way_out}, "
        "else move it out of there"
    )


def not_produced(key: Key, consumer: Place) -> str:
    """Say that no earlier pass produces what a pass requires."""
    return (
        f"pass {consumer} requires {analysis_name(key.kind)}, which no pass before it produces; "
        "put one before it that does"
    )


def ends_with_nest(key: Key, producer: Place, consumer: Place) -> str:
    """Say that what a pass requires was produced in a nested pipeline and has ended with it."""
    return (
        f"the {analysis_name(key.kind)} of pass {producer} ends with the nested pipeline that "
        f"the pass is in, so {consumer} does not get it; put both into one nested pipeline, or "
        "the first into the enclosing pipeline"
    )


def not_required(key: Key, producer: Place) -> str:
    """Say that no later pass requires what a pass produces."""
    return f"pass {producer} produces {analysis_name(key.kind)}, and no pass after it requires that"


def left_open(key: Key, start: Place) -> str:
    """Say that a region has no end."""
    return _half(key, f"is left open: it starts after {start}, and no pass after that ends it")


def never_starts(key: Key, end: Place) -> str:
    """Say that a region has no start."""
    return _half(key, f"never starts: it ends before {end}, and no pass before that starts it")


def is_illegal(dialect: str, by: Place, consumer: Place) -> str:
    """Say that a pass requires a dialect of which there are no ops any more."""
    return (
        f"pass {consumer} requires dialect '{dialect}', which {by} has made illegal, and no pass "
        "since has made it legal; put it before that one"
    )


def _half(key: Key, why: str) -> str:
    title = "" if key.region is None else key.region.title
    name = f"{title} for {analysis_name(key.kind)}"
    return f"the region {name} {why}; add the pass that does, or take the region out"
