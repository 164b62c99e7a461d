import numpy as np

from numba import njit
from srcad.native.functions import at_common

__all__ = ["root_value_and_grad"]


@njit
def held(tape):
    """What holds an array that a longer one may take the place of."""
    return [tape]


@njit
def natural(n):
    """A number that is known not to be negative."""
    return n


@njit
def lengthened(tapes):
    """How long the array is that takes the place of the one held, and starts with it. What is not
    written takes no memory yet.
    """
    tape = tapes[0]
    longer = np.empty((4 * tape.shape[0], *tape.shape[1:]), tape.dtype)
    longer[: tape.shape[0]] = tape
    tapes[0] = longer
    return len(longer)


@njit
def latest(tapes):
    """The array that is held."""
    return tapes[0]


@njit
def divide(a, b):
    """`a / b` of Python's numbers, which refuse to divide by zero."""
    if b == 0:
        raise ZeroDivisionError("division by zero")
    return a / b


@njit("(float64,)", cache=True, nogil=True, error_model="numpy")
def root_value_and_grad_1(x):
    # while abs(x * x - a) > 1e-12:
    x_tape = np.empty((32,))
    x_tapes = held(x_tape)
    room = np.empty((1,), np.int64)
    room[0] = 32
    x_2 = x
    count = 0
    while abs(x_2 * x_2 - x) > 1e-12:
        row = natural(count)
        if row >= room[0]:
            n = lengthened(x_tapes)
            room[0] = n
        x_tape = latest(x_tapes)
        x_tape[at_common(row)] = x_2
        # x = 0.5 * (x + a / x)
        x_2 = 0.5 * (x_2 + divide(x, x_2))
        count = count + 1
    # x = 0.5 * (x + a / x)
    x_tape = latest(x_tapes)

    # x = 0.5 * (x + a / x)
    x_bar = 1.0
    x_bar_2 = 0.0
    for i in range(count - 1, -1, -1):
        # while abs(x * x - a) > 1e-12:
        x_3 = x_tape[at_common(i)]
        x_bar = 0.5 * x_bar
        x_bar_2 = x_bar_2 + divide(x_bar, x_3)
        x_bar = x_bar - divide(x_bar * divide(x, x_3), x_3)
    # while abs(x * x - a) > 1e-12:
    x_bar = x_bar_2 + x_bar
    return x_2, x_bar


def root_value_and_grad(a):
    """Value and gradient of `root` (test_text.py:44) with respect to `a`.

    a: float
    """
    x, x_bar = root_value_and_grad_1(a)
    return x, (x_bar,)
