"""What NumPy refuses of its arguments raises: also where a derivative computes something else in
the place of the call, where nothing reads the result, and where an `except` waits for it.
"""

import numpy as np
import pytest

import srcad

X = np.array([0.5, 1.5, 0.25, 1.25])
M = np.array([[0.5, 1.0, 2.0], [1.5, 0.25, 0.75], [1.0, 2.0, 0.5]])
EXCEPTIONS = (ValueError, TypeError, IndexError, RuntimeError)

OF_HISTOGRAMS = [
    lambda x, m, k: np.histogram(x, bins=0)[1],
    lambda x, m, k: np.histogram(x, bins=k - 2)[1],
    lambda x, m, k: np.histogram(x, bins=4, range=(2.0, 1.0))[1],
    lambda x, m, k: np.histogram(x, bins=4, range=(x[1], x[0]))[1],
    lambda x, m, k: np.histogram(x, bins=4, range=(x[0], x[0] / 0.0))[1],
    lambda x, m, k: np.histogram(x, bins=np.array([2.0, 1.0, 0.0]))[1],
    lambda x, m, k: np.histogram(x, bins=x)[1],
    lambda x, m, k: np.histogram(x, bins=m)[1],
    lambda x, m, k: np.histogram_bin_edges(x, bins=0),
    lambda x, m, k: np.histogram_bin_edges(x, 4, None, x[1:]),
    lambda x, m, k: np.histogram2d(x, x, bins=(2, 0))[1],
    lambda x, m, k: np.histogram2d(x, x, bins=[2, x])[1],
]
OF_COVARIANCES = [
    lambda x, m, k: np.cov(m, fweights=np.array([1, -1, 2])),
    lambda x, m, k: np.cov(m, fweights=[1, -1, 2]),
    lambda x, m, k: np.cov(m, fweights=np.array([1.0, 1.5, 2.0])),
    lambda x, m, k: np.cov(m, fweights=np.ones((3, 1), int)),
    lambda x, m, k: np.cov(m, aweights=x[:3] - 1.0),
    lambda x, m, k: np.cov(m, aweights=x),
    lambda x, m, k: np.cov(m, aweights=m),
    lambda x, m, k: np.cov(m, ddof=1.5),
]
OF_OTHERS = [
    lambda x, m, k: np.polyfit(x, x, deg=-1),
    lambda x, m, k: np.polyfit(x, x, deg=k - 3),
    lambda x, m, k: np.resize(x, -1),
    lambda x, m, k: np.resize(x, (2, -1)),
    lambda x, m, k: np.resize(x, k - 3),
    lambda x, m, k: np.trim_zeros(x, "q"),
    lambda x, m, k: np.trim_zeros(x, ""),
    lambda x, m, k: np.concatenate((x, x), axis=None, casting="any"),
    lambda x, m, k: np.matmul(m, m, casting="any"),
    lambda x, m, k: np.take(x, 0, mode="any"),
    lambda x, m, k: np.max(x, keepdims="a"),
    lambda x, m, k: np.nanquantile(x, x),
    lambda x, m, k: np.nanpercentile(x, x[0] + 200.0),
]


def used(call):
    return lambda x, m, k: np.sum(x) + np.sum(call(x, m, k))


def unread(call):
    def f(x, m, k):
        call(x, m, k)
        return np.sum(x * x)

    return f


def handled(call):
    def f(x, m, k):
        try:
            y = np.sum(call(x, m, k))
        except EXCEPTIONS:
            y = 100.0 * x[0]
        return y + x[1]

    return f


def handled_unread(call):
    def f(x, m, k):
        y = x[1]
        try:
            call(x, m, k)
        except EXCEPTIONS:
            y = 100.0 * x[0]
        return y + x[1]

    return f


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("around", [used, unread, handled, handled_unread])
@pytest.mark.parametrize("call", OF_HISTOGRAMS + OF_COVARIANCES + OF_OTHERS)
def test_what_numpy_refuses_raises(call, around):
    f = around(call)
    args = X, M, 2
    try:
        wanted = f(*args)
    except EXCEPTIONS as problem:
        for run in (srcad.compile(f, backend="numpy"), srcad.value_and_grad(f)):
            with pytest.raises(type(problem)):
                run(*args)
        return
    assert srcad.compile(f, backend="numpy")(*args) == wanted
    assert srcad.value_and_grad(f)(*args)[0] == wanted


