"""Questions about memory: answered as Python does, or refused."""

import numpy as np
import pytest

import srcad


def value(f, *args):
    return srcad.value_and_grad(f)(*args)[0]


@pytest.mark.parametrize("n", [0, 1, 4])
@pytest.mark.parametrize(
    "part", [lambda x: x[1:], lambda x: x.T, lambda x: x.copy(), lambda x: x[::-1].reshape(-1, 1)]
)
def test_shared_memory(part, n):
    def loss(x):
        return np.sum(x) + (1.0 if np.shares_memory(x, part(x)) else 2.0)

    x = np.ones(n)
    assert value(loss, x) == loss(x)


def test_shared_memory_that_is_not_known():
    def loss(x, y):
        return np.sum(x) * (2.0 if np.may_share_memory(x, y) else 3.0)

    def halves(x):
        return np.sum(x) * (2.0 if np.shares_memory(x[:1], x[1:]) else 3.0)

    with pytest.raises(srcad.SrcadError, match=r"E204.*np\.may_share_memory"):
        value(loss, np.ones(2), np.ones(2))
    with pytest.raises(srcad.SrcadError, match=r"E204.*np\.shares_memory"):
        value(halves, np.ones(4))


def test_writeable_arrays():
    def loss(x):
        return np.sum(x) * (2.0 if x.T.flags.writeable else 3.0)

    x, fixed = np.ones(3), np.ones(3)
    fixed.flags.writeable = False
    compiled = srcad.value_and_grad(loss)
    assert [compiled(a)[0] for a in (x, fixed, x)] == [6.0, 9.0, 6.0]


def test_writeable_on_one_path_is_refused():
    def loss(x, k):
        y = np.broadcast_to(x, (2, 3)) if k > 0 else np.ones((2, 3))
        return np.sum(y) * (2.0 if y.flags.writeable else 3.0)

    with pytest.raises(srcad.SrcadError, match=r"E204.*flags\.writeable"):
        value(loss, np.ones(3), 1.0)
    with pytest.raises(srcad.SrcadError, match=r"E204.*flags\.f_contiguous"):
        value(lambda x: np.sum(x) * (2.0 if x.flags.f_contiguous else 3.0), np.ones(3))


def test_whether_an_array_lies_row_by_row_is_asked_of_each_argument():
    def loss(x):
        return np.sum(x) * (2.0 if x.flags.c_contiguous else 3.0)

    compiled = srcad.value_and_grad(loss)
    x = np.ones((2, 3))
    arrays = (x, np.asfortranarray(x), x[:, ::2], x[:, :1], x.T.copy(), np.ones((2, 1, 3))[:, 0])
    for each in (*arrays, x):
        assert compiled(each)[0] == loss(each)


def test_two_inputs_on_paths_that_are_one_object():
    def loss(x, y, k):
        a = x if k > 0 else x * 2
        b = y if k > 1 else y * 3
        return np.sum(a) * (2.0 if a is b else 3.0)

    x, y = np.ones(2), np.ones(2)
    compiled = srcad.value_and_grad(loss)
    assert compiled(x, y, 2.0)[0] == loss(x, y, 2.0)
    with pytest.raises(srcad.SrcadError, match="E128"):
        compiled(x, x, 2.0)
    assert compiled(x, y, -1.0)[0] == loss(x, y, -1.0)
