"""`vmap` of NumPy's and SciPy's functions: for all samples at once, and what each sample gives."""

import numpy as np
import pytest

import srcad

special = pytest.importorskip("scipy.special")
linalg = pytest.importorskip("scipy.linalg")
fft = pytest.importorskip("scipy.fft")

RNG = np.random.default_rng(3)
V, M, T = RNG.normal(size=(5, 4)), RNG.normal(size=(5, 3, 3)), RNG.normal(size=(5, 2, 3, 4))
W, TABLE = RNG.normal(size=4), np.linspace(-2.0, 2.0, 7)
EYE = 4 * np.eye(3)

OF_VECTORS = {
    "clip": lambda x: np.clip(x, -0.5, 0.5),
    "clip_above": lambda x: np.clip(x, None, 0.5),
    "clip_by_an_array": lambda x: np.clip(x, W - 1, x**2),
    "sinc": lambda x: np.sinc(x),
    "fft": lambda x: np.abs(np.fft.fft(x)),
    "fft_longer": lambda x: np.real(np.fft.fft(x, 6)),
    "rfft": lambda x: np.imag(np.fft.rfft(x)),
    "irfft": lambda x: np.fft.irfft(x, n=5),
    "scipy_fft": lambda x: np.abs(fft.rfft(x)),
    "dct": lambda x: fft.dct(x, norm="ortho"),
    "take": lambda x: np.take(x, np.array([0, 2, 2])),
    "repeat": lambda x: np.repeat(x, 2),
    "interp": lambda x: np.interp(x, TABLE, TABLE**2),
    "searchsorted": lambda x: np.searchsorted(TABLE, x),
    "digitize": lambda x: np.digitize(x, TABLE),
    "polyval": lambda x: np.polyval(W, x),
    "split": lambda x: np.split(x, 2)[1] * np.split(x, [1])[0],
    "vdot": lambda x: np.vdot(x, W) + np.vdot(x, x),
    "inner": lambda x: np.inner(x, x),
    "hstack": lambda x: np.hstack([x, W]),
    "vstack": lambda x: np.vstack([x, x**2]),
    "column_stack": lambda x: np.column_stack([x, W]),
    "append": lambda x: np.append(x, x[:1]),
    "cross": lambda x: np.cross(x[:3], x[1:]),
    "isclose": lambda x: np.isclose(x, x + 1e-12),
    "kron": lambda x: np.kron(x, W[:2]) + np.kron(W[:2], x),
    "pad": lambda x: np.pad(x, 1) + np.pad(x, (2, 0)),
    "pad_edge": lambda x: np.pad(x, (1, 2), mode="edge"),
    "tile": lambda x: np.tile(x, 2),
    "tensordot": lambda x: np.tensordot(x, x, 1) + np.tensordot(W, x, axes=(0, 0)),
    "outer_by_tensordot": lambda x: np.tensordot(x, W, 0),
    "logsumexp": lambda x: special.logsumexp(x),
    "own_values": lambda x: np.interp(W, TABLE[:4], x) + np.interp(x[0], TABLE[:4], x),
    "own_knots": lambda x: np.interp(W, np.cumsum(x**2 + 0.1), x, left=0.5, right=2),
    "periodic": lambda x: np.interp(x[0], TABLE[:4], x, period=3.0),
    "own_table": lambda x: W * np.searchsorted(np.sort(x), W, side="right"),
    "own_coefficients": lambda x: np.polyval(x, W) + np.polyval(x, x[0]) + np.polyval(x[:1], 2.0),
    "vander": lambda x: np.vander(x) + np.vander(x, 4, increasing=True),
    "convolve": lambda x: np.convolve(x, x**2),
    "convolve_same": lambda x: np.convolve(x, W[:3], "same") + np.convolve(W[:3], x, "same"),
    "convolve_valid": lambda x: np.convolve(W[:2], x, "valid") + np.convolve(TABLE[:6], x, "valid"),
    "correlate": lambda x: np.correlate(x, x[:2], "full"),
    "own_places": lambda x: x[np.argsort(x)[:2]] + TABLE[np.argsort(-x)[:2]],
    "softmax": lambda x: special.softmax(x),
    "log_softmax": lambda x: special.log_softmax(x),
    "quantile": lambda x: np.quantile(x, 0.3),
    "gradient": lambda x: np.gradient(x),
    "trapezoid": lambda x: np.trapezoid(x, TABLE[:4]),
    "complex": lambda x: np.real(np.vdot(x + 1j * x[::-1], 1j * x)),
    "take_along_axis": lambda x: np.take_along_axis(x, np.argsort(x), 0),
    "ravel": lambda x: np.ravel(np.vstack([x, x])),
    "reshape": lambda x: np.vstack([x, x]).reshape(2, -1, 2) + x.reshape(-1)[0],
}  # fmt: skip
OF_MATRICES = {
    "eigvalsh": lambda a: np.linalg.eigvalsh(a + a.T),
    "eigh": lambda a: np.linalg.eigh(a @ a.T + np.diag([1.0, 2.0, 4.0]))[0],
    "slogdet": lambda a: np.linalg.slogdet(a + EYE)[1],
    "svd": lambda a: np.linalg.svd(a)[1],
    "svdvals": lambda a: np.linalg.svdvals(a),
    "svd_parts": lambda a: np.abs(np.linalg.svd(a, full_matrices=False)[0]),
    "qr": lambda a: np.linalg.qr(a + EYE)[1],
    "pinv": lambda a: np.linalg.pinv(a[:, :2]),
    "matrix_power": lambda a: np.linalg.matrix_power(a, 3),
    "matrix_rank": lambda a: np.linalg.matrix_rank(a),
    "cond": lambda a: np.linalg.cond(a + EYE),
    "expm": lambda a: linalg.expm(a),
    "take_rows": lambda a: np.take(a, np.array([0, 2]), axis=-1),
    "repeat_rows": lambda a: np.repeat(a, 2, axis=0),
    "fft_of_columns": lambda a: np.abs(np.fft.fft(a, axis=0)),
    "diag": lambda a: np.diag(a) + np.diag(a, 1).sum(),
    "diagonal": lambda a: np.diagonal(a, offset=-1),
    "fliplr": lambda a: np.fliplr(a) - np.flipud(a),
    "rot90": lambda a: np.rot90(a) + np.rot90(a, 2),
    "hstack": lambda a: np.hstack([a, EYE]),
    "vstack": lambda a: np.vstack([a, a]),
    "tile": lambda a: np.tile(a, (2, 1)) + np.tile(np.vstack([a, a]), 1),
    "pad": lambda a: np.pad(a, ((1, 0), (0, 2))),
    "tensordot": lambda a: np.tensordot(a, EYE + a.T, 2),
    "tensordot_of_axes": lambda a: np.tensordot(a, a, axes=([1], [0])),
    "cross_of_rows": lambda a: np.cross(a, a[::-1]),
    "logsumexp_of_rows": lambda a: special.logsumexp(a, axis=-1),
    "softmax_of_rows": lambda a: special.softmax(a, axis=1),
    "split_of_columns": lambda a: np.split(a, 3, axis=1)[2],
    "array_split": lambda a: np.array_split(a, 2)[0],
    "cov": lambda a: np.cov(a),
    "median": lambda a: np.median(a, axis=0),
    "percentile": lambda a: np.percentile(a, 40, axis=1),
}  # fmt: skip
OF_TENSORS = {
    "take": lambda t: np.take(t, np.array([1, 0]), axis=1),
    "svdvals": lambda t: np.linalg.svdvals(t),
    "fft": lambda t: np.real(np.fft.ifft(t, axis=-2)),
    "logsumexp": lambda t: special.logsumexp(t, axis=-2),
    "diagonal": lambda t: np.diagonal(t, 0, 2, 1),
    "pad": lambda t: np.pad(t, 1),
    "tensordot": lambda t: np.tensordot(t, EYE, axes=([1], [1])),
    "tensordot_second": lambda t: np.tensordot(EYE, t, axes=([0], [1])),
    "rot90": lambda t: np.rot90(t, axes=(2, 0)),
    "repeat": lambda t: np.repeat(t, 3, -1),
}  # fmt: skip
CASES = [
    pytest.param(f, x, id=f"{name} of rank {x.ndim - 1}")
    for table, x in ((OF_VECTORS, V), (OF_MATRICES, M), (OF_TENSORS, T))
    for name, f in table.items()
]


