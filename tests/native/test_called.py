"""Functions of NumPy's that compiled loops call as they are."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from native.backends import both, compare, looped, whole

import srcad
from srcad.pipeline.request import Request

RNG = np.random.default_rng(0)
V = RNG.uniform(0.1, 1.0, 8)
M = RNG.uniform(0.1, 1.0, (8, 6))
S = RNG.uniform(-0.5, 0.5, (4, 4)) + np.diag([0.0, 2.0, 4.0, 6.0])
STACK = RNG.uniform(0.1, 1.0, (2, 3, 4))

FORMS = {
    "partition": lambda x, m: np.partition(x, 3)[:3] * 2.0,
    "places": lambda x, m: x[np.argpartition(x * m[:, 0], 2)[:2]],
    "rows": lambda x, m: np.partition(x[:, None] * m, 1, axis=1)[:, 1],
    "columns": lambda x, m: (x[:, None] * m)[np.argpartition(m, kth=4, axis=0)[4, 1]],
    "two axes": lambda x, m: np.abs(np.fft.fftn(x[:, None] * m)),
    "reals": lambda x, m: np.abs(np.fft.rfft2(x[:, None] * m, norm="ortho")) ** 2,
    "back": lambda x, m: np.fft.irfft2(np.fft.rfft2(x[:, None] * m), s=m.shape),
    "one axis back": lambda x, m: np.fft.irfft(np.fft.rfft(x[:, None] * m, axis=0), 8, axis=0),
    "odd": lambda x, m: np.fft.irfftn(np.fft.rfftn((x[:, None] * m)[:7, :5]), s=(7, 5)),
    "forward": lambda x, m: np.fft.ifftn(x[:, None] * m, axes=(1,), norm="forward").real,
}


def stacked(x):
    """Transforms of three axes, and of two of them."""
    total = 0.0
    for i in range(3):
        y = np.fft.fftn(x * (i + 1), axes=(2, 0))
        total += np.sum(np.abs(y) ** 2) + np.sum(np.abs(np.fft.rfftn(x * (i + 2)))) + x[0, 0, i]
    return total


def growth(a):
    """The spectral radius, and all eigenvalues."""
    total = 0.0
    for i in range(3):
        w, _ = np.linalg.eig(a * (i + 1))
        total += np.sum(np.abs(w)) + np.max(np.abs(np.linalg.eigvals(a.T + i)))
    return total


@pytest.mark.parametrize("name", FORMS)
def test_a_loop_calls_numpy(name):
    whole(looped(FORMS[name]), (V, M))


@pytest.mark.parametrize(("fn", "x"), [(stacked, STACK), (growth, S)])
def test_a_loop_calls_numpy_on_arrays_of_more_axes(fn, x):
    whole(fn, (x,))
    whole(fn, (np.asfortranarray(x),))


def test_machine_code_calls_numpy():
    whole(growth, (S,), numba=True)
    whole(looped(FORMS["places"]), (V, M), numba=True)
    whole(looped(FORMS["back"]), (V, M), numba=True)


def test_what_numpy_raises_it_raises():
    fn = looped(lambda x, m: x[np.argpartition(x, int(m[0, 0]))[:1]])
    pair = both(Request("value_and_grad", fn, (0,), single=False), (V, M), 2)
    assert (pair.functions, pair.reasons) == (1, [])
    assert compare(pair, (V, 9.0 * np.ones_like(M))) == "equal"  # kth out of bounds
    pair = both(Request("value_and_grad", growth, (0,)), (S,), 1)
    assert compare(pair, (np.full((4, 4), np.nan),)) == "equal"  # LinAlgError


def test_a_saved_module_calls_numpy(tmp_path):
    pytest.importorskip("numba")
    srcad.grad(growth, backend="native").save(tmp_path / "saved.py", S)
    text = "import numpy as np, saved\nprint(saved.growth_grad(np.diag([1.0, 3.0]))[0, 0])"
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert float(done.stdout) == pytest.approx(srcad.grad(growth)(np.diag([1.0, 3.0]))[0, 0])
