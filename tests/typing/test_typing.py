"""What type checkers accept and refuse in users' code.

Each case is a program; a line that must be refused ends with `# error:` and the rules.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import passel

pytest.importorskip("pyright")  # checks are for developers, tests for everybody

CASES = sorted(Path(__file__).with_name("cases").glob("*.py.txt"))
_MARKER = re.compile(r"# error: (.*)")


def test_type_checkers_see_what_users_mean(tmp_path: Path) -> None:
    """Pyright in strict mode reports exactly the marked lines, with exactly these rules."""
    expected: set[tuple[str, int, str]] = set()
    for case in CASES:
        text = case.read_text("utf-8")
        copy = tmp_path / case.stem
        copy.write_text(_MARKER.sub("", text), "utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            if marker := _MARKER.search(line):
                expected |= {(copy.name, number, rule) for rule in marker[1].split(", ")}
    config = {
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
        "extraPaths": [str(Path(passel.__file__).parents[1])],
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config), "utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    report = json.loads(run.stdout)
    found = {
        (Path(item["file"]).name, item["range"]["start"]["line"] + 1, item.get("rule", ""))
        for item in report["generalDiagnostics"]
    }
    assert report["summary"]["filesAnalyzed"] == len(CASES) > 0
    assert found == expected
