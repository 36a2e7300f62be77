#!/usr/bin/env python3
"""Check that the project is not larger than `.ci/weight.tsv` allows.

The table lists the code lines (without blanks, comments and docstrings) and files of each package,
the lines of tests, and the number of pages and their words. Growth is an error: a change that adds
code must also remove code. `--lower` updates the table where the project has shrunk.
"""

from __future__ import annotations

import ast
import sys
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / ".ci" / "weight.tsv"
LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}


def code_lines(path: Path) -> int:
    """Return the number of lines with code in a file."""
    docs = {
        line
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    with tokenize.open(path) as file:
        tokens = [each for each in tokenize.generate_tokens(file.readline) if each.string.strip()]
    spans = (range(t.start[0], t.end[0] + 1) for t in tokens if t.type not in LAYOUT)
    return len({line for span in spans for line in span} - docs)


def weigh() -> Counter[str]:
    """Return all weights by name."""
    found: Counter[str] = Counter()
    for path in ROOT.glob("src/**/*.py"):
        package = "/".join(path.relative_to(ROOT / "src").parts[:-1][:2]) or "start-up"
        found.update({f"{package}\tcode": code_lines(path), f"{package}\tfiles": 1})
    for path in ROOT.glob("tests/**/*.py"):
        if "Output" not in path.parts:  # written by lit
            found["tests\tlines"] += path.read_bytes().count(b"\n")
    for path in ROOT.glob("docs/**/*.md"):
        is_page = path.parent.name == "docs"  # not a part of the API reference
        found.update({"docs\tpages": is_page, "docs\twords": len(path.read_text().split())})
    return found


def main() -> int:
    """Compare the weights with the table, and return the exit code."""
    rows = (line.rsplit("\t", 1) for line in TABLE.read_text().splitlines())
    limits, weights = {name: int(number) for name, number in rows}, weigh()
    grown = {name: weight for name, weight in weights.items() if weight > limits.get(name, 0)}
    for name, weight in grown.items():
        message = f"{name.expandtabs(1)}: {weight}, more than {limits.get(name, 0)} in {TABLE.name}"
        sys.stderr.write(f"{message}\n")
    if "--lower" in sys.argv and not grown:
        TABLE.write_text("".join(f"{name}\t{weights[name]}\n" for name in sorted(weights)))
    return bool(grown)


if __name__ == "__main__":
    raise SystemExit(main())