def has_loop(text):
    lines = (line.split("#")[0] for line in text.rpartition('"""')[2].splitlines())
    return any(line.lstrip().startswith("for ") for line in lines)


@pytest.mark.parametrize(("f", "x"), CASES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_are_those_of_each_sample(f, x, dtype):
    x = x.astype(dtype)
    many = srcad.vmap(f)
    got, want = many(x), np.stack([f(each) for each in x])
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-4 if dtype == np.float32 else 1e-9, atol=1e-6)
    assert not has_loop(many.source(x))


@pytest.mark.parametrize(("f", "x"), CASES)
def test_gradients_are_those_of_each_sample(f, x):
    if f(x[0]).dtype.kind != "f":
        return

    def loss(x):
        return np.sum(np.cos(f(x)))

    got = srcad.vmap(srcad.grad(loss))(x)
    np.testing.assert_allclose(got, np.stack([srcad.grad(loss)(each) for each in x]), atol=1e-9)
    of_all = srcad.grad(lambda x: np.sum(srcad.vmap(loss)(x)))(x)
    np.testing.assert_allclose(of_all, got, atol=1e-9)


@pytest.mark.parametrize(("f", "x"), CASES)
def test_no_samples(f, x):
    got, like = srcad.vmap(f)(x[:0]), np.asarray(f(x[0]))
    assert got.shape == (0, *like.shape)
    assert got.dtype == like.dtype


