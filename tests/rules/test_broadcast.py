import numpy as np
import pytest

from srcad.errors import ShapeError
from srcad.ir import ArrayType, Dim, NumberType, Value, show
from srcad.ir.nodes import Block, Function
from srcad.rules import ZERO, unbroadcast
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.facts import broadcast_shapes
from srcad.rules.core.staged import Builder, unwrap

F64 = np.dtype(float)
N, K, MAYBE = Dim("n", never_one=True), Dim("k", never_one=True), Dim("m")


def ops(g_type, x_type):
    """The ops that `unbroadcast` emits for these types, and the type of the result."""
    builder = Builder()
    g, x = Value("g", g_type), Value("x", x_type)
    out = unwrap(unbroadcast(builder.wrap(g), builder.wrap(x)))
    text = show(Function("f", Block([g, x], builder.body, [out])))
    return [line.strip() for line in text.splitlines()[1:-1]], out.type


def f64(*shape):
    return ArrayType(F64, shape)


@pytest.mark.parametrize(
    ("g", "x", "want"),
    [
        (f64(N, K), f64(N, K), []),
        (f64(3, 4), f64(3, 4), []),
        (f64(N, K), f64(K), ["t: f64[k] = sum(g, axis=0)"]),
        (f64(2, N, K), f64(K), ["t: f64[k] = sum(g, axis=(0, 1))"]),
        (f64(N, K), f64(N, 1), ["t: f64[n, 1] = sum(g, axis=1, keepdims=True)"]),
        (f64(N, K), f64(1, 1), ["t: f64[1, 1] = sum(g, axis=(0, 1), keepdims=True)"]),
        (f64(N, 1), f64(N, 1), []),
        (f64(N, K), f64(), ["t: f64 = sum(g)"]),
        (f64(N, K), NumberType(float), ["t: f64 = sum(g)"]),
        (f64(), f64(), []),
    ],
)
def test_known_shapes_need_no_helper(g, x, want):
    assert ops(g, x)[0] == want


def test_lead_and_ones_take_one_sum():
    lines, t = ops(f64(2, N, K), f64(1, K))
    assert lines[0] == "t: f64[k] = sum(g, axis=(0, 1))"
    assert len(lines) == 2
    assert t == f64(1, K)


@pytest.mark.parametrize("x", [f64(MAYBE), f64(N, MAYBE), ArrayType(F64, None)])
def test_what_is_not_known_is_left_to_the_helper(x):
    lines, _ = ops(f64(N, K), x)
    assert "unbroadcast(g, " in lines[-1]


def test_the_dtype_is_that_of_the_primal():
    lines, t = ops(f64(N), ArrayType(np.dtype(np.float32), (N,)))
    assert t.dtype == np.float32
    assert len(lines) == 1
    assert cast_like(np.ones(2, complex), np.ones(2)).dtype == np.float64
    assert cast_like(np.ones(2), np.ones(2, np.complex64)).dtype == np.complex64
    assert type(cast_like(1.5, np.float32(2))) is np.float32
    assert cast_like(ZERO, np.ones(2)) is ZERO


def test_arrays_are_summed_down():
    rng = np.random.default_rng(0)
    for shape in [(3, 4), (4,), (1, 4), (3, 1), (1, 1), ()]:
        g, x = rng.standard_normal((2, 3, 4)), rng.standard_normal(shape)
        x_bar = unbroadcast(g, x)
        assert np.shape(x_bar) == shape
        x_dot = rng.standard_normal(shape)
        np.testing.assert_allclose(np.sum(x_bar * x_dot), np.sum(g * x_dot))


def test_shapes_that_never_fit_are_refused():
    with pytest.raises(ShapeError, match="E401"):
        broadcast_shapes((3,), (4,))
