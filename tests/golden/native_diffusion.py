import numpy as np

from numba import njit
from srcad import kernels
from srcad.native.functions import add
from srcad.native.functions import at

__all__ = ["diffusion_value_and_grad"]


@njit
def check_natural(least, greatest):
    """Refuse numbers from `least` to `greatest`, if there are any, that are negative."""
    if least <= greatest and least < 0:
        raise IndexError("a slice reaches over an end")


@njit(
    "(float64[::1], int64, float64, float64[:, ::1], float64[::1])",
    cache=True,
    nogil=True,
    error_model="numpy",
)
def diffusion_value_and_grad_1(u, steps, rate, tape, u_bar):
    n = u.shape[0]
    # for _ in range(steps):
    u_2 = np.empty((n,))
    for i in range(n):
        u_2[at(i)] = u[at(i)]
    # u[1:-1] = u[1:-1] + rate * (u[2:] - 2 * u[1:-1] + u[:-2])
    check_natural(n - 2, n - 2)
    for i in range(steps):
        for j in range(n - 2):
            t = u_2[at(j + 2)] - 2.0 * u_2[at(j + 1)] + u_2[at(j)]
            tape[at(i, j)] = t
        for j in range(n - 2):
            u_2[at(j + 1)] += rate * tape[at(i, j)]
    # return 0.5 * np.sum(u * u)
    t = 0.0
    for i in range(n):
        t_2 = u_2[at(i)]
        t = add(t, t_2 * t_2)
        u_bar[at(i)] = 0.5 * t_2 + 0.5 * t_2
    value = 0.5 * t
    # u[1:-1] = u[1:-1] + rate * (u[2:] - 2 * u[1:-1] + u[:-2])
    a = np.empty((n - 2,))

    # u[1:-1] = u[1:-1] + rate * (u[2:] - 2 * u[1:-1] + u[:-2])
    rate_bar = np.float64(0.0)
    for i in range(steps - 1, -1, -1):
        t = 0.0
        for j in range(n - 2):
            t_2 = u_bar[at(j + 1)]
            t = add(t, t_2 * tape[at(i, j)])
            a[at(j)] = t_2 * rate
        rate_bar = rate_bar + t
        if 2 <= n - 2:
            # u[1:-1] = u[1:-1] + rate * (u[2:] - 2 * u[1:-1] + u[:-2])
            u_bar[0] = u_bar[0] + a[0]
            t = u_bar[1]
            u_bar[1] = t - 2.0 * (t * rate) + a[1]
            for j in range(2, n - 2):
                t = u_bar[at(j)]
                t = t - 2.0 * (t * rate) + a[at(j)] + a[at(j - 2)]
                u_bar[at(j)] = t
            t = u_bar[at(n - 2)]
            u_bar[at(n - 2)] = t - 2.0 * (t * rate) + a[at(n - 4)]
            n_2 = n - 1
            # u[1:-1] = u[1:-1] + rate * (u[2:] - 2 * u[1:-1] + u[:-2])
            u_bar[at(n_2)] = u_bar[at(n_2)] + a[at(n - 3)]
        else:
            # u[1:-1] = u[1:-1] + rate * (u[2:] - 2 * u[1:-1] + u[:-2])
            for j in range(1, n - 1):
                t = u_bar[at(j)]
                u_bar[at(j)] = t - 2.0 * (t * rate)
            for j in range(n - 2):
                u_bar[at(j)] += a[at(j)]
            for j in range(2, n):
                u_bar[at(j)] += a[at(j - 2)]
    return value, u_bar, rate_bar


def diffusion_value_and_grad(u, rate, steps):
    """Value and gradient of `diffusion` (test_text.py:16) with respect to `u`, `rate`.

    u: f64[n]
    rate: float
    steps: int
    """
    t = np.ascontiguousarray(u)
    n = u.shape[0]
    n = n - 2
    # u[1:-1] = u[1:-1] + rate * (u[2:] - 2 * u[1:-1] + u[:-2])
    tape = kernels.empty((steps, n))

    # return 0.5 * np.sum(u * u)
    u_bar = kernels.empty_like(u)
    value, u_bar, rate_bar = diffusion_value_and_grad_1(t, steps, rate, tape, u_bar)
    value = np.float64(value)
    rate_bar = np.float64(rate_bar)
    return value, (u_bar, rate_bar)
