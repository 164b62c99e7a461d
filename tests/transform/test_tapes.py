"""Sequences of saved values: shared where a state is needed before and after an iteration."""

import numpy as np
import pytest
from transform.programs import SCALAR, array, check, grad, program, tapes

from srcad.ir import show

RNG = np.random.default_rng(0)


def test_state_needed_before_and_after_is_saved_once():
    def f(b, x, w, h):
        return np.sum(b.loop((0, 4, 1), (h,), lambda i, h: np.tanh(x[i] + h @ w)))

    fn = program(f, x=array("n", "k"), w=array("k", "k"), h=array("k"))
    assert tapes(grad(fn)) == ["seq[f64[k]]"]
    check(fn, RNG.random((4, 3)), RNG.random((3, 3)), RNG.random(3))


def test_tape_of_tapes():
    def f(b, x):
        def outer(i, h):
            return b.loop((0, 2, 1), (h,), lambda j, h: np.sin(h) * x)

        return np.sum(b.loop((0, 3, 1), (x,), outer))

    fn = program(f, x=array("n"))
    made = grad(fn)
    assert "seq[seq[f64[n]]]" in tapes(made), show(made)
    check(fn, RNG.random(3))


@pytest.mark.parametrize("trips", [0, 1, 3])
def test_shared_tape_of_a_loop_with_few_turns(trips):
    def f(b, x, h):
        return b.loop((0, trips, 1), (h,), lambda i, h: np.tanh(h * x)) * x

    fn = program(f, x=SCALAR, h=SCALAR)
    assert tapes(grad(fn)) == ["seq[f64]"]
    check(fn, np.float64(0.4), np.float64(0.3))


def test_sequence_of_the_primal_is_read_again():
    def f(b, x):
        ys = b.loop((0, 3, 1), (), lambda i: np.tanh(x[i]))
        return b.loop((0, 3, 1), (0.0,), lambda i, s, y: s + y * y, ins=[ys], types=[SCALAR])

    fn = program(f, x=array("n"))
    assert tapes(grad(fn)) == ["seq[f64]", "seq[f64]"]  # the primal's, and its cotangent
    check(fn, RNG.random(3))
