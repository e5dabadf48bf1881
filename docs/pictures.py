"""Makes the pictures of pages in README and docs: run `python docs/pictures.py` after the pages changed.

The sample is built in a temporary folder and served; Chromium (found on the path) takes the pictures with Playwright.
The map needs `make additions`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).parent / "images"
PAGES = {
    "home": ("", "en"),
    "search": ("search?q=%D1%82%D0%BE%D0%BB%D1%81%D1%82%D0%BE%D0%B9", "en"),
    "resource": ("resource/rsl/01004039769", "en"),
    "person": ("agent/RU~5CNLR~5Cauth~5C77886103", "ru"),
    "match": ("match/rsl~3A01004039769~~slavica~3Aocm00035782", "en"),
    "dataset": ("dataset", "ru"),
    "map": ("dataset", "en"),
    "quality": ("report/quality", "en"),
    "query": ("sparql", "en"),
    "graph": ("neighbourhood/resource/rsl/01004039769?open=agent/lcnaf-n79068416", "en"),
    "review": ("review", "en"),
}
"""Name of the picture → path and language of the page."""

FIRST_SHOWN = {"map": "figure:has(svg.map)"}
"""Name of the picture → what is at its top, if it does not show the top of the page."""

WIDTH, HEIGHT = 1120, 760
TOKEN = "for the pictures alone"
REVIEW = '\n[serve]\nreview_token = { env = "BIBLD_REVIEW" }\n'


def main() -> None:
    """Build the sample, serve it, and write the pictures."""
    browser_path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser_path is None:
        sys.exit("docs/pictures.py: needs Chromium; on Debian, apt-get install chromium")
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        sample = Path(place) / "sample"
        shutil.copytree(ROOT / "sample_data", sample)
        file = str(sample / "bibld.toml")
        with (sample / "bibld.toml").open("a", encoding="utf-8") as config:
            config.write(REVIEW)
        subprocess.run([sys.executable, "-m", "bibld", "run", file, "--quiet"], check=True)
        command = [sys.executable, "-m", "bibld", "serve", file, "--port", "0"]
        variables = {**os.environ, "BIBLD_REVIEW": TOKEN}
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=variables) as server:
            assert server.stderr is not None
            try:
                found = re.search(r" at (http://\S+)", server.stderr.readline())
                assert found, server.stderr.read()
                take_pictures(browser_path, found[1])
            finally:
                server.terminate()


def take_pictures(browser_path: str, address: str) -> None:
    """Write a picture of the upper part of each page."""
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        for name, (path, language) in PAGES.items():
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, locale=language)
            page.goto(address + path)
            if name == "review":
                page.get_by_label("Your name").fill("A. Cataloguer")
                page.get_by_label("Token").fill(TOKEN)
                page.get_by_role("button", name="Sign in").click()
                page.wait_for_selector("button[value=same]")
            if name in FIRST_SHOWN:
                page.locator(FIRST_SHOWN[name]).evaluate("element => element.scrollIntoView({behavior: 'instant'})")
            file = FOLDER / f"{name}.png"
            page.screenshot(path=file)
            page.close()
            print(f"{file.relative_to(ROOT)}: {file.stat().st_size:,} bytes")
        browser.close()


if __name__ == "__main__":
    main()
