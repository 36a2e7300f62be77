"""Pipelines as data: what a YAML file says, and writing it back."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passel import InsertionError, PipelineError
from passel.builder import CLEANUP, Bundle, PipelineBuilder, after_any

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = """\
variables:
  rounds: 3
  fast: true
  target: riscv
bundles:
  clean:
    passes: [canonicalize, cse]
    types: [cleanup]
    idempotent: true
  short: [cse]
Pipeline:
  - pass: canonicalize{max-iterations=$rounds}
  - pass: canonicalize
    options: {max-iterations: $rounds, region-simplify: disabled, test-convergence:}
    label: second
  - nest: func.func
    when: fast
    passes:
      - bundle: clean
      - cse,dce
      - bundle: block
        together: true
        passes: [dce, {bundle: short}]
  - stage: lowering
    required: true
    default: [convert-scf-to-cf]
    post: [cse]
  - bundle: clean
    when: [not fast]
"""


def read(directory: Path, text: str, name: str = "p.yaml", **variables: Any) -> PipelineBuilder:
    """Return the builder of a file with this text."""
    path = directory / name
    path.write_text(text, encoding="utf-8")
    return PipelineBuilder.from_file(path, variables=variables)


def described(builder: PipelineBuilder) -> list[tuple[Any, ...]]:
    """Return all that is known of steps."""
    return [
        (
            step.label,
            str(step.pass_),
            step.anchors,
            step.enabled,
            [str(each) for each in step.conditions],
            [(use.bundle.name, use.bundle.types, use.bundle.together) for use in step.bundles],
        )
        for step in builder.steps()
    ]


def test_a_file_says_what_a_builder_does(tmp_path: Path) -> None:
    """Passes with options, nests, bundles, stages, conditions and variables."""
    builder = read(tmp_path, WHOLE)
    assert str(builder) == (
        "builtin.module(canonicalize{max-iterations=3},"
        "canonicalize{max-iterations=3 region-simplify=disabled test-convergence=true},"
        "func.func(canonicalize,cse,cse,dce,dce,cse),convert-scf-to-cf,cse,canonicalize,cse)"
    )
    assert str(builder.build()) == (
        "builtin.module(canonicalize{max-iterations=3},"
        "canonicalize{max-iterations=3 region-simplify=disabled test-convergence=true},"
        "func.func(canonicalize,cse,cse,dce,dce,cse),convert-scf-to-cf,cse)"
    )
    assert builder.find("second")[0].origin.line == 13
    assert [CLEANUP in builder.types_of(step) for step in builder.find("clean")] == [True] * 4


@pytest.mark.parametrize("given_", [{"rounds": "7", "fast": "false"}, {"rounds": 7, "fast": False}])
def test_variables_have_the_type_of_their_default(tmp_path: Path, given_: dict[str, Any]) -> None:
    """Values come as text or as values; conditions ask for them when the pipeline is built."""
    builder = read(tmp_path, WHOLE, **given_)
    assert builder.variables == {"rounds": 7, "fast": False, "target": "riscv"}
    assert "func.func" not in str(builder.build())
    builder.variables["fast"] = True
    assert "func.func" in str(builder.build())


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    """Labels, bundles, conditions and stages are those that were written."""
    builder = read(tmp_path, WHOLE)
    builder.insert_after("second", "cse")
    builder.insert_before("block", "licm")
    builder.insert_after(Bundle("clean"), "sccp", occurrence="first")
    builder.insert_before(builder.find("clean")[1], "dce")
    builder.disable("sccp")
    again = read(tmp_path, builder.to_yaml(), "again.yaml")
    assert described(again) == described(builder)
    assert again.variables == builder.variables
    assert str(again.build()) == str(builder.build())
    assert again.to_yaml() == builder.to_yaml()


def test_conditions_ask_for_values(tmp_path: Path) -> None:
    """A variable decides among several targets, also in an included file and after writing."""
    choices = (
        "variables: {target: riscv, level: 2}\nPipeline:\n"
        "- {pass: cse, when: {target: riscv}}\n"
        "- {pass: dce, when: {target: [x86, arm]}}\n"
        "- {pass: licm, when: [{level: 2}, {target: arm}]}\n"
    )
    builder = read(tmp_path, choices)
    assert str(builder.build()) == "builtin.module(cse)"
    assert "'dce' runs only if target is x86 or arm" in str(builder.report()[0])
    assert str(read(tmp_path, choices, target="x86").build()) == "builtin.module(dce)"
    again = read(tmp_path, builder.to_yaml(), "again.yaml", target="arm")
    assert str(again.build()) == "builtin.module(dce,licm)"
    outer = "variables: {t: arm}\nPipeline:\n- include: again.yaml{target=$t}\n"
    assert str(read(tmp_path, outer, "outer.yaml").build()) == "builtin.module(dce,licm)"


CONSTRAINED = """\
bundles:
  tidy:
    passes: [canonicalize, cse]
    constraints:
      - after-any: sccp
