"""Entries that a choice leaves out may be NaN, and zeros that vary with nothing may stand where a
partial is infinite: derivatives of the others stay what they are, whatever stands in between.
"""

import warnings

import numpy as np
import pytest
from corpus import kernels, numerical, textbooks
from optional import BACKENDS

import srcad

X = np.array([1.0, np.nan, 3.0])
ROWS = np.stack([X, 2 * X])


def known(values):
    return np.sum(np.where(np.isnan(values), 0.0, values))


def under_errstate(w, x):
    with np.errstate(all="ignore"):
        y = w * x / 2.0
    return known(y * w)


def under_two_managers(w, x):
    with np.errstate(all="ignore"):
        y = w * x / x if w > 1 else w * x
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y = y * x * w
    return np.nanmean(y)


def in_an_attempt(w, x):
    try:
        y = w * x * x
        if w > 50:
            raise ValueError
    except ValueError:
        y = w * x
    return known(y)


@srcad.checkpoint
def recomputed(w, x):
    return w * x * x


def by_a_recomputed_function(w, x):
    return known(recomputed(w, x) * w)


def powers(y, x, w, n):
    if n <= 0:
        return y
    return powers(y * x * w, x, w, n - 1.0)


def by_a_recursion(w, x):
    return known(powers(x * w, x, w, w))


def chosen_in_a_recursion(y, x, w, n):
    if n <= 0:
        return known(y * x)
    return chosen_in_a_recursion(y * x * w, x, w, n - 1.0)


def in_a_recursion(w, x):
    return chosen_in_a_recursion(x * w, x, w, w)


def in_a_loop(w, x):
    y = x * w
    for _ in range(3):
        y = y * x * w
    return known(y)


def of_a_list(w, x):
    ys = [x * w]
    for _ in range(3):
        ys.append(ys[-1] * x)
    return known(ys[-1] * ys[1])


def row_by_row(w, rows):
    out = np.zeros_like(rows)
    for k in range(len(rows)):
        out[k] = w * rows[k] * rows[k]
    return known(out)


def entry_by_entry(w, x):
    out = np.zeros(3)
    for k in range(3):
        out[k] = w * x[k] * x[k]
    return known(out)


def of_an_outer_product(w, x):
    return known(np.outer(x * w, x * w))


def written_over(w, x):
    y = w * x * x
    y[np.isnan(y)] = 0.0
    return y.sum() * w


def of_a_derivative(w, x):
    return srcad.grad(lambda v: known(v * v * x * x))(w)


# Zeros that vary with nothing, where a partial is infinite.


@srcad.checkpoint
def recomputed_roots(y):
    return np.sum(np.sqrt(y))


def roots(y, n):
    return np.sum(np.sqrt(y)) if n <= 0 else roots(y * 1.0, n - 1.0)


def in_a_recomputed_function(w, x):
    return recomputed_roots(np.maximum(w * np.nan_to_num(x) - 1.2, 0))


def in_a_recursion_of_roots(w, x):
    return roots(np.maximum(w * np.nan_to_num(x) - 1.2, 0), w)


def beside_a_constant(w, x):
    return np.sum(np.sqrt(np.concatenate([[0.0], w * x[::2]])))


def appended(w, x):
    return np.sum(np.sqrt(np.append(w * x[::2], 0.0))) * w


def inserted(w, x):
    return np.sum(np.sqrt(np.insert(w * x[::2], 1, 0.0))) * w


# Rows with a gap, through what sums products or reduces along an axis.


def by_rows(name, make):
    """The sum of the known entries of what is made of rows, of which one has a gap."""

    def f(w, rows):
        return known(make(w, rows))

    f.__name__ = name
    return f


BY_ROWS = {
    "matmul": lambda w, rows: rows @ (w * ROW),
    "matrices": lambda w, rows: (w * rows) @ rows.T,
    "vectors": lambda w, rows: np.array([r @ (w * ROW) for r in rows]),
    "dot": lambda w, rows: rows.dot(w * ROW) ** 2,
    "inner": lambda w, rows: np.inner(w * ROW, rows),
    "tensordot": lambda w, rows: np.tensordot(rows, w * ROW, 1),
    "einsum": lambda w, rows: np.einsum("ij,j,kj->ik", rows, w * ROW, rows),
    "vecdot": lambda w, rows: np.vecdot(rows, w * ROW),
    "kron": lambda w, rows: np.kron(rows, w * ROW),
    "cross": lambda w, rows: np.cross(rows, w * ROW),
    "convolve": lambda w, rows: np.convolve(rows[1], w * ROW),
    "multi_dot": lambda w, rows: np.linalg.multi_dot([rows, np.diag(w * ROW), ROW]),
    "norm": lambda w, rows: np.linalg.norm(w * rows, axis=1),
    "std": lambda w, rows: np.std(np.sin(w * rows), axis=1),
    "var": lambda w, rows: np.var(w * rows, axis=1, ddof=1),
    "prod": lambda w, rows: np.prod(w * rows, axis=1),
    "cumprod": lambda w, rows: np.cumprod(w * rows, axis=1),
    "average": lambda w, rows: np.average(rows, axis=1, weights=np.exp(w * ROW)),
    "interp": lambda w, rows: np.interp(w * ROW, [0.0, 2.0, 9.0], rows[:, 0]),
    "polyval": lambda w, rows: np.polyval(w * ROW, rows[:, 0]),
    "inv": lambda w, rows: np.linalg.inv(w * SQUARE * rows[:, :1, None]),
    "solve": lambda w, rows: np.linalg.solve(w * SQUARE * rows[:, :1, None], SQUARE),
    "det": lambda w, rows: np.linalg.det(w * SQUARE * rows[:, :1, None]),
    "slogdet": lambda w, rows: np.linalg.slogdet(w * SQUARE * rows[:, :1, None])[1],
    "matrix_power": lambda w, rows: np.linalg.matrix_power(w * SQUARE * rows[:, :1, None], 3),
}
# Ways to leave out what is NaN.
LEAVING = {
    "nansum": np.nansum,
    "nanmean": np.nanmean,
    "nanmax": np.nanmax,
    "nanmedian": np.nanmedian,
    "nanquantile": lambda y: np.nanquantile(y, 0.4),
    "a mask": lambda y: np.sum(y[~np.isnan(y)]),
    "places": lambda y: np.sum(y[np.flatnonzero(np.isfinite(y))]),
    "zeros": lambda y: np.sum(np.nan_to_num(y)),
    "fmin": lambda y: np.sum(np.fmin(y, 1e9)),
    "a loop": lambda y: sum([v for v in y if v == v]),
    "written": lambda y: written_zeros(y),
    "a place": lambda y: y[np.nanargmax(y)],
}
ROW = np.array([0.5, 1.5, -1.0])
SQUARE = np.array([[[2.0, 0.3], [0.1, 1.0]]])
GAP = np.array([[1.0, 2.0, 0.7], [np.nan, 3.0, 1.2], [4.0, 5.2, 2.1]])


