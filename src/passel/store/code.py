"""The code that results depend on: files of installed packages, and texts of plugins."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from passel._version import __version__
from passel.store.keys import NotKeptError, digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.machinery import ModuleSpec

_CODE: Final = (".py", ".so", ".pyd", ".dylib", ".dll")

_REACHING_OUT: Final = frozenset(
    {
        "__file__",
        "__import__",
        "__path__",
        "environ",
        "eval",
        "exec",
        "getenv",
        "importlib",
        "open",
        "random",
        "runpy",
    }
    | {"datetime", "read_bytes", "read_text", "secrets", "socket", "subprocess", "time", "uuid"}
)
"""Names by which a module may depend on more than its text and what it imports."""


def versions_of(packages: Iterable[str], *, is_shared: bool) -> dict[str, str]:
    """Return what tells the installed versions of packages, with their files.

    Args:
        packages: Their names.
        is_shared: Whether files count by what is in them, which is the same on other machines, and
            requirements of the packages by their versions. Otherwise files count by their sizes
            and times, that of the last change of any kind among them, which a program cannot set
            back; so does the folder that they are installed in.
    """
    found = {"passel": __version__, "Python": sys.version}
    for name in packages:
        spec = find_spec(name)
        if spec is None:
            raise NotKeptError(f"there is no package '{name}'")
        found[f"files of {name}"] = _files_of(spec, is_shared)
        if is_shared:
            found.update(_requirements_of(name))
    return found


def code_of(modules: Iterable[str], packages: Iterable[str], *, is_shared: bool) -> dict[str, str]:
    """Return digests of modules, and of what they import.

    Args:
        modules: Their names.
        packages: Packages that `versions_of` covers.
        is_shared: As for `versions_of`.

    Raises:
        NotKeptError: It cannot be told what they depend on.
    """
    reader = _Reader({*packages}, is_shared)
    for name in modules:
        reader.add(name, None)
    named: dict[str, list[str]] = {}
    for path, digest in reader.found.items():
        named.setdefault(Path(path).name, []).append(digest)
    return {name: " ".join(sorted(digests)) for name, digests in named.items()}


def _requirements_of(package: str) -> dict[str, str]:
    from importlib import metadata  # noqa: PLC0415 - local stores do without it

    try:
        names = [
            re.split(r"[^\w.-]", each)[0]
            for each in metadata.requires(package) or ()
            if "extra ==" not in each
        ]
        return {f"the version of {name}": metadata.version(name) for name in names}
    except metadata.PackageNotFoundError as error:
        raise NotKeptError(f"the version of '{error.name}' is not known") from None


class _Reader:
    """Follows what modules import, as far as that is not installed with Python."""

    def __init__(self, covered: set[str], is_shared: bool) -> None:
        self._covered = covered
        self._is_shared = is_shared
        self.found: dict[str, str] = {}

    def add(self, name: str, beside: Path | None) -> None:
        """Add a module, which another one in a folder imports."""
        root = name.partition(".")[0]
        if root in self._covered or root in sys.stdlib_module_names or root == "builtins":
            return
        if beside is not None and self._add_beside(root, beside):
            return
        module = sys.modules.get(root)
        spec = getattr(module, "__spec__", None)
        if spec is None and module is None:
            spec = find_spec(root)
        if spec is None:
            if beside is None:
                raise NotKeptError(f"the module '{name}' has no file")
            return  # an import that fails, wherever it is
        if spec.submodule_search_locations:
            self.found.setdefault(f"files of {root}", _files_of(spec, self._is_shared))
        elif spec.origin:
            self._add_file(Path(spec.origin))

    def _add_beside(self, root: str, folder: Path) -> bool:
        package, file = folder / root, folder / f"{root}.py"
        if package.is_dir() and any(package.rglob("*.py")):
            self.found[str(package)] = _files_in([package], self._is_shared)
            return True
        if file.is_file():
            self._add_file(file)
        return file.is_file()

    def _add_file(self, file: Path) -> None:
        if str(file) in self.found:
            return
        try:
            data = file.read_bytes()
        except OSError as error:
            raise NotKeptError(f"'{file}': {error.strerror}") from None
        self.found[str(file)] = digest_of([data]).hex()
        if file.suffix != ".py":
            return
        try:
            tree = ast.parse(data)
        except (SyntaxError, ValueError):
            raise NotKeptError(f"'{file}' is no Python") from None
        for name in _names_in(tree):
            if name.partition(".")[0] in _REACHING_OUT:
                raise NotKeptError(
                    f"'{file.name}' uses '{name}', and may depend on more than its code"
                )
        for name in _imports_in(tree):
            self.add(name, file.resolve().parent)


def _names_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield name
            case ast.alias(name=name):
                yield name
            case _:
                pass
    yield from _imports_in(tree)


def _imports_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def _files_of(spec: ModuleSpec, is_shared: bool) -> str:
    folders = [Path(each) for each in spec.submodule_search_locations or ()]
    return _files_in(folders or [Path(spec.origin or "")], is_shared)


def _files_in(roots: Iterable[Path], is_shared: bool) -> str:
    """Return a digest of the names of files of code, and of their contents or sizes and times."""
    lines: list[str] = []
    for root in roots:
        if is_shared:
            for path in _code_in(root):
                digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
                lines.append(f"{path.removeprefix(str(root))} {digest}")
            continue
        is_installed = root.parent.name.endswith("-packages")
        for path in (root, root.parent) if is_installed else (root,):
            status = path.stat()
            lines.append(f"{path} {status.st_mtime_ns} {status.st_ctime_ns}")
        for path in _code_in(root):
            status = os.stat(path)  # noqa: PTH116 - there are hundreds
            times = f"{status.st_mtime_ns} {status.st_ctime_ns}"
            lines.append(f"{path} {status.st_size} {times}")
    return digest_of(sorted(lines)).hex()


def _code_in(root: Path) -> Iterator[str]:
    """Yield the path of a file of code, or those in a folder."""
    folders = [str(root)] if root.is_dir() else []
    if not folders:
        yield str(root)
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    if entry.name != "__pycache__":
                        folders.append(entry.path)
                elif entry.name.endswith(_CODE):
                    yield entry.path
