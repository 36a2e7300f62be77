"""The functions of MLIR's C API that passel calls, and conversion of its handles to Python objects.

The bindings convert every object to a capsule with its address and back, for programs that also
use the C API.

Source: `mlir-c/IR.h`, `mlir-c/Diagnostics.h`, `mlir-c/Pass.h` and
`mlir-c/Bindings/Python/Interop.h`, MLIR 22.
"""

from __future__ import annotations

import ctypes
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from passel.mlir.bindings import Bindings


class Handle(ctypes.Structure):
    """A struct of one pointer, such as `MlirOperation`."""

    _fields_ = (("ptr", ctypes.c_void_p),)


class Text(ctypes.Structure):
    """`MlirStringRef`; make it by `text`."""

    _fields_ = (("data", ctypes.c_void_p), ("length", ctypes.c_size_t))


class Result(ctypes.Structure):
    """`MlirLogicalResult`."""

    _fields_ = (("value", ctypes.c_int8),)


class _Place(ctypes.Structure):
    """`Dl_info`: the file that contains a function, and the function's address in it."""

    _fields_ = tuple((name, ctypes.c_char_p) for name in ("file", "base", "symbol", "address"))


HANDLER = ctypes.CFUNCTYPE(ctypes.c_int8, ctypes.c_void_p, ctypes.c_void_p)
"""`MlirDiagnosticHandler`: takes a diagnostic and user data, returns whether it took it."""

WRITER = ctypes.CFUNCTYPE(None, Text, ctypes.c_void_p)
"""`MlirStringCallback`: takes a piece of a text, and user data."""

_ATTACH = (ctypes.c_uint64, Handle, HANDLER, ctypes.c_void_p, ctypes.c_void_p)
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "mlirContextAttachDiagnosticHandler": _ATTACH,
    "mlirContextDetachDiagnosticHandler": (None, Handle, ctypes.c_uint64),
    "mlirDiagnosticGetLocation": (Handle, Handle),
    "mlirDiagnosticGetNote": (Handle, Handle, ctypes.c_ssize_t),
    "mlirDiagnosticGetNumNotes": (ctypes.c_ssize_t, Handle),
    "mlirDiagnosticGetSeverity": (ctypes.c_int, Handle),
    "mlirDiagnosticPrint": (None, Handle, WRITER, ctypes.c_void_p),
    "mlirModuleCreateParse": (Handle, Handle, Text),
    "mlirModuleCreateParseFromFile": (Handle, Handle, Text),
    "mlirModuleFromOperation": (Handle, Handle),
    "mlirOperationCreateParse": (Handle, Handle, Text, Text),
    "mlirOperationGetNextInBlock": (Handle, Handle),
    "mlirOperationVerify": (ctypes.c_bool, Handle),
    "mlirPassManagerRunOnOp": (Result, Handle, Handle),
}
"""Result and parameter types of each function."""

_exported = attrgetter("_CAPIPtr")
_importer = attrgetter("_CAPICreate")
_address = ctypes.pythonapi.PyCapsule_GetPointer
_address.restype, _address.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, (ctypes.py_object,)
_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype = ctypes.py_object
_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


class Library(NamedTuple):
    """The C functions of a build's shared library, in two forms.

    Attributes:
        free: Functions that release Python's lock, and may call Python from any thread.
        held: Functions that hold Python's lock.
    """

    free: ctypes.CDLL
    held: ctypes.CDLL


@cache
def load(bindings: Bindings) -> Library | None:
    """Return the library of a build, or None if it does not export the C API."""
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


def handle(thing: Any) -> Handle:
    """Return the C API's handle of an object of the bindings.

    Raises:
        RuntimeError: If it is an op that was erased through this object.
    """
    capsule = _exported(thing)
    return Handle(_address(capsule, _name(capsule)))


def address(op: Any) -> int:
    """Return where an op is in memory."""
    return handle(op.operation).ptr


def imported(kind: Any, of: Handle, context: Any) -> Any:
    """Return a new object of the bindings for a handle.

    Args:
        kind: The class, such as `ir.Location`.
        of: The handle.
        context: Its context.
    """
    # The names of capsules of a build begin alike.
    name = _name(_exported(context)).replace(b".Context.", b".%s." % kind.__name__.encode())
    return _importer(kind)(_capsule(of.ptr, name, None))


def text(data: bytes) -> Text:
    """Return bytes for the C API. The caller must keep `data` alive while they are in use."""
    return Text(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value, len(data))


def read(piece: Any) -> bytes:
    """Return a copy of the bytes that a callback got."""
    return ctypes.string_at(piece.data, piece.length)
