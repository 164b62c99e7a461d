"""Decompositions in compiled loops: the values, signs and order of NumPy's LAPACK."""

from __future__ import annotations

import numpy as np
import pytest
from native.backends import both, compare, looped, whole

import srcad
from srcad.kernels.lapack import find_lapack
from srcad.pipeline.request import Request

pytestmark = pytest.mark.skipif(not find_lapack(), reason="NumPy's LAPACK has other names")

RNG = np.random.default_rng(5)
V = RNG.uniform(0.2, 1.0, 4)
M = RNG.uniform(-1.0, 1.0, (4, 4))
TALL = M[:, :3]


def _complex(v, m):
    return m + 1j * np.outer(v, v[::-1]) * (m > 0)


FORMS = {
    "eigenvalues": lambda v, m: np.linalg.eigvalsh(m @ m.T + m)[1] * v,
    "eigenvectors": lambda v, m: np.linalg.eigh(m + m.T)[1] ** 2 @ v,
    "upper triangle": lambda v, m: np.linalg.eigvalsh(m * v, UPLO="U"),
    "hermitian": lambda v, m: np.linalg.eigvalsh(_complex(v, m)) * v,
    "unitary": lambda v, m: np.abs(np.linalg.eigh(_complex(v, m))[1]) ** 2 @ v,
    "singular values": lambda v, m: np.linalg.svd(m * v, compute_uv=False) * v,
    "of a tall matrix": lambda v, m: np.linalg.svd(m[:, :2] * v[0], full_matrices=False)[0][:, 1],
    "of a wide matrix": lambda v, m: np.linalg.svd(m[:2] * v, full_matrices=False)[2][1],
    "polar factor": lambda v, m: np.linalg.svd(m * v)[0] @ np.linalg.svd(m * v)[2] @ v,
    "complex singular values": lambda v, m: np.linalg.svd(_complex(v, m), compute_uv=False),
    "largest": lambda v, m: np.linalg.norm(m * v, 2) * v + np.linalg.norm(m * v, -2),
    "nuclear": lambda v, m: np.linalg.norm(m * v, "nuc") * v,
    "sums": lambda v, m: np.linalg.norm(m * v, 1) * v + np.linalg.norm(m * v, -np.inf),
    "condition": lambda v, m: np.linalg.cond(m * v) * v + np.linalg.cond(m, -2),
    "orthogonal": lambda v, m: np.linalg.qr(m * v)[0] @ np.linalg.qr(m[:2] * v)[1][1],
    "upper factor": lambda v, m: np.linalg.qr(m[:, :3] * v[0], mode="r")[:, 2].sum() * v,
    "pseudo-inverse": lambda v, m: np.linalg.pinv(m[:, :2] * v[1]).T @ v[:2],
    "least squares": lambda v, m: np.linalg.lstsq(m[:, :3], v)[0].sum() * v,
    "of several": lambda v, m: np.linalg.lstsq(m[:3] * v, m[1:])[0][:, 1] * v,
    "fit": lambda v, m: np.polyfit(v, m[0], 1)[0] * v,
    "stack of eigenvalues": lambda v, m: np.linalg.eigvalsh(_stack(v, m))[:, 0] @ v[:2] * v,
    "stack of vectors": lambda v, m: np.sum(np.linalg.eigh(_stack(v, m))[1] ** 2, axis=0)[0] * v,
    "stack of factors": lambda v, m: np.linalg.svd(_stack(v, m))[0][1] ** 2 @ v,
    "stack of inverses": lambda v, m: np.linalg.inv(_stack(v, m) + np.eye(4))[0] @ v,
    "stack of systems": lambda v, m: np.linalg.solve(_stack(v, m), _stack(m[0], m))[1] @ v,
    "stack of roots": lambda v, m: np.linalg.cholesky(_stack(v, 0.1 * m) + 9 * np.eye(4))[1] @ v,
    "stack of reflections": lambda v, m: np.linalg.qr(_stack(v, m))[1][1] @ v,
    "complex systems": lambda v, m: np.abs(np.linalg.solve(_complex(v, m), v + 0j)),
    "complex inverse": lambda v, m: np.real(np.linalg.inv(_complex(v, m) + 2j * np.eye(4))) @ v,
}  # fmt: skip


def _stack(v, m):
    return np.stack((m + m.T + np.diag(v), np.outer(v, v) + np.diag(v)))


@pytest.mark.parametrize("name", FORMS)
def test_a_loop_calls_lapack(name):
    whole(looped(FORMS[name]), (V, M))


@pytest.mark.parametrize("name", ["unitary", "of a tall matrix", "of several"])
def test_machine_code_calls_lapack(name):
    whole(looped(FORMS[name]), (V, M), numba=True)


def test_values_are_numpys_to_the_last_bit():
    pytest.importorskip("numba")

    def all_of(a):
        found = []
        for x in a:
            w, v = np.linalg.eigh(x + x.T)
            u, s, vh = np.linalg.svd(x)
            q, r = np.linalg.qr(x[:, :2])
            found.append(np.concatenate((w, v[0], u[:, 1], s, vh[2], q[:, 1], r[0])))
        return np.array(found)

    stack = RNG.standard_normal((5, 3, 3))
    stack[1] = np.eye(3)  # equal values: which vectors are found is LAPACK's choice
    stack[2, :, 1] = stack[2, :, 0]
    stack[3] = 0.0
    pair = both(Request("jvp", all_of, ()), (stack, np.zeros_like(stack)), 1, numba=True)
    values = both(Request("compile", all_of, ()), (stack,), 1, numba=True)
    assert values.functions == 1
    assert values.reasons == []
    np.testing.assert_array_equal(values.native(stack), all_of(stack))
    assert pair.functions


