"""Declarations of passes, as a `.td` file has them: plain data, types and defaults in C++."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Place(NamedTuple):
    """A line of a `.td` file.

    Attributes:
        file: The file, as it was found.
        line: The line, counted from 1.
    """

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class OptionDeclaration:
    """An option of a pass.

    Attributes:
        cpp_name: The variable in C++.
        argument: The name in textual pipelines.
        type: The type in C++; of an element, if it is a list.
        default: The default as an expression in C++; empty if there is none.
        description: Its help.
        flags: More arguments of the option's constructor in C++, such as its choices.
        is_list: Whether it takes several values.
        place: Where it is declared.
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
    """A statistic of a pass.

    Attributes:
        cpp_name: The variable in C++.
        name: The name in reports.
        description: A line for reports.
        place: Where it is declared.
    """

    cpp_name: str
    name: str
    description: str
    place: Place


@dataclass(frozen=True, slots=True)
class PassDeclaration:
    """A pass.

    Attributes:
        def_name: The name of its record, which is that of its class.
        argument: Its name in textual pipelines.
        base_class: The class that it is derived from in C++.
        summary: One line.
        description: Markdown, indented as in the file.
        constructor: An expression in C++ that makes one; empty for the default.
        dependent_dialects: C++ classes of the dialects of ops that it may create.
        options: Its options, in order.
        statistics: Its statistics, in order.
        place: Where it is declared.
    """

    def_name: str
    argument: str
    base_class: str
    summary: str
    description: str
    constructor: str
    dependent_dialects: tuple[str, ...]
    options: tuple[OptionDeclaration, ...]
    statistics: tuple[StatisticDeclaration, ...]
    place: Place
