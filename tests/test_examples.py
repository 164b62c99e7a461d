"""Every example runs, as a user starts it, in a short form."""

import os
import re
import runpy
import shutil
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


PROGRAMS = [p.name for p in sorted(EXAMPLES.glob("*.py")) if "__main__" in p.read_text("utf-8")]


@pytest.mark.parametrize("name", PROGRAMS)
def test_examples_tell_their_options_without_what_they_need(name, tmp_path):
    assert run(name, "--help", cwd=tmp_path).startswith(f"usage: {name}")


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


@pytest.mark.parametrize("name", ["autoencoder.py", "mnist_cnn.py", "mnist_rnn.py"])
def test_examples_name_the_file_that_is_wrong(name, tmp_path):
    (tmp_path / "mnist").mkdir()
    (tmp_path / "mnist/train-images-idx3-ubyte.gz").write_bytes(b"<html>")
    with pytest.raises(AssertionError, match=r"train-images-idx3-ubyte\.gz: not a whole gzip"):
        run(name, "--data", "mnist", "--data-dir", str(tmp_path), cwd=tmp_path)


def accuracy_of(printed, row="test accuracy"):
    return float(re.search(rf"^{row} +(\S+)%$", printed, re.MULTILINE)[1])


@pytest.mark.parametrize("name", ["mnist_cnn", "mnist_rnn"])
@pytest.mark.parametrize("plain", [[], ["--plain"]], ids=["lifted", "plain"])
def test_classifiers_learn_and_draw(name, plain, tmp_path):
    pytest.importorskip("matplotlib")
    printed = run(f"{name}.py", "--epochs", "3", "--seed", "1", *plain, cwd=tmp_path)
    assert len(re.findall(r"^ +\d  \d\.\d{4} +\S+%  +\S+$", printed, re.MULTILINE)) == 3
    assert accuracy_of(printed) > 70  # of ten classes; an untrained network has about 10
    assert f"picture        {name}.png" in printed
    assert (tmp_path / f"{name}.png").read_bytes().startswith(PNG)


