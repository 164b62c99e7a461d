"""Arrays in files: `np.memmap` is an array wherever it stands, other subclasses are refused."""

from types import SimpleNamespace

import numpy as np
import pytest
from optional import BACKENDS

import srcad


@pytest.fixture
def in_file(tmp_path):
    """Make an array in a file."""
    made = []

    def make(entries):
        entries = np.asarray(entries, dtype=float)
        x = np.memmap(tmp_path / f"{len(made)}", dtype=float, mode="w+", shape=entries.shape)
        x[...] = entries
        made.append(x)
        return x

    return make


def total(x):
    s = 0.0
    for i in range(len(x) - 1):
        s = s + x[i] * x[i + 1]
    return s


@pytest.mark.parametrize("backend", [*BACKENDS, "auto"])
def test_argument(in_file, backend):
    x = in_file([1.0, 2.0, 4.0])
    value, gradient = srcad.value_and_grad(total, backend=backend)(x)
    assert value == total(x)
    assert type(gradient) is np.ndarray
    np.testing.assert_array_equal(gradient, [2.0, 5.0, 2.0])
    np.testing.assert_array_equal(srcad.grad(total, backend=backend)(np.array(x)), gradient)


def test_other_places(in_file):
    data, x = in_file([2.0, 3.0]), np.ones(2)

    class Model:
        weights = data

    model = Model()
    for f in (
        lambda x: np.sum(x * data),
        lambda x: np.sum(x * model.weights),
        lambda x, held={"w": data}: np.sum(x * held["w"]),
    ):
        np.testing.assert_array_equal(srcad.grad(f)(x), data)
    tree = srcad.grad(lambda p: np.sum(p["a"] * p["b"][0]))({"a": data, "b": (x,)})
    np.testing.assert_array_equal(tree["b"][0], data)
    assert type(tree["a"]) is np.ndarray


class Net:
    def __init__(self, in_file):
        self.w, self.rest = in_file([1.0, 2.0]), SimpleNamespace(v=in_file([3.0, 4.0]))
        self.rest.parent = self


def loss(net, x):
    return np.sum(net.w * net.w * x) + net.rest.v[0]


def test_attributes_of_objects(in_file):
    net, x = Net(in_file), np.ones(2)
    pulled = srcad.vjp(loss, net, x)[1](1.0)[0]
    for found in (srcad.grad(loss)(net, x), srcad.value_and_grad(loss)(net, x)[1], pulled):
        assert type(found.w) is type(found.rest.v) is np.ndarray
        np.testing.assert_array_equal(found.w, [2.0, 4.0])
        np.testing.assert_array_equal(found.rest.v, [1.0, 0.0])
    assert type(net.rest.v) is np.memmap


def test_what_is_returned_beside_a_value_stays(in_file):
    net, x = Net(in_file), np.ones(2)

    def with_rest(net, x):
        return loss(net, x), (net, loss)

    for found in (
        srcad.grad(with_rest, has_aux=True)(net, x)[1],
        srcad.value_and_grad(with_rest, has_aux=True)(net, x)[0][1],
    ):
        assert found[0] is net
        assert found[1] is loss
    assert type(net.w) is np.memmap


def test_cotangents_are_plain_arrays(in_file):
    x = in_file([1.0, 2.0])
    _, pullback = srcad.vjp(lambda x: x[0] * x[0], x)
    (x_bar,) = pullback(1.0)
    assert type(x_bar) is np.ndarray
    np.testing.assert_array_equal(x_bar, [2.0, 0.0])


def test_compiled_function_returns_what_python_does(in_file):
    for f in (lambda x: x, lambda x: x * 2, lambda x: np.zeros_like(x), lambda x: np.sum(x)):
        x = in_file([1.0, 2.0])
        assert type(srcad.compile(f)(x)) is type(f(x))
    assert srcad.compile(lambda x: x)(x) is x


def test_writes_reach_the_file(in_file):
    x = in_file([1.0, 2.0])

    def step(x):
        x[0] = 5.0
        x += 1.0

    srcad.compile(step)(x)
    np.testing.assert_array_equal(x, [6.0, 3.0])


def test_class_of_what_may_be_a_view(in_file):
    x = in_file([1.0, 2.0])
    f = srcad.compile(lambda x: isinstance(x, np.memmap))
    assert f(x) is True
    assert f(np.array(x)) is False
    assert srcad.compile(lambda x: isinstance(x[1:], np.ndarray))(x) is True
    with pytest.raises(srcad.SrcadError, match="E123"):
        srcad.compile(lambda x: isinstance(x[1:], np.memmap))(x)


class Loud(np.ndarray):
    def __array_function__(self, *args):
        return 42.0


@pytest.mark.parametrize(
    "x",
    [
        np.eye(2).view(np.matrix),
        np.ones(2).view(np.recarray),
        np.ones(2).view(Loud),
        np.char.array(["a", "b"]),
    ],
    ids=lambda x: type(x).__name__,
)
def test_other_subclasses_are_refused(x):
    for f, args in ((lambda x: np.sum(x * 1.0), (x,)), (lambda y: np.sum(y * x), (np.ones(2),))):
        with pytest.raises(srcad.SrcadError, match=r"np\.asarray") as refused:
            srcad.compile(f)(*args)
        assert refused.value.code == "E308"


def added_in_place(x):
    y = x * 1
    y += 1.0
    return y


def added_to_a_copy(x):
    y = x.copy()
    y += 1.0
    return y


def filled(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = 2.0 * x[i]
    return y


def made(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = 2.0 * x[i]
    return y


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * 1.0,
        lambda x: x / 1,
        lambda x: +x,
        lambda x: x**1,
        lambda x: x - 0.0,
        lambda x: -(-x),
        lambda x: np.asarray(x),
        lambda x: np.asarray(x)[1:],
        lambda x: np.where(True, x, x),
        lambda x: np.maximum(x, x),
        lambda x: (x * 1.0, x, x[1:], x.copy(), np.copy(x), x.copy()[1:]),
        lambda x: [x.reshape(-1, 1), x.T, x[None], x[[0, 1]], x[x > 1.0], x.ravel(), x.flatten()],
        lambda x: {"a": x.sum(), "b": np.cumsum(x), "c": np.sort(x), "d": x.astype(np.float32)},
        lambda x: (np.concatenate([x]), np.stack([x])[0], np.ones_like(x), x.mean(keepdims=True)),
        added_in_place,
        added_to_a_copy,
        filled,
        made,
    ],
)
def test_results_are_of_the_class_that_numpy_gives(in_file, f, backend):
    wanted, found = f(in_file([1.0, 2.0])), srcad.compile(f, backend=backend)(in_file([1.0, 2.0]))
    if not isinstance(wanted, tuple | list | dict):
        wanted, found = (wanted,), (found,)
    if isinstance(wanted, dict):
        wanted, found = wanted.values(), found.values()
    for a, b in zip(wanted, found, strict=True):
        assert type(b) is type(a)
        assert (b.dtype, b.shape) == (a.dtype, a.shape)
        np.testing.assert_array_equal(b, a)


def test_a_plain_array_of_one_in_a_file_is_the_same_memory(in_file):
    x = in_file([1.0, 2.0])
    y = srcad.compile(lambda x: np.asarray(x))(x)
    assert np.shares_memory(x, y)
    z = srcad.compile(lambda x: x * 1.0)(x)
    assert not np.shares_memory(x, z)
