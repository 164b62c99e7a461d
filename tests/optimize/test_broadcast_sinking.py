import numpy as np
import pytest
from optimize.passes import SPECIAL, check_pass
from optional import BACKENDS
from transform.programs import FLOAT, SCALAR, array, program

import srcad
from srcad.ir import show
from srcad.optimize.simplify.broadcast_sinking import sink_broadcasts

SIX = np.array(SPECIAL[:6])


def test_broadcasts_go_or_move_behind(golden):
    def written(b, g, x):
        spread = np.broadcast_to(g, np.shape(x))
        twice = 2.0 * spread
        return twice * x, -twice, twice + spread

    fn = program(written, g=SCALAR, x=array("n"))
    golden("optimize_broadcasts.txt", check_pass(sink_broadcasts, fn, (np.float64(-0.0), SIX)))


def test_casts_of_numbers_go(golden):
    def written(b, n, x):
        step = b.call(np.float64, n)
        return 2.0 * step * x, step - 1.0

    fn = program(written, n=FLOAT, x=array("n"))
    golden("optimize_casts.txt", check_pass(sink_broadcasts, fn, (0.1, SIX)))


def test_what_decides_shape_or_dtype_stays():
    f32 = array("n", dtype=np.float32)
    for written in (
        lambda b, g, x: np.broadcast_to(g, np.shape(x)) * 2.0,  # of a Python number
        lambda b, g, x: np.broadcast_to(g, np.shape(x)) * x,  # float64 * float32
        lambda b, g, x: np.exp(np.broadcast_to(g, np.shape(x))),
        lambda b, g, x: b.call(np.float64, g) == x,  # in float64
        lambda b, g, x: np.broadcast_to(g, np.shape(x)) == x,
        lambda b, g, x: x > np.float64(0.1),
        lambda b, g, x: b.call(np.astype, x, np.float64) - b.call(np.float32, g),  # it rounds
    ):
        fn = program(written, g=FLOAT, x=f32)
        assert sink_broadcasts(fn) is fn, show(fn)


def test_rows_broadcast_under_a_matrix_and_after_what_is_done_to_rows():
    def written(b, r, m):
        wide = np.broadcast_to(r, np.shape(m))
        return wide * m, wide * r

    fn = program(written, r=array("n"), m=array("k", "n"))
    text = check_pass(sink_broadcasts, fn, (np.arange(3.0), np.ones((2, 3))))
    assert "mul(r, m)" in text
    assert "mul(r, r)" in text


def test_columns_are_divided_by_before_the_broadcast():
    def written(b, g, c, m):
        wide = np.broadcast_to(g, np.shape(m)) / c
        return wide * m, np.sum(wide, axis=0)

    fn = program(written, g=SCALAR, c=array("k", 1), m=array("k", "n"))
    column = np.array([[2.0], [0.0]])
    text = check_pass(sink_broadcasts, fn, (np.float64(1.0), column, np.ones((2, 3))))
    assert "truediv(g, c)" in text


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_was_done_before_a_broadcast_may_be_written(backend):
    def written(r, m):
        wide = np.broadcast_to(r, m.shape) * r
        other = wide
        wide[0] = 5.0
        return wide, other * m

    def loss(r, m):
        return np.sum(written(r, m)[0] * m) + np.sum(written(r, m)[1])

    r, m = np.arange(1.0, 4.0), np.arange(6.0).reshape(2, 3)
    found, wanted = srcad.compile(written, backend=backend)(r, m), written(r, m)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.flags.writeable
    g = srcad.grad(loss, backend=backend)(r, m)
    np.testing.assert_allclose(g, 4 * r * m[1])
