"""Gradients inside of functions, by objects of plain classes and of functions that change them."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad

X = np.array([1.0, 2.0, 3.0])


class Layer:
    def __init__(self, w, b):
        self.w = w
        self.b = b
        self.name = "layer"
        self.activation = np.tanh
        self.steps = 0

    def apply(self, x):
        return self.activation(self.w * x) + self.b

    def scale(self, x):
        self.w = self.w * x
        self.steps += 1


class Slotted:
    __slots__ = ("b", "w")

    def __init__(self, w, b):
        self.w, self.b = w, b


class Checked:
    def __init__(self, w, b):
        self.w, self.b = w, b

    @property
    def w(self):
        return self._w

    @w.setter
    def w(self, value):
        self._w = value


def energy(layer, x):
    return np.sum(np.tanh(layer.w * x)) * layer.b


def rescaled(x, layer):
    layer.w = layer.w * x
    return np.sum(layer.w**2)


def by_object(layer, x):
    g = srcad.grad(energy)(layer, x)
    return np.sum(g.w**2) + g.b


def by_its_attributes(layer, x):
    g, g_b = srcad.grad(lambda w, b: np.sum(np.tanh(w * x)) * b, (0, 1))(layer.w, layer.b)
    return np.sum(g**2) + g_b


def by_object_changed(layer, x):
    def changed(layer):
        layer.scale(x)
        layer.b += 1.0
        return np.sum(layer.apply(x)) * layer.b

    g = srcad.grad(changed)(layer)
    return np.sum(g.w * layer.w) + g.b * layer.b + layer.steps


def by_attributes_changed(layer, x):
    def changed(w, b):
        w, b = w * x, b + 1.0
        return np.sum(np.tanh(w * x) + b) * b

    g, g_b = srcad.grad(changed, (0, 1))(layer.w, layer.b)
    return np.sum(g * layer.w) + g_b * layer.b + layer.steps


def beside(layer, x):
    return np.sum(srcad.grad(rescaled)(x, layer) * layer.w)


def beside_plainly(layer, x):
    return np.sum(srcad.grad(lambda x: np.sum((layer.w * x) ** 2))(x) * layer.w)


def in_place(layer, x):
    def written(x, layer):
        layer.w *= x
        return np.sum(layer.w**2)

    return np.sum(srcad.grad(written)(x, layer) * layer.w)


def in_a_list(layer, x):
    g = srcad.grad(lambda layers: energy(layers[0], x) * energy(layers[1], x))([layer, layer])
    return np.sum(g[0].w ** 2) + g[1].b


def in_a_list_plainly(layer, x):
    def both(w, b, v, c):
        return np.sum(np.tanh(w * x)) * b * np.sum(np.tanh(v * x)) * c

    g = srcad.grad(both, (0, 3))(layer.w, layer.b, layer.w, layer.b)
    return np.sum(g[0] ** 2) + g[1]


PAIRS = {
    by_object: by_its_attributes,
    by_object_changed: by_attributes_changed,
    beside: beside_plainly,
    in_place: beside_plainly,
    in_a_list: in_a_list_plainly,
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", PAIRS, ids=lambda f: f.__name__)
def test_objects_are_as_their_attributes(f, backend):
    value, g = srcad.value_and_grad(f, backend=backend)(Layer(X + 0.5, 0.7), X / 2)
    expected, h = srcad.value_and_grad(PAIRS[f], backend=backend)(Layer(X + 0.5, 0.7), X / 2)
    assert np.isclose(value, expected)
    np.testing.assert_allclose(g.w, h.w)
    np.testing.assert_allclose(g.b, h.b)
    by_x = srcad.grad(f, 1, backend=backend)(Layer(X + 0.5, 0.7), X / 2)
    np.testing.assert_allclose(by_x, srcad.grad(PAIRS[f], 1)(Layer(X + 0.5, 0.7), X / 2))


@pytest.mark.parametrize("f", PAIRS, ids=lambda f: f.__name__)
def test_objects_stay_what_they_were(f):
    layer, w = Layer(X + 0.5, 0.7), X + 0.5
    for call in (srcad.grad(f), srcad.compile(f), f):
        call(layer, X / 2)
        np.testing.assert_array_equal(layer.w, w)
        assert (layer.b, layer.name, layer.steps) == (0.7, "layer", 0)
    assert np.isclose(srcad.compile(f)(layer, X / 2), f(layer, X / 2))


def test_attributes_in_slots():
    value, g = srcad.value_and_grad(by_object)(Slotted(X, 0.7), X / 2)
    expected, h = srcad.value_and_grad(by_object)(Layer(X, 0.7), X / 2)
    assert value == expected
    np.testing.assert_array_equal(g.w, h.w)


def test_attributes_that_come_and_go_are_seen():
    f = srcad.grad(by_object)
    layer = Layer(X, 0.7)
    first = f(layer, X / 2)
    layer.other = np.ones(2)
    second = f(layer, X / 2)
    np.testing.assert_array_equal(second.w, first.w)
    np.testing.assert_array_equal(second.other, np.zeros(2))
    del layer.other
    assert not hasattr(f(layer, X / 2), "other")


def test_attributes_behind_properties():
    _, g = srcad.value_and_grad(by_object)(Checked(X, 0.7), X / 2)
    _, h = srcad.value_and_grad(by_object)(Layer(X, 0.7), X / 2)
    np.testing.assert_array_equal(g.w, h.w)


def test_what_the_class_hides_is_refused():
    hiding = Checked(X, 0.7)
    hiding.__dict__["w"] = X
    with pytest.raises(srcad.SrcadError, match="an object of class `Checked`"):
        srcad.grad(by_object)(hiding, X / 2)


def test_an_object_that_leads_back_to_itself_is_refused():
    layer = Layer(X, 0.7)
    layer.own = [layer]
    with pytest.raises(srcad.SrcadError, match="E322"):
        srcad.grad(by_object)(layer, X / 2)


def test_a_container_that_the_function_reads_by_another_name_is_not_changed():
    def f(x, layer):
        def written(x, other):
            other.w = other.w * x
            return np.sum(other.w**2) + np.sum(layer.w * x)

        return np.sum(srcad.grad(written)(x, layer))

    with pytest.raises(srcad.SrcadError, match=r"E118|E133"):
        srcad.grad(f)(X, Layer(X, 0.7))


def test_a_list_that_an_inner_function_is_given_is_a_copy():
    def f(x, items):
        def written(x, items):
            items[0] = items[0] * x
            items.append(x)
            return np.sum(items[0] ** 2) * np.sum(items[-1])

        return np.sum(srcad.grad(written)(x, items) * items[0]) + len(items)

    x, items = X / 2, [X + 1.0]
    value, g = srcad.value_and_grad(f)(x, items)
    assert np.isclose(value, f(x, items))
    assert len(items) == 1
    srcad.testing.check_grads(f, (x, items))
    assert g.shape == x.shape


def by_products(layer, x):
    value, pull = srcad.vjp(energy, layer, x)
    bar, _ = pull(2.0)
    dots = srcad.jvp(energy, (layer, x), (bar, x))[1]
    curved = srcad.hvp(energy)(layer, bar, x)
    return value * dots + np.sum(curved.w * layer.w) + curved.b


def by_products_plainly(layer, x):
    def f(w, b, x):
        return np.sum(np.tanh(w * x)) * b

    value, pull = srcad.vjp(f, layer.w, layer.b, x)
    w_bar, b_bar, _ = pull(2.0)
    dots = srcad.jvp(f, (layer.w, layer.b, x), (w_bar, b_bar, x))[1]
    curved, curved_b = srcad.hvp(f, (0, 1))(layer.w, layer.b, (w_bar, b_bar), x)
    return value * dots + np.sum(curved * layer.w) + curved_b


def test_products_by_objects():
    value, g = srcad.value_and_grad(by_products)(Layer(X, 0.7), X / 2)
    expected, h = srcad.value_and_grad(by_products_plainly)(Layer(X, 0.7), X / 2)
    assert np.isclose(value, expected)
    np.testing.assert_allclose(g.w, h.w)
    np.testing.assert_allclose(g.b, h.b)


class Mixed:
    """An object with what varies, what does not, and what a function does not read."""

    def __init__(self):
        self.w, self.b, self.n, self.places = X * 2, 0.5, 3, np.array([0, 1])
        self.pair, self.activation, self.unread = ("a", 4), np.sin, 2.0
        self.zeros, self.items, self.none = np.ones(2), [1, 2.0], None


def of_two(m):
    return np.sum(m.w) * m.b


def of_ints(m):
    return np.sum(m.w[m.places]) * m.b * m.n


def of_a_count(m):
    return sum(np.sum(m.w**k) * m.b for k in range(m.n))


def of_items(m):
    return np.sum(m.w) * m.items[1]


def made_here(x):
    m = Mixed()
    m.w = m.w * x
    return srcad.grad(of_two)(m)


def shown(x):
    """An object as a dict, for comparisons."""
    if isinstance(x, Mixed):
        return {name: shown(item) for name, item in vars(x).items()}
    return type(x)(map(shown, x)) if isinstance(x, list | tuple) else x


@pytest.mark.parametrize(
    "f",
    [
        lambda m: srcad.grad(of_two)(m),
        lambda m: srcad.grad(of_ints)(m),
        lambda m: srcad.grad(of_a_count)(m),
        lambda m: srcad.grad(of_items)(m),
        lambda m: srcad.value_and_grad(of_two)(m),
        lambda m: srcad.grad(lambda a, m: of_two(m) * a, (0, 1))(2.0, m),
        lambda m: srcad.grad(lambda m: (of_two(m), m.n), has_aux=True)(m),
        lambda m: srcad.vjp(of_ints, m)[1](1.0),
        lambda m: srcad.jacobian(lambda m: m.w * m.b)(m),
        lambda m: srcad.hessian(lambda m: np.sum(m.w**2) * m.b)(m),
        lambda m: srcad.hvp(of_two)(m, m),
        lambda m: made_here(m.b),
    ],
)
def test_they_have_the_attributes_that_they_have_outside(f):
    np.testing.assert_equal(shown(srcad.compile(f)(Mixed())), shown(f(Mixed())))
