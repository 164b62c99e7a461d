"""Views of arrays, and how a write to one goes back."""

from __future__ import annotations

import numpy as np
import pytest

import srcad
from srcad.frontend.memory.views import View, is_read_only
from srcad.ir import Value
from srcad.ops.memory import is_view
from srcad.ops.table import row_of, rows
from srcad.rules.core.facts import type_of_constant
from srcad.rules.core.table import name_of

# Of what these return it is never known that it is a view, so that nothing goes back.
NEVER = (
    np.array, np.round, np.around, srcad.runtime.unbroadcast, srcad.runtime.own_view,
    srcad.runtime.plain_array, srcad.runtime.array_of_file,
)  # fmt: skip
VIEWS = [fn for fn in rows() if is_view(fn) and fn not in NEVER]


@pytest.mark.parametrize("fn", VIEWS, ids=name_of)
def test_a_write_to_a_view_has_a_way_back_or_is_refused(fn):
    x, y = (Value(name, type_of_constant(np.ones((3, 4), complex))) for name in "xy")
    # Imaginary parts of complex numbers are written, those of real ones are not.
    refused = row_of(fn).read_only and fn is not np.imag
    assert is_read_only(View(fn, x, (), {}, y)) == refused


@pytest.mark.parametrize("fn", [np.matrix_transpose, np.linalg.matrix_transpose], ids=name_of)
def test_what_is_written_to_a_transposed_matrix_is_written_to_the_matrix(fn):
    def f(x):
        y = x * 1.0
        fn(y)[0] = x[:, 0] ** 2
        return np.sum(y * np.arange(6.0).reshape(2, 3))

    x = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    value, x_bar = srcad.value_and_grad(f)(x)
    assert value == f(x)
    np.testing.assert_array_equal(x_bar, [[0.0, 1.0, 2.0], [24.0, 4.0, 5.0]])


def test_the_conjugate_of_real_numbers_is_another_array():
    def f(x):
        y = np.conjugate(x)
        y[0] = 5.0 * x[1]
        return np.sum(y * x)

    value, x_bar = srcad.value_and_grad(f)(x := np.array([1.0, 2.0, 3.0]))
    assert value == f(x)
    np.testing.assert_array_equal(x_bar, [10.0, 9.0, 6.0])


@pytest.mark.parametrize("part", ["real", "imag"])
def test_a_written_part_leaves_the_other_as_it_is(part):
    def real(z, v):
        z = z + 0
        z.real = v
        return z

    def imag(z, v):
        z = z + 0
        z.imag = v
        return z

    f = {"real": real, "imag": imag}[part]
    z = np.array([complex(np.inf, 1), complex(1, np.inf), complex(np.nan, 2), complex(0.0, -0.0)])
    v = np.array([1.0, np.inf, 2.0, -0.0])
    y, pullback = srcad.vjp(f, z, v)
    assert y.tobytes() == f(z, v).tobytes()
    z_bar, v_bar = pullback(np.full(4, 2 + 3j))
    np.testing.assert_array_equal(v_bar, 2.0 if part == "real" else -3.0)
    np.testing.assert_array_equal(z_bar, 3j if part == "real" else 2.0)


def broadcast_number(x):
    y = np.broadcast_to(1.0, (3,))
    y[0] = x
    return np.sum(y)


def diagonal_of_list(x):
    y = np.diagonal([[1.0, 2.0], [3.0, 4.0]])
    y[0] = x
    return np.sum(y)


def view_of_broadcast_number(x):
    y = np.broadcast_to(x, (3,)).reshape(3, 1)
    y[0] = 1.0
    return np.sum(y)


def one_of_broadcast_arrays(x):
    y, _ = np.broadcast_arrays(x * np.ones((3, 1)), np.ones((1, 4)))
    y[0, 0] = 7.0
    return np.sum(y)


REFUSED = [broadcast_number, diagonal_of_list, view_of_broadcast_number, one_of_broadcast_arrays]


@pytest.mark.parametrize("f", REFUSED, ids=name_of)
def test_what_cannot_be_written_entry_by_entry_is_not_written(f):
    with pytest.raises(srcad.SrcadError) as caught:
        srcad.value_and_grad(f)(1.5)
    assert caught.value.code == "E137"
