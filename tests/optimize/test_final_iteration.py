import numpy as np
import pytest

import srcad
from srcad.testing import check_grads

RNG = np.random.default_rng(0)
W, Z = RNG.standard_normal((3, 3)), RNG.standard_normal((4, 2, 3))


def last_state(w, z):
    h = np.zeros_like(z[0]) if len(z) else np.zeros(z.shape[1:])
    states = np.zeros_like(z)
    for t in range(len(z)):
        h = np.tanh(z[t] + h @ w)
        states[t] = h
    return np.sum(states[-1] ** 2)


def test_last_entry_is_what_the_loop_carries():
    gradient = srcad.grad(last_state, argnums=(0, 1))
    check_grads(last_state, (W, Z))
    source = gradient.source(W, Z)
    assert "states" not in source.replace("states[-1] ** 2", "")
    assert "raise IndexError" in source


@pytest.mark.parametrize("derive", [srcad.grad, srcad.jacobian])
def test_without_a_turn_it_raises_as_it_did(derive):
    none = np.zeros((0, 2, 3))
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 0"):
        last_state(W, none)
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 0"):
        derive(last_state)(W, none)


def test_the_exception_is_caught_where_it_was():
    def caught(w, z):
        h = w[0]
        states = np.zeros_like(z)
        for t in range(len(z)):
            h = np.tanh(z[t] + h @ w)
            states[t] = h
        try:
            last = states[-1]
        except IndexError:
            last = 3 * w[1]
        return np.sum(last**2)

    for z in (Z[:, 0], Z[:0, 0]):
        check_grads(caught, (W, z), order=1)
        assert srcad.value_and_grad(caught)(W, z)[0] == pytest.approx(caught(W, z))


def all_and_last(w, z):
    h = z[0]
    states = np.zeros_like(z)
    for t in range(len(z)):
        h = np.tanh(z[t] + h @ w)
        states[t] = h
    return np.sum(states[-1] * states[0]) + np.sum(states**3)


def later_write(w, z):
    h = z[0]
    states = np.zeros_like(z)
    for t in range(len(z)):
        h = np.tanh(z[t] + h @ w)
        states[t] = h
    states[-1] *= 2
    last = states[-1]
    last[0] = 1.0
    return np.sum(last**2) + np.sum(states)


def other_value(w, z):
    h = z[0]
    states = np.zeros_like(z)
    for t in range(len(z)):
        h = np.tanh(z[t] + h @ w)
        states[t] = 2 * h
    return np.sum(states[-1] ** 2) + np.sum(h)


def other_index(w, z):
    h = z[0]
    states = np.zeros_like(z)
    for t in range(len(z)):
        h = np.tanh(z[t] + h @ w)
        states[len(z) - 1 - t] = h
    return np.sum(states[-1] ** 2) + np.sum(h)


def fewer_turns(w, z):
    h = z[0]
    states = np.ones_like(z)
    for t in range(len(z) - 1):
        h = np.tanh(z[t] + h @ w)
        states[t] = h
    return np.sum(w @ states[-1].T) + np.sum(h)


def left_early(w, z):
    h = z[0]
    states = np.ones_like(z)
    for t in range(len(z)):
        h = np.tanh(z[t] + h @ w)
        states[t] = h
        if t == 1:
            break
    return np.sum(w @ states[-1].T)


def changed_after_the_store(w, z):
    h = z[0].copy()
    states = np.zeros_like(z)
    for t in range(len(z)):
        h = np.tanh(z[t] + h @ w)
        states[t] = h
        h[0] = 0.5
    return np.sum(states[-1] ** 2) + np.sum(h**3)


def of_other_dtype(w, z):
    h = z[0]
    states = np.zeros(z.shape, np.float32)
    for t in range(len(z)):
        h = np.tanh(z[t] + h @ w)
        states[t] = h
    return np.sum(states[-1].astype(float) ** 2) + np.sum(h)


def in_layers(w, z):
    for _ in range(2):
        h = z[0]
        states = np.zeros_like(z)
        for t in range(len(z)):
            h = np.tanh(z[t] + h @ w)
            states[t] = h
        z = states * states[-1]
    return np.sum(z**2)


@pytest.mark.parametrize(
    "f",
    [
        all_and_last,
        later_write,
        other_value,
        other_index,
        fewer_turns,
        left_early,
        changed_after_the_store,
        in_layers,
    ],
    ids=lambda f: f.__name__,
)
def test_what_else_may_happen(f):
    assert srcad.value_and_grad(f)(W, Z)[0] == pytest.approx(f(W, Z))
    check_grads(f, (W, Z), order=1)


def test_a_store_that_rounds_is_read():
    value, _ = srcad.value_and_grad(of_other_dtype)(W, Z)
    assert value == of_other_dtype(W, Z)
    assert value != last_state(W, Z)


def test_arguments_stay_as_they_are():
    w, z = W.copy(), Z.copy()
    srcad.grad(changed_after_the_store, argnums=(0, 1))(w, z)
    np.testing.assert_array_equal(w, W)
    np.testing.assert_array_equal(z, Z)


@pytest.mark.parametrize("shape", [(2, 3), (1, 3), ()], ids=str)
def test_the_first_turn_may_broadcast(shape):
    def f(h0, w, z):
        h = h0
        states = np.zeros_like(z)
        for t in range(len(z)):
            h = np.tanh(z[t] + h * w[0])
            states[t] = h
        return np.sum(states[-1] ** 2)

    h0 = RNG.standard_normal(shape)
    check_grads(f, (h0, W, Z))
    check_grads(f, (h0, W, Z[:1]), order=1)
    assert srcad.grad(f)(h0, W, Z).shape == shape
