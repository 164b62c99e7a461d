"""Sparsity patterns through branches on data: of both paths, or exact for the one taken."""

import pickle
import warnings

import numpy as np
import pytest

import srcad

pytest.importorskip("scipy.sparse")


def by_sign(x):
    return x[:-1] * x[1:] if x[0] > 0 else x[:-1] ** 2


def upwind(u):
    flux = np.zeros(u.size)
    for i in range(1, u.size - 1):
        if u[i] > 0:
            flux[i] = u[i] * (u[i] - u[i - 1])
        else:
            flux[i] = u[i] * (u[i + 1] - u[i])
    return flux


def contact(x):
    force = np.zeros_like(x)
    for i in range(x.size - 1):
        gap = x[i + 1] - x[i]
        if gap < 1.0:
            force[i] -= (1 - gap) ** 2
            force[i + 1] += (1 - gap) ** 2
    return force


def in_cases(x):
    y = np.zeros(x.size)
    for i in range(x.size):
        if x[i] > 1:
            y[i] = x[i] ** 2
        elif x[i] > 0.5:
            y[i] = x[i] * x[0]
        elif i > 2:
            y[i] = x[i - 1]
        else:
            y[i] = 1.0
    return y


def on_a_grid(x):
    v = x.reshape(4, -1)
    y = np.zeros(v.shape)
    for i in range(4):
        for j in range(v.shape[1] - 1):
            if v[i, j] > 0.2:
                y[i, j] = v[i, j + 1] * v[i, j]
            elif v[i, j] > 0:
                y[i, j] = v[i, j]
            else:
                y[i, j + 1] = v[i, j] ** 2
    return y.ravel()


def with_a_guard(x):
    y = 2 * x
    if x[0] > 0:
        z = x[::-1]
        y = y + z
    if np.sum(x) > 1e6:
        raise ValueError("too large")
    return y


def up_to_the_walls(u):
    flux = np.zeros(u.size)
    for i in range(u.size):
        if i > 0 and u[i] > 0:
            flux[i] = u[i] * (u[i] - u[i - 1])
        elif i == u.size - 1 or u[i] > -1:
            flux[i] = u[i] ** 2
        elif not (i == 0 or u[i] < -2):
            flux[i] = u[i + 1]
    return flux


def minmod(a, b):
    if a * b <= 0:
        return 0.0
    return a if abs(a) < abs(b) else b


def limited(u):
    slope = np.zeros(u.size)
    for i in range(1, u.size - 1):
        slope[i] = minmod(u[i] - u[i - 1], u[i + 1] - u[i])
    return u + 0.5 * slope


def near(x):
    p = x.reshape(-1, 2)
    force = np.zeros_like(p)
    for i in range(len(p) - 1):
        apart = p[i + 1] - p[i]
        if apart @ apart > 2.0:
            continue
        force[i] += apart * np.exp(-(apart @ apart))
        force[i + 1] -= apart * np.exp(-(apart @ apart))
    return force.ravel()


def normalised(x):
    rows = []
    for row in x.reshape(4, -1):
        size = np.sum(row**2)
        if size > 1:
            row = row / np.sqrt(size)
        rows.append(row)
    return np.concatenate(rows)


def entries_apart(x):
    a, b = x[0], x[1]
    if a > b:
        a, b = b, a
    return np.array([a**2, b * x[2], 1.0])


def updates(x):
    y = np.sin(x)
    if y[0] > 0:
        y[1:] *= x[:-1]
        y[0] = 3.0
    else:
        y[:2] += x[-2:]
    return y


# Of these the pattern is found once. The numbers are of entries: of both paths, at most.
JOINED = {
    by_sign: 22,
    upwind: 30,
    contact: 34,
    in_cases: 32,
    on_a_grid: 24,
    with_a_guard: 24,
    up_to_the_walls: 34,
    limited: 32,
    near: 64,
    normalised: 36,
    entries_apart: 5,
    updates: 25,
}


def an_index(x):
    if np.sum(x) > 0:
        k = int(np.sqrt(np.sum(x)))
        return x[k : k + 3] * x[:3]
    return x[:3] ** 2


def to_the_end(x):
    y, total = np.zeros(3), 0.0
    for i in range(x.size):
        if total > 1:
            break
        total = total + x[i]
        y[0] = total
    return y


def two_shapes(x):
    y = x[1:] if x[0] > 0 else x
    return np.array([np.sum(y), y[0]])


