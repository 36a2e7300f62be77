"""Texts that look like HTML, texts of ten megabytes and large runs, in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from written_records import FUNCTIONS, large_record, written_record

from passel.record.page import page

if TYPE_CHECKING:
    from pathlib import Path

    from report_pages import Browser

    from passel.record import Record


def written(folder: Path, record: Record, title: str = "a page") -> Path:
    """Return the file of a page."""
    file = folder / "report.html"
    file.write_text(page(title, [(title, record)]))
    return file


def test_texts_that_look_like_html(browser: Browser, tmp_path: Path) -> None:
    """Elements, scripts and comments in IR, names and diagnostics are text."""
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)><!--"
    text = f'"test.op"() {{a = "{evil}"}} : () -> ()'
    record = written_record([(f"{FUNCTIONS}/0:{evil}", evil, text, f"{text} // {evil}")], evil)
    with browser.opened(written(tmp_path, record, evil)) as shown:
        shown.page.keyboard.press("j")
        shown.page.locator(".diff .line.new").wait_for()
        assert shown.side("old") == [text]
        assert shown.side("new") == [f"{text} // {evil}"]
        assert shown.page.get_by_role("heading", level=1).inner_text() == f"{evil} on @{evil}"
        assert shown.page.locator(".note").inner_text() == f"warning: {evil}"
        assert shown.page.locator("img, main script").count() == 0
        assert shown.page.title() == evil


def test_characters_that_turn_text_around(browser: Browser, tmp_path: Path) -> None:
    """Bidirectional and invisible characters are shown by number."""
    text = 'x = "\u202etnatropmi\u202c \u2066a\u2069 \u200b\x07 \u0645\u0631\u062d\u0628\u0627"'
    record = written_record([(f"{FUNCTIONS}/0:cse", "f", text, f"{text} // new")])
    with browser.opened(written(tmp_path, record), f"#{FUNCTIONS}/0:cse/@f") as shown:
        shown.page.locator(".diff .line.new").wait_for()
        marks = shown.page.locator(".diff .line.old .t-control").all_inner_texts()
        assert marks == ["U+202E", "U+202C", "U+2066", "U+2069", "U+200B", "U+0007"]


@pytest.mark.sweep
def test_ten_megabytes(browser: Browser, tmp_path: Path) -> None:
    """The difference of large texts shows the changes, and other lines on request."""
    lines = [f"  %{i} = arith.constant {i * 7919 % 100003} : i32" for i in range(270_000)]
    changed = [line for i, line in enumerate(lines) if i % 20_000]
    old, new = "\n".join(lines), "\n".join(changed)
    assert len(old) > 10_000_000
    path = f"{FUNCTIONS}/0:cse"
    record = written_record([(path, "f", old, new), (path, "g", new, new)])
    with browser.opened(written(tmp_path, record), f"#{path}/@f") as shown:
        shown.page.locator(".diff .line.old").first.wait_for(timeout=60_000)
        assert shown.page.locator(".counts").inner_text() == "+0 \N{MINUS SIGN}14"
        assert shown.page.locator(".diff .line.old").count() == 14
        shown.page.get_by_role("button", name="unchanged lines").nth(5).click()
        more = shown.page.get_by_role("button", name="more lines to show")
        more.wait_for()
        rows = shown.page.locator(".diff tr").count()
        more.click()
        assert shown.page.locator(".diff tr").count() > rows


@pytest.mark.sweep
def test_a_large_run_opens_at_once(browser: Browser, tmp_path: Path) -> None:
    """Four thousand executions take less than half a second of processor time, and the page works."""
    file = written(tmp_path, large_record(functions=400, passes=10))
    with browser.opened(file, viewport={"width": 1000, "height": 800}) as shown:
        measured = shown.page.context.new_cdp_session(shown.page)
        measured.send("Performance.enable", {"timeDomain": "threadTicks"})
        shown.page.reload()
        shown.page.wait_for_selector("body[data-ready]")
        metrics = measured.send("Performance.getMetrics")["metrics"]
        (seconds,) = [each["value"] for each in metrics if each["name"] == "TaskDuration"]
        assert 0 < seconds < 0.5
        shown.page.keyboard.press("j")
        shown.page.locator(".diff tr").first.wait_for()
        shown.page.get_by_role("searchbox").fill("arith.maxsi")
        shown.page.locator("#found", has_text="found").wait_for()
