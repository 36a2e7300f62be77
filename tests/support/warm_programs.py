"""Programs that start in a tenth of the time, for tests that start hundreds of them.

Most of what a program of passel does first is the same each time: it loads xDSL, and looks through
all installed packages. A server does that once, and is forked for each program: it takes the
caller's streams, directory and environment, and ends as a process of its own. What says anything
about starting itself is tested with real ones.

    python warm_programs.py FOLDER MODULE,... NAME=MODULE:FUNCTION[,ARGUMENT]...

loads the modules and serves programs of these names, which it writes to the folder, until its
standard input ends.
"""

from __future__ import annotations

import atexit
import io
import marshal
import os
import selectors
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

_MAINS = {
    "passel-bisect": "passel.tool.bisect,passel.search.bisecting",
    "passel-opt": "passel.tool.opt",
    "passel-reduce": "passel.tool.reduce,passel.search.reducing",
    "passel-report": "passel.tool.report",
    "passel-tblgen": "passel.tool.tblgen",
}
PASSEL = {
    **{name: f"_passel_programs:{name.replace('-', '_')}" for name in _MAINS},
    "run-python": "__main__:run_script",
}

# What runs of passel-opt with a pass on xDSL load, in their order, and no more: what a program
# forgets to import shall be missed.
_LOADED = (
    "passel.tool.opt,passel.manager.combinators,passel.bridge.registration,passel.xdsl.adapter",
    "passel.xdsl.passes.cse,passel.xdsl.frontend,passel.passes.factory",
    "faulthandler,xdsl.dialects.func,xdsl.dialects.arith,passel.xdsl.fast.printer",
)
# What all runs of another program load, or of any program with a flag.
_OF_FLAGS = {
    "--ir=mlir": "passel.mlir.frontend,mlir.ir",
    "--computes-else": "passel.search.reducing,passel.xdsl.interpreting",
}
_ALSO = {**_MAINS, **_OF_FLAGS, "xdsl.tools.xdsl_opt:main": "xdsl.tools.xdsl_opt"}

# Loads nothing, so that it takes no time: even `os` is more than it needs.
_CLIENT = """\
#!{python} -IS
import _socket, marshal, posix, sys
server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
words = [word.partition("=@")[0] for word in sys.argv]
server.connect("{folder}/." + next((flag for flag in {flags} if flag in words), {name!r}))
request = marshal.dumps((sys.argv, posix.getcwdb(), posix.environ))
streams = b"".join(fd.to_bytes(4, sys.byteorder) for fd in range(3))
server.sendmsg([request], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
code = marshal.loads(server.recv(100))
if code < 0:
    posix.kill(posix.getpid(), -code)
posix._exit(code)
"""


@contextmanager
def warm_programs(programs: Mapping[str, str], *others: str) -> Generator[Path]:
    """Yield a folder with programs, as long as they can be started.

    Args:
        programs: `module:function,argument...` by the name of the program, where the function
            returns its exit code and the arguments precede those of the command line.
        *others: Modules that all of them load, besides those of passel-opt.
    """
    with TemporaryDirectory(prefix="warm") as folder:
        words = [f"{name}={entry}" for name, entry in programs.items()]
        # The search path is each program's own, but passel is that of this checkout.
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
        command = [sys.executable, __file__, folder, ",".join([*_LOADED, *others]), *words]
        with subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as server:
            assert server.stdout
            assert server.stdout.readline() == b"ready\n"
            yield Path(folder)


