"""`np.vectorize`, `np.ndenumerate`, `np.diff` with ends: values, dtypes and exceptions of NumPy."""

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

X = np.array([0.3, 0.9, 1.4])
M = np.arange(6.0).reshape(2, 3) / 7


@np.vectorize
def clipped(a, b=0.5):
    if a > b:
        return b + 0.1 * (a - b)
    return a**2


def decorated(x):
    return clipped(x), clipped(x, 0.2), clipped(x[:, None], x)


def made_inside(x):
    f = np.vectorize(lambda v: v * 2 if v > 0.5 else v)
    return f(x), f(1.5), f(np.float64(0.2))


def counts(x):
    return np.vectorize(lambda v: 1 if v > 0.5 else 0)(x)


def of_ints(x):
    return np.vectorize(lambda k: k // 2)(np.arange(5)), np.vectorize(lambda k: k / 2)([1, 2])


def as_stated(x):
    return np.vectorize(lambda v: int(v * 10), otypes=[float])(x)


def differences(x):
    ends = np.diff(x, prepend=0), np.diff(x, append=x[0]), np.diff(x, prepend=x[:1], append=2.0)
    return *ends, np.diff(np.float32([1, 2]), append=0.5), np.diff(x, n=0, prepend=1.0)


def differences_of_rows(x):
    m = np.outer(x, x)
    return np.diff(m, axis=0, prepend=0.0), np.diff(m, n=2, append=m[:, :1]), np.diff(m, prepend=0)


def entries(x):
    found = [(i, j, v) for (i, j), v in np.ndenumerate(np.outer(x, x))]
    return found, [k for k, v in np.ndenumerate(x)], len(list(np.ndenumerate(np.zeros((2, 1, 2)))))


def shapes(x):
    b = np.broadcast(x[:, None], x)
    return b.shape, b.ndim, b.size, np.broadcast(x, 1.0).nd


@pytest.mark.parametrize(
    "fn",
    [
        decorated, made_inside, counts, of_ints, as_stated, differences, differences_of_rows,
        entries, shapes,
    ],
)  # fmt: skip
def test_as_numpy(fn):
    assert_alike(srcad.compile(fn)(X), fn(X))


def assert_alike(found, wanted):
    assert type(found) is type(wanted)
    if isinstance(wanted, tuple | list):
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted, strict=True):
            assert_alike(a, b)
    elif isinstance(wanted, np.ndarray):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_array_equal(found, wanted)
    else:
        assert found == wanted


def written_by_entry(m):
    out = np.zeros_like(m)
    for at, v in np.ndenumerate(m):
        if v > 0.7:
            break
        out[at] = v * v * (at[0] + 1)
    return np.sum(out)


def weighed(m):
    return np.sum(clipped(m) * np.diff(m, axis=0, prepend=m[:1], append=0.0)[1:])


@pytest.mark.parametrize("fn", [written_by_entry, weighed])
def test_derivatives(fn):
    m_bar = srcad.grad(fn)(M)
    for at in np.ndindex(M.shape):
        h = np.zeros_like(M)
        h[at] = 1e-6
        np.testing.assert_allclose(m_bar[at], (fn(M + h) - fn(M - h)) / 2e-6, atol=1e-8)


def mixed(x):
    return np.sum(np.vectorize(lambda v: 0 if v < 0.5 else v)(x))


def several(x):
    return np.sum(np.vectorize(lambda v: (v, v))(x)[0])


def printing(x):
    def f(v):
        print(v)
        return v

    return np.sum(np.vectorize(f)(x))


def counting(x):
    seen = []

    def f(v):
        seen.append(v)
        return v

    return np.sum(np.vectorize(f)(x)) + len(seen)


def excluding(x):
    return np.sum(np.vectorize(lambda v, c: v * c[0], excluded=["c"])(x, c=[2.0]))


def of_single_precision(x):
    return np.sum(np.vectorize(lambda v: v * 2)(x.astype(np.float32)))


@pytest.mark.parametrize(
    ("fn", "code"),
    [
        (mixed, "E123"), (several, "E132"), (printing, "E204"), (counting, "E204"),
        (excluding, "E204"), (of_single_precision, "E132"),
    ],
)  # fmt: skip
def test_refused(fn, code):
    with pytest.raises(SrcadError) as caught:
        srcad.grad(fn)(X)
    assert caught.value.code == code


def test_nothing_to_vectorize():
    with pytest.raises(ValueError, match="size 0"):
        srcad.compile(counts)(np.zeros(0))
    assert_alike(srcad.compile(as_stated)(np.zeros(0)), as_stated(np.zeros(0)))