def test_a_degree_of_a_fit_is_cut_to_an_integer():
    def f(x):
        return np.sum(np.polyfit(np.arange(4.0), x, deg=1.5))

    assert srcad.value_and_grad(f)(X)[0] == pytest.approx(f(X))


def test_a_call_that_some_shapes_fit_is_made_once():
    def f(x, q):
        parts = np.stack([x, [1.0, 2.0, 3.0, 4.0]])
        return np.sum(np.quantile(x, q)) + np.sum(parts, where=np.ones((2, 4), bool))

    source = srcad.value_and_grad(f).source(X, np.array([0.25, 0.5]))
    lines = [line.strip() for line in source.splitlines()]
    assert not any(line.startswith(("np.stack(", "np.quantile(", "np.sum(")) for line in lines)


def filled(x):
    np.fill_diagonal(x, 1.0)


def filled_by_none(x):
    m = x.reshape(2, 2)
    np.fill_diagonal(m, [])
    m *= 2.0


def put_none(x):
    np.put(x, [0], [])


def put_by_a_mask(x):
    np.put(x, x > 1.0, 7.0)


def put_at_floats(x):
    np.put(x, np.array([0.5]), 1.0)


def placed_from_none(x):
    np.place(x, x > 1.0, [])


def placed_nowhere(x):
    np.place(x, x > 9.0, [])


def placed_by_a_short_mask(x):
    np.place(x, x[1:] > 1.0, [5.0])


def placed_by_a_flat_mask(x):
    np.place(x.reshape(2, 2), x > 1.0, [5.0, 6.0])


def masked_by_none(x):
    np.putmask(x, x > 1.0, [])


def put_along_another_axis(x):
    np.put_along_axis(x, np.array([1]), 0.0, 1)


def put_along_by_a_matrix(x):
    np.put_along_axis(x, np.array([[1]]), 0.0, 0)


@pytest.mark.parametrize(
    "write",
    [
        *(filled, filled_by_none, put_none, put_by_a_mask, put_at_floats, placed_from_none),
        *(placed_nowhere, placed_by_a_short_mask, placed_by_a_flat_mask, masked_by_none),
        *(put_along_another_axis, put_along_by_a_matrix),
    ],
)
def test_writers_look_at_their_arguments(write):
    def f(x):
        x = 1.0 * x
        write(x)
        return np.sum(x)

    try:
        wanted = f(X)
    except EXCEPTIONS as problem:
        for run in (srcad.compile(f, backend="numpy"), srcad.value_and_grad(f)):
            with pytest.raises((type(problem), srcad.SrcadError)):
                run(X)
        return
    assert srcad.compile(f, backend="numpy")(X) == wanted
    assert srcad.value_and_grad(f)(X)[0] == wanted


def test_functions_over_several_axes_look_at_them():
    def f(x):
        return np.sum(np.apply_over_axes(np.sum, x, [3]))

    with pytest.raises(IndexError):
        f(M)
    with pytest.raises(srcad.SrcadError, match="E403"):
        srcad.compile(f)(M)


@pytest.mark.parametrize("fn", [np.sort, np.argsort, np.sort_complex, np.fft.fft, np.flip, np.diff])
def test_forward_mode_of_a_number_without_axes(fn):
    def f(x):
        try:
            y = np.sum(np.abs(fn(x[0])))
        except (ValueError, IndexError):
            y = x[1]
        return y

    try:
        slope = srcad.jacfwd(f)(X)
    except srcad.SrcadError:
        return
    np.testing.assert_array_equal(slope, srcad.grad(f)(X))


@pytest.mark.filterwarnings("error")
def test_a_call_that_warns_is_no_call_that_raises():
    def f(x, k):
        y = np.var(x, ddof=k) + np.nanmean(x)
        return y if k < 3 else np.nanmean(x[4:]) + np.var(x, ddof=9)

    program = srcad.value_and_grad(f)
    assert program(X, 1)[0] == pytest.approx(f(X, 1))
    assert "\n        np.var(" not in program.source(X, 1)