def written_zeros(y):
    z = y.copy()
    z[np.isnan(z)] = 0.0
    return np.sum(z)


PROGRAMS = [
    *((by_rows(name, make), GAP) for name, make in BY_ROWS.items()),
    (under_errstate, X), (under_two_managers, X), (in_an_attempt, X),
    (by_a_recomputed_function, X), (by_a_recursion, X), (in_a_recursion, X), (in_a_loop, X),
    (of_a_list, X), (row_by_row, ROWS), (entry_by_entry, X), (of_an_outer_product, X),
    (written_over, X), (of_a_derivative, X), (in_a_recomputed_function, X),
    (in_a_recursion_of_roots, X), (beside_a_constant, X), (appended, X), (inserted, X),
]  # fmt: skip
# The gradient of the gradient is refused: what the recursion saves is read again.
ONCE = (in_a_recursion_of_roots,)


def difference(f, w, x, step):
    return (f(w + step, x) - f(w - step, x)) / (2 * step)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_what_is_left_out_has_no_part_in_derivatives(f, x, backend):
    gradient = srcad.grad(f, backend=backend)
    for w in (0.7, 1.7):
        wanted = difference(f, w, x, 1e-6)
        np.testing.assert_allclose(gradient(w, x), wanted, rtol=1e-6)
        np.testing.assert_allclose(srcad.jacfwd(f, backend=backend)(w, x), wanted, rtol=1e-6)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("leave", LEAVING.values(), ids=LEAVING)
def test_however_it_is_left_out(leave, backend):
    def f(w, rows):
        return leave(rows @ (w * w * ROW)) * w

    wanted = difference(f, 0.7, GAP, 1e-6)
    for transform in (srcad.grad, srcad.jacfwd):
        found = transform(f, backend=backend)(0.7, GAP)
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_nor_in_derivatives_of_derivatives(f, x):
    for w in (0.7, 1.7):
        wanted = difference(srcad.grad(f), w, x, 1e-5)
        for inner in (srcad.grad, srcad.jacfwd):
            for outer in (srcad.grad, srcad.jacfwd):
                if f in ONCE and inner is outer is srcad.grad:
                    with pytest.raises(srcad.SrcadError, match="E100"):
                        outer(inner(f))(w, x)
                    continue
                found = outer(inner(f))(w, x)
                np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def roots_under_choices(x):
    s = x
    for k in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0):
        s = np.where(x > 0.0, np.sqrt(s) * k, 0.0)
    return np.sum(s)


def poles_under_choices(x):
    s = x
    for k in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0):
        s = np.where(x > 0.0, k / s, x)
    return np.sum(s * s)


def roots_that_are_overwritten(x):
    s = x.copy()
    for k in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0):
        s = np.sqrt(s) * k
        s[x == 0.0] = 0.0
    return np.sum(s)


OFTEN = [roots_under_choices, poles_under_choices, roots_that_are_overwritten]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", OFTEN, ids=lambda f: f.__name__)
def test_choices_one_after_the_other(f, backend):
    x, direction = np.array([0.0, 1.5, 2.5]), np.array([0.0, 1.0, 1.0])
    gradient = srcad.grad(f, backend=backend)
    wanted = [(f(x + h * d) - f(x - h * d)) / (2 * h) for h in (1e-6,) for d in np.diag(direction)]
    np.testing.assert_allclose(gradient(x), wanted, rtol=1e-6)
    np.testing.assert_allclose(srcad.jacfwd(f, backend=backend)(x), wanted, rtol=1e-6)
    twice = srcad.grad(lambda x: np.sum(gradient(x)[1:]))(x)
    slope = (gradient(x + 1e-6 * direction) - gradient(x - 1e-6 * direction)) / 2e-6
    np.testing.assert_allclose(twice[1:], slope[1:], rtol=1e-4, atol=1e-7)


NOT_LOOKED_FOR = {"gram_schmidt", "hidden_markov", "covariance", "leapfrog"}
PROGRAMS = [
    (each.fn, each.arguments()[0])
    for theme in (kernels, numerical, textbooks)
    for each in theme.program.programs
    if each.fn.__name__ in NOT_LOOKED_FOR
]


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_products_are_made_once_where_no_program_looks_for_nan(f, args):
    """What keeps 0 * inf from a gradient looks for NaN itself."""
    assert "isfinite" not in srcad.value_and_grad(f).source(*args)