@pytest.mark.parametrize("name", ["mnist_cnn", "mnist_rnn"])
def test_classifiers_without_matplotlib_and_with_source(name, tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ImportError('not installed')")
    options = ["--epochs", "0", "--show-source", "--threads", "1"]
    printed = run(f"{name}.py", *options, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert "def loss_value_and_grad(p, x, y)" in printed.split("epoch ")[0]
    assert "pip install matplotlib" in printed
    assert accuracy_of(printed) < 40


@pytest.mark.parametrize("name", ["mnist_cnn.py", "mnist_rnn.py", "imdb_cnn.py"])
def test_classifiers_refuse_options_that_make_no_sense(name, tmp_path):
    with pytest.raises(AssertionError, match="--batch and --threads must be at least 1"):
        run(name, "--batch", "0", cwd=tmp_path)


@pytest.mark.campaign
@pytest.mark.skipif("SRCAD_DATA" not in os.environ, reason="SRCAD_DATA names no data")
@pytest.mark.parametrize(
    ("name", "data", "bound"),
    [("mnist_cnn", "mnist", 92), ("mnist_cnn", "fashion", 68), ("mnist_rnn", "mnist", 84)],
)
def test_classifiers_learn_real_images_in_one_epoch(name, data, bound, tmp_path):
    printed = run(f"{name}.py", "--data", data, "--epochs", "1", cwd=tmp_path)
    assert "1 epochs of 60000" in printed
    assert accuracy_of(printed) > bound


def test_text_classifier_learns_from_words_and_their_neighbours(tmp_path):
    pytest.importorskip("matplotlib")
    printed = run("imdb_cnn.py", "--epochs", "3", cwd=tmp_path)
    assert len(re.findall(r"^ +\d  \d\.\d{4} +\S+%  +\S+%  +\S+$", printed, re.MULTILINE)) == 3
    assert accuracy_of(printed) > 85  # a linear model of single words comes to 76
    assert accuracy_of(printed, "read 8 times") > 85
    blame, praise = (
        set(re.search(rf"{kind} +(.*)", printed)[1].split()) for kind in ("blame", "praise")
    )
    assert len(blame & {"awful", "boring", "bad", "clumsy", "dull", "poor", "weak"}) > 3
    assert len(praise & {"moving", "lovely", "superb", "brilliant", "wonderful", "rich"}) > 3
    assert (tmp_path / "imdb_cnn.png").read_bytes().startswith(PNG)


def test_text_classifier_without_matplotlib_and_with_source(tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ImportError('not installed')")
    options = ["--epochs", "0", "--show-source", "--threads", "1"]
    printed = run("imdb_cnn.py", *options, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert "def loss_value_and_grad(p, x, y, rates, rng)" in printed.split("epoch ")[0]
    assert "SparseRows(" in printed.split("epoch ")[0]
    assert "pip install matplotlib" in printed


def test_text_classifier_names_what_is_missing(tmp_path):
    with pytest.raises(AssertionError, match=r"imdb\.npz is missing.*\n?.*make_imdb"):
        run("imdb_cnn.py", "--data", "imdb", "--data-dir", str(tmp_path), cwd=tmp_path)


@pytest.mark.campaign
@pytest.mark.skipif("SRCAD_DATA" not in os.environ, reason="SRCAD_DATA names no data")
def test_text_classifier_learns_real_reviews_in_two_epochs(tmp_path):
    printed = run("imdb_cnn.py", "--data", "imdb", "--epochs", "2", cwd=tmp_path)
    assert "2 epochs of 25000 reviews of 130 words" in printed
    assert accuracy_of(printed) > 86
    assert accuracy_of(printed, "read 8 times") > accuracy_of(printed) + 0.5


def test_forward_mode_gives_the_partial_derivatives_found_by_hand(tmp_path):
    pytest.importorskip("matplotlib")
    printed = run("forward_mode.py", cwd=tmp_path)
    assert "return 2 * x\n" in printed
    rows = re.findall(r"^(df/d[xy]) .* (\S+) +(\S+) +(\S+)$", printed, re.MULTILINE)
    assert [row[0] for row in rows] == ["df/dx", "df/dy"]
    # 2 + y^3 + cos x and 3 x y^2 at (3, 5).
    assert [float(row[1]) for row in rows] == pytest.approx([126.0100075034, 225], abs=1e-9)
    assert all(float(row[3]) < 1e-9 for row in rows)
    assert (tmp_path / "forward_mode.png").read_bytes().startswith(PNG)


def test_bundle_adjustment_comes_to_the_same_by_all_jacobians(tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("scipy")
    printed = run("bundle_adjustment.py", "--cameras", "4", "--points", "25", cwd=tmp_path)
    rows = {row.split()[0]: row.split()[1:] for row in printed.splitlines()}
    start = float(rows["at"][-1])
    ways = [rows[name] for name in ("differences", "dense", "sparse")]
    assert all(float(way[-1]) < 0.5 < start / 10 for way in ways)  # 0.5 pixels are the noise
    assert len({way[-1] for way in ways}) == 1
    assert int(ways[0][1]) > 20 * max(int(way[1]) for way in ways[1:])
    assert (tmp_path / "bundle_adjustment.png").read_bytes().startswith(PNG)


def test_physics_simulation_is_fitted_and_says_what_it_saves(tmp_path):
    pytest.importorskip("matplotlib")
    short = ("--size", "24", "--turns", "6", "--steps", "10")
    printed = run("physics_simulation.py", *short, cwd=tmp_path)
    before, after = re.search(r"error +(\S+) without wind, (\S+) after", printed).groups()
    assert float(after) < 0.4 * float(before)
    # The loop over the pressure, linear, keeps the number of its iterations alone.
    assert re.search(r"^ +48 +\d+  for _ in range\(200\):$", printed, re.MULTILINE)
    assert "p[1:-1, 1:-1]" not in printed
    assert (tmp_path / "physics_simulation.png").read_bytes().startswith(PNG)


def test_bayesian_regression_samples_the_closed_form(tmp_path):
    pytest.importorskip("matplotlib")
    printed = run("bayesian_regression.py", "--samples", "1000", cwd=tmp_path)
    off, least, most = map(
        float, re.search(r"within (\S+) .*\nwhich are (\S+) to (\S+) times", printed).groups()
    )
    assert off < 0.4  # of a standard deviation
    assert 0.8 < least < most < 1.25
    normal, students = (
        float(re.search(rf"^{model} .* (\S+)$", printed, re.MULTILINE)[1])
        for model in ("normal", "Student's")
    )
    assert students < normal  # points that are far off pull less
    assert (tmp_path / "bayesian_regression.png").read_bytes().startswith(PNG)


def test_neural_ode_finds_the_law_of_the_pendulum(tmp_path):
    pytest.importorskip("matplotlib")
    printed = run("neural_ode.py", "--steps", "100", "--swings", "6", cwd=tmp_path)
    off, size = map(float, re.search(r"law +(\S+) off, of (\S+) ", printed).groups())
    assert off < 0.2 * size  # an untrained network is off by about as much as there is
    assert (tmp_path / "neural_ode.png").read_bytes().startswith(PNG)


def test_heat_conduction_finds_the_conductivity(tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("scipy")
    short = ("--cells", "20", "--times", "30", "--rounds", "20")
    printed = run("heat_conduction.py", *short, cwd=tmp_path)
    assert "3680 entries of 459540, by 8 products" in printed
    assert float(re.search(r"error +(\S+) of", printed)[1]) < 0.15  # 0.21 at the start
    squares, n = re.search(r"residuals +(\S+), .* of (\d+) readings", printed).groups()
    assert float(squares) < 0.75 * int(n)  # half of them is the noise
    assert (tmp_path / "heat_conduction.png").read_bytes().startswith(PNG)


def test_variational_autoencoder_finds_a_map(tmp_path):
    pytest.importorskip("matplotlib")
    printed = run("variational_autoencoder.py", "--epochs", "20", cwd=tmp_path)
    assert error_of(printed) < 0.06  # that of the mean image is 0.074
    alike = float(re.search(r"neighbours +(\d+)%", printed)[1])
    assert alike > 45  # of places by chance a tenth
    assert (tmp_path / "variational_autoencoder.png").read_bytes().startswith(PNG)


def test_transformer_learns_and_writes(tmp_path):
    pytest.importorskip("matplotlib")
    printed = run("transformer.py", "--steps", "60", "--length", "20", cwd=tmp_path)
    seen, unseen, chance = map(
        float,
        re.search(r"loss +(\S+) nats .*, (\S+) of text .* \((\S+) by counting", printed).groups(),
    )
    assert max(seen, unseen) < chance
    assert len(re.search(r"counting\)\n(.*)\n\npicture", printed, re.DOTALL)[1]) == 20
    assert (tmp_path / "transformer.png").read_bytes().startswith(PNG)


def test_cart_pole_learns_to_stand(tmp_path):
    pytest.importorskip("matplotlib")
    printed = run("cart_pole.py", "--rounds", "40", cwd=tmp_path)
    first = int(re.search(r"first +(\d+) pushes", printed)[1])
    assert int(re.search(r"then +(\d+) of", printed)[1]) > 5 * first
    assert (tmp_path / "cart_pole.png").read_bytes().startswith(PNG)


def test_option_prices_are_the_same_on_any_number_of_processes(tmp_path):
    options = ["--paths", "2000", "--steps", "20"]
    alone = run("option_prices.py", *options, cwd=tmp_path).splitlines()
    shared = run("option_prices.py", *options, "--processes", "2", cwd=tmp_path).splitlines()
    assert alone[:4] == shared[:4]
    found = {line.split()[0]: float(line.split()[1]) for line in alone[:4]}
    assert found["delta"] == pytest.approx(0.59, abs=0.05)
    assert found["vega"] > 0


def test_digits_on_workers_of_dask_are_learned_as_in_one_process(tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("distributed")
    printed = run("mnist_workers.py", "--epochs", "10", cwd=tmp_path)
    assert float(re.search(r"up to (\S+) apart", printed)[1]) < 1e-4
    assert re.search(r"efficiency +\d+%", printed)
    assert (tmp_path / "mnist_workers.png").read_bytes().startswith(PNG)


def test_digits_on_ranks_of_mpi_are_learned_as_in_one_process(tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("mpi4py")
    if shutil.which("mpiexec") is None:
        pytest.skip("mpiexec is not installed")
    more = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    more |= {"OMPI_MCA_rmaps_base_oversubscribe": "1"}
    program = EXAMPLES / "mnist_workers.py"
    command = ["mpiexec", "-n", "2", sys.executable, "-m", "mpi4py", program]
    done = subprocess.run(
        [*command, "--engine", "mpi", "--epochs", "5"], cwd=tmp_path, env={**os.environ, **more},
        capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert float(re.search(r"up to (\S+) apart", done.stdout)[1]) < 1e-4
    assert (tmp_path / "mnist_workers.png").read_bytes().startswith(PNG)


def test_digits_on_a_gpu_are_learned_or_left_out(tmp_path):
    printed = run("mnist_cupy.py", "--epochs", "2", cwd=tmp_path)
    assert printed.startswith("skipped: no GPU through CuPy") or "CuPy  loss" in printed
    printed = run("mnist_cupy.py", "--host", "--epochs", "2", cwd=tmp_path)
    assert re.fullmatch(r"NumPy  loss \S+  test accuracy \S+%  \S+ ms a step\n", printed)


def test_fits_of_a_pendulum_find_its_constants(tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("joblib")
    printed = run("pendulum_fits.py", "--fits", "6", cwd=tmp_path)
    found, deviation = re.search(r"frequency +(\S+) \+- (\S+)", printed).groups()
    assert float(found) == pytest.approx(2.0, abs=0.02)
    assert 0 < float(deviation) < 0.02
    assert (tmp_path / "pendulum_fits.png").read_bytes().startswith(PNG)


def test_plain_progress_bar_prints_the_last_state(capsys):
    with runpy.run_path(str(EXAMPLES / "progress.py"))["plain_bar"](4) as redraw:
        redraw(2, 0.5)
        redraw(4, 0.25)
    assert re.fullmatch(r"\[#{30}\] 100%  loss 0.2500 +0 s left\n", capsys.readouterr().err)
