"""The code that results depend on: files of installed packages, and texts of plugins."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Final

from passel._version import __version__
from passel.passes.base import LOADED
from passel.store.keys import NotKeptError, digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from importlib.machinery import ModuleSpec

_CODE: Final = (".py", ".so", ".pyd", ".dylib", ".dll")

_REACHING_OUT: Final = frozenset(
    {"FileIO", "__builtins__", "__file__", "__import__", "__path__", "argv", "environ", "eval"}
    | {"exec", "getenv", "input", "open", "read_bytes", "read_text", "stdin"}
)
"""Names by which a module may depend on more than its text and what it imports."""

_STAYING_INSIDE: Final = re.compile(
    "__future__|abc|array|ast|base64|binascii|bisect|cmath|codecs|collections|colorsys|contextlib|"
    "contextvars|copy|copyreg|csv|dataclasses|decimal|difflib|dis|enum|errno|fractions|functools|"
    "gc|graphlib|hashlib|heapq|hmac|html|inspect|io|itertools|json|keyword|logging|math|numbers|"
    "operator|pickle|pprint|queue|re|reprlib|statistics|string|struct|sys|textwrap|threading|"
    "token|tokenize|traceback|types|typing|unicodedata|warnings|weakref|zlib"
)
"""Modules of the standard library that depend on nothing but what they are called with."""


def versions_of(packages: Iterable[str], *, is_shared: bool) -> dict[str, str]:
    """Return what tells the installed versions of packages, with their files.

    Args:
        packages: Their names.
        is_shared: Whether files count by what is in them, which is the same on other machines, and
            requirements of the packages by their versions. Otherwise files count by their sizes
            and times, that of the last change of any kind among them, which a program cannot set
            back; so does the folder that they are installed in.
    """
    found = {"passel": __version__, "Python": f"{sys.version} -O{sys.flags.optimize}"}
    for name in packages:
        spec = find_spec(name)
        if spec is None:
            raise NotKeptError(f"there is no package '{name}'")
        found[f"files of {name}"] = _files_of(spec, is_shared)
        if is_shared:
            found.update(_requirements_of(name))
    return found


def code_of(
    modules: Mapping[str, bool], packages: Iterable[str], *, is_shared: bool
) -> dict[str, str]:
    """Return digests of modules and of what they import, by names.

    Packages that are installed and hold none of the modules count as `versions_of` counts them.

    Args:
        modules: Their names, each with whether it may depend on more than its code.
        packages: Packages that `versions_of` covers.
        is_shared: As for `versions_of`.

    Raises:
        NotKeptError: It cannot be told what they depend on.
    """
    reader = _Reader({*packages}, {name.partition(".")[0] for name in modules}, is_shared)
    for name in sorted(modules, key=modules.__getitem__):  # those that may not come first
        if not reader.add(name, may_reach_out=modules[name]):
            raise NotKeptError(
                "a pass of the running script has no module to read: put it into one"
                if name == "__main__"
                else f"the module '{name}' has no file"
            )
    return reader.found


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
    """Follows what modules import, as far as that is not installed with Python.

    Args:
        covered: Packages that count otherwise.
        own: Those that are followed though they are installed.
        is_shared: As for `versions_of`.

    Attributes:
        found: Digests by the names of modules and packages.
    """

    def __init__(self, covered: set[str], own: set[str], is_shared: bool) -> None:
        self._covered = covered | {"builtins"}
        self._own = own
        self._is_shared = is_shared
        self.found: dict[str, str] = {}

    def add(self, name: str, *, may_reach_out: bool) -> bool:
        """Add a module and the packages that it is in; return whether it is one that has a file."""
        root, *parts = name.split(".")
        if root in self._covered or root in sys.stdlib_module_names:
            return True
        for module in accumulate(parts, "{}.{}".format, initial=root):
            spec = _spec_of(module)
            if spec is None:
                return False
            folders = spec.submodule_search_locations
            installed = Path((folders or [spec.origin or ""])[0]).parent.name
            if installed.endswith("-packages") and root not in self._own:
                self.found.setdefault(f"files of {root}", _files_of(spec, self._is_shared))
                return True
            named = f"the module '{module.removeprefix('passel_plugin_')}'"
            if spec.origin and named not in self.found:
                self.found[named] = ""  # which others may import meanwhile
                digest = self._add_file(spec.parent or "", Path(spec.origin), may_reach_out)
                self.found[named] = digest_of([digest, _constants_of(module)]).hex()
        return True

    def _add_file(self, package: str, file: Path, may_reach_out: bool) -> bytes:
        try:
            data = file.read_bytes()
            changed = file.stat().st_ctime
        except OSError as error:
            raise NotKeptError(f"'{file}': {error.strerror}") from None
        if changed > LOADED:
            raise NotKeptError(f"'{file.name}' has changed while this process was running")
        if file.suffix != ".py":
            return data
        try:
            tree = ast.parse(data)
        except (SyntaxError, ValueError):
            raise NotKeptError(f"'{file}' is no Python") from None
        for used, is_import in _names_in(tree, package):
            if not may_reach_out and _reaches_out(used, is_import):
                raise NotKeptError(
                    f"'{file.name}' uses '{used}', and may depend on more than its code"
                )
            if is_import:
                self.add(used, may_reach_out=may_reach_out)
        return data


def _spec_of(name: str) -> ModuleSpec | None:
    """Return where a module is from, without importing what it is in."""
    if name in sys.modules:
        return getattr(sys.modules[name], "__spec__", None)
    package = name.rpartition(".")[0]
    if not package:
        return find_spec(name)
    above = _spec_of(package)
    folders = above.submodule_search_locations if above else None
    return PathFinder.find_spec(name, folders) if folders else None


def _constants_of(module: str) -> str:
    """Return numbers and texts of a module and its classes, which a program may have changed."""
    names = vars(sys.modules[module]) if module in sys.modules else {}
    classes = (each for each in names.values() if getattr(each, "__module__", "") == module)
    scopes = [names, *(vars(each) for each in classes if isinstance(each, type))]
    return repr(
        [
            (name, value)
            for scope in scopes
            for name, value in scope.items()
            if isinstance(value, (int, float, str, bytes)) and not name.startswith("__")
        ]
    )


def _reaches_out(name: str, is_import: bool) -> bool:
    root = name.partition(".")[0] if is_import else ""
    is_inside = root not in sys.stdlib_module_names or _STAYING_INSIDE.fullmatch(root)
    return name in _REACHING_OUT or not is_inside


def _names_in(tree: ast.AST, package: str) -> Iterator[tuple[str, bool]]:
    """Yield names that a module of a package uses, and whether each may be that of a module."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield name, False
            case ast.Import(names=names):
                yield from ((each.name, True) for each in names)
            case ast.ImportFrom(module=module, names=names, level=level) if package or not level:
                above = package.split(".")[: -level + 1 or None] if level else []
                base = ".".join([*above, *filter(None, [module])])
                for each in names:
                    yield each.name, False
                    yield f"{base}.{each.name}", True
                    if each.name == "*":  # what the package's __all__ names is loaded
                        yield from ((n, True) for n in [*sys.modules] if n.startswith(f"{base}."))
            case _:
                pass


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
