"""A real server of S3's protocol: moto's, in a process of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping


@contextmanager
def s3_server() -> Generator[Mapping[str, str]]:
    """Start a server with a bucket named `bucket`; skip the test without one, but fail in CI.

    Yields:
        The environment of its clients, which this process has as well.
    """
    if not (find_spec("moto") and find_spec("s3fs")):
        reason = "there is no server of S3: make storage"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_SECRET_ACCESS_KEY": "test",
    }
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-p", str(port)], stderr=subprocess.DEVNULL
    )
    try:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            _wait_for(port, server)
            import fsspec

            fsspec_: Any = fsspec
            fsspec_.filesystem("s3", skip_instance_cache=True).mkdir("bucket")
            yield environment
    finally:
        server.kill()
        server.wait()


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            assert server.poll() is None, "the server ended"
            time.sleep(0.1)
        else:
            return
    raise TimeoutError("the server does not listen")
