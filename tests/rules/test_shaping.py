import numpy as np
import pytest

from srcad.errors import SrcadError
from srcad.ir import ArrayType, Dim, NumberType
from srcad.rules import RULES, ZERO
from srcad.rules.arrays.joining import sum_extents
from srcad.rules.arrays.shaping import reshaped
from srcad.rules.core.infer import infer
from tests.rules.staging import Stage, vjp_text

N, M = Dim("n", never_one=True), Dim("m", never_one=True)
F8 = np.dtype(float)


@pytest.mark.parametrize(
    ("shape", "target", "result"),
    [
        ((2, 3), (3, -1), (3, 2)),
        ((N, M), (-1,), (Dim("n*m"),)),
        ((N, M), (NumberType(int, N), -1), (N, M)),
        ((N, 4, M), (NumberType(int, N), -1), (N, Dim("4*m"))),
        ((N, 1), (-1,), (N,)),
        ((N, 6), (NumberType(int, N), 2, -1), (N, 2, 3)),
    ],
)
def test_the_missing_extent_of_a_reshape(shape, target, result):
    assert reshaped(shape, target) == result


def test_a_missing_extent_that_cannot_be_told_is_a_new_one():
    (extent,) = set(reshaped((N, M), (3, -1))) - {3}
    assert isinstance(extent, Dim)
    assert not extent.never_one


def test_a_product_with_an_extent_that_is_not_1_is_not_1():
    (extent,) = reshaped((N, 3), (-1,))
    assert extent.never_one


def test_padding_and_slicing_gives_the_extent_it_was():
    stage = Stage()
    x = stage.array("x", "n")
    assert np.pad(x, 1)[1:-1].type == x.type
    assert np.diff(np.pad(x, (0, 1))).type == x.type


@pytest.mark.parametrize(
    ("parts", "total"),
    [
        ([2, 3], "5"),
        ([N, 2], "n+2"),
        ([N, M], "n+m"),
        ([N.shortened(1), 1], "max(0,n-1)+1"),
    ],
)
def test_extents_laid_end_to_end(parts, total):
    assert str(sum_extents(parts)) == total


def test_the_piece_of_a_joined_array_has_its_shape_and_costs_no_sum():
    stage = Stage()
    a, b = stage.array("a", "n"), stage.array("b", "m")
    assert vjp_text(np.concatenate, 0, stage, [a, b]).splitlines()[-1] == "return [t_3, t_6]"
    a_bar = RULES[np.concatenate].vjps[0](stage.array("g", "k"), None, [a, b])[0]
    assert a_bar.type.shape == a.type.shape


def test_constants_may_be_joined():
    x = np.ones(2)
    y = np.concatenate([x, np.zeros(3)])
    y_dot = RULES[np.concatenate].jvp(([np.full(2, 7.0), ZERO],), y, [x, np.zeros(3)])
    np.testing.assert_array_equal(y_dot, [7, 7, 0, 0, 0])


def test_nested_lists_of_numbers_and_arrays():
    rule = RULES[np.array]
    tree = [[1.0, 2.0], [3.0, 4.0]]
    g = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert rule.vjps[0](g, np.array(tree), tree) == [[1.0, 2.0], [3.0, 4.0]]
    y_dot = rule.jvp(([[ZERO, 5.0], ZERO],), np.array(tree), tree)
    np.testing.assert_array_equal(y_dot, [[0, 5], [0, 0]])
    mixed = [np.ones(2), [3.0, 4.0]]
    first, second = rule.vjps[0](g, np.array(mixed), mixed)
    np.testing.assert_array_equal(first, [1, 2])
    assert second == [3.0, 4.0]


def test_integers_in_a_list_get_no_cotangent():
    assert RULES[np.array].vjps[0](np.ones(2), np.ones(2), [1.0, 2]) == [1.0, ZERO]


def test_a_cast_to_integers_has_no_derivative():
    x = np.array([1.5, 2.5])
    rule = RULES[np.astype]
    assert rule.jvp((np.ones(2), ZERO), x.astype(int), x, int) is ZERO
    assert rule.vjps[0](np.ones(2), x.astype(int), x, int) is ZERO


def test_the_cotangent_of_a_cast_has_the_old_dtype():
    x = np.ones(3, np.float32)
    x_bar = RULES[np.astype].vjps[0](np.ones(3), x.astype(float), x, float)
    assert x_bar.dtype == np.float32
    z_bar = RULES[np.astype].vjps[0](np.ones(3) + 1j, x.astype(complex), x, complex)
    assert z_bar.dtype == np.float32


@pytest.mark.parametrize(
    ("fn", "args", "options", "code"),
    [
        (np.reshape, (ArrayType(F8, (2, 3)), (4,)), {}, "E404"),
        (np.concatenate, ([ArrayType(F8, (2, 3)), ArrayType(F8, (2, 4))],), {}, "E406"),
        (np.stack, ([ArrayType(F8, (2,)), ArrayType(F8, (2, 4))],), {}, "E406"),
        (np.concatenate, ([ArrayType(F8, (2,))],), {"axis": 1}, "E403"),
        (np.swapaxes, (ArrayType(F8, (2, 3)), 0, 2), {}, "E403"),
        (np.split, (ArrayType(F8, (5,)), 2), {}, "E400"),
        (np.split, (ArrayType(F8, (N,)), NumberType(int)), {}, "E123"),
        (np.tril, (ArrayType(F8, (N,)),), {}, "E203"),
        (np.pad, (ArrayType(F8, (N,)), NumberType(int)), {}, "E123"),
    ],
)
def test_refused_uses(fn, args, options, code):
    with pytest.raises(SrcadError) as refusal:
        infer(fn, args, options)
    assert refusal.value.code == code


def test_splitting_an_unknown_extent_gives_equal_pieces():
    first, second = infer(np.split, (ArrayType(F8, (N, 3)), 2), {})
    assert first == second
    pieces = infer(np.split, (ArrayType(F8, (N,)), [2, -1]), {})
    assert [str(t) for t in pieces] == ["f64[n[:2:1]]", "f64[n-3]", "f64[n[-1::1]]"]


def test_squeeze_without_an_axis_needs_extents_known_to_be_1_or_not():
    unclear = ArrayType(F8, (Dim("k"), 1))
    assert infer(np.squeeze, (unclear,), {}).shape is None
    assert infer(np.squeeze, (ArrayType(F8, (N, 1)),), {}).shape == (N,)


def test_equal_extents_need_no_unbroadcasting():
    stage = Stage()
    x = stage.array("x", "n")
    assert vjp_text(np.broadcast_to, 0, stage, x, np.shape(x)).splitlines()[-1] == "return g"
