"""Writes into an array of which data says which of several it is; `corpus/chosen_arrays.py` has
programs in all modes.
"""

import functools

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.testing import check_grads

X = np.array([0.3, 0.2, 0.9])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("x", [X, -X])
def test_arrays_that_leave_are_one_where_pythons_are(x, backend):
    def both(x):
        a = x * 1.0
        y = a if x[0] > 0.1 else a.copy()
        y[0] = 5.0
        return a, y

    (a, y), (first, second) = srcad.compile(both, backend=backend)(x), both(x)
    np.testing.assert_array_equal(a, first)
    np.testing.assert_array_equal(y, second)
    assert (a is y) == (first is second)


@pytest.mark.parametrize("flag", [1.0, -1.0])
def test_one_of_two_arguments(flag):
    def changed(a, b, flag):
        y = a if flag > 0 else b
        y[0] = 5.0
        return np.sum(a * b)

    given, python = [np.ones(3), np.zeros(3)], [np.ones(3), np.zeros(3)]
    assert srcad.compile(changed)(*given, flag) == changed(*python, flag)
    np.testing.assert_array_equal(given, python)


@pytest.mark.parametrize("at", [0.5, 1.5, 2.5, -0.5, -1.5, -3.5])
def test_an_index_out_of_range(at):
    def stored(x):
        rows = [x * 1.0, x * 2.0]
        try:
            rows[int(x[0])][1] = 3.0
        except IndexError:
            rows[0][0] = 9.0
        return np.sum(rows[0] * x) + np.sum(rows[1])

    x = np.array([at, 1.0])
    value, gradient = srcad.value_and_grad(stored)(x)
    assert value == stored(x)
    slopes = [(stored(x + 1e-6 * e) - stored(x - 1e-6 * e)) / 2e-6 for e in np.eye(2)]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-6)


def test_a_view_is_read_and_written_through_the_one_it_is_of():
    def through(x):
        a, b = x * 1.0, x * 2.0
        tail = (a if x[0] > 0 else b)[1:]
        b[2] = 7.0
        tail[0] = tail[1] * x[0]
        return np.sum(a * x) + np.sum(b) + np.sum(tail)

    for x in (X, -X):
        value, gradient = srcad.value_and_grad(through)(x)
        assert value == through(x)
        slopes = [(through(x + 1e-6 * e) - through(x - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
        np.testing.assert_allclose(gradient, slopes, rtol=1e-6)


def test_what_holds_one_made_on_a_path_twice_is_refused():
    def held(x):
        if x[0] > 0:
            y = x * 2.0
            tail = y[1:]
        else:
            y = tail = x * 3.0
        y[1] = 0.0
        return np.sum(tail**2)

    with pytest.raises(srcad.SrcadError, match="E117"):
        srcad.grad(held)(X)


@pytest.mark.parametrize("x", [X, -X])
def test_arrays_of_two_dtypes(x):
    def written(x):
        single, double = x.astype(np.float32), x * 2.0
        y = single if x[0] > 0 else double
        y[0] = 1 / 3
        return np.sum(single) + np.sum(double)

    value, gradient = srcad.value_and_grad(written)(x)
    assert value == written(x)
    np.testing.assert_allclose(gradient, [1.0, 3.0, 3.0] if x[0] < 0 else [2.0, 3.0, 3.0])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_an_argument_that_later_iterations_write(n, backend):
    def written(x, n):
        y = np.zeros(3)
        for _ in range(n):
            y += 1.0
            y = x
        return y + x

    x, python = X.copy(), X.copy()
    np.testing.assert_array_equal(srcad.compile(written, backend=backend)(x, n), written(python, n))
    np.testing.assert_array_equal(x, python)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_a_view_that_the_first_iteration_reads(n):
    def read(x, n):
        y = x * 1.0
        part = y[1:]
        for _ in range(n):
            y[1] = 2.0
            part = part * part
        return np.sum(part * x[1:])

    slopes = [(read(X + 1e-6 * e, n) - read(X - 1e-6 * e, n)) / 2e-6 for e in np.eye(3)]
    value, gradient = srcad.value_and_grad(read)(X, n)
    assert value == read(X, n)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_the_best_of_a_loop_may_be_the_argument(n):
    def best_of(x, n):
        best = step = x
        for k in range(n):
            step = step * 0.7
            if np.sum(step) > 0.2 * k:
                best = step
        best[0] = 1.0
        return np.sum(best * x), np.sum(step)

    x, python = X.copy(), X.copy()
    assert srcad.compile(best_of)(x, n) == best_of(python, n)
    np.testing.assert_array_equal(x, python)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("rows", [0, 4])
@pytest.mark.parametrize("bound", [0.3, -9.0, 9.0])
def test_a_row_that_no_iteration_may_have_found(bound, rows, backend):
    def found(x, bound):
        m = x * 2.0
        row = None
        for k in range(len(m)):
            if m[k, 0] > bound:
                row = m[k]
        if row is not None:
            row[1] = 5.0
        return np.sum(m**2)

    def demanded(x, bound):
        m = x * 2.0
        row = None
        for k in range(len(m)):
            if m[k, 0] > bound:
                row = m[k]
        row[1] = 5.0
        return np.sum(m**2)

    x = np.linspace(-1.0, 1.0, 3 * rows).reshape(rows, 3)
    for fn in (found, demanded):
        try:
            wanted = fn(x, bound)
        except TypeError:
            with pytest.raises(TypeError):
                srcad.grad(fn, backend=backend)(x, bound)
        else:
            assert srcad.value_and_grad(fn, backend=backend)(x, bound)[0] == pytest.approx(wanted)
            if rows:
                check_grads(functools.partial(fn, bound=bound), (x,))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("bound", [0.3, -9.0, 9.0])
def test_a_row_of_what_the_loop_writes_where_the_name_was_unbound(bound, backend):
    def f(x, bound):
        m = x * 2.0
        for k in range(len(m)):
            if m[k, 0] < bound:
                row = m[:, k]
            m[k, 2] *= 1.5
        row[1] += 5.0
        return np.sum(m**2) + row[0]

    x = np.linspace(-1.0, 1.0, 9).reshape(3, 3)
    compiled = srcad.value_and_grad(f, backend=backend)
    if bound < -1:
        with pytest.raises(UnboundLocalError):
            compiled(x, bound)
    else:
        assert compiled(x, bound)[0] == pytest.approx(f(x, bound))
        check_grads(functools.partial(f, bound=bound), (x,))
