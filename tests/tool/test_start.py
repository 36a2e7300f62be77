"""The first moment of a program, in which it loads passel."""

import subprocess
import sys

import pytest

_INTERRUPTED = """
import sys

class Interrupts:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "passel.{module}":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupts)
import _passel_programs
sys.exit(_passel_programs.{program}())
"""


@pytest.mark.parametrize(
    ("program", "module"),
    [
        ("passel_opt", "errors"),
        ("passel_opt", "tool"),
        ("passel_doc", "tool"),
        ("passel_tblgen", "specification"),
    ],
)
def test_ctrl_c_while_a_program_loads(program: str, module: str) -> None:
    """Ctrl-C is one line and the usual exit code, however little of the program is there."""
    script = _INTERRUPTED.format(module=module, program=program)
    done = _run("-c", script)
    name = program.replace("_", "-")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", f"{name}: interrupted\n")


def test_python_m_passel() -> None:
    """`python -m passel` is passel-opt."""
    done = _run("-m", "passel", "--version")
    assert (done.returncode, done.stdout.split()[0]) == (0, "passel")


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], check=False, capture_output=True, text=True)
