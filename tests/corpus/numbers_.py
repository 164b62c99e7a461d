"""Integers, booleans, Python numbers and NumPy scalars."""

import math

import numpy as np
from corpus.program import Theme, array, number, vector

program = Theme("numbers")


@program(1.5, 7, 2, again=[(1.5, -7, 2), (1.5, 7, -2), (1.5, -7, -2)])
def integer_arithmetic(x, a, b):
    return x * (a // b) + x * (a % b) + x * (a / b) + x * (a**2) + a * b - x


@program(1.5, 3)
def integer_power(x, n):
    return x**n + 2**n * x


@program(1.5, 10**20)
def big_integer(x, n):
    return x * (n * n % 7)


@program(7.5, 2.0, again=[(-7.5, 2.0), (7.5, -2.0)])
def float_floor_division(x, y):
    return x // y + x % y + x / y


@program(1.5)
def booleans(x):
    t = True
    return t + t * x + (x > 0) + (True + True) * x - (not t)


@program(1.5, True, again=[(2.5, True)])
def boolean_argument(x, flag):
    return x * flag + flag


@program(1.5, 6, 3, again=[(1.5, 5, 12)])
def bit_operations(x, a, b):
    return x * (a & b) + (a | b) + (a ^ b) + (a << 1) + (a >> 1) + ~a


@program(vector)
def sums_are_numpy_scalars(x):
    s = x.sum()
    return s * s + s / 3 + 2**s


@program(1.7, again=[(-1.7,)], edges=[(2.5,)])
def rounding(x):
    return round(x) + int(x) + math.floor(x) + math.ceil(x) * x + round(x, 1)


@program(1.7)
def conversions(x):
    return float(x) + float(np.float64(x)) + abs(x) + pow(x, 2)


@program(7.5, 2.0)
def divmod_(x, y):
    q, r = divmod(x, y)
    a, b = divmod(17, 5)
    return q + r * x + a * b


@program(1.5, 2.5, again=[(2.5, 1.5)])
def extremes(x, y):
    return max(x, y) * 2 + min(x, y, 3.0) + max([x, y, 0.0])


@program(array(3))
def numpy_scalar_indexing(x):
    a = x[0]
    return a * 2 + np.float64(2.0) * a + a**2


@program(vector)
def integer_arrays(x):
    n = np.arange(4)
    return np.sum(x * n) + np.sum(n // 2) + (n @ x)


@program(array(3))
def comparisons_as_numbers(x):
    return np.sum((x > 0) * x) + np.sum(x[0] >= x)


@program(1.5, 3, again=[(1.5, 4)])
def parity(x, n):
    return x if n % 2 == 1 else x * x


@program(number)
def constants(x):
    return x * 1e3 + 0x10 - 1_000 + x * float("1e-3") + 3 // 2 + 2**-1 + -3 % 5


@program(1.5)
def special_numbers(x):
    big = float("inf")
    best = big
    if x < best:
        best = x
    return best * 2 + (x if math.isfinite(x) else 0.0) + math.inf * 0 * 0 if big < 0 else best


@program(lambda r: 1.5 + 0.5j)
def complex_number(z):
    w = z * z
    return w.real + w.imag * 2


@program(1.5, varied=False)
def complex_of_float(x):
    return complex(x).real + abs(complex(x, 2.0))


@program(array(3))
def complex_arrays(x):
    z = np.exp(1j * x)
    return np.sum(z.real**2 - z.imag) + np.sum(np.abs(z) ** 2)


@program(3, 2.0, varied=True)
def integer_loss_weight(n, x):
    return n * x


@program(1.5)
def isinstance_tests(x):
    y = x * 2 if isinstance(x, float) else x
    return y if isinstance(x, (int, float)) and not isinstance(x, np.ndarray) else 0.0


@program(lambda rng: rng.uniform(0.5, 1.5, 3), again=[(lambda rng: rng.uniform(-1.5, -0.5, 3),)])
def array_of_an_extreme_that_may_be_an_int(x):
    y = np.full(3, max(0, x[0]))
    s = 0.0
    for i in range(3):
        y = y * 0.5 + x[i]
        s = s + y[i] * y[0]
    return s


@program(array(3), np.array([0, 100, 255], np.uint8), np.array([True, True, False]))
def bytes_and_truths(x, k, ok):
    angles = np.arctan2(k, 2.0 + x) + np.arctan2(np.exp(x), k)
    powers = np.sum((1.0 + 0.01 * x) ** k) + np.sum((1 + k) ** (0.1 * x))
    table = np.interp(1.5 + 0.1 * x, [0.0, 1.0, 4.0], k)
    return np.sum(angles + table) + powers + np.einsum("i,j->", ok, x) + np.einsum("i,j->", k, x)


@program(1.5, np.uint8(200), np.int8(-100))
def scalars_of_small_ints(x, a, b):
    return x * a + np.arctan2(a, x) + np.hypot(b, x) + np.logaddexp(b * 0.01, x) + x**a * 1e-30


@program(vector, 3, again=[(vector, 0), (vector, -2)])
def minus_of_a_product_with_an_integer(x, n):
    y = -(x * n)
    return np.sum(np.where(np.signbit(y), 3.0 * x, x))


@program(vector, 3, edges=[(vector, 0)])
def minus_of_a_quotient_by_an_integer(x, n):
    with np.errstate(divide="ignore"):
        y = -(x / n)
    return np.sum(np.where(y > 0, 3.0 * x, x))


@program(1.5, again=[(-1.5,), (0.25,)])
def roots_of_what_is_bounded(x):
    y = math.sqrt(max(x, 0.0)) + max(-x, 0.0) ** 0.5
    return y * x + math.acos(max(-1.0, min(1.0, x)))


@program(vector, again=[(lambda rng: rng.uniform(-1.5, -0.5, 3),)])
def distances_to_a_wall(x):
    total = 0.0
    for k in range(3):
        inside = max(float(x[k]), 0.0)
        total += math.sqrt(inside) if inside > 2.0 else math.sqrt(inside) * x[k]
    return total