def until(x):
    y = x.copy()
    while np.sum(y**2) > 1:
        y = 0.5 * y * x[0] / (1 + abs(x[0]))
    return y


@pytest.fixture
def searches(monkeypatch):
    """How often a pattern was searched for."""
    found = []
    search = srcad.api.sparse.SparseJacobian._found

    def counted(self, *args):
        found.append(self)
        return search(self, *args)

    monkeypatch.setattr(srcad.api.sparse.SparseJacobian, "_found", counted)
    return found


def points():
    rng = np.random.default_rng(3)
    return [rng.normal(size=12) for _ in range(6)]


@pytest.mark.parametrize("f", JOINED, ids=lambda f: f.__name__)
def test_a_branch_has_the_entries_of_both_paths(f, searches):
    jacobian = srcad.jacobian(f, sparse=True, backend="numpy")
    dense = srcad.jacobian(f, backend="numpy")
    for x in points():
        np.testing.assert_allclose(jacobian(x).toarray(), dense(x), rtol=1e-12, atol=1e-12)
        assert jacobian.pattern(x).nnz == JOINED[f]
    assert len(searches) == 1


@pytest.mark.parametrize("f", JOINED, ids=lambda f: f.__name__)
def test_hessians_of_branches(f, searches):
    def energy(x):
        y = f(x)
        return np.sum(0.5 * y**2 + np.cos(y))

    hessian = srcad.hessian(energy, sparse=True, backend="numpy")
    dense = srcad.hessian(energy, backend="numpy")
    for x in points()[:3]:
        np.testing.assert_allclose(hessian(x).toarray(), dense(x), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("f", [*JOINED, to_the_end], ids=lambda f: f.__name__)
def test_exact_patterns_are_of_the_path_taken(f, searches):
    jacobian = srcad.jacobian(f, sparse="exact", backend="numpy")
    both = srcad.jacobian(f, sparse=True, backend="numpy")
    for x in points():
        found, dense = jacobian(x), srcad.jacobian(f, backend="numpy")(x)
        np.testing.assert_allclose(found.toarray(), dense, rtol=1e-12, atol=1e-12)
        taken, either = jacobian.pattern(x).toarray(), both.pattern(x).toarray()
        assert np.all(either[taken])
    assert len(searches) > 2


@pytest.mark.parametrize("f", [an_index, to_the_end, two_shapes, until], ids=lambda f: f.__name__)
def test_paths_that_cannot_be_joined_decide(f):
    jacobian = srcad.jacobian(f, sparse=True, backend="numpy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in points():
            dense = srcad.jacobian(f, backend="numpy")(x)
            np.testing.assert_allclose(jacobian(x).toarray(), dense, rtol=1e-12, atol=1e-12)


def test_an_exception_of_the_path_not_taken_is_not_seen():
    def f(x):
        if np.sum(x) > 1e3:
            return np.linalg.inv(x.reshape(4, 3)).ravel()[:1] * x
        return x**2

    x = points()[0]
    for sparse in (True, "exact"):
        found = srcad.jacobian(f, sparse=sparse, backend="numpy")(x)
        np.testing.assert_array_equal(found.toarray(), np.diag(2 * x))


def test_an_exception_of_the_path_taken_is_the_functions():
    for sparse in (True, "exact"):
        with pytest.raises(ValueError, match="too large"):
            srcad.jacobian(with_a_guard, sparse=sparse)(np.full(12, 1e7))


def test_ints_and_shapes_choose_their_path(searches):
    def f(x, order):
        return np.diff(x) if order > 1 and x.size > 3 else np.cumsum(x)[1:]

    jacobian, x = srcad.jacobian(f, sparse=True), np.ones(5)
    assert [jacobian.pattern(x, order).nnz for order in (2, 1, 3)] == [8, 14, 8]
    assert len(searches) == 3


def test_the_choice_is_checked_shown_and_pickled(capsys):
    with pytest.raises(ValueError, match="'exact'"):
        srcad.jacobian(by_sign, sparse="both")
    exact = pickle.loads(pickle.dumps(srcad.jacobian(by_sign, sparse="exact")))
    x = -np.ones(5)
    assert exact.pattern(x).nnz == 4
    assert "on the path" in exact.source(x)
    exact.show(x)
    assert "by_sign_sparsity" in capsys.readouterr().out
    exact.explain(x)
    assert exact.cache_info().misses > 0
