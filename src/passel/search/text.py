"""Reduction of the text by Shrink Ray, a program that knows no IR.

Source: D. R. MacIver, https://github.com/DRMacIver/shrinkray.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from passel.search.oracle import Case
    from passel.search.trials import Trials

# It is started for each text: even `os` is more than it needs.
_CLIENT = """\
#!{python} -IS
import _socket, posix, sys
server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
server.connect({address!r})
server.sendall(sys.stdin.buffer.read())
server.shutdown(_socket.SHUT_WR)
posix._exit(server.recv(1)[0])
"""


class Shrunk(NamedTuple):
    """Result of a reduction of the text.

    Attributes:
        case: The smallest case that was interesting.
        questions: How many texts were offered, valid or not.
        is_done: Whether it came to its end.
    """

    case: Case
    questions: int
    is_done: bool


def shrink_text(program: str, case: Case, trials: Trials, *, limit: int | None = None) -> Shrunk:
    """Return what Shrink Ray makes of a case's IR; the pipeline stays.

    Args:
        program: The path of `shrinkray`.
        case: The case, which is interesting.
        trials: Asks the oracle.
        limit: How many texts it may offer at most.
    """
    questions, best = 0, case
    with TemporaryDirectory(prefix="passel-") as folder, socket.socket(socket.AF_UNIX) as server:
        file, client = Path(folder, "case.mlir"), Path(folder, "client")
        address = str(Path(folder, "socket"))
        file.write_text(case.ir, encoding="utf-8")
        client.write_text(_CLIENT.format(python=sys.executable, address=address))
        client.chmod(0o755)
        server.bind(address)
        server.listen()
        server.settimeout(0.2)
        words = [program, "--parallelism=1", client, file]
        quiet = subprocess.DEVNULL
        with subprocess.Popen(words, stdin=quiet, stdout=quiet, stderr=quiet) as process:  # noqa: S603
            try:
                while process.poll() is None and (limit is None or questions < limit):
                    try:
                        caller, _ = server.accept()
                    except TimeoutError:
                        continue
                    with caller:
                        data = b"".join(iter(partial(caller.recv, 1 << 16), b""))
                        offered = case._replace(ir=data.decode("utf-8", "replace"))
                        is_interesting = trials.first([offered]) == 0
                        caller.sendall(bytes([not is_interesting]))
                    questions += 1
                    if is_interesting and len(offered.ir) < len(best.ir):
                        best = offered
                is_done = process.poll() is not None
            finally:
                process.kill()
    return Shrunk(best, questions, is_done)
