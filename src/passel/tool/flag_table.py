"""The tool's flags: one table, in the order of the help.

Source: `mlir-opt --help`, MLIR 22; `xdsl-opt --help`, xDSL 0.74.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag that the tool knows.

    Attributes:
        name: Its long name, without dashes.
        help: One line; empty for what is only accepted.
        metavar: What stands for its value; empty for a boolean flag.
        default: Its value if it is not given: a boolean or a string.
        implied: Its value if it is given without one, if that is allowed.
        short: Other names for it.
        choices: The values that it takes, if only some.
        repeated: Whether it may be given several times, all of which count.
    """

    name: str
    help: str
    metavar: str = ""
    default: bool | str = False
    implied: str | None = None
    short: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    repeated: bool = False


GROUPS: dict[str, tuple[Flag, ...]] = {
    "Pipeline": (
        Flag(
            "pass-pipeline",
            "what to run: 'builtin.module(func.func(cse),symbol-dce)'",
            "<pipeline>",
            "",
            short=("p", "passes"),
        ),
        Flag("dump-pass-pipeline", "print the pipeline that will be run"),
        Flag(
            "load-pass-plugin", "a Python file or module with passes", "<file>", "", repeated=True
        ),
        Flag(
            "verify-each",
            "verify after passes: those that changed the IR, none, or all",
            "<true|false|always>",
            "true",
            implied="true",
            choices=("true", "false", "1", "0", "always"),
        ),
        Flag("verify-analyses", "check that analyses change nothing and passes preserve truly"),
    ),
    "Input": (
        Flag(
            "ir",
            "what works on the input: xDSL, MLIR's Python bindings, or what it needs",
            "<xdsl|mlir|auto>",
            "xdsl",
            choices=("xdsl", "mlir", "auto"),
        ),
        Flag("allow-unregistered-dialect", "accept operations of unknown dialects"),
        Flag("no-implicit-module", "the input's single top-level op is what is processed"),
        Flag(
            "split-input-file",
            "process each part between markers by itself",
            "<marker>",
            "",
            implied="// -----",
        ),
        Flag(
            "frontend", "the input's format; 'mlir' is the only one", "<name>", "mlir", short=("f",)
        ),
        Flag(
            "disable-verify",
            "verify nothing: neither the input, nor after passes",
            short=("mlir-very-unsafe-disable-verifier-on-parsing",),
        ),
        Flag("verify-roundtrip", "check that the input prints and parses to itself (--ir=mlir)"),
        Flag("irdl-file", "dialects to define first, in IRDL (--ir=mlir)", "<file>", ""),
    ),
    "Output": (
        Flag(
            "o",
            "where the result goes; written only on success",
            "<file>",
            "-",
            short=("output-file",),
        ),
        Flag(
            "target",
            "what to print instead of MLIR, such as riscv-asm",
            "<target>",
            "mlir",
            short=("t",),
        ),
        Flag("emit-bytecode", "write MLIR bytecode (--ir=mlir)"),
        Flag("emit-bytecode-version", "its version, for older readers", "<n>", ""),
        Flag(
            "output-split-marker",
            "the line between the parts of split output",
            "<marker>",
            "// -----",
        ),
        Flag(
            "mlir-print-op-generic", "print operations in generic form", short=("print-op-generic",)
        ),
        Flag("mlir-print-debuginfo", "print locations", short=("print-debuginfo",)),
        Flag("mlir-pretty-debuginfo", "print locations for people (--ir=mlir)"),
        Flag("mlir-use-nameloc-as-prefix", "name values after their locations (--ir=mlir)"),
        Flag("mlir-print-skip-regions", "print {...} for what is inside the top-level op"),
        Flag("mlir-print-assume-verified", "print without verifying first (--ir=mlir)"),
        Flag("print-no-properties", "print properties as attributes"),
        Flag("syntax-highlight", "colour the printed IR"),
    ),
    "Diagnostics": (
        Flag(
            "verify-diagnostics",
            "check expected-error comments: all, or only what is expected",
            "<all|only-expected>",
            "",
            implied="all",
            choices=("all", "only-expected"),
        ),
        Flag(
            "mlir-diagnostic-verbosity-level",
            "show no diagnostics below this level",
            "<errors|warnings|remarks>",
            "remarks",
            choices=("errors", "warnings", "remarks"),
        ),
        Flag("mlir-disable-diagnostic-notes", "show no notes that stand alone"),
        Flag("mlir-print-op-on-diagnostic", "show the op that an error is about", default=True),
        Flag("mlir-print-stacktrace-on-diagnostic", "show where in Python a pass crashed"),
        Flag("parsing-diagnostics", "print a parse error to the output and exit with 0"),
        Flag("shrink", "exit with 0 exactly if a pass raised ShrinkException"),
    ),
    "IR printing": (
        Flag("mlir-print-ir-before", "print the IR before these passes", "<passes>", ""),
        Flag("mlir-print-ir-after", "print the IR after these passes", "<passes>", ""),
        Flag("mlir-print-ir-before-all", "print the IR before each pass"),
        Flag("mlir-print-ir-after-all", "print the IR after each pass"),
        Flag("mlir-print-ir-after-change", "print after passes only if they changed the IR"),
        Flag("mlir-print-ir-after-failure", "print the IR after each pass that failed"),
        Flag("mlir-print-ir-module-scope", "print the top-level op, whatever a pass ran on"),
        Flag("mlir-print-ir-tree-dir", "print to files in this directory", "<dir>", ""),
        Flag("mlir-print-ir-diff", "print what each pass changed, as a unified diff"),
        Flag("mlir-print-ir-op", "print only this symbol: @name", "<@name>", ""),
        Flag("mlir-print-local-scope", "print without aliases at the top"),
        Flag(
            "mlir-elide-elementsattrs-if-larger", "leave out values of larger constants", "<n>", ""
        ),
        Flag("mlir-elide-resource-strings-if-larger", "leave out larger resources", "<n>", ""),
        Flag("print-between-passes", "print the IR between passes"),
    ),
    "Timing and statistics": (
        Flag("mlir-timing", "print how long each pass took"),
        Flag(
            "mlir-timing-display",
            "as a tree like the pipeline, or a list sorted by time",
            "<list|tree>",
            "tree",
            choices=("list", "tree"),
        ),
        Flag(
            "mlir-timing-columns",
            "what to print: user, wall, self (without what is nested), peak (memory)",
            "<columns>",
            "",
        ),
        Flag(
            "mlir-output-format",
            "how to print the timing",
            "<text|json>",
            "text",
            choices=("text", "json"),
        ),
        Flag("mlir-pass-statistics", "print the statistics of all passes"),
        Flag(
            "mlir-pass-statistics-display",
            "like the pipeline, a list of all passes, or JSON",
            "<list|pipeline|json>",
            "pipeline",
            choices=("list", "pipeline", "json"),
        ),
        Flag("info-output-file", "where timing and statistics go instead of stderr", "<file>", ""),
        Flag("time-passes", "print how long each pass took"),
    ),
    "Reproducers": (
        Flag(
            "mlir-pass-pipeline-crash-reproducer",
            "write a file to replay a failure with; <file>.running if the process is killed",
            "<file>",
            "",
        ),
        Flag("mlir-pass-pipeline-local-reproducer", "write only the pass that failed"),
        Flag("mlir-generate-reproducer", "write a file to replay the run with", "<file>", ""),
        Flag("run-reproducer", "run the pipeline that the input brings along"),
        Flag(
            "allow-effects",
            "what that pipeline may do: read-files, run-programs, write-files, unknown, or all",
            "<effects>",
            "",
        ),
    ),
    "Actions": (
        Flag("log-actions-to", "log each pass execution", "<file>", ""),
        Flag(
            "log-mlir-actions-filter", "log only for ops at these places", "<file:line[:col]>", ""
        ),
        Flag("profile-actions-to", "write a Chrome/Perfetto trace", "<file>", ""),
        Flag(
            "mlir-debug-counter",
            "skip and limit pass executions: pass-execution-skip=1,pass-execution-count=2",
            "<counters>",
            "",
        ),
        Flag("mlir-print-debug-counter", "print the counters in the end"),
    ),
    "Information": (
        Flag("help", "this page", short=("h", "help-hidden")),
        Flag("help-passes", "all passes and pipelines with their options"),
        Flag("list-passes", "the passes with their options"),
        Flag("show-dialects", "the dialects that are available"),
        Flag("compat", "'xdsl': take the flags as xdsl-opt does", "<xdsl>", "", choices=("xdsl",)),
        Flag("version", "the versions of passel and the IR", short=("v",)),
    ),
    "Accepted": (Flag("mlir-disable-threading", ""),),
}

FLAGS = {
    name: flag for group in GROUPS.values() for flag in group for name in (flag.name, *flag.short)
}

_NO_PRINTER = "MLIR's bindings offer no such form"
_NO_REMARKS = "MLIR's bindings have no remark engine"

NOT_HERE = {
    "elide-resource-data-from-bytecode": "MLIR's bindings write all of it",
    "load-dialect-plugin": "MLIR's bindings load no native plugins; --irdl-file defines dialects",
    "mlir-enable-debugger-hook": "--log-actions-to and --mlir-debug-counter observe passes",
    "mlir-print-elementsattrs-with-hex-if-larger": _NO_PRINTER,
    "mlir-print-unique-ssa-ids": _NO_PRINTER,
    "mlir-print-value-users": _NO_PRINTER,
    "remark-format": _NO_REMARKS,
    "remark-policy": _NO_REMARKS,
    "remarks-filter": _NO_REMARKS,
    "remarks-filter-analyse": _NO_REMARKS,
    "remarks-filter-failed": _NO_REMARKS,
    "remarks-filter-missed": _NO_REMARKS,
    "remarks-filter-passed": _NO_REMARKS,
    "remarks-output-file": _NO_REMARKS,
}
"""mlir-opt's flags that passel-opt lacks, and why."""
