"""Every example runs, as a user starts it, in a short form."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
PNG = b"\x89PNG\r\n\x1a\n"


def run(name, *options, cwd, **environment):
    """Return what an example prints; its working folder is a test's own."""
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *options],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def error_of(printed):
    return float(re.search(r"test error +(\S+) per pixel", printed)[1])


@pytest.mark.parametrize(
    # An untrained network's error is above 0.18; one that paints the mean image has 0.074.
    ("options", "bound"),
    [(["--epochs", "3"], 0.045), (["--epochs", "3", "--batch", "10"], 0.045)],
    ids=["one", "batch"],
)
def test_autoencoder_learns_and_draws(options, bound, tmp_path):
    pytest.importorskip("matplotlib")
    printed = run("autoencoder.py", *options, cwd=tmp_path)
    assert "def autoencoder_error" in printed.split("network ")[0]
    assert error_of(printed) < bound
    assert (tmp_path / "autoencoder.png").read_bytes().startswith(PNG)


def test_autoencoder_without_matplotlib_and_without_source(tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ImportError('not installed')")
    options = ["--epochs", "0", "--no-show-source"]
    printed = run("autoencoder.py", *options, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert printed.startswith("network     64-48-16-64, float32\n")
    assert "pip install matplotlib" in printed
    assert error_of(printed) > 0.1


def test_autoencoder_names_the_file_that_is_wrong(tmp_path):
    (tmp_path / "mnist").mkdir()
    (tmp_path / "mnist/train-images-idx3-ubyte.gz").write_bytes(b"<html>")
    with pytest.raises(AssertionError, match=r"train-images-idx3-ubyte\.gz: not a whole gzip"):
        run("autoencoder.py", "--data", "mnist", "--data-dir", str(tmp_path), cwd=tmp_path)


def test_plain_progress_bar_prints_the_last_state(capsys):
    with runpy.run_path(str(EXAMPLES / "progress.py"))["plain_bar"](4) as redraw:
        redraw(2, 0.5)
        redraw(4, 0.25)
    assert re.fullmatch(r"\[#{30}\] 100%  loss 0.2500 +0 s left\n", capsys.readouterr().err)
