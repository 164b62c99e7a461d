import numpy as np

from numba import njit
from srcad import kernels
from srcad.native.functions import add
from srcad.native.functions import at
from srcad.native.functions import call_all
from srcad.native.functions import got
from srcad.native.functions import keep
from srcad.native.functions import mine
from srcad.native.functions import put
from srcad.native.functions import share
from srcad.native.functions import shared
from srcad.native.functions import wait

__all__ = ["windows_value_and_grad"]


@njit
def refuse():
    """Leave it to NumPy, which raises what the program raises."""
    raise ValueError("an exception of the program's own")


@njit
def check_natural(least, greatest):
    """Refuse numbers from `least` to `greatest`, if there are any, that are negative."""
    if least <= greatest and least < 0:
        raise IndexError("a slice reaches over an end")


@njit
def count_iterations(start, stop, step):
    """How many numbers are in a range."""
    return max(0, (stop - start + step - (1 if step > 0 else -1)) // step)


@njit
def clipped(at, n):
    """Where NumPy moves the end of a slice of `n` entries to."""
    if at < 0:
        at += n
    return min(max(at, 0), n)


@njit(
    "(int64[::1], int64, float64[::1], int64, float64[::1])",
    cache=True,
    nogil=True,
    error_model="numpy",
)
def windows_value_and_grad_1(team, me, x, w, x_bar):
    call_all(team, me)
    t = me == 0
    n = x.shape[0]
    # for i in range(0, len(x), w):
    if not w != 0:
        refuse()
    check_natural(w - 1, w - 1)
    n_2 = count_iterations(0, n, w)
    # s = s + np.sum(y) ** 2
    tape = shared(team, me, 0, np.empty((mine(me, n_2),)), n_2)
    if t:
        s = 0.0
        for i in range(n_2):
            # for i in range(0, len(x), w):
            n_3 = i * w
            # y = x[i : i + w]
            end = clipped(n_3 + w, n)
            t_2 = 0.0
            for j in range(count_iterations(n_3, end, 1)):
                t_2 = add(t_2, x[at(n_3 + j)])
            tape[at(i)] = t_2
            s = s + t_2 * t_2
        put(team, me, 1, s, 0.0)
    wait(team)
    s = got(team, 1, 0.0)
    # for i in range(0, len(x), w):
    s_is_float = n <= 0
    for i in range(share(team, me, n), share(team, me + 1, n)):
        x_bar[at(i)] = 0.0
    # y = x[i : i + w]
    n_2 = n_2 - 1
    wait(team)
    # y = x[i : i + w]
    if t:
        for i in range(n_2, -1, -1):
            # for i in range(0, len(x), w):
            n_2 = i * w
            # s = s + np.sum(y) ** 2
            t = 2.0 * tape[at(i)]
            end = clipped(n_2 + w, n)
            for j in range(count_iterations(n_2, end, 1)):
                x_bar[at(n_2 + j)] += t
    wait(team)
    keep(tape)
    return s, x_bar, s_is_float


def windows_value_and_grad(x, w):
    """Value and gradient of `windows` (test_text.py:61) with respect to `x`.

    x: f64[n]
    w: int
    """
    t = np.ascontiguousarray(x)
    # for i in range(0, len(x), w):
    x_bar = kernels.empty_like(x)
    n = t.shape[0] - 800000
    s, x_bar, s_is_float = kernels.together(windows_value_and_grad_1, n, t, w, x_bar)
    s = float(s) if s_is_float else np.float64(s)
    return s, (x_bar,)
