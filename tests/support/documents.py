"""Pages of documentation, with the blocks that tests run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(
    r'^(?P<fence>```+)(?P<language>\w+)(?: +title="(?P<title>[^"]+)")?\n(?P<text>.*?)^(?P=fence)$',
    re.MULTILINE | re.DOTALL,
)


class Block(NamedTuple):
    """A fenced block; `follows` tells whether only white space is before it and the last one."""

    language: str
    title: str | None
    text: str
    follows: bool


def blocks_of(source: str) -> list[Block]:
    """Return the fenced blocks of a page's text in order."""
    blocks, end = list[Block](), 0
    for match in _FENCE.finditer(source):
        follows = not source[end : match.start()].strip()
        blocks.append(Block(match["language"], match["title"], match["text"], follows))
        end = match.end()
    return blocks


def commands_of(block: Block) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with the output that is shown."""
    commands: list[tuple[str, str]] = []
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        while command.endswith("\\"):
            more, _, output = output.partition("\n")
            command = f"{command[:-1]}{more.strip()}"
        commands.append((command, output))
    return commands


def shows(shown: str, actual: str) -> bool:
    """Return whether the text shown is the actual one, but for space at line ends.

    A line `...` stands for any lines, or none.
    """
    lines = [line.rstrip() for line in shown.strip("\n").split("\n")]
    pattern = "".join(
        r"(?s:(?:.*\n)?)" if line == "..." else f"{re.escape(line)}\n" for line in lines
    )
    text = "".join(f"{line.rstrip()}\n" for line in actual.strip("\n").split("\n"))
    return re.fullmatch(pattern, text) is not None
