"""Derivatives of any order: values, sizes of programs, what is refused."""

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from srcad.pipeline.request import Request
from srcad.pipeline.stages import compile_request

X = np.linspace(0.1, 1.0, 5)


def product(x):
    return np.sin(x) * np.exp(x)


def power(x):
    return x**5


def saturated(x):
    return np.tanh(x)


def root(x):
    return np.sqrt(1 + x * x)


def size(f, order):
    """The number of statements of the program."""
    stages = {}
    request = Request("derivative", f)
    for _ in range(order - 1):
        request = Request("derivative", srcad.derivative(request.primal))
    compile_request(request, [X], frozenset(), watch=stages.__setitem__)
    return len(stages["optimize"].body.body)


@pytest.mark.parametrize("f", [product, power, saturated, root])
@pytest.mark.parametrize("order", [2, 3, 4, 5, 6])
def test_each_order_is_the_slope_of_the_one_before(f, order):
    h = 1e-4
    before = srcad.derivative(f, order - 1)
    steps = [(before(X + k * h) - before(X - k * h)) / (2 * k * h) for k in (1, 2)]
    wanted = (4 * steps[0] - steps[1]) / 3
    found = srcad.derivative(f, order)
    np.testing.assert_allclose(found(X), wanted, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found(float(X[2])), found(X)[2], rtol=1e-10)


@pytest.mark.parametrize(("f", "most"), [(product, 35), (power, 10), (saturated, 75), (root, 300)])
def test_programs_of_the_sixth_order_stay_small(f, most):
    # by reverse mode upon reverse mode they had 300 to 1,050 statements
    assert size(f, 6) <= most


def test_a_level_adds_about_as_much_as_the_one_before():
    sizes = [size(product, n) for n in range(1, 8)]
    steps = np.diff(sizes)
    assert max(steps) <= 8


@pytest.mark.parametrize("depth", [3, 4, 5])
def test_forward_mode_upon_itself_stays_small(depth):
    def along(f):
        return lambda x: srcad.jvp(f, (x,), (np.ones_like(x),))[1]

    f = product
    for _ in range(depth):
        f = along(f)
    text = srcad.grad(lambda x: np.sum(f(x))).source(X)
    assert len(text.splitlines()) <= 40 + 15 * depth
    np.testing.assert_allclose(f(X), srcad.derivative(product, depth)(X), rtol=1e-10)


def test_a_curve_has_a_velocity():
    def curve(t):
        return np.array([t, t**2, t**3]), {"angle": np.sin(t)}

    point, found = srcad.derivative(curve, 2)(2.0)
    np.testing.assert_allclose(point, [0.0, 2.0, 12.0])
    assert found["angle"] == pytest.approx(-np.sin(2.0))


def test_a_sum_of_an_elementwise_function_has_its_gradient():
    np.testing.assert_allclose(srcad.derivative(lambda x: np.sum(x**3))(X), 3 * X**2)
    np.testing.assert_allclose(srcad.derivative(lambda x: np.sum(x**3), 2)(X), 6 * X)


@pytest.mark.parametrize("x", [np.float32(0.5), np.ones(3, np.float32), np.array(0.5), 0.5])
def test_type_and_shape_are_those_of_the_argument(x):
    for order in (1, 2, 3):
        found = srcad.derivative(np.sin, order)(x)
        assert np.shape(found) == np.shape(x)
        assert np.asarray(found).dtype == np.asarray(x).dtype


def test_complex_numbers():
    assert srcad.derivative(lambda t: np.exp(1j * t))(0.0) == 1j
    assert srcad.derivative(lambda z: z**3, 2, holomorphic=True)(2j) == 12j


@pytest.mark.parametrize(
    ("f", "x", "code"),
    [
        (lambda x: 3, 1.0, "E306"),
        (lambda x: None, 1.0, "E316"),
        (lambda z: z * z, 1j, "E306"),
        (lambda z: abs(z), 1j, "E306"),
        (lambda x: x, 3, "E301"),
        (lambda z: z.real, 1j, "E306"),
    ],
)
def test_refusals(f, x, code):
    with pytest.raises(SrcadError) as refused:
        srcad.derivative(f)(x)
    assert refused.value.code == code


def test_nothing_is_saved():
    assert srcad.derivative(product, 2).saved(X).total == 0
