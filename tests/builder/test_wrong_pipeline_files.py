"""Wrong files: one error each, with the place and the way out."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
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
    """A few lines of aliases stand for more values than a pipeline has."""
    lines = ["a0: &a0 [cse, cse, cse, cse, cse, cse, cse, cse, cse, cse]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    path = tmp_path / "p.yaml"
    text = "bundles:\n  " + "\n  ".join(lines) + "\nPipeline: *a8\n"
    path.write_text(text)
    with pytest.raises(PipelineError, match=r"p.yaml:6:7: error: a file has 100000 values at most"):
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


def _many_aliases(use: str) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    return "bundles:\n  " + "\n  ".join(lines) + f"\n{use}\n"


EXCESSIVE = {
    "aliases in options": (
        _many_aliases("Pipeline: [{pass: cse, options: {x: *a11}}]"),
        "6:7: error: a file has 100000 values at most, aliases followed",
    ),
    "aliases in a condition": (
        _many_aliases("Pipeline: [{pass: cse, when: *a11}]"),
        "6:7: error: a file has 100000 values at most, aliases followed",
    ),
    "texts of many elements": (
        "variables: {a: &t '" + "cse," * 4_000 + "cse'}\nPipeline:\n" + "- *t\n" * 9_000,
        "1:16: error: a pipeline has 10000 elements at most",
    ),
    "a text of many elements": (
        "Pipeline: ['" + "cse," * 20_000 + "cse']",
        "1:40013: error: a pipeline has 10000 elements at most",
    ),
    "bundles that double": (
        "bundles:\n  b0: []\n"
        + "".join(f"  b{i}: [{{bundle: b{i - 1}}}, {{bundle: b{i - 1}}}]\n" for i in range(1, 40))
        + "Pipeline: [{bundle: b39}]",
        "3:8: error: a pipeline has 10000 elements at most",
    ),
    "bundles in bundles": (
        "bundles:\n"
        + "".join(f"  b{i}: [{{bundle: b{i + 1}}}]\n" for i in range(400))
        + "Pipeline: [{bundle: b0}]",
        "65:9: error: elements are nested more than 64 levels deep",
    ),
    "constraints on bundles with constraints": (
        "bundles:\n"
        + "".join(
            f"  b{i}: {{passes: [], constraints: [{{after-any: {{bundle: b{i + 1}}}}}]}}\n"
            for i in range(400)
        )
        + "Pipeline: [{bundle: b0}]",
        "65:56: error: bundles need each other more than 64 levels deep",
    ),
    "lists in lists": (
        "Pipeline: " + "[" * 5_000,
        "1:1: error: the file is nested too deeply",
    ),
    "a bundle in itself": (
        "bundles:\n  a: [{bundle: b}]\n  b: [{bundle: a}]\nPipeline: [{bundle: a}]",
        "3:16: error: a bundle cannot need itself: 'a' needs 'b' needs 'a'",
    ),
    "a bundle that its own constraint names": (
        "bundles:\n  a: {passes: [cse], constraints: [{conflicts: {bundle: a}}]}\nPipeline: [cse, {bundle: a}]",
        "2:57: error: a bundle cannot need itself: 'a' needs 'a'",
    ),
    "a long text of variables": (
        "variables: {a: " + "x" * 1_000 + "}\nPipeline: ['" + "$a" * 1_000 + "']",
        "2:143: error: variables make a text of more than 65536 characters",
    ),
    "a number of many digits": (
        "Pipeline: [{pass: canonicalize, options: {max-iterations: " + "9" * 5_000 + "}}]",
        "1:59: error: option 'max-iterations' of pass 'canonicalize': a number of 5000 digits is",
    ),
    "a number of jobs of many digits": (
        "Pipeline: [{nest: any, passes: [], jobs: " + "9" * 5_000 + "}]",
        "1:42: error: 'jobs' is a positive number",
    ),
    "a null byte": (
        'Pipeline: [{include: "a\\0.yaml"}]',
        "1:22: error: cannot open pipeline file '{dir}/a\0.yaml': embedded null byte",
    ),
}


@pytest.mark.parametrize(("text", "expected"), EXCESSIVE.values(), ids=EXCESSIVE)
def test_a_file_asks_for_too_much(tmp_path: Path, text: str, expected: str) -> None:
    """It is refused soon, with one error at its place."""
    test_what_is_wrong_is_said_at_its_place(tmp_path, text, expected)


def test_files_that_include_each_other(tmp_path: Path) -> None:
    """Files that double what they are given, and themselves, are refused soon."""
    for i in range(40):
        use = f"- include: 'twice{i + 1}.yaml{{x=$x$x}}'\n"
        (tmp_path / f"twice{i}.yaml").write_text(f"variables: {{x: ab}}\nPipeline:\n{use}")
        (tmp_path / f"fan{i}.yaml").write_text("Pipeline:\n" + f"- include: fan{i + 1}.yaml\n" * 2)
    (tmp_path / "fan40.yaml").write_text("Pipeline: []\n")
    with pytest.raises(PipelineError, match="variables make a text of more than 65536") as caught:
        PipelineBuilder.from_file(tmp_path / "twice0.yaml")
    assert len(caught.value.problems) == 1
    with pytest.raises(PipelineError, match="a pipeline has 256 files at most") as caught:
        PipelineBuilder.from_file(tmp_path / "fan0.yaml")
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "loop", "large"])
def test_only_files_of_some_size_are_included(tmp_path: Path, kind: str) -> None:
    """A pipe, a device, a folder, a link to itself and a large file are refused where they are named."""
    odd = tmp_path / "odd.yaml"
    if kind == "pipe":
        os.mkfifo(odd)
    elif kind == "folder":
        odd.mkdir()
    elif kind == "large":
        odd.write_text("Pipeline:\n" + "- cse\n" * 100_000)
    else:
        odd.symlink_to("/dev/zero" if kind == "device" else odd)
    path = tmp_path / "p.yaml"
    path.write_text("Pipeline:\n- cse\n- include: odd.yaml\n")
    with pytest.raises(PipelineError) as caught:
        PipelineBuilder.from_file(path)
    assert str(caught.value).startswith(f"{path}:3:12: error: ")
    assert {
        "loop": "Too many levels of symbolic links",
        "large": "the files of a pipeline have 262144 bytes at most",
    }.get(kind, "it is no regular file") in str(caught.value)


def test_a_pipe_that_the_user_names(tmp_path: Path) -> None:
    """A pipe is read, as it was named."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        pool.submit(pipe.write_text, "cse")
        assert str(PipelineBuilder.from_file(pipe).build()) == "builtin.module(cse)"
