import numpy as np

from numba import njit
from srcad import kernels
from srcad.native.functions import add
from srcad.native.functions import at
from srcad.native.functions import got
from srcad.native.functions import keep
from srcad.native.functions import mine
from srcad.native.functions import put
from srcad.native.functions import share
from srcad.native.functions import shared
from srcad.native.functions import sum_of
from srcad.native.functions import wait

__all__ = ["diffusion_value_and_grad"]


@njit
def check_natural(least, greatest):
    """Refuse numbers from `least` to `greatest`, if there are any, that are negative."""
    if least <= greatest and least < 0:
        raise IndexError("a slice reaches over an end")


@njit(
    "(int64[::1], int64, float64[::1], int64, float64, float64[::1])",
    cache=True,
    nogil=True,
    error_model="numpy",
)
def diffusion_value_and_grad_1(team, me, u, steps, rate, u_bar):
    t = me == 0
    n = u.shape[0]
    # for _ in range(steps):
    u_2 = shared(team, me, 0, np.empty((mine(me, n),)), n)
    for i in range(share(team, me, n), share(team, me + 1, n)):
        u_2[at(i)] = u[at(i)]
    # u[1:-1] = u[1:-1] + rate * (u[2:] - 2 * u[1:-1] + u[:-2])
    check_natural(n - 2, n - 2)
    tape = shared(team, me, 1, np.empty((mine(me, steps), n - 2)), steps)
    if t:
        for i in range(steps):
            for j in range(n - 2):
                t_2 = u_2[at(j + 2)] - 2.0 * u_2[at(j + 1)] + u_2[at(j)]
                tape[at(i, j)] = t_2
            for j in range(n - 2):
                u_2[at(j + 1)] += rate * tape[at(i, j)]
    wait(team)
    # return 0.5 * np.sum(u * u)
    t_2 = 0.0
    for i in range(share(team, me, n), share(team, me + 1, n)):
        t_3 = u_2[at(i)]
        t_2 = add(t_2, t_3 * t_3)
        u_bar[at(i)] = 0.5 * t_3 + 0.5 * t_3
    put(team, me, 2, t_2, t_2)
    wait(team)
    # return 0.5 * np.sum(u * u)
    value = 0.5 * sum_of(team, 2, t_2)
    # u[1:-1] = u[1:-1] + rate * (u[2:] - 2 * u[1:-1] + u[:-2])
    n_2 = n - 2
    a = shared(team, me, 3, np.empty((mine(me, n_2),)), n_2)
    n_2 = steps - 1
    if t:
        rate_bar = np.float64(0.0)
        for i in range(n_2, -1, -1):
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
                    t = t - 2.0 * (t * rate) + a[at(j)]
                    u_bar[at(j)] = t + a[at(j - 2)]
                t = u_bar[at(n - 2)]
                t = t - 2.0 * (t * rate) + a[at(n - 4)]
                u_bar[at(n - 2)] = t
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
        put(team, me, 4, rate_bar, 0.0)
    wait(team)

    rate_bar = got(team, 4, 0.0)
    wait(team)
    keep(u_2)
    keep(tape)
    keep(a)
    return value, u_bar, rate_bar


def diffusion_value_and_grad(u, rate, steps):
    """Value and gradient of `diffusion` (test_text.py:16) with respect to `u`, `rate`.

    u: f64[n]
    rate: float
    steps: int
    """
    t = np.ascontiguousarray(u)
    # return 0.5 * np.sum(u * u)
    u_bar = kernels.empty_like(u)
    n = 9 * t.shape[0]
    value, u_bar, rate_bar = kernels.together(diffusion_value_and_grad_1, n, t, steps, rate, u_bar)
    value = np.float64(value)
    rate_bar = np.float64(rate_bar)
    return value, (u_bar, rate_bar)
