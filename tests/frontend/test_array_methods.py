"""Methods of arrays whose signature is not that of the function of NumPy."""

import numpy as np
import pytest
from frontend.as_numpy import as_numpy, value_as_numpy

import srcad

X = np.array([1.5, -0.25, 3.0])
M = np.array([[1.5, -0.5], [2.25, 0.125]])


def clipped_in_place(x):
    y = x * 2.0
    y.clip(0.0, out=y)
    return np.sum(y)


def clipped_rows(x):
    rows = [x, x * 2.0]
    return sum(row.clip(0.0).sum() for row in rows)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(x.clip(0.0)),
        lambda x: np.sum(x.clip(*(0.0,))),
        lambda x: np.sum(x.clip(0.0, max=1.0)),
        lambda x: np.sum(x.clip(None, 1.0)),
        lambda x: np.sum(x.clip(np.zeros(3))),
        lambda x: x[0].clip(0.0) * x[1].clip(0.0),
        clipped_in_place,
        clipped_rows,
    ],
)
def test_clip_takes_one_bound(f):
    as_numpy(f, X)
    value_as_numpy(f, X)


@pytest.mark.parametrize(
    "f",
    [
        lambda m: m.reshape(shape=(4,)),
        lambda m: m.reshape(newshape=(4,)),
        lambda m: m.transpose(axes=(1, 0)),
        lambda m: m.swapaxes(axis1=0, axis2=1),
        lambda m: m.swapaxes(0),
    ],
)
def test_what_no_method_takes_is_refused(f):
    with pytest.raises(TypeError):
        f(M)
    with pytest.raises(srcad.SrcadError, match="signature"):
        srcad.compile(f)(M)


@pytest.mark.parametrize(
    "f",
    [
        lambda m: m.reshape(4, order="F"),
        lambda m: m.reshape((4,)) @ m.reshape(2, 2).reshape(-1),
        lambda m: m.transpose(1, 0) @ m.transpose(),
        lambda m: (m > 0.0).astype(int).choose([1.0, 2.0]),
        lambda m: (m > 0.0).astype(int).choose(1.0, 2.0),
        lambda m: m.swapaxes(0, 1),
    ],
)
def test_others_are_the_function(f):
    as_numpy(f, M)