constraints:
  - for: {type: conversion}
    after-any: licm
    followed-by: {bundle: tidy}
  - for: licm
    once: true
    not-between: [canonicalize, {type: conversion}]
    requires: sccp
    preceded-by: {bundle: tidy}
  - for: {bundle: tidy}
    before-first: {stage: last}
    after-all: licm
    conflicts: dce
Pipeline: [sccp, licm, bundle: tidy, convert-scf-to-cf, stage: last]
"""


def test_constraints_are_data(tmp_path: Path) -> None:
    """Those of bundles, and those from outside with what they are for."""
    builder = read(tmp_path, CONSTRAINED)
    kinds = {rule.constraint.kind for rule, _ in builder.constraints()}
    assert len(kinds) == 9
    with pytest.raises(InsertionError, match=r"p.yaml:11\), but 'licm' is there as well"):
        builder.add("licm")
    again = read(tmp_path, builder.to_yaml(), "again.yaml")
    assert again.to_yaml() == builder.to_yaml()
    said = [(str(rule.constraint), step.label) for rule, step in builder.constraints()]
    assert [(str(rule.constraint), step.label) for rule, step in again.constraints()] == said


def test_targets_without_text_are_not_written() -> None:
    """Handles to several items, and regions, which preserve classes."""
    builder = PipelineBuilder()
    both = builder.add("cse", "canonicalize")
    builder.constrain("licm", after_any(both))
    with pytest.raises(PipelineError, match="the target 'cse, canonicalize' of a constraint"):
        builder.to_yaml()
    builder = PipelineBuilder()
    builder.add("cse", "canonicalize")
    builder.between("cse", "canonicalize", preserves=int)
    with pytest.raises(PipelineError, match="the region between 'cse' and 'canonicalize'"):
        builder.to_yaml()


ITEMS = st.recursive(
    st.sampled_from(["cse", "dce", "canonicalize{max-iterations=2}"]).map(
        lambda text: ("add", text)
    ),
    lambda inner: st.one_of(
        st.tuples(st.just("nest"), st.lists(inner, max_size=3)),
        st.tuples(st.just("bundle"), st.booleans(), st.lists(inner, max_size=3)),
    ),
    max_leaves=6,
)


def add(builder: PipelineBuilder, item: Any) -> None:
    """Add what is drawn."""
    match item:
        case ("add", text):
            builder.add(text)
        case ("nest", inner):
            nested = builder.nest("func.func")
            for each in inner:
                add(nested, each)
        case _:
            _, together, inner = item
            texts = [each[1] for each in inner if each[0] == "add"]
            builder.add(Bundle("b", *texts, together=together))


@given(
    items=st.lists(ITEMS, min_size=1, max_size=5),
    inserted=st.lists(st.tuples(st.booleans(), st.integers(0, 20)), max_size=4),
)
def test_writing_and_reading_is_the_identity(
    tmp_path_factory: pytest.TempPathFactory, items: list[Any], inserted: list[tuple[bool, int]]
) -> None:
    """Whatever was added and inserted, before and after, in bundles, blocks and nests."""
    directory = tmp_path_factory.mktemp("files")
    builder = PipelineBuilder(variables={"fast": True, "sizes": (1, 2), "say": "a$b: #"})
    for item in items:
        add(builder, item)
    for before, index in inserted:
        steps = list(builder.steps())
        if steps:
            put = builder.insert_before if before else builder.insert_after
            with suppress(InsertionError):  # inside of a block
                put(steps[index % len(steps)], "sccp", when="not fast")
    again = read(directory, builder.to_yaml())
    assert described(again) == described(builder)
    assert again.to_yaml() == builder.to_yaml()


def test_includes_have_their_own_variables(tmp_path: Path) -> None:
    """Files are searched beside the one that includes them, and take values from it."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "a.yaml").write_text("Pipeline:\n- include: b.yaml {n=$m fast=$fast}\n")
    (tmp_path / "lib" / "b.yaml").write_text(
        "variables: {n: 1, fast: true}\n"
        "Pipeline:\n- canonicalize{max-iterations=$n}\n- {pass: cse, label: last, when: fast}\n"
    )
    text = "variables: {m: 4}\nPipeline:\n- include: lib/a.yaml{m=$m fast=false}\n"
    builder = read(tmp_path, text)
    assert str(builder) == "builtin.module(canonicalize{max-iterations=4})"
    assert str(read(tmp_path, builder.to_yaml()).build()) == str(builder.build())


