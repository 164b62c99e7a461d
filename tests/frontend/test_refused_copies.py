"""`copy=False` gives the very array, or raises what NumPy raises where it would have to copy."""

import numpy as np
import pytest

import srcad
from srcad.frontend.written.choices import REFUSES_COPIES

X = np.array([1.5, 2.5])
K = np.array([1, 2])


def unread(x):
    np.asarray(x, dtype=np.float32, copy=False)
    return x


def unread_array(x):
    np.array(x, dtype=np.float32, copy=False)
    return x


def of_other_order(x):
    return np.asarray(x, dtype=">f8", copy=False)


def of_a_list(x):
    return np.asarray([x[0], x[1]], copy=False)


def of_a_number(x):
    return np.array(3.0, copy=False)


def handled(x):
    try:
        return np.asarray(x, dtype=np.float32, copy=False)
    except ValueError:
        return x * 2


def compared(x):
    return np.asarray(x, copy=False, dtype="f4") is x


def itself(x):
    return np.asarray(x, copy=False)


def of_its_dtype(x):
    y = np.asarray(x, dtype=x.dtype, copy=False)
    y[0] = 7
    return x


def a_view(x):
    return np.array(x[:1], copy=False)


def method_may_copy(x):
    return x.astype(np.float32, copy=False)


def function_may_copy(x):
    return np.astype(x, np.float32, copy=False)


@pytest.mark.skipif(not REFUSES_COPIES, reason="before NumPy 2 it was a wish")
@pytest.mark.parametrize("x", [X, K], ids=["float", "int"])
@pytest.mark.parametrize(
    "f",
    [
        *(unread, unread_array, of_other_order, of_a_list, of_a_number, handled, compared, itself),
        *(of_its_dtype, a_view, method_may_copy, function_may_copy),
    ],
)
def test_copies(f, x):
    given, own = x.copy(), x.copy()
    try:
        wanted = f(own)
    except ValueError:
        with pytest.raises(ValueError, match="avoid copy"):
            srcad.compile(f, backend="numpy")(given)
        return
    got = srcad.compile(f, backend="numpy")(given)
    assert np.array_equal(got, wanted)
    assert got.dtype == wanted.dtype
    assert np.array_equal(given, own)
    assert np.shares_memory(got, given) == np.shares_memory(wanted, own)


def test_the_order_in_memory_is_refused():
    def f(x):
        return np.asarray(x, order="F", copy=False)

    with pytest.raises(srcad.SrcadError):
        srcad.compile(f)(np.ones((2, 3)))
