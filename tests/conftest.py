"""Shared fixtures and options: golden files, a cache folder of each test session's own, and tests
of which a second environment leaves out those that have passed in a first, or three quarters.
"""

from __future__ import annotations

import difflib
import gc
import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

# Before NumPy is read: for matrices as small as here, threads only wait for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Programs are verified after each pass.
os.environ.setdefault("SRCAD_VERIFY", "1")
# Where Numba is installed: what a test runs does not depend on how long it takes.
os.environ.setdefault("SRCAD_NATIVE", "0")

GOLDEN = Path(__file__).parent / "golden"


def pytest_configure(config: pytest.Config) -> None:
    # Before anything imports srcad: no test reads what another version left in the user's cache.
    folder = tempfile.mkdtemp(prefix="srcad-test-cache-")
    os.environ["SRCAD_CACHE_DIR"] = folder
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Items live to the end: the collector of garbage does not go through them again and again,
    which takes a tenth of the time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite tests/golden/* with what the code prints now; then read the diff",
    )
    parser.addoption(
        "--update-docs",
        action="store_true",
        help="write what the documents' snippets print now into the documents; then read the diff",
    )
    parser.addoption("--note-passed", metavar="FILE", help="write the tests that pass into FILE")
    parser.addoption("--skip-passed", metavar="FILE", help="do not run the tests that FILE names")
    parser.addoption(
        "--quarter-of", metavar="FOLDER", action="append", default=[],
        help="of the tests in FOLDER run a quarter, always the same",
    )  # fmt: skip


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    file = config.getoption("--skip-passed")
    passed = set(Path(file).read_text().splitlines()) if file else set()
    folders = tuple(f"{folder}/" for folder in config.getoption("--quarter-of"))

    def is_run(item: pytest.Item) -> bool:
        is_left_out = item.nodeid.startswith(folders) and zlib.crc32(item.nodeid.encode()) % 4
        return item.nodeid not in passed and not is_left_out

    kept = [item for item in items if is_run(item)]
    if len(kept) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if not is_run(item)])
        items[:] = kept


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    file = config.getoption("--note-passed")
    if file is not None:
        passed = [report.nodeid for report in terminalreporter.stats.get("passed", ())]
        Path(file).write_text("".join(f"{nodeid}\n" for nodeid in passed))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Return `golden(name, text)`: fails unless `text` is tests/golden/<name> to the byte."""
    update: bool = request.config.getoption("--update-golden")

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
            return
        if not path.exists():
            pytest.fail(f"tests/golden/{name} does not exist: run pytest with --update-golden")
        want = path.read_bytes().decode()
        if text != want:
            diff = difflib.unified_diff(
                want.splitlines(), text.splitlines(), f"golden/{name}", "now", lineterm=""
            )
            shown = "\n".join(diff) or "only line ends or the last newline differ"
            pytest.fail(f"{shown}\nif this is meant: pytest --update-golden", pytrace=False)

    return check
