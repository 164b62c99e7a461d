"""Derivatives by and of arrays of the user's own classes: of their entries, as that class."""

import numpy as np
import pytest
from array_classes import Info, Signal
from optional import BACKENDS

import srcad


class Parted(np.ndarray):
    """Its attribute is what it was made of."""

    def __new__(cls, parts):
        parts = np.array(parts, dtype=float)
        made = super().__new__(cls, parts.shape, float, parts)
        made.parts = parts
        return made


HELD = Info(np.array([1.0, 2.0, 3.0]), info=2.0)
X = np.array([0.3, 1.2, -0.7])


def _energy(s):
    return s.energy()


def _by_attribute(s):
    return float(np.sum(np.sin(np.asarray(s)) * s[::-1])) * s.rate


def _in_loop(s):
    total = 0.0
    for k in range(len(s)):
        total += s[k] ** 2 * s.rate + np.exp(s[k] * s[k - 1])
    return total


def _made_anew(s):
    t = Signal(s * 2, rate=s.rate + 1)
    return np.sum(t**3 / t.rate)


_LOSSES = (_energy, _by_attribute, _in_loop, _made_anew)


def differences(f, x):
    steps = 1e-6 * np.eye(3)
    return [(float(f(x + e)) - float(f(x - e))) / 2e-6 for e in steps]


def is_alike(found, x):
    """Whether an array is of the class and has the attributes of another."""
    return type(found) is type(x) and vars(found) == vars(x) and found.shape == x.shape


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", _LOSSES)
def test_gradients_are_of_the_class(f, backend):
    s = Signal(X, rate=2.0)
    value, gradient = srcad.value_and_grad(f, backend=backend)(s)
    wanted = f(s)
    assert type(value) is type(wanted)
    assert value == pytest.approx(wanted, rel=1e-12)
    assert is_alike(gradient, s)
    assert np.asarray(gradient) == pytest.approx(differences(f, s), rel=1e-6)


@pytest.mark.parametrize("v", [Signal(X[::-1], rate=2.0), X[::-1].copy()])
def test_products_by_one(v):
    s = Signal(X, rate=2.0)
    g = srcad.grad(_by_attribute)(s)
    y, y_dot = srcad.jvp(_by_attribute, (s,), (v,))
    assert (y, y_dot) == pytest.approx((_by_attribute(s), np.dot(g, v)))
    _, at = srcad.linearize(_by_attribute, s)
    assert at(v) == pytest.approx(y_dot)
    _, pull = srcad.vjp(_by_attribute, s)
    assert is_alike(pull(2.0)[0], s)
    assert pull(2.0)[0] == pytest.approx(2 * g)
    found = srcad.hvp(_by_attribute)(s, v)
    e = 1e-6 * np.asarray(v)
    wanted = srcad.grad(_by_attribute)(s + e) - srcad.grad(_by_attribute)(s - e)
    assert is_alike(found, s)
    assert np.asarray(found) == pytest.approx(np.asarray(wanted) / 2e-6, rel=1e-6)


def test_matrices_by_one_are_plain():
    s = Signal(X, rate=2.0)
    jacobian = srcad.jacobian(lambda s: np.outer(s, s) * s.rate)(s)
    assert type(jacobian) is np.ndarray
    assert jacobian.shape == (3, 3, 3)
    hessian = srcad.hessian(lambda s: np.sum(s**3) / s.rate)(s)
    assert type(hessian) is np.ndarray
    assert hessian == pytest.approx(np.diag(3 * X))


def test_in_containers():
    def loss(p, a):
        return np.sum(p["w"] * p["a"] * a) * a.info

    p = {"w": X, "a": Info(X * 2, info="kg")}
    of_p, of_a = srcad.grad(loss, argnums=(0, 1))(p, HELD)
    assert type(of_p["w"]) is np.ndarray
    assert is_alike(of_p["a"], p["a"])
    assert is_alike(of_a, HELD)
    assert np.asarray(of_p["a"]) == pytest.approx(X * np.asarray(HELD) * 2)
    assert np.asarray(of_a) == pytest.approx(X * X * 4)


def _scaled(x):
    return Info(x**2, info=3.0) * HELD


@pytest.mark.parametrize("backend", BACKENDS)
def test_results_of_a_class(backend):
    wanted = _scaled(X)
    slope = 2 * X * np.asarray(HELD)
    y, y_dot = srcad.jvp(_scaled, (X,), (np.ones(3),), backend=backend)
    assert is_alike(y, wanted)
    assert is_alike(y_dot, wanted)
    assert np.asarray(y_dot) == pytest.approx(slope)
    y, pull = srcad.vjp(_scaled, X, backend=backend)
    assert is_alike(y, wanted)
    for y_bar in (np.ones(3), wanted * 0 + 1):
        (found,) = pull(y_bar)
        assert type(found) is np.ndarray
        assert found == pytest.approx(slope)
    y, at = srcad.linearize(_scaled, X, backend=backend)
    assert is_alike(y, wanted)
    assert is_alike(at(np.ones(3)), wanted)
    jacobian = srcad.jacobian(_scaled, backend=backend)(X)
    assert type(jacobian) is np.ndarray
    assert jacobian == pytest.approx(np.diag(slope))


def test_the_attribute_of_an_argument_is_that_of_the_result():
    y, y_dot = srcad.jvp(lambda a: a * a, (HELD,), (X,))
    assert is_alike(y, HELD)
    assert is_alike(y_dot, HELD)
    assert np.asarray(y_dot) == pytest.approx(2 * X * np.asarray(HELD))


@pytest.mark.parametrize(
    "derived",
    [
        srcad.jacobian,
        lambda f: lambda x: srcad.jvp(f, (x,), (x,)),
        lambda f: lambda x: srcad.vjp(f, x),
    ],
)
def test_an_attribute_that_varies_is_refused(derived):
    with pytest.raises(srcad.SrcadError, match="a Info with an attribute that varies") as caught:
        derived(lambda x: Info(x, info=x[0]))(X)
    assert caught.value.code == "E306"


def test_attributes_that_share_memory_are_refused():
    def loss(a):
        return float(np.sum(a.parts**2) + np.sum(np.asarray(a)))

    for made in (Parted(X), Parted(X)):
        assert srcad.compile(loss)(made) == pytest.approx(loss(made))
        with pytest.raises(srcad.SrcadError, match="whose attributes share its memory"):
            srcad.grad(loss)(made)
        with pytest.raises(srcad.SrcadError, match="whose attributes share its memory"):
            srcad.jvp(loss, (made,), (X,))
    apart = Parted(X)
    apart.parts = X * 3
    gradient = srcad.grad(loss)
    assert np.asarray(gradient(apart)).tolist() == [1.0] * 3
    with pytest.raises(srcad.SrcadError, match="whose attributes share its memory"):
        gradient(Parted(X))


def test_as_a_vector():
    tree = {"a": HELD, "n": 3}
    vector, unflatten = srcad.flatten(tree)
    assert vector.tolist() == [1.0, 2.0, 3.0]
    again = unflatten(vector * 2)
    assert is_alike(again["a"], HELD)
    assert again["a"].tolist() == [2.0, 4.0, 6.0]


def test_arrays_of_ints_have_none():
    counts = Info(np.arange(3), info="n")
    gradient = srcad.grad(lambda p: np.sum(p["n"] * p["w"]))({"n": counts, "w": X})
    assert gradient["n"] is None
    assert gradient["w"].tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(srcad.SrcadError, match="argument `a`") as caught:
        srcad.grad(lambda a: np.sum(a))(counts)
    assert caught.value.code == "E301"
