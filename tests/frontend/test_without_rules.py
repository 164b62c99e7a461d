"""Library functions without a rule: a trial tells the types of results; the program checks them."""

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
