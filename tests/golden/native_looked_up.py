import numpy as np

from numba import njit
from srcad import kernels
from srcad.native.functions import add
from srcad.native.functions import at
from srcad.native.functions import call_all
from srcad.native.functions import got
from srcad.native.functions import put
from srcad.native.functions import share
from srcad.native.functions import wait

__all__ = ["looked_up_value_and_grad"]


@njit
def check_range(lowest, least, greatest, n):
    """Refuse positions from `least` to `greatest`, if there are any, outside `lowest` to `n`."""
    if least <= greatest and (least < lowest or greatest >= n):
        raise IndexError("a position is out of bounds")


@njit
def counted(at, n):
    """A position, from the end of `n` entries if it is negative."""
    return at + n if at < 0 else at


@njit(
    "(int64[::1], int64, float64[:, ::1], int64[::1], float64[:, ::1])",
    cache=True,
    nogil=True,
    error_model="numpy",
)
def looked_up_value_and_grad_1(team, me, table, rows, table_bar):
    call_all(team, me)
    t = me == 0
    t_2 = table.shape
    n = t_2[0]
    n_2 = t_2[1]
    n_3 = rows.shape[0]
    # y = table[rows] * 2.0
    for i in range(share(team, me, n), share(team, me + 1, n)):
        for j in range(n_2):
            table_bar[at(i, j)] = 0.0
    wait(team)
    # y = table[rows] * 2.0
    if t:
        value = 0.0
        for i in range(n_3):
            for j in range(n_2):
                t = rows[at(i)]
                check_range(-n, t, t, n)
                k = counted(t, n)
                t_2 = table[at(k, j)] * 2.0
                # return np.sum(y * y)
                value = add(value, t_2 * t_2)
                t_2 = 2.0 * (t_2 + t_2)
                check_range(-n, t, t, n)
                k = counted(t, n)
                table_bar[at(k, j)] += t_2
        put(team, me, 0, value, 0.0)
    wait(team)
    value = got(team, 0, 0.0)
    wait(team)
    return value, table_bar


def looked_up_value_and_grad(table, rows):
    """Value and gradient of `looked_up` (test_text.py:70) with respect to `table`.

    table: f64[n, m]
    rows: i64[k]
    """
    t = np.ascontiguousarray(table)
    t_2 = np.ascontiguousarray(rows)
    # y = table[rows] * 2.0
    table_bar = kernels.empty_like(table)
    n = t.shape[1]
    n = t.shape[0] * n - 9 * n * t_2.shape[0] - 600000
    value, table_bar = kernels.together(looked_up_value_and_grad_1, n, t, t_2, table_bar)
    value = np.float64(value)
    return value, (table_bar,)
