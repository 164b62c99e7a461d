"""Library functions without a rule: a trial tells the types of results; the program checks them."""

import functools

import numpy as np
import numpy.polynomial.polynomial as poly
import pytest

import srcad


def roots(c):
    return poly.polyroots(c)


def dtype_of_roots(x):
    return x, poly.polyroots(np.array([-1.0, 0.0, 1.0])).dtype


def test_a_result_of_the_tried_type():
    c = np.array([1.0, 0.0, 1.0])
    np.testing.assert_array_equal(srcad.compile(roots)(c), roots(c))


@pytest.mark.parametrize(("f", "x"), [(roots, np.array([-1.0, 0.0, 1.0])), (dtype_of_roots, 1.0)])
def test_values_that_decide_on_another_dtype_are_refused(f, x):
    """The dtype of real roots was said to be complex."""
    with pytest.raises(srcad.SrcadError, match="E207"):
        srcad.compile(f, backend="numpy")(x)


def with_a_handler(c):
    try:
        return np.sum(np.abs(poly.polyroots(c)))
    except TypeError:
        return c[0]


def with_any_handler(c):
    try:
        return np.sum(np.abs(poly.polyroots(c)))
    except Exception:
        return c[0]


@pytest.mark.parametrize(("f", "code"), [(with_a_handler, "E207"), (with_any_handler, "E103")])
def test_no_handler_of_the_program_takes_the_refusal(f, code):
    with pytest.raises(srcad.SrcadError, match=code):
        srcad.compile(f, backend="numpy")(np.array([-1.0, 0.0, 1.0]))


def test_a_trial_prints_nothing(capsys):
    integrate = pytest.importorskip("scipy.integrate")

    def f(x):
        return x * np.sum(integrate.romb([[1, 2, 3], [4, 5, 6]], show=True))

    f(1.0)
    once = capsys.readouterr().out
    srcad.compile(f)(1.0)
    assert capsys.readouterr().out == once


def test_times_that_are_asked_for_keep_their_dtype():
    integrate = pytest.importorskip("scipy.integrate")

    def f(k, times):
        return integrate.solve_ivp(lambda t, y: -k * y, [0, 4], [2.0], t_eval=times).t

    for times in ([0, 1, 4], np.array([0, 2]), np.array([0.0, 2.5])):
        assert srcad.compile(f)(0.5, times).dtype == f(0.5, times).dtype


try:
    from scipy.linalg import blas, lapack
except ImportError:
    blas = lapack = None
X = np.array([1.5, 2.25, 0.5])
KEPT = np.array([1.0, 2.0])


def scaled(a):
    b = a * 1.0
    blas.dscal(2.0, b)
    return b.sum()


def scaled_by_data(a):
    b = a * 1.0
    blas.dscal(a[0], b)
    return b.sum()


def scaled_between_sums(a):
    s = a.sum()
    blas.dscal(2.0, a)
    return s * a.sum()


def copied(a):
    b, c = a * 1.0, a * 1.0
    c += 1.0
    blas.dcopy(b, c)
    return c.sum()


def exchanged(a):
    b, c = a * 1.0, a * 2.0
    blas.dswap(b, c)
    return c[0]


def by_a_partial(a):
    b = a * 1.0
    functools.partial(blas.dscal, 3.0)(b)
    return b.sum()


def by_map(a):
    b = a * 1.0
    list(map(blas.dscal, [2.0], [b]))
    return b.sum()


def captured(a):
    blas.dscal(2.0, KEPT)
    return KEPT.sum() * a[0]


def factorised_in_place(a):
    b = np.asfortranarray(np.outer(a, a) + 9.0 * np.eye(3))
    lapack.dgetrf(b, overwrite_a=True)
    return b.sum()


@pytest.mark.skipif(blas is None, reason="of SciPy")
@pytest.mark.parametrize("of", [srcad.compile, srcad.value_and_grad])
@pytest.mark.parametrize(
    "f",
    [
        scaled,
        scaled_by_data,
        scaled_between_sums,
        copied,
        exchanged,
        by_a_partial,
        by_map,
        captured,
        factorised_in_place,
    ],
)
def test_a_function_that_writes_into_its_argument_is_refused(f, of):
    """It was taken as one that writes nothing."""
    x, kept = X.copy(), KEPT.copy()
    with pytest.raises(srcad.SrcadError, match=r"E116|E133"):
        of(f, backend="numpy")(x)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(KEPT, kept)


def read(a):
    b = a * 1.0
    return b.sum() * blas.dnrm2(KEPT) + 0.0 * blas.ddot(KEPT, KEPT)


@pytest.mark.skipif(blas is None, reason="of SciPy")
def test_a_function_that_reads_its_argument_is_not():
    assert srcad.value_and_grad(read)(X)[0] == read(X)
