"""Rules with an adjoint alone, `vjp=` or `fwd=` and `bwd=`, in every transformation and backend."""

import numpy as np
import pytest

import srcad
from srcad import rules
from srcad.errors import MissingRule, RuleError
from srcad.testing import check_rule


@rules.rule(vjp=lambda g, y, a, b: (g * b * np.cos(a * b), g * a * np.cos(a * b)))
def wave(a, b):
    return np.sin(a * b)


def wave_kept(a, b):
    return np.sin(a * b)


def wave_forward(a, b):
    ab = a * b
    return np.sin(ab), {"slope": np.cos(ab), "factors": [a, b], "name": "wave"}


def wave_backward(residuals, g):
    a, b = residuals["factors"]
    assert residuals["name"] == "wave"
    return g * residuals["slope"] * b, g * residuals["slope"] * a


rules.rule(wave_kept, fwd=wave_forward, bwd=wave_backward)
ONE_WAY = pytest.mark.parametrize("f", [wave, wave_kept])
A, B = np.array([0.3, -0.4, 0.5]), np.array([1.5, 0.2, -0.7])


def value(f):
    return lambda a, b: np.sum(f(a, b) ** 2 * a)


def plain(a, b):
    return np.sum(np.sin(a * b) ** 2 * a)


@ONE_WAY
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_reverse_mode_takes_a_rule_without_tangent(f, backend):
    if backend == "native":
        pytest.importorskip("numba")
    found = srcad.value_and_grad(value(f), (0, 1), backend=backend)(A, B)
    expected = srcad.value_and_grad(plain, (0, 1))(A, B)
    assert found[0] == expected[0]
    for x_bar, y_bar in zip(found[1], expected[1], strict=True):
        np.testing.assert_allclose(x_bar, y_bar, rtol=1e-13)


@ONE_WAY
def test_jacobians_and_hessians_are_made_in_reverse_where_there_is_no_tangent(f):
    jacobian = srcad.jacobian(lambda a: f(a, 2.0))(A)
    np.testing.assert_allclose(jacobian, np.diag(2 * np.cos(2 * A)), rtol=1e-13)
    hessian = srcad.hessian(value(f))(A, B)
    np.testing.assert_allclose(hessian, srcad.hessian(plain)(A, B), rtol=1e-12, atol=1e-14)
    product = srcad.hvp(value(f), (0, 1))(A, B, (B, A))
    expected = srcad.hvp(plain, (0, 1))(A, B, (B, A))
    np.testing.assert_allclose(np.array(product), np.array(expected), rtol=1e-12, atol=1e-14)
    per_row = srcad.vmap(srcad.grad(value(f)))(np.stack([A, B]), np.stack([B, A]))
    np.testing.assert_allclose(per_row[1], srcad.grad(plain)(B, A), rtol=1e-12)


@ONE_WAY
def test_a_loop_saves_what_the_backward_reads(f):
    def states(x):
        s = 1.0
        for v in x:
            s = s + f(v, s)
        return s

    def by_operations(x):
        s = 1.0
        for v in x:
            s = s + np.sin(v * s)
        return s

    np.testing.assert_allclose(srcad.grad(states)(A), srcad.grad(by_operations)(A), rtol=1e-13)


@ONE_WAY
@pytest.mark.parametrize("transform", ["jvp", "jacfwd"])
def test_forward_mode_is_refused_at_the_users_line(f, transform):
    def line(a):
        b = a + 1.0
        return np.sum(f(a, b))

    calls = {
        "jvp": lambda: srcad.jvp(line, (A,), (A,)),
        "jacfwd": lambda: srcad.jacfwd(line)(A),
    }
    with pytest.raises(MissingRule, match=r"E206.*wave.* has no derivative") as found:
        calls[transform]()
    assert found.value.location.line == line.__code__.co_firstlineno + 2


@ONE_WAY
def test_a_gradient_inside_is_differentiated_again(f):
    def slope(a):
        return np.sum(srcad.grad(value(f))(a, B) ** 2)

    def of_plain(a):
        return np.sum(srcad.grad(plain)(a, B) ** 2)

    np.testing.assert_allclose(srcad.grad(slope)(A), srcad.grad(of_plain)(A), rtol=1e-12)
    assert "attached" not in srcad.grad(slope).source(A)


def test_a_backward_of_several_results():
    @rules.rule(fwd=lambda x: ((x * 2, np.sum(x)), x), bwd=lambda x, g: 2 * g[0] + g[1])
    def pair(x):
        return x * 2, np.sum(x)

    def f(x):
        doubled, total = pair(x)
        return np.sum(doubled**2) * total

    expected = srcad.grad(lambda x: np.sum((2 * x) ** 2) * np.sum(x))(A)
    np.testing.assert_allclose(srcad.grad(f)(A), expected, rtol=1e-13)
    check_rule(pair, A)
    rules.rule(pair, fwd=lambda x: ((x * 2, np.sum(x)), x), bwd=lambda x, g: 3 * g[0] + g[1])
    with pytest.raises(AssertionError, match="differences give"):
        check_rule(pair, A)


@pytest.mark.parametrize(
    ("stated", "note"),
    [
        ({"vjp": lambda g, y, a, b: g}, "one result; it has 2 inputs"),
        (
            {"vjp": lambda g, y, a, b: (g, None)},
            "is a NoneType, not an array or a number (none is `srcad.rules.ZERO`)",
        ),
        ({"fwd": lambda a, b: a * b, "bwd": lambda r, g: (g, g)}, "return y, residuals"),
        ({"fwd": lambda a, b: (a * b, a), "bwd": lambda r, g: (g,)}, "1 cotangents; it has 2"),
    ],
)
def test_what_a_backward_gives_is_checked(stated, note):
    def multiply(a, b):
        return a * b

    rules.rule(multiply, **stated)
    with pytest.raises(RuleError, match="E605") as found:
        srcad.grad(lambda a, b: np.sum(multiply(a, b)), (0, 1))(A, B)
    assert note in str(found.value)
