"""float32 and mixed precisions (NEP 50)."""

import math

import numpy as np
from corpus.program import Theme, array

program = Theme("floats")

f32 = np.float32


@program(array(3, dtype=f32))
def stays_single(x):
    return np.sum(np.tanh(x * 2 + 1.0) ** 2)


@program(array(3, 4, dtype=f32), array(4, dtype=f32))
def single_layer(w, x):
    return np.mean(np.exp(w @ x) * 0.5)


@program(array(3, dtype=f32), array(3))
def mixed(x, y):
    return np.sum(x * y)


@program(array(4, dtype=f32), again=[(array(7, dtype=f32),)])
def single_loop(x):
    s = f32(0)
    for v in x:
        s = s + v * v
    return s


@program(array(4, dtype=f32), again=[(array(7, dtype=f32),)])
def widened_loop(x):
    s = 0.0
    for v in x:
        s = s + v * v
    return s


@program(array(3, dtype=f32))
def cast_up(x):
    return np.sum(x.astype(np.float64) ** 2)


@program(array(3), single=True)
def cast_down(x):
    return np.sum(x.astype(np.float32) * 2)


@program(lambda r: f32(1.5))
def single_scalar(x):
    return x * 2 + np.sin(x)


@program(array(3, dtype=f32))
def single_zeros(x):
    h = np.zeros(3, dtype=x.dtype)
    for _ in range(2):
        h = np.tanh(h + x)
    return h.sum()


@program(array(3, dtype=f32), 3, again=[(array(3, dtype=f32), 0)])
def int_carried_to_single(x, n):
    s = 0
    for _ in range(n):
        s = s + x.sum()
    return s * 2


@program(array(4, dtype=np.float32), 2, again=[(array(4, dtype=np.float32), 1)])
def number_or_scalar_times_single(x, m):
    a = 0.3
    if m == 1:
        a *= np.tanh(a) * 0.8
    return a * x.sum()


@program(
    array(3, dtype=np.float32), array(1, dtype=np.float32), 3, 1,
    again=[(array(3, dtype=np.float32), array(1, dtype=np.float32), 3, 0)],
)  # fmt: skip
def array_of_number_or_single(x, o, n, flag):
    a = 0.5
    if flag > 0:
        a = a + x / 3
    return np.sum(np.dot(o * np.full(n, a), np.full(n, 0.3)))


@program(array(3, dtype=np.float32), 2, again=[(array(3, dtype=np.float32), 0)])
def array_of_carried_number_or_single(x, n):
    s = 0.5
    for i in range(n):
        s = s + x[i]
    return np.sum(np.outer(x, np.array([s, 1.0 * s])) * np.sqrt(s))


@program(array(3, dtype=np.float32), 2, again=[(array(3, dtype=np.float32), 0)])
def double_scalar_or_number_times_single(x, n):
    rate = np.logaddexp(0.7, 0.7)
    for _ in range(n):
        rate = 0.7
    return np.sum(x * rate)


@program(array(3, dtype=np.float32), 2, again=[(array(3, dtype=np.float32), 0)])
def double_then_single_carried(y, n):
    h = np.float64(0.5)
    b = np.sum(y)
    for _ in range(n):
        h = b
    return h


@program(array(3, dtype=np.float32))
def single_made_double(x):
    y = x.astype(np.float64) * 1e25
    total = 0.0
    for v in x:
        u = float(v) * 1e-25
        total = total + u * u * 1e50 + math.exp(math.sqrt(v * v))
    return np.sum(y * y) * 1e-50 + total


@program(array(3, dtype=np.float32), array(3))
def double_added_to_single(x, y):
    z = np.zeros(3, dtype=np.float32)
    for i in range(3):
        z[i] = np.sin(x[i])
        z[i] += y[i]
    z += y
    return np.sum(z * z)


@program(array(3), np.array([1, 10**9 + 7, 3]), np.array([2, -3, 4]))
def integers_made_floats(x, i, k):
    y = i.astype(np.float64)
    angles = np.arctan2(i, k) + np.hypot(i, k) / 1e9 + np.float_power(k, k - 1)
    return np.sum(x * i**2.0) / 1e18 + np.sum(x * (y * y * y)) / 1e27 + np.sum(np.sin(x) * angles)


@program(array(3), np.array([1, 2, 3]))
def truths_beside_numbers(x, i):
    return np.sum(np.where(np.logical_and(i > 1, 2), x, x * x)) + np.dot(i, i) * np.sum(x)


@program(array(3), 2, 2, again=[(array(3), 2, 1), (array(3), 3, -2)])
def power_that_is_a_float(x, k, n):
    scale = k ** (n // 1)  # no guard asks for the sign of a quotient
    y = np.linalg.solve(np.eye(3) * (2 + scale), x)
    return np.sum(np.sin(y) * scale)


@program(array(3), np.array([10**5, 2, 3], np.int32))
def integers_that_wrap_around(x, i):
    return np.sum(x * (i * i)) + np.sum(x * np.square(i)) + np.sum(np.sin(x) * (i + i - 3))
