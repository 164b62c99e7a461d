"""How many entries sparsity patterns have, and what they give at edges."""

import numpy as np
import pytest

import srcad

RNG = np.random.default_rng(0)
TRIANGLES = np.array([[0, 1, 2], [1, 2, 3], [2, 3, 4], [4, 5, 0]])
PARENTS = [0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6]


def walls(x):
    y = np.zeros_like(x)
    y[1:-1] = x[2:] - 2 * x[1:-1] + x[:-2]
    y[0], y[-1] = x[0] ** 2, np.sin(x[-1])
    return y


def edges(x):
    u = x.reshape(3, 4)
    v = np.pad(u, 1, mode="edge")
    return v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2] - 4 * u + u**3


def periodic(x):
    u = x.reshape(2, 3, 2)
    return np.roll(u, 1, 0) * u + np.roll(u, -1, 1) - np.roll(u, (1, 2), (0, 2)) ** 2


def elements(x):
    u = x[TRIANGLES]
    forces = np.zeros(x.size)
    np.add.at(forces, TRIANGLES, u * np.sum(u, 1, keepdims=True) ** 2)
    return forces


def tree(x):
    return np.array([x[k] - x[PARENTS[k]] ** 2 for k in range(12)])


def appended(x):
    found = []
    for k in range(0, x.size - 1, 2):
        found.append(x[k] * x[k + 1])
    return np.array(found)


def crossed(x):
    return np.cross(x.reshape(4, 3), np.array([1.0, 2.0, 3.0]))


def rows_sorted(x):
    return np.sort(x.reshape(3, 4), axis=1) ** 2


def rows_transformed(x):
    return np.fft.irfft(np.fft.rfft(x.reshape(3, 4), axis=1) ** 2, 4, axis=1)


def traces(x):
    u = x.reshape(3, 2, 2)
    return np.trace(u, axis1=1, axis2=2) ** 2


def stacks(x):
    return np.arange(12.0).reshape(3, 2, 2) @ x[:2] * x[2:4]


def differences(x):
    return np.diff(x, 2, prepend=0.0, append=x[:1]) ** 2


def smoothed(x):
    return np.convolve(x, np.array([1.0, 2.0, 1.0]), "same") ** 2


def special(x):
    from scipy import special

    return special.polygamma(1, x + 1) * special.sici(x)[0] + np.modf(x)[0]


def normalised(x):
    from scipy import special

    return special.softmax(x.reshape(3, 4), axis=1) * special.logsumexp(x.reshape(4, 3), axis=0)[0]


# The entries of the Jacobian, and of the Hessian of its energy.
COUNTS = {
    walls: (32, 54),
    edges: (46, 90),
    periodic: (36, 72),
    elements: (26, 36),
    tree: (23, 34),
    appended: (12, 24),
    crossed: (36, 36),
    rows_sorted: (48, 48),
    rows_transformed: (48, 48),
    traces: (6, None),
    stacks: (18, None),
    differences: (35, None),
    smoothed: (34, 54),
    special: (12, 12),
    normalised: (None, None),
}


@pytest.mark.parametrize("f", COUNTS, ids=lambda f: f.__name__)
def test_jacobians_have_the_entries_that_may_vary(f):
    if f in (special, normalised):
        pytest.importorskip("scipy.special")
    x = RNG.uniform(0.1, 0.9, 12)

    def flat(x):
        return f(x).ravel()

    sparse = srcad.jacobian(flat, sparse=True, backend="numpy")
    dense = srcad.jacobian(flat, backend="numpy")(x)
    np.testing.assert_allclose(sparse(x).toarray(), dense, rtol=1e-12, atol=1e-13)
    n_entries = COUNTS[f][0]
    assert n_entries is None or sparse.pattern(x).nnz == n_entries


@pytest.mark.parametrize("f", COUNTS, ids=lambda f: f.__name__)
def test_hessians_have_the_entries_that_may_vary(f):
    if f in (special, normalised):
        pytest.importorskip("scipy.special")
    x = RNG.uniform(0.1, 0.9, 12)

    def energy(x):
        y = f(x)
        return np.sum(0.5 * y**2 + np.cos(y))

    sparse = srcad.hessian(energy, sparse=True, backend="numpy")
    dense = srcad.hessian(energy, backend="numpy")(x)
    np.testing.assert_allclose(sparse(x).toarray(), dense, rtol=1e-11, atol=1e-12)
    n_entries = COUNTS[f][1]
    assert n_entries is None or sparse.pattern(x).nnz == n_entries


def test_only_entries_whose_transposed_ones_may_vary_are_in_the_pattern_of_a_hessian():
    """The derivative of the trace is a multiple of the identity, of which all entries count."""

    def f(x):
        u = x.reshape(3, 3)
        return np.trace(u) ** 2 + np.sum(u**3)

    x = RNG.uniform(0.1, 0.9, 9)
    sparse = srcad.hessian(f, sparse=True)
    np.testing.assert_allclose(sparse(x).toarray(), srcad.hessian(f)(x), atol=1e-13)
    assert sparse.pattern(x).nnz == 15


def test_lists_do_not_decide_a_pattern():
    found = srcad.hessian(lambda x: np.sum(appended(x) ** 2), sparse=True)
    first = found.pattern(np.ones(6))
    assert found._known[0].decided_by == {}
    assert first.nnz == 12


def test_colours_are_kept_where_another_path_comes_to_the_same():
    def f(x):
        return np.diff(x) ** 2 if np.max(x) < 10 else np.cumsum(x)[1:]

    jacobian = srcad.jacobian(f, sparse="exact")
    x = np.linspace(1.0, 2.0, 8)
    for scale in (1.0, 2.0, 8.0, 3.0):
        expected = srcad.jacobian(f)(scale * x)
        np.testing.assert_allclose(jacobian(scale * x).toarray(), expected)
    newest, dense, *others = jacobian._known
    assert dense.rows.size == 35
    assert all(each.colors is newest.colors for each in others)
