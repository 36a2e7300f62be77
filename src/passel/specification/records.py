"""Reading and checking the pass declarations in TableGen records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from passel.pipeline.lexer import NAMES, is_name
from passel.specification.tablegen import SpecificationError, read_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class Place(NamedTuple):
    """A line in a `.td` file.

    Attributes:
        file: The path of the file.
        line: The line number, counted from 1.
    """

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class OptionDeclaration:
    """The declaration of an option of a pass.

    Attributes:
        cpp_name: The name of the C++ variable.
        argument: The name of the option in pipelines.
        type: The C++ type of the option, or the element type of a list option.
        default: The C++ expression for the default value; empty if the option has no default.
        description: The help text of the option.
        flags: Additional arguments for the C++ constructor of the option, such as the choices.
        is_list: Whether the option accepts several values.
        place: The location of the declaration.
    """

    cpp_name: str
    argument: str
    type: str
    default: str
    description: str
    flags: str
    is_list: bool
    place: Place


@dataclass(frozen=True, slots=True)
class StatisticDeclaration:
    """The declaration of a statistic of a pass.

    Attributes:
        cpp_name: The name of the C++ variable.
        name: The name of the statistic in reports.
        description: The description of the statistic in reports.
        place: The location of the declaration.
    """

    cpp_name: str
    name: str
    description: str
    place: Place


@dataclass(frozen=True, slots=True)
class PassDeclaration:
    """The declaration of a pass in a `.td` file.

    Attributes:
        def_name: The name of the TableGen record, which is also the name of the pass class.
        argument: The name of the pass in pipelines.
        base_class: The base class of the pass in C++.
        summary: The summary in one line.
        description: The description in Markdown, indented as in the file.
        dependent_dialects: The C++ classes of the dialects whose ops the pass may create.
        options: The options of the pass, in declaration order.
        statistics: The statistics of the pass, in declaration order.
        place: The location of the declaration.
    """

    def_name: str
    argument: str
    base_class: str
    summary: str
    description: str
    dependent_dialects: tuple[str, ...]
    options: tuple[OptionDeclaration, ...]
    statistics: tuple[StatisticDeclaration, ...]
    place: Place


def read_passes(*files: str, include: Sequence[str] = ()) -> tuple[PassDeclaration, ...]:
    """Return the passes that `.td` files declare, sorted by record name.

    Args:
        files: The paths of the files. If several files include the same file, each pass in the
            included file is returned once.
        include: The directories to search for included files.

    Raises:
        SpecificationError: If TableGen rejects a file, a file does not include
            `mlir/Pass/PassBase.td`, or a pass name is missing, duplicate or invalid.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     path = Path(directory, "Passes.td")
        ...     _ = path.write_text('''
        ... include "mlir/Pass/PassBase.td"
        ... def CountOps : Pass<"count-ops", "func::FuncOp">;
        ... ''')
        ...     for declared in read_passes(str(path)):
        ...         print(declared.def_name, declared.argument, declared.place.line)
        CountOps count-ops 3
    """
    found = {each: None for file in files for each in _read(file, include)}
    passes = sorted(found, key=lambda each: each.def_name)
    _check_names(passes)
    return tuple(passes)


def with_defaults(
    passes: Iterable[PassDeclaration], defaults: Iterable[str]
) -> tuple[PassDeclaration, ...]:
    """Replace some default values in the declarations of passes.

    A C++ constructor may set default values that differ from those in the `.td` file.

    Args:
        passes: The declared passes.
        defaults: The new default values in the form `pass:option=expression`. Passes and options
            are named as in pipelines, and the expression is C++.

    Returns:
        All passes in `passes`, including those without new default values.

    Raises:
        SpecificationError: If a pass or option does not exist.
    """
    parts = (text.partition("=") for text in defaults)
    given = {key: expression for key, _, expression in parts}
    found = [_with_defaults(each, given) for each in passes]
    if given:
        raise SpecificationError(f"default of '{next(iter(given))}': there is no such pass:option")
    return tuple(found)


def _with_defaults(declared: PassDeclaration, given: dict[str, str]) -> PassDeclaration:
    """Take the default values of a pass out of `given`, and return the pass with them."""
    options = (
        replace(each, default=given.pop(f"{declared.argument}:{each.argument}", each.default))
        for each in declared.options
    )
    return replace(declared, options=tuple(options))


def _read(file: str, include: Sequence[str]) -> Iterator[PassDeclaration]:
    records = read_records(file, include)
    if "PassBase" not in records["!instanceof"]:
        raise SpecificationError(
            'there are no passes: the file does not include "mlir/Pass/PassBase.td"', file
        )
    reader = _Reader(records, file, include)
    return map(reader.read_pass, records["!instanceof"]["PassBase"])


def _check_names(passes: Iterable[PassDeclaration]) -> None:
    known: dict[str, PassDeclaration] = {}
    for each in sorted(passes, key=lambda each: each.place):
        if not each.argument:
            raise SpecificationError(
                f"pass '{each.def_name}' has no name: its first argument is empty", str(each.place)
            )
        if not is_name(each.argument):
            raise SpecificationError(
                f"'{each.argument}' cannot be the name of pass '{each.def_name}': {NAMES}",
                str(each.place),
            )
        other = known.setdefault(each.argument, each)
        if other is not each:
            raise SpecificationError(
                f"passes '{other.def_name}' and '{each.def_name}' have the same name "
                f"'{each.argument}'; the first one is at {other.place}",
                str(each.place),
            )


class _Reader:
    """A reader of the records in a `.td` file.

    Args:
        records: All records in the file, by name.
        file: The path of the file.
        include: The directories to search for included files.
    """

    def __init__(self, records: dict[str, Any], file: str, include: Sequence[str]) -> None:
        self._records = records
        self._file = file
        self._include = include

    def read_pass(self, name: str) -> PassDeclaration:
        record = self._records[name]
        return PassDeclaration(
            def_name=name,
            argument=self._text(record, "argument"),
            base_class=self._text(record, "baseClass"),
            summary=self._text(record, "summary"),
            description=self._text(record, "description"),
            dependent_dialects=self._dialects(record),
            options=tuple(map(self._option, self._referred(record, "options"))),
            statistics=tuple(map(self._statistic, self._referred(record, "statistics"))),
            place=self._place(record),
        )

    def _option(self, record: dict[str, Any]) -> OptionDeclaration:
        return OptionDeclaration(
            cpp_name=self._text(record, "cppName"),
            argument=self._text(record, "argument"),
            type=self._text(record, "type"),
            default=self._text(record, "defaultValue"),
            description=self._text(record, "description"),
            flags=self._text(record, "additionalOptFlags"),
            is_list="ListOption" in record["!superclasses"],
            place=self._place(record),
        )

    def _statistic(self, record: dict[str, Any]) -> StatisticDeclaration:
        return StatisticDeclaration(
            cpp_name=self._text(record, "cppName"),
            name=self._text(record, "name"),
            description=self._text(record, "description"),
            place=self._place(record),
        )

    def _dialects(self, record: dict[str, Any]) -> tuple[str, ...]:
        given = self._list(record, "dependentDialects")
        # A list in C++ may contain several names.
        return tuple(name.strip() for each in given for name in each.split(","))

    def _referred(self, record: dict[str, Any], field: str) -> list[dict[str, Any]]:
        return [self._records[each["def"]] for each in self._list(record, field)]

    def _list(self, record: dict[str, Any], field: str) -> list[Any]:
        found: list[Any] | None = record.get(field)
        return found if isinstance(found, list) and None not in found else self._fail(record, field)

    def _text(self, record: dict[str, Any], field: str) -> str:
        found: Any = record.get(field)
        return found if isinstance(found, str) else self._fail(record, field)

    def _fail(self, record: dict[str, Any], field: str) -> NoReturn:
        what = "is not set" if field in record else "is missing"
        name = "an unnamed record" if record["!anonymous"] else f"record '{record['!name']}'"
        raise SpecificationError(f"field '{field}' of {name} {what}", str(self._place(record)))

    def _place(self, record: dict[str, Any]) -> Place:
        # The first location is that of the record; the others are its instantiations.
        name, _, line = record["!locs"][0].rpartition(":")
        # TableGen prints only the file's name.
        paths = (self._file, *(str(Path(directory, name)) for directory in self._include))
        found = (path for path in paths if Path(path).name == name and Path(path).is_file())
        return Place(next(found, name), int(line))
