"""The report in a real browser, from a disk: everything in it is clicked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from report_pages import PLUGIN

from passel.record import Record
from passel.record.page import page
from passel.tool import main, report

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from report_pages import Browser, Watched

KERNELS = (Path(__file__).parents[3] / "examples" / "kernels.mlir").read_text()
FUNCTIONS = "cse,canonicalize,look,dce,cse,dce"
PIPELINE = f"builtin.module(func.func({FUNCTIONS}),convert-scf-to-cf,symbol-dce)"
REFUSED = f"builtin.module(func.func({FUNCTIONS},refuse),convert-scf-to-cf)"
NUMBERED = """\
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32
  %3 = arith.muli %2, %a : i32
  func.return %3 : i32
}
"""
CALLS = """
func.func private @g(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  return %0 : i32
}
func.func @f(%x: i32) -> i32 {
  %0 = func.call @g(%x) : (i32) -> i32
  %1 = arith.constant 0 : i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
"""
RUNS = {
    "fine": (PIPELINE, KERNELS),
    "refused": (REFUSED, KERNELS),
    "changed": (PIPELINE.replace("(cse,", "("), KERNELS.replace("64", "65")),
    "remarks": ("builtin.module(func.func(licm))", KERNELS),
    "twice": ("builtin.module(func.func(cse),symbol-dce,func.func(canonicalize))", KERNELS),
    "numbered": ("builtin.module(func.func(cse))", NUMBERED),
    "inlined": ("builtin.module(inline)", CALLS),
}
CSE = "#builtin.module/func.func/0:cse/@saxpy"
SELECTED = "all => all.map(row => row.ariaSelected === 'true')"


class Reports:
    """Reports about runs of passel-opt, each made when it is first opened."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self._browser = browser
        self.folder = folder
        (folder / "odd_passes.py").write_text(PLUGIN)

    def record(self, name: str) -> Path:
        """Return the record of a run."""
        file, source = self.folder / f"{name}.record", self.folder / f"{name}.mlir"
        if not file.exists():
            pipeline, text = RUNS[name]
            source.write_text(text)
            plugin = f"--load-pass-plugin={self.folder / 'odd_passes.py'}"
            main([str(source), "-p", pipeline, plugin, f"--record={file}", "-o", "/dev/null"])
        return file

    def opened(self, *names: str, place: str = "") -> AbstractContextManager[Watched]:
        """Open the report about one run or two."""
        file = self.folder / f"{'-'.join(names)}.html"
        if not file.exists():
            assert report.main([*(str(self.record(each)) for each in names), "-o", str(file)]) == 0
        return self._browser.opened(file, place)


@pytest.fixture(scope="module")
def reports(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Reports:
    """The reports about runs."""
    return Reports(browser, tmp_path_factory.mktemp("reports"))


# -- The tree --------------------------------------------------------------------------------


def test_unchanged_steps_are_folded(reports: Reports) -> None:
    """Passes are in the order of the run; passes that changed nothing are one row, which unfolds."""
    with reports.opened("fine") as shown:
        rows = shown.rows()
        names = [row.partition(",")[0] for row in rows]
        assert names.index("func.func") < names.index("convert-scf-to-cf")
        assert names[-2:] == ["convert-scf-to-cf", "symbol-dce"]
        assert rows[0].startswith("builtin.module, 5 of ")
        assert any(row.startswith("cse, 1 of 4 changed, own time ") for row in rows)
        (folded,) = [row for row in rows if "passes changed nothing" in row]
        assert folded == "3 passes changed nothing: dce, cse, dce"
        shown.page.get_by_role("treeitem", name=folded).click()
        assert len(shown.rows()) == len(rows) + 3
        shown.page.get_by_role("treeitem", name="3 unchanged").first.click()
        assert any(row.startswith("@trace, unchanged") for row in shown.rows())


def test_remarks_stand_first(reports: Reports) -> None:
    """Remarks are listed by function and line, each with a link to its pass."""
    with reports.opened("remarks") as shown:
        assert shown.page.locator("h2").first.inner_text() == "Optimization remarks"
        rows = shown.page.locator("table.list").first.locator("tbody tr")
        assert [row.split("\t") for row in rows.all_inner_texts()] == [
            ["@saxpy", "9:15", "Passed", "licm: hoisted", "op: arith.constant"],
            ["@leaky_relu", "29:13", "Passed", "licm: hoisted", "op: arith.constant"],
            ["", "30:14", "Passed", "licm: hoisted", "op: arith.constant"],
        ]
        rows.first.get_by_role("link").click()
        assert shown.path() == "builtin.module/func.func/0:licm/@saxpy"


def test_the_tree_by_keyboard(reports: Reports) -> None:
    """Arrow keys move, fold and unfold; Enter opens a row; one row is in the tab order."""
    with reports.opened("fine") as shown:
        keys = shown.page.keyboard
        shown.page.get_by_role("tree").locator('[tabindex="0"]').focus()
        count = len(shown.rows())
        keys.press("ArrowLeft")
        assert len(shown.rows()) == 1
        keys.press("ArrowRight")
        assert len(shown.rows()) == count
        for key in ("ArrowDown", "ArrowDown", "ArrowDown", "Enter"):
            keys.press(key)
        assert shown.path() == "builtin.module/func.func/0:cse/@saxpy"
        focused = shown.page.locator(":focus")
        assert focused.get_attribute("aria-label").startswith("@saxpy, changed")
        assert focused.get_attribute("aria-level") == "4"
        assert shown.page.locator('[role=treeitem][tabindex="0"]').count() == 1
        keys.press("Home")
        assert shown.page.locator(":focus").get_attribute("aria-level") == "1"


def test_a_pipeline_that_is_there_twice(reports: Reports) -> None:
    """Nested pipelines with a pass between them are separate rows with separate links."""
    with reports.opened("twice") as shown:
        names = [row.partition(",")[0] for row in shown.rows()]
        order = ["func.func", "cse", "symbol-dce", "func.func", "canonicalize"]
        assert [name for name in names if name in order] == order
        pipelines = shown.page.get_by_role("treeitem", name="func.func,")
        for number in range(2):
            pipelines.nth(number).click()
            chosen = shown.page.locator('[aria-selected="true"]')
            chosen.wait_for()
            assert [*map(bool, pipelines.evaluate_all(SELECTED))] == [number == 0, number == 1]


# -- Search ----------------------------------------------------------------------------------


FOUND = {
    "symbol-dce": "symbol-dce",
    "leaky": "@leaky_relu",
    "</script>": "@saxpy",  # in a diagnostic
    "cf.cond_br": "convert-scf-to-cf",  # in the IR that a pass has made
}


def test_search(reports: Reports) -> None:
    """Passes, ops, diagnostics, and lines that a pass adds or removes are found."""
    with reports.opened("fine") as shown:
        for words, found in FOUND.items():
            shown.page.keyboard.press("/")
            shown.page.keyboard.type(words)
            shown.page.locator("#found", has_text=re.compile(r"^[1-9]\d* found")).wait_for()
            leaves = [row for row in shown.rows() if ", own time" in row]
            assert any(row.startswith(found) for row in leaves)
            shown.page.keyboard.press("Enter")
            shown.page.keyboard.press("Escape")
            assert shown.page.locator("#found").inner_text() == "Pipeline"


# -- Differences -----------------------------------------------------------------------------


def test_differences(reports: Reports) -> None:
    """A difference is shown in two columns or one, with changed words marked, between any states."""
    with reports.opened("fine", place=CSE) as shown:
        shown.page.locator(".diff.split").wait_for()
        assert "%offset = arith.constant 0 : index" in "\n".join(shown.side("old"))
        assert shown.marked() == ["%offset", "%lower"]
        assert shown.page.locator(".counts").inner_text() == "+1 \N{MINUS SIGN}3"
        shown.page.keyboard.press("s")
        shown.page.locator(".diff.inline").wait_for()
        assert shown.marked() == ["%offset", "%lower"]
        assert len(shown.side("new")) == 1
        shown.page.get_by_label("Side by side").check()
        shown.page.locator(".diff.split").wait_for()
        # Both ends of the difference can be any state of the op.
        shown.page.get_by_label("Compare to").select_option("after 1:canonicalize")
        shown.page.locator(".diff .line.old", has_text="%j = arith.addi").wait_for()


def test_renamed_values(reports: Reports) -> None:
    """A line in which only the number of a value is another is the same line."""
    with reports.opened("numbered", place="#builtin.module/func.func/0:cse/@f") as shown:
        shown.page.locator(".counts", has_text="+1 \N{MINUS SIGN}2").wait_for()
        text = shown.page.locator(".diff").inner_text()
        assert re.findall("func.return (%.)", text) == ["%3", "%2"]


# -- Walking ---------------------------------------------------------------------------------


def test_keys_walk_through_changes(reports: Reports) -> None:
    """`j` and `k` go from change to change, and stop at both ends; each has a link."""
    with reports.opened("fine") as shown:
        places: list[str] = []
        for _ in range(7):
            shown.page.keyboard.press("j")
            places.append(shown.path())
        assert places[0] == "builtin.module/func.func/0:cse/@saxpy"
        assert places[4:] == ["builtin.module/1:symbol-dce/builtin.module"] * 3
        assert shown.page.get_by_role("status").inner_text() == "This is the last change"
        shown.page.get_by_role("button", name="Previous").click()
        assert shown.path() == places[3]
        shown.page.go_back()
        assert shown.path() == places[4]
        # Unchanged lines wait behind a button that says how many there are.
        fold = shown.page.get_by_role("button", name="unchanged lines")
        fold.wait_for()
        lines = shown.page.locator(".diff tr").count()
        hidden = int(fold.inner_text().split()[0])
        fold.click()
        assert shown.page.locator(".diff tr").count() == lines - 1 + hidden
        shown.page.keyboard.press("?")
        shown.page.get_by_role("button", name="Close").click()


def test_a_link_opens_its_place(reports: Reports) -> None:
    """Places, passes and pipelines have links, which unfold the enclosing rows."""
    place = "#builtin.module/func.func/4:cse/@trace"
    with reports.opened("fine", place=place) as shown:
        assert shown.heading() == "cse on @trace"
        chosen = shown.page.locator('[aria-selected="true"]')
        assert chosen.get_attribute("aria-label").startswith("@trace, unchanged")
        shown.page.get_by_text("Nothing differs.").wait_for()
        shown.show("#builtin.module/func.func/0:cse")
        shown.page.get_by_role("heading", name="cse", exact=True).wait_for()
        listed = shown.page.locator("table.list a").all_inner_texts()
        assert sorted(listed) == ["@leaky_relu", "@print_f32", "@saxpy", "@trace"]
        times = "strips => strips.map(each => parseFloat(each.style.width))"
        slowest = shown.page.locator("table.list .strip").evaluate_all(times)
        assert slowest == sorted(slowest, reverse=True)
        shown.show("#builtin.module")
        shown.page.get_by_role("heading", name="The whole run").wait_for()
        shown.page.locator(".diff .line.new", has_text="cf.cond_br").first.wait_for()
        shown.show("#no/such/place")
        shown.page.get_by_role("heading", level=1, name="5 changes").wait_for()


# -- Failures and diagnostics ----------------------------------------------------------------


def test_a_failure_comes_first(reports: Reports) -> None:
    """The overview begins with the pass that failed, why, and how to replay it."""
    with reports.opened("refused") as shown:
        assert shown.heading() == "refuse failed on @leaky_relu"
        failure = shown.page.get_by_role("region", name="Failure")
        assert "this function is refused" in failure.inner_text()
        command = shown.page.get_by_label("Command").inner_text()
        assert command.startswith("passel-opt --run-reproducer ")
        assert "--stop-after=builtin.module/func.func/6:refuse@leaky_relu " in command
        shown.page.get_by_role("button", name="Copy").click()
        shown.page.get_by_role("button", name=re.compile("Copied|Selected")).wait_for()
        shown.page.keyboard.press("f")
        assert shown.path() == "builtin.module/func.func/6:refuse/@leaky_relu"
        shown.page.get_by_role("region", name="Failure").wait_for()
        assert any(row.startswith("@leaky_relu, failed") for row in shown.rows())
        assert any(row.startswith("convert-scf-to-cf") for row in shown.rows())


def test_a_failure_of_no_execution(browser: Browser, reports: Reports) -> None:
    """A failure without an execution, as of a worker that died, is shown as the failure of the run."""
    record = Record.open(reports.record("refused"))
    executions, file = record.executions, reports.folder / "lost.html"
    assert isinstance(executions, list)
    executions[:] = [each._replace(status="unchanged", failure=None) for each in executions]
    file.write_text(page("lost", [("lost", record)]))
    with browser.opened(file) as shown:
        assert shown.page.locator("#verdict").inner_text().startswith("1 failed")
        assert shown.heading() == "refuse failed on 'func.func' @leaky_relu"
        failure = shown.page.get_by_role("region", name="Failure")
        assert "this function is refused" in failure.inner_text()


def test_a_run_that_was_cut_off(reports: Reports) -> None:
    """The heading names the pass during which the process died; later passes were not reached."""
    whole, cut = reports.record("fine").read_text(), reports.folder / "cut.record"
    begun = whole.rindex('{"begin"')
    cut.write_text(whole[:begun])
    with reports.opened("cut") as shown:
        assert shown.heading() == "The run was cut off"
        assert any(row.startswith("symbol-dce") for row in shown.rows())
        shown.page.get_by_text("not reached").wait_for()
    cut = cut.replace(reports.folder / "died.record")
    cut.write_text(whole[: whole.index("\n", begun) + 1])
    with reports.opened("died") as shown:
        assert shown.heading().startswith("The run was cut off in builtin.module/1:symbol-dce on ")
        command = shown.page.get_by_label("Command").inner_text()
        assert command.startswith("passel-opt --run-reproducer ")
        assert f"--stop-after=builtin.module/1:symbol-dce {cut}" in command


def test_diagnostics_stand_at_their_step(reports: Reports) -> None:
    """A step shows its diagnostics as text; the overview shows all, with equal ones merged."""
    step = "#builtin.module/func.func/2:look/@saxpy"
    with reports.opened("fine", place=step) as shown:
        (note,) = shown.page.locator(".note").all_inner_texts()
        assert note.startswith("warning: this function is U+202Eodd</script><b>")
        shown.show("")
        shown.page.locator(".note", has_text="look on @saxpy and 3 others").wait_for()


def test_changes_are_counted_once(reports: Reports) -> None:
    """The heading and the verdict have the same number, including changes in dynamic pipelines."""
    executions = Record.open(reports.record("inlined")).executions
    changed = [each for each in executions if each.status == "changed"]
    assert len({each.path for each in changed}) > 1
    with reports.opened("inlined") as shown:
        assert shown.heading().startswith(f"{len(changed)} changes in ")
        assert f" {len(changed)} changed " in shown.page.locator("#verdict").inner_text()


# -- Two records -----------------------------------------------------------------------------


def test_two_records(reports: Reports) -> None:
    """Passes are matched; passes of only one record and the first differences are shown."""
    with reports.opened("fine", "changed") as shown:
        assert "differ at" in shown.heading()
        assert shown.rows()[0].startswith("builtin.module, 4 of 26 differ, own ")
        assert any(row.startswith("@saxpy, only in the old record") for row in shown.rows())
        shown.page.keyboard.press("f")
        shown.page.locator(".diff").wait_for()
        shown.show("#builtin.module/func.func/0:canonicalize/@saxpy")
        chosen = shown.page.get_by_label("Compare from").locator("option:checked")
        assert chosen.inner_text() == "old: after 1:canonicalize"
        shown.page.locator(".diff .line.new", has_text="65").first.wait_for()


# -- Looks -----------------------------------------------------------------------------------


def test_landmarks(reports: Reports) -> None:
    """Landmarks have names, and a status line announces the current step."""
    with reports.opened("fine", place=CSE) as shown:
        for role in ("banner", "navigation", "main", "search"):
            name = "Pipeline" if role == "navigation" else None
            assert shown.page.get_by_role(role, name=name).count() == 1
        shown.page.keyboard.press("Tab")
        shown.page.keyboard.press("Enter")
        assert shown.page.evaluate("document.activeElement.tagName") == "MAIN"
        shown.page.keyboard.press("j")
        shown.page.get_by_role("status").get_by_text("canonicalize on @saxpy, changed").wait_for(
            state="attached"
        )
