"""A store at a URL, which machines share: an object for each entry, through fsspec."""

from __future__ import annotations

import os
import re
import uuid
from concurrent.futures import Future
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, TypeVar

from passel.diagnostics import brief
from passel.errors import PasselError
from passel.store.entries import Statistics, Store, StoreError, packed, unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_T = TypeVar("_T")

_FOLDER: Final = "results-1"
"""The folder of this form of entries; another form gets another name."""

_DIGEST: Final = 32
"""Bytes of the digest that an object begins with."""

_BATCH: Final = 100
"""Objects that are read or written at once."""

_PATIENCE: Final = 30
"""Seconds that a batch may take, with all that the protocol's package tries again."""

_TIMES: Final = ("mtime", "LastModified", "last_modified", "updated", "created")
"""Names under which filesystems have the time when an object was written."""

_VARIABLE: Final = "PASSEL_CACHE_KEY"
"""The variable with the secret that entries are signed with; `@` precedes the name of a file."""

_SHORTEST_SECRET: Final = 16
"""Bytes; what is shorter is a mistake, such as a variable that is not set."""


class RemoteStore(Store):
    """A store at a URL, as of S3 or of a shared directory.

    An object holds a digest and the entry. Object stores write it whole; elsewhere it is written
    beside its place and renamed, which needs no locks. With a secret in `PASSEL_CACHE_KEY`, digests
    are signed, and all other entries are misses.

    Args:
        url: Where it is, as fsspec takes it.

    Raises:
        PasselError: Fsspec, or what it needs for the URL, is not installed.
    """

    is_shared = True

    def __init__(self, url: str) -> None:
        self._url = url
        self.name: str = re.sub("//[^/]*@", "//", url)
        try:
            from fsspec import core  # noqa: PLC0415 - an extra
        except ImportError:
            raise PasselError(
                f"'{self.name}' needs fsspec: pip install '.[remote]' in passel's checkout"
            ) from None
        self._fsspec: Any = core
        try:
            self._fsspec.get_filesystem_class(self._fsspec.split_protocol(url)[0])
        except ValueError as error:
            raise PasselError(f"'{self.name}': {error}") from None
        except ImportError as error:
            raise PasselError(
                f"'{self.name}' needs more than passel's extra 'remote': {error}"
            ) from None

    def find(self, keys: Sequence[bytes]) -> dict[bytes, Any]:
        """Return the results of those keys that are known."""
        found: dict[bytes, Any] = {}
        for first in range(0, len(keys), _BATCH):
            batch = keys[first : first + _BATCH]
            found.update(self._in_time(partial(self._read, batch)))
        return found

    def keep(self, results: Mapping[bytes, Any]) -> None:
        """Keep results."""
        left = [*results.items()]
        for first in range(0, len(left), _BATCH):
            self._in_time(partial(self._write, left[first : first + _BATCH]))

    def statistics(self) -> Statistics:
        """Return how much there is."""
        sizes = [each["size"] for each in self._in_time(self._listed).values()]
        return Statistics(len(sizes), sum(sizes))

    def prune(self, limit: int) -> None:
        """Drop what was written first, until no more bytes are taken than a limit."""

        def prune() -> None:
            listed = self._listed()
            excess = sum(each["size"] for each in listed.values()) - limit
            gone: list[str] = []
            for path in sorted(listed, key=lambda path: _time(listed[path])):
                if excess > 0:
                    gone.append(path)
                    excess -= listed[path]["size"]
            if gone:
                self._files.rm(gone)

        self._in_time(prune)

    def clear(self) -> None:
        """Drop all entries."""
        self.prune(-1)  # objects without contents as well

    @cached_property
    def _place(self) -> tuple[Any, str]:
        files, path = self._fsspec.url_to_fs(self._url)
        return files, f"{path.rstrip('/')}/{_FOLDER}"

    @property
    def _files(self) -> Any:
        return self._place[0]

    def _path(self, key: bytes) -> str:
        # Signed entries have names of their own: others do not replace what they cannot read.
        name = f"{key.hex()}.signed" if self._secret else key.hex()
        return f"{self._place[1]}/{name[:2]}/{name}"

    def _listed(self) -> dict[str, Any]:
        files, folder = self._place
        files.invalidate_cache()
        with suppress(FileNotFoundError):
            files.ls(folder)  # which says more than `find` if there is no answer
            return files.find(folder, detail=True)
        return {}

    def _read(self, keys: Iterable[bytes]) -> dict[bytes, Any]:
        paths = {self._path(key): key for key in keys}
        found: dict[bytes, Any] = {}
        for path, data in self._files.cat([*paths], on_error="return").items():
            if isinstance(data, bytes):
                key, digest = paths[path], data[:_DIGEST]
                with suppress(ValueError):  # it is replaced when the result is kept again
                    found[key] = unpacked(key, data[_DIGEST:], digest, self._secret)
            elif not isinstance(data, FileNotFoundError):
                raise data
        return found

    def _write(self, results: Iterable[tuple[bytes, Any]]) -> None:
        objects: dict[str, bytes] = {}
        for key, result in results:
            value, digest = packed(key, result, self._secret)
            objects[self._path(key)] = digest + value
        if self._files.async_impl:
            self._files.pipe(objects)
            return
        for folder in {path.rpartition("/")[0] for path in objects}:
            self._files.makedirs(folder, exist_ok=True)
        for path, data in objects.items():
            beside = f"{path}.{uuid.uuid4().hex}"
            try:
                self._files.pipe_file(beside, data)
                self._files.mv(beside, path)
            except BaseException:
                with suppress(Exception):
                    self._files.rm_file(beside)
                raise

    @cached_property
    def _secret(self) -> bytes:
        said = os.environ.get(_VARIABLE)
        if said is None:
            return b""
        try:
            is_file = said.startswith("@")
            secret = Path(said[1:]).expanduser().read_bytes() if is_file else said.encode()
        except OSError as error:
            raise StoreError(f"{_VARIABLE}: '{said[1:]}': {error.strerror}") from None
        if len(secret.strip()) < _SHORTEST_SECRET:
            raise StoreError(f"{_VARIABLE} is shorter than {_SHORTEST_SECRET} bytes")
        return secret.strip()

    def _in_time(self, call: Callable[[], _T]) -> _T:
        """Return what a call returns. It is left alone if it takes too long."""
        future: Future[_T] = Future()

        def run() -> None:
            try:
                future.set_result(call())
            except Exception as error:  # noqa: BLE001 - of the protocol's package
                future.set_exception(error)

        thread = Thread(target=run, daemon=True)
        thread.start()
        thread.join(_PATIENCE)
        if thread.is_alive():
            raise StoreError(f"'{self.name}': no answer within {_PATIENCE} s")
        try:
            return future.result()
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - of the package
            said = error.strerror or str(error) if isinstance(error, OSError) else ""
            raise StoreError(f"'{self.name}': {said or brief(error)}") from None


def _time(info: Mapping[str, Any]) -> Any:
    return next((info[name] for name in _TIMES if name in info), 0)
