"""Pipelines in YAML files, with includes and variables."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from passel import PipelineError
from passel.builder import PipelineBuilder

if TYPE_CHECKING:
    from pathlib import Path


def read(directory: Path, text: str, name: str = "p.yaml", **variables: Any) -> PipelineBuilder:
    """Return the builder for a file with a text."""
    (directory / name).write_text(text, encoding="utf-8")
    return PipelineBuilder.from_file(directory / name, variables=variables)


def test_a_file(tmp_path: Path) -> None:
    """Elements are parsed as text, and steps have the line of their element."""
    builder = read(
        tmp_path,
        "# All of it.\nanchor: builtin.module\nPipeline:\n"
        "- func.func(canonicalize,cse)\n- pass: symbol-dce\n- pass: >\n    cse,\n    dce\n",
    )
    assert str(builder.build()) == "builtin.module(func.func(canonicalize,cse),symbol-dce,cse,dce)"
    assert builder.find("symbol-dce")[0].origin.line == 5
    assert str(read(tmp_path, "anchor: func.func\nPipeline: [cse]")) == "func.func(cse)"
    (tmp_path / "inner.yaml").write_text('Pipeline:\n  - pass: "canonicalize{max-iterations=$n}"\n')
    text = "# As in lighthouse\nPipeline:\n  - include: inner.yaml {\n        n=5\n      }\n  - pass: cse\n"
    assert str(read(tmp_path, text)) == "builtin.module(canonicalize{max-iterations=5},cse)"


@pytest.mark.parametrize(("given", "rounds"), [({}, "3"), ({"n": 5}, "5"), ({"n": "7"}, "7")])
def test_variables(tmp_path: Path, given: dict[str, Any], rounds: str) -> None:
    """Values of the caller replace defaults and define undeclared variables, if the file uses them."""
    text = (
        "variables: {n: 3, top: true}\nPipeline:\n- canonicalize{max-iterations=$n top-down=${top}}"
    )
    builder = read(tmp_path, text, **given)
    assert str(builder) == f"builtin.module(canonicalize{{max-iterations={rounds}}})"
    builder = read(tmp_path, text, top=False)
    assert "top-down=false" in str(builder)
    assert str(read(tmp_path, "Pipeline: [$what]", what="cse")) == "builtin.module(cse)"
    with pytest.raises(PipelineError, match="has no variable 'm'; the file does not use it"):
        read(tmp_path, "variables: {n: 1}\nPipeline: [$n]", m=3)


def test_includes_have_their_own_variables(tmp_path: Path) -> None:
    """Included files are next to the including file, and only get values passed to them."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "a.yaml").write_text("Pipeline:\n- include: b.yaml {n=$m}\n")
    (tmp_path / "lib" / "b.yaml").write_text(
        "variables: {n: 1}\nPipeline:\n- canonicalize{max-iterations=$n}\n"
    )
    text = "variables: {m: 4}\nPipeline:\n- include: lib/a.yaml{m=$m}\n- include: lib/b.yaml\n"
    assert str(read(tmp_path, text)) == (
        "builtin.module(canonicalize{max-iterations=4},canonicalize{max-iterations=1})"
    )


def test_includes_from_parent_folders(tmp_path: Path) -> None:
    """Includes also find files in parent folders, nearest first."""
    folder = tmp_path / "x86" / "matmul"
    folder.mkdir(parents=True)
    (tmp_path / "lower.yaml").write_text("Pipeline:\n- pass: symbol-dce\n")
    (tmp_path / "x86" / "like.yaml").write_text("Pipeline:\n- include: lower.yaml\n- cse\n")
    text = "Pipeline:\n- include: ../like.yaml\n- include: lower.yaml\n"
    assert str(read(folder, text)) == "builtin.module(symbol-dce,cse,symbol-dce)"
    (folder / "lower.yaml").write_text("Pipeline:\n- dce\n")
    assert str(read(folder, text)) == "builtin.module(symbol-dce,cse,dce)"