class _Request(NamedTuple):
    """A program that a user starts.

    Attributes:
        words: Its path and arguments.
        directory: Where.
        environment: Of the caller.
        streams: The descriptors of its input, output and errors here.
    """

    words: list[str]
    directory: bytes
    environment: dict[bytes, bytes]
    streams: list[int]

    @classmethod
    def read(cls, caller: socket.socket) -> _Request:
        """Read one from its caller."""
        data, streams, _, _ = socket.recv_fds(caller, 1 << 20, 3)
        words, directory, environment = marshal.loads(data)  # noqa: S302 - our client wrote it
        return cls(words, directory, environment, streams)

    def enter(self) -> None:
        """Become its process."""
        for number, stream in enumerate(self.streams):
            os.dup2(stream, number)
            os.close(stream)
        os.chdir(self.directory)
        os.environb.clear()
        os.environb.update(self.environment)
        sys.argv = self.words
        before = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
        if others := [path for path in before if path not in sys.path]:
            sys.path[1:1] = others
            _find_packages().cache_clear()
        sys.path[0] = str(Path(sys.executable).parent)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        now = bool(os.environ.get("PYTHONUNBUFFERED"))
        sys.stdout = _writer(1, "strict", now=now)
        sys.stderr = _writer(2, "backslashreplace", now=now)


def _find_packages() -> Any:
    """Return passel's function that finds installed packages, which keeps what it has found."""
    return import_module("passel.installed")._installed


def _writer(number: int, errors: str, *, now: bool) -> io.TextIOWrapper:
    """Return a stream that writes as Python's own."""
    raw: Any = open(number, "wb", buffering=0 if now else -1, closefd=False)  # noqa: SIM115
    return io.TextIOWrapper(
        raw,
        encoding="utf-8",
        errors=errors,
        line_buffering=number == 2 or os.isatty(number),
        write_through=now,
    )


def _serve(listener: socket.socket, modules: str) -> _Request | None:
    """Fork a process for each request; return the request in it, and nothing in the end.

    Modules are loaded before the first one.
    """
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    selector.register(0, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fd == 0:
                return None
            if key.fileobj is listener:
                caller, _ = listener.accept()
                request = _Request.read(caller)
                for module in filter(None, modules.split(",")):
                    import_module(module)
                _find_packages()()
                process = os.fork()
                if not process:
                    selector.close()
                    listener.close()
                    caller.close()
                    return request
                for stream in request.streams:
                    os.close(stream)
                ended = os.pidfd_open(process)
                selector.register(ended, selectors.EVENT_READ, (process, caller))
                continue
            selector.unregister(key.fd)
            os.close(key.fd)
            process, caller = key.data
            _, status = os.waitpid(process, 0)
            with caller, suppress(BrokenPipeError):  # a caller may be killed
                caller.send(marshal.dumps(os.waitstatus_to_exitcode(status)))


def _main(folder: str, modules: str, *words: str) -> int:
    """Serve programs, each in a process; return the exit code of what this one has become."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for module in modules.split(","):
        import_module(module)
    entries = dict[str, str]()
    for name, _, entry in (word.partition("=") for word in words):
        entries[name] = entry
        program = Path(folder, name)
        client = _CLIENT.format(python=sys.executable, folder=folder, flags=[*_OF_FLAGS], name=name)
        program.write_text(client)
        program.chmod(0o755)
    kinds = [*entries, *_OF_FLAGS]
    for name in kinds:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(f"{folder}/.{name}")
            listener.listen(64)
            if not os.fork():
                request = _serve(listener, _ALSO.get(name) or _ALSO.get(entries.get(name, ""), ""))
                if request is not None:
                    _become(request, entries)
                os._exit(0)  # without taking apart all that was loaded
    print("ready", flush=True)  # noqa: T201
    sys.stdin.read()
    for _ in kinds:
        os.wait()
    return 0


def _become(request: _Request, entries: Mapping[str, str]) -> NoReturn:
    """Run the program that was requested."""
    request.enter()
    entry, *arguments = entries[Path(request.words[0]).name].split(",")
    sys.argv[1:1] = arguments
    module, _, function = entry.partition(":")
    code = getattr(import_module(module), function)()
    atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code or 0)


def run_script() -> int:
    """Run the code in the first argument, as `python -c` does."""
    _, code, *arguments = sys.argv
    sys.argv = ["-c", *arguments]
    sys.modules["__main__"] = main = ModuleType("__main__")
    # The code is the test's, and not from the future as this file is.
    exec(compile(code, "<string>", "exec", dont_inherit=True), vars(main))  # noqa: S102
    return 0


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
