"""`np.array` of a list of ints and floats is an array of ints where all items are."""

from __future__ import annotations

import numpy as np
import pytest
from optional import BACKENDS

import srcad


def as_it_is(x):
    return np.array([max(0, v) for v in x])


def stored_into(x):
    y = np.array([v if v > 0 else 0 for v in x])
    y[0] = 0.5
    return y


def divided_in_place(x):
    y = np.asarray([v if v > 0 else 0 for v in x])
    y /= 2
    return y


def zeros_like_it(x):
    y = np.asarray([v if v > 0 else 0 for v in x])
    z = np.zeros_like(y)
    z[0] = 0.7
    return z


def by_append(x):
    ys = []
    for v in x:
        if v < -1.5:
            ys.append(3)
        elif v < 0:
            ys.append(1)
        else:
            ys.append(v)
    y = np.array(ys)
    return y, y.sum(), y.max(), y // 2, y**2, y[0]


def counted(x):
    n = int(x[0])
    return np.array([v if v > 0 else n for v in x])


def never_of_ints(x):
    return np.array([max(v, 0) for v in x] + [0.0]), np.array([1.0, max(x[0], 0)])


PROGRAMS = [
    as_it_is, stored_into, divided_in_place, zeros_like_it, by_append, counted,
    never_of_ints,
]  # fmt: skip


def outcome(f, x):
    try:
        return repr(f(x.copy()))
    except Exception as problem:
        return type(problem).__name__


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", PROGRAMS)
def test_its_dtype_is_that_of_numpy(f, backend):
    compiled = srcad.compile(f, backend=backend)
    for x in ([-1.0, -2.0], [0.5, -2.0], [2.5, 1.5], [-3.0, -2.0]):
        assert outcome(compiled, np.array(x)) == outcome(f, np.array(x))


def asked_for(x):
    return np.array([max(0, v) for v in x]).dtype.kind


def decides(x):
    y = np.asarray([v if v > 0 else 0 for v in x])
    return y * 2 if y.dtype == float else y


def of_what_is_made_of_it(x):
    y = np.array([max(0, v) for v in x])
    return np.issubdtype((y * 2 + y[0]).dtype, np.integer)


@pytest.mark.parametrize("f", [asked_for, decides, of_what_is_made_of_it])
def test_it_is_refused_as_a_constant(f):
    with pytest.raises(srcad.SrcadError, match="E123"):
        srcad.compile(f, backend="numpy")(np.array([-1.0, -2.0]))


def settled(x):
    y = np.array([max(0, v) for v in x])
    return (y / 2).dtype.kind, (y + 0.5).dtype.kind, y * (1.0 if (y / 2).dtype == float else 3.0)


def test_what_is_made_of_it_may_have_one_dtype():
    x = np.array([-1.0, 2.0])
    assert repr(srcad.compile(settled, backend="numpy")(x)) == repr(settled(x))
