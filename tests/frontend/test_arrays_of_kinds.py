"""Arrays of numbers of several kinds are of the dtype that NumPy makes of them, or are refused."""

from __future__ import annotations

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError


def bounded(x):
    return np.array([max(v, 0) for v in x])


def clipped(x):
    return np.asarray(tuple(min(max(v, 0), 1) for v in x))


def beside(x):
    return x[:2] * [max(x[0], 0), max(x[1], 0)]


def product(x):
    return x @ [max(v, 0) for v in x]


def in_pairs(x):
    return np.array([[v, max(v, 0)] for v in x])


def appended_pairs(x):
    found = []
    for v in x:
        found.append((v, 1 if v > 0 else v))
    return np.array(found)


def by_data(x):
    two = [x[0], 0]
    return np.array([two[int(v > 1)] for v in x])


def least(x):
    return np.array([sorted([v, 0])[0] for v in x])


def looked_up(x):
    two = {0: 0, 1: x[0]}
    return np.array([two[int(v > 1)] for v in x])


def truths(x):
    return np.array([True if v > 1 else 2 for v in x])


def complexes(x):
    return np.array([1j if v > 1 else 2.0 for v in x])


def constants(x):
    return np.array([(1, v) for v in x])


DATA = [[0.5, 1.5, 2.5], [-1.0, -2.0, 0.5], [2.0, 3.0, 4.0], [-0.5, -1.5, -3.0]]
DTYPES = [np.float64, np.float32, np.int64, np.int8]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "f",
    [
        bounded, clipped, beside, product, in_pairs, appended_pairs, by_data, least, looked_up,
        truths, complexes, constants,
    ],
)  # fmt: skip
def test_the_dtype_is_numpys(f, dtype):
    compiled = srcad.compile(f, backend="numpy")
    for each in DATA:
        x = np.array(each).astype(dtype)
        wanted = f(x)
        try:
            found = compiled(x)
        except SrcadError:
            assert dtype is not np.float64 or f in (clipped, beside, truths, complexes)
            continue
        assert (found.dtype, found.tolist()) == (wanted.dtype, wanted.tolist())


def test_an_array_full_of_what_is_no_number():
    def of_texts(x):
        return np.sum(x), np.full(2, "a").dtype.name

    def of_objects(x):
        return np.sum(x), np.full(2, None).dtype.name

    x = np.ones(2)
    gradient = srcad.value_and_grad(of_texts, has_aux=True)
    assert gradient(x)[0] == srcad.compile(of_texts)(x) == of_texts(x)
    with pytest.raises(srcad.SrcadError, match="E132"):
        srcad.compile(of_objects)(x)