WRONG = {
    "Pipelin: [cse]": "1:1: error: a pipeline file has no key 'Pipelin'; did you mean 'Pipeline'?",
    "variables: {n: 1}": "1:1: error: a pipeline file needs the key 'Pipeline', whose value is a list",
    "": "1:1: error: a pipeline file must be a YAML mapping, such as 'key: value'",
    "- cse": "1:1: error: a pipeline file must be a YAML mapping, such as 'key: value'",
    "Pipeline: cse": "1:11: error: a pipeline file needs the key 'Pipeline', whose value is a list",
    "Pipeline: [": "1:12: error: invalid YAML: ",
    "a: \x01": "1:4: error: invalid YAML: special characters are not allowed",
    "Pipeline:\n- pass: cse$$n": "2:9: error: 'cse$n' does not refer",
    "Pipeline: &a [*a]": "1:11: error: an element of a pipeline must be a YAML mapping, such as 'key: value'",
    "Pipeline: [cse]\nPipeline: [cse]": "2:1: error: key 'Pipeline' is repeated",
    "{[a]: 1}": "1:2: error: expected a single word as the key",
    "Pipeline:\n- pass: csee": "2:9: error: 'csee' does not refer to a registered pass or pass pipeline; did you mean 'cse'?",
    "Pipeline:\n- pass: canonicalize{top=1}": "2:9: error: no such option 'top' for pass 'canonicalize'",
    "Pipeline:\n- pass: >\n    cse,\n    csee": "2:9: error: 'csee' does not refer",
    "Pipeline:\n- 'cse'\n- 'a(b'": "3:3: error: ",
    "Pipeline:\n- pass:": "2:8: error: expected the name of a pass",
    "Pipeline:\n- pass: [cse]": "2:9: error: expected the name of a pass",
    "Pipeline:\n- pas: cse": "2:3: error: an element of a pipeline has no key 'pas'; did you mean 'pass'?",
    "Pipeline:\n- {pass: cse, include: b.yaml}": "2:3: error: an element of a pipeline must have one key",
    "Pipeline:\n- schedule: x.py": "2:3: error: an element of a pipeline has no key 'schedule'; use pass or include",
    "variables: {rounds: 3}\nPipeline:\n- canonicalize{max-iterations=$round}": "3:3: error: variable 'round' has no value; did you mean 'rounds'?",
    "variables: {n: }\nPipeline: []": "1:15: error: variable 'n' has neither a default nor a value",
    "variables: {n: {a: 1}}\nPipeline: []": "1:16: error: expected the value of 'n'",
    "Pipeline:\n- include: none.yaml": "2:12: error: cannot open pipeline file",
    "Pipeline:\n- pass: cse{$}": "2:9: error: '$' needs a variable name; write '$$' for a dollar sign",
    "Pipeline:\n- include: other.yaml {n=3}": "2:12: error: '{dir}/other.yaml' has no variable 'n'; the file does not use it",
    "anchor: func.func\nPipeline:\n- include: other.yaml": "3:12: error: cannot include a pipeline on 'builtin.module' in a pipeline on 'func.func'",
    'Pipeline: [{include: "a\\0.yaml"}]': "1:22: error: cannot open pipeline file '{dir}/a\0.yaml': embedded null byte",
    "variables: {a: "
    + "x" * 1_000
    + "}\nPipeline: ['"
    + "$a" * 1_000
    + "']": "2:12: error: with variables expanded, this text could be longer than 65536 characters",
    "Pipeline:\n" + "- cse,cse\n" * 6_000: "5002:3: error: a pipeline can have at most 10000 el",
}


@pytest.mark.parametrize(("text", "expected"), WRONG.items(), ids=range(len(WRONG)))
def test_mistakes_in_files(tmp_path: Path, text: str, expected: str) -> None:
    """Each mistake and each exceeded limit is one error at its place."""
    (tmp_path / "other.yaml").write_text("anchor: builtin.module\nPipeline: []\n")
    path = tmp_path / "p.yaml"
    with pytest.raises(PipelineError) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(f"{path}:{expected.replace('{dir}', str(tmp_path))}")
    assert len(caught.value.problems) == 1


def test_deep_nesting(tmp_path: Path) -> None:
    """A file that is nested too deeply is an error."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(500)
    try:
        with pytest.raises(PipelineError, match="1:1: error: the file is nested too deeply"):
            read(tmp_path, "[" * 300)
    finally:
        sys.setrecursionlimit(limit)


def test_recursive_includes(tmp_path: Path) -> None:
    """A cycle of includes, and exponential growth of text or files, are errors."""
    (tmp_path / "a.yaml").write_text("Pipeline:\n- include: b.yaml\n")
    (tmp_path / "b.yaml").write_text("Pipeline:\n- include: a.yaml\n")
    for i in range(40):
        use = f"- include: 'twice{i + 1}.yaml{{x=$x$x}}'\n"
        (tmp_path / f"twice{i}.yaml").write_text(f"variables: {{x: ab}}\nPipeline:\n{use}")
        (tmp_path / f"fan{i}.yaml").write_text("Pipeline:\n" + f"- include: fan{i + 1}.yaml\n" * 2)
    (tmp_path / "fan40.yaml").write_text("Pipeline: []\n")
    with pytest.raises(PipelineError, match="with variables expanded, this text could"):
        PipelineBuilder.from_file(tmp_path / "twice0.yaml")
    for name in ("fan0.yaml", "a.yaml"):
        with pytest.raises(PipelineError, match="at most 256 files"):
            PipelineBuilder.from_file(tmp_path / name)


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "loop", "large"])
def test_special_and_large_files(tmp_path: Path, kind: str) -> None:
    """Including a large or special file is an error at the place of its name."""
    odd = tmp_path / "odd.yaml"
    if kind == "pipe":
        os.mkfifo(odd)
    elif kind == "folder":
        odd.mkdir()
    elif kind == "large":
        odd.write_text("Pipeline:\n" + "- cse\n" * 100_000)
    else:
        odd.symlink_to("/dev/zero" if kind == "device" else odd)
    with pytest.raises(PipelineError) as caught:
        read(tmp_path, "Pipeline:\n- cse\n- include: odd.yaml\n")
    assert str(caught.value).startswith(f"{tmp_path / 'p.yaml'}:3:12: error: ")
    assert {
        "loop": "Too many levels of symbolic links",
        "large": "the files of a pipeline can have at most 262144 bytes",
    }.get(kind, "it is not a regular file") in str(caught.value)


def test_pipes(tmp_path: Path) -> None:
    """A pipe works as the outermost file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        pool.submit(pipe.write_text, "Pipeline: [cse]")
        assert str(PipelineBuilder.from_file(pipe).build()) == "builtin.module(cse)"
