"""Results of functions that write arrays lie in memory as Python's."""

import numpy as np
import pytest

import srcad


def diffuse(u):
    u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u * 2.0


def in_a_loop(u):
    for _ in range(3):
        u[0] = 1.0
    return u + 1.0


def on_a_path(u):
    if u[0, 0, 0] > -1.0:
        u[0] = 1.0
    return u + 1.0


def in_a_handler(u):
    try:
        u[100] = 1.0
    except IndexError:
        u[0] = 1.0
    return u - 1.0


def of_a_temporary(u):
    before = u * 2.0
    after = before * 1.0
    after[0] = 3.0
    return before * after, before


def of_a_view(u):
    t = u[1:] * 1.0
    part = t[1:]
    t[0] = 2.0
    return part, t


def rows_of_their_own(u):
    v = u.copy()
    v[0] = 1.0
    return v


def counted(u, n):
    if n == 0:
        u[0] = 5.0
        return u * 2.0
    u[1:] += 1.0
    return counted(u * 2.0, n - 1)


def called(u):
    return counted(u, 3)


PROGRAMS = [
    diffuse, in_a_loop, on_a_path, in_a_handler, of_a_temporary, of_a_view, rows_of_their_own,
    called,
]  # fmt: skip
LAYOUTS = {
    "rows": lambda x: x,
    "columns": np.asfortranarray,
    "turned": lambda x: x.transpose(1, 2, 0),
}


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_results_keep_the_order_in_memory(f):
    compiled = srcad.compile(f)
    for layout in LAYOUTS.values():
        wanted, found = (each(layout(np.arange(60.0).reshape(5, 4, 3))) for each in (f, compiled))
        pairs = zip(*(x if isinstance(x, tuple) else (x,) for x in (wanted, found)), strict=True)
        for a, b in pairs:
            np.testing.assert_array_equal(a, b)
            assert a.strides == b.strides


def written(u):
    u[0] = 1.0
    return np.sum(u**2)


def test_one_axis_and_derivatives_are_copied_as_people_write_it():
    assert "u.copy()" in srcad.compile(written).source(np.ones(3))
    assert "np.array(u)" in srcad.compile(written).source(np.ones((3, 2)))
    assert "u.copy()" in srcad.grad(written).source(np.ones((3, 2)))
