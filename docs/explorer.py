"""The pictures of the page "The explorer": `python docs/explorer.py`, with Chromium."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

import srcad

DOCS = Path(__file__).parent
LINE = "change = k * (u[2:]"


def main() -> int:
    """Write explorer.png and explorer_narrow.png."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = write_page(Path(folder))
        # Chromium's own sandbox is not for root.
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for name, width, height, scheme in (
            ("explorer.png", 1300, 660, "light"),
            ("explorer_narrow.png", 400, 640, "dark"),
        ):
            opened = browser.new_page(
                viewport={"width": width, "height": height}, color_scheme=scheme
            )
            opened.goto(page.as_uri())
            opened.locator("#left tr.line", has_text=LINE).click()
            opened.locator("h1").hover()
            opened.evaluate("document.getElementById('panel-program').scrollTop = 240")
            opened.screenshot(path=DOCS / name)
        browser.close()
    return 0


def write_page(folder: Path) -> Path:
    """The page of the function that explorer.md has."""
    text = (DOCS / "explorer.md").read_text(encoding="utf-8")
    found = re.search(r'title="model.py"\n(.*?)^```', text, re.MULTILINE | re.DOTALL)
    assert found is not None
    (folder / "model.py").write_text(found[1], encoding="utf-8")
    sys.path.insert(0, str(folder))
    os.chdir(folder)
    from model import misfit

    u, seen = np.array([0.0, 3.0, 1.0, 4.0, 1.0, 5.0, 4.0]), np.linspace(1, 2, 7) ** 2
    return srcad.grad(misfit).explore(u, 0.2, seen, path=folder / "page.html")


if __name__ == "__main__":
    sys.exit(main())