def test_lighthouse_descriptors_are_read(tmp_path: Path) -> None:
    """A list of passes and includes, with variables in braces, is a pipeline."""
    (tmp_path / "inner.yaml").write_text('Pipeline:\n  - pass: "canonicalize{max-iterations=$n}"\n')
    text = "# Comment\nPipeline:\n  - include: inner.yaml {\n                n=5\n              }\n  - pass: cse\n"
    assert str(read(tmp_path, text)) == "builtin.module(canonicalize{max-iterations=5},cse)"


def test_other_files_hold_text(tmp_path: Path) -> None:
    """A pipeline's text may be on several lines, with or without an anchor."""
    assert str(read(tmp_path, "builtin.module(\n  cse\n)\n", "p.txt")) == "builtin.module(cse)"
    assert str(read(tmp_path, "cse,\ndce", "p")) == "builtin.module(cse,dce)"
    with pytest.raises(PipelineError, match="holds text and no variables such as 'n'"):
        read(tmp_path, "cse", "p.txt", n=1)


def test_what_has_no_text_is_not_written() -> None:
    """Functions as conditions or passes are refused with a way out."""
    builder = PipelineBuilder()
    builder.add("cse", when=lambda _: True)
    with pytest.raises(PipelineError, match="'cse' runs on a condition in Python"):
        builder.to_yaml()

    def nameless(*_: object) -> None:
        """Do nothing."""

    builder = PipelineBuilder()
    builder.add(nameless)
    with pytest.raises(PipelineError, match="has no name, so it cannot be written"):
        builder.to_yaml()


def test_limits_of_nested_pipelines(tmp_path: Path) -> None:
    """How many ops a nested pipeline may run on at once is written, read, and built."""
    builder = PipelineBuilder()
    inner = builder.nest("func.func", jobs=2)
    inner.add("cse")
    text = builder.to_yaml()
    assert "jobs: 2" in text
    manager = read(tmp_path, text).build()
    assert manager == builder.build()
    assert repr(manager) == (
        "<PassManager builtin.module(func.func(cse)), jobs=2 on builtin.module/func.func>"
    )
    plain = PipelineBuilder.parse("builtin.module(func.func(cse))").build()
    assert (str(manager), manager == plain) == (str(plain), False)
    for wrong in ("0", "many", "true", "1.5"):
        with pytest.raises(PipelineError, match="'jobs' is a positive number"):
            read(tmp_path, text.replace("jobs: 2", f"jobs: {wrong}"))
