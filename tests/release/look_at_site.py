"""Look at the built site in Chromium, at the width of a desktop and of a phone.

    python tests/release/look_at_site.py site [--shots folder] [page ...]

A page is bad if it is wider than the window, shows `>>>` as a quotation, has a link to a page or an anchor that does
not exist, or if its copy button would take more of a `console` block than its commands. Exit code 1 if one is.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import threading
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, Queue
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

WIDTHS = {"desktop": 1280, "phone": 390}

LOOK = """<!doctype html><meta charset="utf-8"><body><script>
const found = [];
async function look(page, width) {
  const frame = document.createElement("iframe");
  frame.style = `width:${width}px;height:900px;border:0`;
  document.body.append(frame);
  await new Promise(done => { frame.onload = done; frame.src = page; });
  const inside = frame.contentDocument, root = inside.documentElement;
  const say = what => found.push(`${page} at ${width}: ${what}`);
  if (root.scrollWidth > width + 1) say(`is ${root.scrollWidth} pixels wide`);
  for (const each of inside.querySelectorAll("blockquote"))
    if (each.textContent.includes(">>>")) say("shows >>> as a quotation");
  for (const each of inside.querySelectorAll(".language-console pre > code")) {
    each.setAttribute("data-md-copying", "");
    for (const line of each.innerText.split("\\n"))
      if (line.startsWith("$ ")) say(`copies a prompt: ${line}`);
    if (each.querySelector(".go") && each.innerText.includes(each.querySelector(".go").textContent.trim()))
      say(`copies output: ${each.querySelector(".go").textContent}`);
    each.removeAttribute("data-md-copying");
  }
  frame.remove();
}
(async () => {
  for (const width of WIDTHS) for (const page of PAGES) await look(page, width);
  await fetch("/found", {method: "POST", body: JSON.stringify(found)});
})();
</script>"""


class _Links(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a link and an anchor."""
        found = dict(attrs)
        if tag == "a" and (link := found.get("href")):
            self.links.append(link)
        self.anchors.update(value for key in ("id", "name") if (value := found.get(key)))


def dead_links(site: Path) -> list[str]:
    """Return the links of a site that lead nowhere on it."""
    pages: dict[Path, _Links] = {}
    for path in site.rglob("*.html"):
        pages[path] = _Links()
        pages[path].feed(path.read_text("utf-8"))
    dead: list[str] = []
    for path, page in pages.items():
        base = f"/{path.relative_to(site).as_posix()}"
        for link in {*page.links}:
            if urlsplit(link).scheme or path.name == "404.html":
                continue
            target, anchor = urldefrag(urljoin(base, link))
            file = site / unquote(target).lstrip("/")
            file = file / "index.html" if file.is_dir() else file
            if not file.is_file() or (anchor and unquote(anchor) not in pages[file].anchors):
                dead.append(f"{base}: {link} leads nowhere")
    return sorted(dead)


def looked_at(site: Path, pages: list[str], chromium: str) -> list[str]:
    """Return what is wrong with pages, as Chromium lays them out."""
    script = LOOK.replace("WIDTHS", json.dumps([*WIDTHS.values()]))
    answers: Queue[list[str]] = Queue()
    look = script.replace("PAGES", json.dumps(pages)).encode()
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(_Site, look, answers, directory=str(site))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as profile:
        command = [*_command(chromium), f"--user-data-dir={profile}", "--remote-debugging-port=0"]
        browser = subprocess.Popen(
            [*command, f"http://127.0.0.1:{server.server_port}/look"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            return answers.get(timeout=300)
        except Empty:
            return ["Chromium did not get to the end"]
        finally:
            browser.terminate()
            browser.wait()
            server.shutdown()


class _Site(SimpleHTTPRequestHandler):
    """The site, with a page that looks at the others and reports what it has found."""

    def __init__(self, look: bytes, answers: Queue[list[str]], *args: Any, **keywords: Any) -> None:
        self._look = look
        self._answers = answers
        super().__init__(*args, **keywords)

    def do_GET(self) -> None:
        """Answer with the page that looks, or with one of the site."""
        if self.path != "/look":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self._look)

    def do_POST(self) -> None:
        """Take what was found."""
        self._answers.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Say nothing."""


def take_pictures(site: Path, pages: list[str], folder: Path, chromium: str) -> None:
    """Write a picture of each page at each width, in light and in dark."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in pages:
        for name, width in WIDTHS.items():
            for dark in ("", "-dark"):
                title = page.strip("/").replace("/", "-").removesuffix("-index.html") or "index"
                flags = ["--blink-settings=preferredColorScheme=0"] if dark else []
                subprocess.run(
                    [
                        *_command(chromium),
                        *flags,
                        f"--window-size={width},1400",
                        "--virtual-time-budget=5000",
                        f"--screenshot={(folder / f'{title}-{name}{dark}.png').absolute()}",
                        f"file://{site.absolute()}{page}",
                    ],
                    capture_output=True,
                    check=True,
                    timeout=120,
                )


def _command(chromium: str) -> list[str]:
    return [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]


def main() -> int:
    """Look at the pages that the command line names, or at all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("site", type=Path)
    parser.add_argument("--shots", type=Path, help="a folder for pictures of the pages")
    parser.add_argument("pages", nargs="*", help="such as /api/passes/index.html; by default all")
    given = parser.parse_intermixed_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.stdout.write("Chromium is not installed, and nothing is looked at\n")
        return 0
    every = sorted(
        f"/{path.relative_to(given.site).as_posix()}" for path in given.site.rglob("index.html")
    )
    pages = given.pages or every
    if given.shots:
        take_pictures(given.site, pages, given.shots, chromium)
    problems = [*dead_links(given.site), *looked_at(given.site, pages, chromium)]
    lines = [*problems, f"{len(pages)} pages, {len(problems)} problems"]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