@pytest.mark.parametrize("axes", [(0, 1), (1, 0)])
def test_samples_along_another_axis(axes):
    x = V.transpose(axes)
    got = srcad.vmap(lambda x: np.take(np.fft.irfft(x, 6), [1, 3]), in_axes=axes.index(0))(x)
    np.testing.assert_allclose(got, [np.fft.irfft(each, 6)[[1, 3]] for each in V], atol=1e-12)


def test_what_raises_for_a_sample_raises():
    with pytest.raises(IndexError):
        srcad.vmap(lambda x, k: np.take(x, k), in_axes=(0, None))(V, np.array([9]))
    with pytest.raises(np.linalg.LinAlgError):
        srcad.vmap(lambda a: np.linalg.svd(a)[1])(np.full((2, 3, 3), np.nan))


def test_a_histogram_of_each_sample():
    x = np.random.default_rng(0).normal(size=(5, 20))
    counts = srcad.vmap(lambda x: np.histogram(x, bins=4)[0])(x)
    np.testing.assert_array_equal(counts, [np.histogram(each, bins=4)[0] for each in x])
    assert counts.dtype == np.intp


def test_gradients_by_a_matrix_are_outer_products_of_all_samples():
    """The matrix of a sample is an outer product, of which each entry is one product."""

    def loss(w, x, y):
        return np.sum((x @ w - y) ** 2)

    w, x, y = np.arange(6.0).reshape(2, 3), np.arange(8.0).reshape(4, 2), np.ones((4, 3))
    gradient = srcad.vmap(srcad.grad(loss), in_axes=(None, 0, 0))
    wanted = [2 * np.outer(a, a @ w - b) for a, b in zip(x, y, strict=True)]
    np.testing.assert_allclose(gradient(w, x, y), wanted)
    text = gradient.source(w, x, y)
    assert "[:, :, None] *" in text
    assert "for i in" not in text  # not even for what shapes that do not fit raise


def test_shapes_that_do_not_fit_raise_for_all_samples():
    def loss(w, x, y):
        return np.sum(w * x) + 0.0 * np.sum(x - y)

    gradient = srcad.vmap(srcad.grad(loss), in_axes=(None, 0, 0))
    with pytest.raises(ValueError, match="broadcast"):
        gradient(np.ones(2), np.ones((4, 2)), np.ones((4, 3)))
