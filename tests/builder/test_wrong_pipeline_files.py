"""Wrong files: one error each, with the place and the way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from passel import PipelineError
from passel.builder import PipelineBuilder

if TYPE_CHECKING:
    from pathlib import Path

YAML = {
    "Pipelin: [cse]": "1:1: error: a pipeline's file has no key 'Pipelin'; did you mean 'Pipeline'?",
    "pipeline: [cse]": "1:1: error: a pipeline's file has no key 'pipeline'; did you mean 'Pipeline'?",
    "variables: {n: 1}": "1:1: error: a pipeline's file has a key 'Pipeline', with a list",
    "": "1:1: error: expected a pipeline's file, a table of keys, not a single value",
    "- cse": "1:1: error: expected a pipeline's file, a table of keys, not a list",
    "Pipeline: cse": "1:11: error: expected the elements of the pipeline, a list, not a single value",
    "Pipeline: [": "1:12: error: this is no YAML: ",
    "a: \x01": "1:4: error: YAML has no character U+0001",
    "[" * 5000: "1:1: error: the file is nested too deeply",
    "Pipeline: &a [*a]": "1:11: error: a list or a table cannot contain itself",
    "Pipeline: [cse]\nPipeline: [cse]": "2:1: error: key 'Pipeline' is there twice",
    "{[a]: 1}": "1:2: error: a key is a single word",
    "Pipeline:\n- pass: csee": "2:9: error: 'csee' does not refer to a registered pass or pass pipeline; did you mean 'cse'?",
    "Pipeline:\n- pass: canonicalize{top=1}": "2:22: error: no such option 'top' for pass 'canonicalize'",
    "Pipeline:\n- pass: canonicalize\n  options: {max-iterations: x}": "3:29: error: option 'max-iterations' of pass 'canonicalize': 'x' value invalid",
    "Pipeline:\n- pass: >\n    cse,\n    csee": "2:9: error: 'csee' does not refer",
    "Pipeline:\n- pass: cse,dce\n  options: {a: 1}": "2:9: error: 'options' go with the bare name of one pass",
    "Pipeline:\n- pass:": "2:8: error: expected the name of a pass",
    "Pipeline:\n- pass: [cse]": "2:9: error: expected the name of a pass, not a list",
    "Pipeline:\n- pas: cse": "2:3: error: an element of a pipeline has no key 'pas'; did you mean 'pass'?",
    "Pipeline:\n- foo: cse": "2:3: error: an element of a pipeline is one of pass, nest, bundle, stage, include, or text",
    "Pipeline:\n- pass: cse\n  nest: func.func": "3:3: error: an element has one of 'pass' and 'nest', not both",
    "Pipeline:\n- pass: cse\n  wen: x": "3:3: error: an element with 'pass' has no key 'wen'; did you mean 'when'?",
    "Pipeline:\n- schedule: x.py": "2:3: error: 'schedule' is no pass: preload the schedule with 'transform-preload-library'",
    "Pipeline:\n- nest: func.func\n  passes: cse": "3:11: error: expected 'passes', a list, not a single value",
    "Pipeline:\n- pass: cse\n  label: a\n- pass: dce\n  label: a": "5:10: error: there is an item with the label 'a' already",
    "Pipeline:\n- pass: cse,dce\n  label: a": "3:10: error: a label is for one item, not for 2",
    "Pipeline:\n- stage: s\n- stage: s": "3:10: error: there is stage 's' already",
    "Pipeline:\n- stage: s\n  required: 1": "3:13: error: 'required' is true or false",
    "Pipeline:\n- bundle: x": "2:11: error: there is no bundle 'x'; give its 'passes' here, or define it in 'bundles'",
    "bundles: {clean: {}}\nPipeline:\n- bundle: clean": "1:18: error: bundle 'clean' has no 'passes'",
    "bundles: {clean: []}\nPipeline:\n- bundle: cleen": "3:11: error: there is no bundle 'cleen'; did you mean 'clean'?",
    "Pipeline:\n- pass: cse\n  when: fast": "3:9: error: variable 'fast' has no value; declare it in 'variables'",
    "variables: {n: 3}\nPipeline:\n- pass: cse\n  when: n": "4:9: error: variable 'n' is '3', and a condition is true or false: ask for a value, {n: 3}",
    "variables: {n: true}\nPipeline:\n- pass: cse\n  when: {n: 1}": "4:10: error: variable 'n' has no values to choose from",
    "variables: {n: 3}\nPipeline:\n- pass: cse\n  when: {m: 1}": "4:10: error: variable 'm' has no value",
    "variables: {n: 3}\nPipeline:\n- pass: cse\n  when: {n: 1, m: 2}": "4:9: error: a condition asks for one variable",
    "Pipeline:\n- pass: cse\n  when: a and b": "3:9: error: a condition is a variable, or 'not' and a variable",
    "variables: {rounds: 3}\nPipeline:\n- canonicalize{max-iterations=$round}": "3:31: error: variable 'round' has no value; did you mean 'rounds'?",
    "variables: {n: }\nPipeline: []": "1:13: error: variable 'n' has neither a default nor a value",
    "variables: {n: {a: 1}}\nPipeline: []": "1:16: error: variable 'n' is a single value or a list",
    "variables: {'n$': 1}\nPipeline: []": "1:13: error: 'n$' is no name of a variable",
    "Pipeline:\n- include: none.yaml": "2:12: error: cannot open pipeline file",
    "Pipeline:\n- include: p.txt": "2:12: error: 'p.txt' is no .yaml file",
    "Pipeline:\n- include: other.yaml {n=3}": "2:12: error: '{dir}/other.yaml' has no variable 'n'; it has no variables",
    "Pipeline:\n- nest: func.func\n  passes:\n  - include: other.yaml": "4:14: error: this is a pipeline for 'builtin.module', and stands where 'func.func' is",
    "anchor: func.func\nPipeline:\n- nest: scf.for\n  passes: [csee]": "4:12: error: 'csee' does not refer",
    "constraints:\n- for: cse\n  once: 1\nPipeline: [cse]": "3:9: error: 'once' is true, or left out",
    "constraints:\n- for: cse\n  after-all: dce\nPipeline: [cse, dce]": "3:14: error: 'cse' must run after every 'dce' (declared at",
    "constraints:\n- after-any: dce\nPipeline: [cse]": "2:3: error: a constraint says what it is 'for'",
    "constraints:\n- for: cse\n  afterany: dce\nPipeline: [cse]": "3:3: error: a constraint has no key 'afterany'; did you mean 'after-any'?",
    "constraints:\n- for: cse\n  not-between: [a]\nPipeline: [cse]": "3:16: error: 'not-between' has two targets, not 1",
    "constraints:\n- for: cse\n  requires: {typ: x}\nPipeline: [cse]": "3:14: error: a target has no key 'typ'; did you mean 'type'?",
    "constraints:\n- for: cse\n  requires: {}\nPipeline: [cse]": "3:13: error: a target is a name, or one of type, stage, bundle",
    "constraints:\n- for: cse\n  followed-by: {bundle: x}\nPipeline: [cse]": "3:25: error: there is no bundle 'x'",
}


@pytest.mark.parametrize(("text", "expected"), YAML.items())
def test_what_is_wrong_is_said_at_its_place(tmp_path: Path, text: str, expected: str) -> None:
    """A wrong key, pass, option, type, variable, include or syntax."""
    (tmp_path / "other.yaml").write_text("anchor: builtin.module\nPipeline: []\n")
    path = tmp_path / "p.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PipelineError) as caught:
        PipelineBuilder.from_file(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{expected.replace('{dir}', str(tmp_path))}")
    assert len(caught.value.problems) == 1


def test_all_elements_are_looked_at(tmp_path: Path) -> None:
    """What is wrong in one element does not hide what is wrong in the next."""
    path = tmp_path / "p.yaml"
    path.write_text("Pipeline:\n- csee\n- nest: func.func\n  passes: [dcee, cse]\n- {pas: x}\n")
    with pytest.raises(PipelineError) as caught:
        PipelineBuilder.from_file(path)
    assert [problem.span.line for problem in caught.value.problems if problem.span] == [2, 4, 5]


def test_cycles_are_shown(tmp_path: Path) -> None:
    """A file that includes itself by way of another is refused with the chain."""
    (tmp_path / "a.yaml").write_text("Pipeline:\n- include: b.yaml\n")
    (tmp_path / "b.yaml").write_text("Pipeline:\n- include: a.yaml\n")
    with pytest.raises(PipelineError) as caught:
        PipelineBuilder.from_file(tmp_path / "a.yaml")
    a, b = tmp_path / "a.yaml", tmp_path / "b.yaml"
    assert caught.value.problems[0].message == (
        f"a file cannot include itself: '{a}' includes '{b}' includes '{a}'"
    )


def test_aliases_do_not_explode(tmp_path: Path) -> None:
    """A few lines of aliases stand for more elements than a pipeline has."""
    lines = ["a0: &a0 [cse, cse, cse, cse, cse, cse, cse, cse, cse, cse]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    path = tmp_path / "p.yaml"
    text = "bundles:\n  " + "\n  ".join(lines) + "\nPipeline: *a8\n"
    path.write_text(text)
    with pytest.raises(PipelineError, match="10000 elements at most"):
        PipelineBuilder.from_file(path)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"m": 3}, "has no variable 'm'; it has n"),
        ({"n": "x"}, "variable 'n' is an integer, not 'x'"),
        ({"n": True}, "variable 'n' is an integer, not 'true'"),
    ],
)
def test_wrong_values(tmp_path: Path, variables: dict[str, object], expected: str) -> None:
    """Values from outside are checked against the declarations."""
    path = tmp_path / "p.yaml"
    path.write_text("variables: {n: 1}\nPipeline: []\n")
    with pytest.raises(PipelineError, match=expected):
        PipelineBuilder.from_file(path, variables=variables)
