"""The MLIR C API functions that passel calls, and conversion of C handles to Python objects.

For programs that also use the C API, the bindings can convert a Python object to a capsule with the
address of the C++ object, and back. A handle is a struct of one pointer, which all ABIs pass like a
pointer.

Source: `mlir-c/IR.h`, `mlir-c/Diagnostics.h`, `mlir-c/Pass.h` and
`mlir-c/Bindings/Python/Interop.h`, MLIR 22.
"""

from __future__ import annotations

import ctypes
from ctypes import c_bool, c_int, c_int8, c_ssize_t, c_uint64, c_void_p
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from passel.mlir.bindings import Bindings


class Text(ctypes.Structure):
    """The C struct `MlirStringRef`. The function `text` creates instances."""

    _fields_ = (("data", c_void_p), ("length", ctypes.c_size_t))


class _Place(ctypes.Structure):
    """A `Dl_info`: the file that contains a function, and the function's address in the file."""

    _fields_ = tuple((name, ctypes.c_char_p) for name in ("file", "base", "symbol", "address"))


HANDLER = ctypes.CFUNCTYPE(c_int8, c_void_p, c_void_p)
"""The type `MlirDiagnosticHandler`: it takes a diagnostic and user data.

The handler returns whether it has handled the diagnostic.
"""

WRITER = ctypes.CFUNCTYPE(None, Text, c_void_p)
"""The type `MlirStringCallback`: it takes a piece of a text and user data."""

_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "mlirContextAttachDiagnosticHandler": (c_uint64, c_void_p, HANDLER, c_void_p, c_void_p),
    "mlirContextDetachDiagnosticHandler": (None, c_void_p, c_uint64),
    "mlirDiagnosticGetLocation": (c_void_p, c_void_p),
    "mlirDiagnosticGetNote": (c_void_p, c_void_p, c_ssize_t),
    "mlirDiagnosticGetNumNotes": (c_ssize_t, c_void_p),
    "mlirDiagnosticGetSeverity": (c_int, c_void_p),
    "mlirDiagnosticPrint": (None, c_void_p, WRITER, c_void_p),
    "mlirModuleCreateParse": (c_void_p, c_void_p, Text),
    "mlirModuleCreateParseFromFile": (c_void_p, c_void_p, Text),
    "mlirModuleFromOperation": (c_void_p, c_void_p),
    "mlirOperationCreateParse": (c_void_p, c_void_p, Text, Text),
    "mlirOperationGetNextInBlock": (c_void_p, c_void_p),
    "mlirOperationVerify": (c_bool, c_void_p),
    "mlirPassManagerRunOnOp": (c_bool, c_void_p, c_void_p),
}
"""The result type of each C function, followed by the parameter types."""

_exported = attrgetter("_CAPIPtr")
_importer = attrgetter("_CAPICreate")
_address = ctypes.pythonapi.PyCapsule_GetPointer
_address.restype, _address.argtypes = c_void_p, (ctypes.py_object, ctypes.c_char_p)
_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, (ctypes.py_object,)
_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype, _capsule.argtypes = ctypes.py_object, (c_void_p, ctypes.c_char_p, c_void_p)

_names: dict[type, bytes] = {}
"""The names of the capsules for each class of the bindings."""


class Library(NamedTuple):
    """The C functions of a build's shared library, each in two versions.

    Attributes:
        free: The versions that release Python's interpreter lock during the call, so that other
            threads can run Python code.
        held: The versions that hold the interpreter lock during the call.
    """

    free: ctypes.CDLL
    held: ctypes.CDLL


@cache
def load(bindings: Bindings) -> Library | None:
    """Return the C functions of a build, or None if the build does not export the C API."""
    path = bindings.path
    try:
        found = Library(_declared(ctypes.CDLL(path)), _declared(ctypes.PyDLL(path)))
    except (AttributeError, OSError):
        return None
    place = _Place()
    ctypes.CDLL(None).dladdr(found.free.mlirOperationVerify, ctypes.byref(place))
    bindings.check_owner(Path(place.file.decode()))
    return found


def _declared(library: ctypes.CDLL) -> ctypes.CDLL:
    for name, (returns, *takes) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = returns, takes
    return library


def address(thing: Any) -> int:
    """Return the C API handle of a bindings object. The handle of an op is the op's address.

    Raises:
        RuntimeError: If `thing` is an op that was erased through this Python object.
    """
    capsule, kind = _exported(thing), thing.__class__
    return _address(capsule, _names.get(kind) or _names.setdefault(kind, _name(capsule)))


def imported(kind: Any, handle: int, context: Any) -> Any:
    """Wrap a C API handle in a new Python object of the bindings, and return the object.

    Args:
        kind: The class of the object, such as `ir.Location`.
        handle: The handle, as an integer.
        context: The MLIR context of the object.
    """
    # All capsule names of a build have the same prefix.
    name = _name(_exported(context)).replace(b".Context.", b".%s." % kind.__name__.encode())
    return _importer(kind)(_capsule(handle, name, None))


def text(data: bytes) -> Text:
    """Return an `MlirStringRef` that refers to `data`, which the caller must keep alive."""
    return Text(ctypes.cast(ctypes.c_char_p(data), c_void_p).value, len(data))


def read(piece: Any) -> bytes:
    """Return a copy of the bytes in an `MlirStringRef` that a callback received."""
    return ctypes.string_at(piece.data, piece.length)