def test_single_precision_is_computed_as_numpy_does():
    def program(a, b):
        total = np.float32(0.0)
        for x in b:
            q, r = np.linalg.qr(a * x[0])
            w = np.linalg.eigvalsh(a.T @ a)
            total += np.sum(np.linalg.lstsq(a, x)[0] ** 2) + np.sum(np.abs(q) @ np.abs(r[1]))
            total += w[0] + np.sum(np.linalg.pinv(a)[0])
        return total

    args = TALL.astype(np.float32), RNG.uniform(0.2, 1.0, (3, 4)).astype(np.float32)
    pair = both(Request("value_and_grad", program, (0,), single=False), args, 2)
    assert (pair.functions, pair.reasons) == (1, [])
    assert compare(pair, args, single=True) == "equal"


def test_what_has_no_derivative_is_refused_as_by_numpy():
    def frame(v, m):
        total = 0.0
        for _ in range(2):
            m = 0.9 * m
            total += np.sum(np.linalg.eigh(m)[1] @ v)
        return total

    request = Request("value_and_grad", frame, (1,), single=False)
    pair = both(request, (V, M), 2)
    assert (pair.functions, pair.reasons) == (1, [])
    assert compare(pair, (V, M)) == "equal"
    assert compare(pair, (V, np.eye(4))) in ("left", "equal")  # LinAlgError of both


def test_what_lapack_does_not_find_is_left_to_numpy():
    pair = whole(looped(lambda v, m: np.linalg.svd(m * v, compute_uv=False)), (V, M))
    broken = M.copy()
    broken[1, 2] = np.nan
    assert compare(pair, (V, broken)) in ("left", "equal")


def _positive(v, m):
    rows = m * v + 1j * m.T
    return rows @ np.conj(rows.T) + 9 * np.eye(len(v))


EMPTY = {
    "eigenvalues": lambda v, m: np.linalg.eigvalsh(m + m.T) * v,
    "systems": lambda v, m: np.linalg.solve(m + 9 * np.eye(len(v)), v),
    "roots": lambda v, m: np.linalg.cholesky(m @ m.T + 9 * np.eye(len(v))) @ v,
    "complex systems": lambda v, m: np.abs(np.linalg.solve(m + 9j * np.eye(len(v)), v + 0j)),
    "complex roots": lambda v, m: np.real(np.linalg.cholesky(_positive(v, m))) @ v,
    "reflections": lambda v, m: np.linalg.qr(m * v)[1] @ v,
    "least squares": lambda v, m: np.linalg.lstsq(m * v, v)[0] * v,
}


@pytest.mark.parametrize("name", EMPTY)
def test_matrices_without_entries(name):
    """LAPACK is not called, or NumPy runs the call."""
    pytest.importorskip("numba")
    f = looped(EMPTY[name])
    native, numpys = (srcad.value_and_grad(f, backend=name) for name in ("native", "numpy"))
    for args in ((V, M), (V[:0], M[:0, :0])):
        for found, wanted in zip(native(*args), numpys(*args), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-11)


def _kept(x):
    """A square matrix of so many rows as a mask keeps."""
    return x @ x.T + np.diag(1.0 + np.arange(len(x)))


OF_ROWS = {
    "reflections": lambda x, y: np.abs(np.linalg.qr(x)[1]),
    "an orthogonal factor": lambda x, y: np.abs(np.linalg.qr(x)[0]) * y[:, None],
    "least squares": lambda x, y: np.linalg.lstsq(x, y, rcond=None)[0],
    "singular values": lambda x, y: np.linalg.svd(x, full_matrices=False)[1],
    "systems": lambda x, y: np.linalg.solve(_kept(x), y),
    "inverses": lambda x, y: np.linalg.inv(_kept(x)) * y,
    "roots": lambda x, y: np.linalg.cholesky(_kept(x)) * y,
    "eigenvalues": lambda x, y: np.linalg.eigvalsh(_kept(x)) * y,
    "complex products": lambda x, y: np.abs((x * 1j) @ (x * (1 + 1j)).T) * y,
    "transforms": lambda x, y: np.abs(np.fft.rfft(y)),
}


@pytest.mark.parametrize("name", OF_ROWS)
def test_what_is_called_has_the_rows_that_a_mask_keeps(name):
    """Memory from before a loop is as long as an array can become: calls would take all of it."""
    form = OF_ROWS[name]

    def program(x, y, levels):
        total = 0.0
        for level in levels:
            kept = x[:, 0] > level
            total += np.sum(form(x[kept], y[kept]) ** 2)
        return total

    args = RNG.uniform(0.1, 1.0, (12, 3)), RNG.uniform(0.1, 1.0, 12), np.array([0.3, 0.1, 0.4])
    pair = both(Request("value_and_grad", program, (0, 1), single=False), args, 3)
    assert (pair.functions, pair.reasons) == (1, [])
    assert compare(pair, args) == "equal"
