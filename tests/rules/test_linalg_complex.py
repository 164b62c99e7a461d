"""Linear algebra of complex matrices: df = Re(g dz), both modes, first and second order.

Losses of eigenvectors and singular vectors do not depend on their phases.
"""

import numpy as np
import pytest

import srcad

RNG = np.random.default_rng(5)
STEP = 1e-4


def complexes(*shape):
    return RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)


def hermitian(*shape):
    a = complexes(*shape)
    return a + np.conj(np.swapaxes(a, -1, -2)) + 4 * np.diag(np.arange(shape[-1]) + 2)


SQUARE, TALL, WIDE = complexes(3, 3), complexes(4, 3), complexes(2, 4)
STACK, VECTOR = complexes(2, 3, 3), complexes(3)
C = complexes(6, 6)


def weigh(y):
    """A real loss in which every entry counts."""
    y = np.ravel(y)
    return np.sum(np.real(np.ravel(C)[: y.size] * y) + np.abs(y) ** 2)


def solve(a):
    return weigh(np.linalg.solve(a, VECTOR))


def solve_stack(a):
    return weigh(np.linalg.solve(a, STACK))


def inv(a):
    return weigh(np.linalg.inv(a))


def pinv(a):
    return weigh(np.linalg.pinv(a))


def det(a):
    return weigh(np.linalg.det(a))


def sign_and_log(a):
    sign, log = np.linalg.slogdet(a)
    return weigh(sign) + weigh(log)


def power(a):
    return weigh(np.linalg.matrix_power(a, 5)) + weigh(np.linalg.matrix_power(a, -2))


def chain(a):
    return weigh(np.linalg.multi_dot([a, a, a]))


def cholesky(a):
    return weigh(np.linalg.cholesky(a))


def cholesky_upper(a):
    return weigh(np.linalg.cholesky(a, upper=True))


def eigvalsh(a):
    return weigh(np.linalg.eigvalsh(a) ** 2)


def eigh(a):
    w, v = np.linalg.eigh(a)
    return weigh((v * np.exp(w / 9)) @ np.conj(v.T)) + weigh(np.abs(v[0]))


def eigh_upper(a):
    w, v = np.linalg.eigh(a, UPLO="U")
    return weigh(w) + weigh(np.abs(v))


def eigvals(a):
    return weigh(np.linalg.eigvals(a))


def eig(a):
    w, v = np.linalg.eig(a)
    return weigh(w) + weigh(np.abs(v) ** 2)


def svdvals(a):
    return weigh(np.linalg.svd(a, compute_uv=False))


def svd(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return (
        weigh((u * np.sqrt(s)[..., None, :]) @ vh) + weigh(s) + weigh(np.abs(u)) + weigh(np.abs(vh))
    )


def left_vectors(a):
    u, _, _ = np.linalg.svd(a, full_matrices=False)
    return weigh(np.abs(u) ** 2)


def right_vectors(a):
    _, _, vh = np.linalg.svd(a, full_matrices=False)
    return weigh(np.abs(vh) ** 2)


def qr(a):
    q, r = np.linalg.qr(a)
    return weigh(q) + weigh(r)


def least_squares(a):
    x, residuals, _, s = np.linalg.lstsq(a, np.stack((C[0, : len(a)], C[1, : len(a)]), axis=1))
    return weigh(x) + weigh(residuals) + weigh(s)


def norms(a):
    kinds = (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)
    total = 0.0
    for kind in kinds:
        total = total + np.linalg.norm(a, kind) ** 2
    return total


def vector_norms(a):
    total = 0.0
    for kind in (None, 1, 2, 3, 0.5, -1, np.inf, -np.inf):
        total = total + np.sum(np.linalg.norm(a, kind, axis=0))
    return total + np.linalg.vector_norm(a, ord=3)


def products(a):
    return (
        weigh(np.einsum("ij,kj->ik", a, np.conj(a)))
        + weigh(np.kron(a[:1], np.conj(a[:2])))
        + weigh(np.linalg.vecdot(a, a[0]))
        + weigh(np.cross(a, np.conj(a[0])))
        + weigh(np.linalg.outer(a[0], a[1]))
    )


CALLS = [
    *((f, SQUARE) for f in (solve, solve_stack, inv, pinv, det, sign_and_log, power, chain)),
    *((f, SQUARE) for f in (eigvals, eig, svd, svdvals, qr, least_squares, norms, vector_norms)),
    *((f, STACK) for f in (solve, inv, pinv, det, sign_and_log, eigvals, eig, qr, svd, svdvals)),
    *((f, TALL) for f in (pinv, svd, svdvals, left_vectors, right_vectors, qr, least_squares)),
    *((f, WIDE) for f in (pinv, svd, svdvals, left_vectors, right_vectors, qr, least_squares)),
    *((f, hermitian(3, 3)) for f in (cholesky, cholesky_upper, eigvalsh, eigh, eigh_upper)),
    *((f, hermitian(2, 3, 3)) for f in (cholesky, cholesky_upper, eigvalsh, eigh_upper)),
    (products, SQUARE),
    (norms, WIDE),
]


@pytest.mark.parametrize(
    ("f", "a"), CALLS, ids=[f"{f.__name__}-{'x'.join(map(str, a.shape))}" for f, a in CALLS]
)
def test_complex_matrices(f, a):
    t, grad = complexes(*a.shape), srcad.grad(f)

    def differences(of):
        ahead, behind = of(a + STEP * t), of(a - STEP * t)
        far, near = of(a + 2 * STEP * t), of(a - 2 * STEP * t)
        return (8 * (ahead - behind) - (far - near)) / (12 * STEP)

    want = differences(f)
    bar = grad(a)
    assert bar.dtype == a.dtype
    np.testing.assert_allclose(np.sum(bar * t).real, want, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(srcad.jvp(f, (a,), (t,))[1], want, rtol=1e-6, atol=1e-6)
    bar, bar_dot = srcad.jvp(grad, (a,), (t,))
    np.testing.assert_allclose(bar_dot, differences(grad), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "f",
    [
        lambda a: weigh(np.linalg.eigh(a)[1]),
        lambda a: weigh(np.linalg.svd(a)[0]),
        lambda a: weigh(np.linalg.svd(a)[2]),
        lambda a: weigh(np.linalg.eig(a)[1]),
    ],
)
def test_what_depends_on_phases_is_refused(f):
    with pytest.raises(np.linalg.LinAlgError, match="phases"):
        srcad.grad(f)(hermitian(3, 3))


def test_single_precision_stays():
    a = hermitian(3, 3).astype(np.complex64)
    for f in (eigh, cholesky, svd, sign_and_log, qr, eig, norms):
        assert srcad.grad(f)(a).dtype == np.complex64
