"""What numbers are: exact ints, kinds of scalars, precision, empty and 0-d arrays, safe choices."""

import math

import numpy as np
from corpus.program import Theme, array, positive

program = Theme("values")

f32 = np.float32
vector = array(5)
single = array(5, dtype=f32)


def holes(rng):
    """Zeros among entries that are far from them."""
    x = rng.uniform(1.0, 2.0, 5)
    x[[0, 3]] = 0.0
    return x


def zero_d(rng):
    return np.array(rng.uniform(0.5, 2.0))


def empty(*shape):
    return lambda rng: np.zeros(shape)


# Ints ---------------------------------------------------------------------------------------------


@program(vector, again=[(array(8),)])
def index_arithmetic(x):
    n = len(x)
    s = 0.0
    for i in range(n):
        s = s + x[(3 * i + 1) // 2 % n] * x[i]
    return s


@program(vector, -7, again=[(vector, -3)])
def negative_ints(x, k):
    return x[k % 5] * x[k // 3 + 4] + x[-1] * x[~0] + x[-(k // -3)]


@program(vector, np.int64(3))
def numpy_ints_as_indices(x, i):
    return x[i] * x[i - 1] + x[np.int64(-1)] * x[np.int32(2)]


@program(vector, 3)
def shifted_indices(x, k):
    return x[(1 << k) % 5] * x[k >> 1] + x[k ^ 1] + x[k & 2] * x[k | 1]


@program(vector, 2**70)
def beyond_64_bits(x, k):
    return x[k % 5] * float(k % 1000) + x[0] * (k >> 68)


@program(vector, np.array([3, -1, 0]))
def computed_index_arrays(x, index):
    return (x[index // 2] * x[(index * 2 + 1) % 5]).sum()


@program(vector, np.array([250, 3, 4, 5, 6], dtype=np.uint8))
def small_ints_wrap(x, n):
    return (x * (n + 10) + x * (n - np.uint8(5))).sum()


@program(1.5, 7, 0)
def division_by_zero_unreached(x, a, b):
    q = a // b if b != 0 else a
    return x * q


# Promotion and kinds ------------------------------------------------------------------------------


@program(vector)
def sums_of_truths(x):
    up, low = x > 0, x < 1
    return ((up + low) * x).sum() + (up & low).sum() * x[1] + np.mean(x > 1) * x[2] + True * x[0]


@program(vector, np.arange(5))
def ints_in_float_arrays(x, n):
    return n / (x + 5) + n // 2 / (x + 5) + n**2 * x + n.mean()


@program(vector, True, np.bool_(True))
def powers_of_truths(x, a, b):
    return x**a + x**b + x**2


@program(zero_d)
def array_without_axes(x):
    return x * x + 1, x, x.copy(), np.array(x * x), x.reshape(()), x[()], x[...], x.conj()


@program(zero_d, again=[(np.array(-1.5),)])
def array_without_axes_in_loop(x):
    h = x
    for _ in range(3):
        h = h * x
    if x > 0:
        h = -h
    return h


@program(zero_d)
def array_without_axes_written(x):
    y = np.zeros(())
    y += x * x
    z = np.zeros(())
    z[...] = y * 2
    return y, z


@program(vector)
def copied_scalars(x):
    s = x[0]
    return s.copy(), s.T, s.conjugate(), np.array(s), s.item(), float(s), s.reshape(1), s[()]


@program(1.5)
def numbers_or_numpy(x):
    return np.sin(x), math.sin(x), np.abs(x), abs(x), np.array(x), np.float64(x), np.maximum(x, 1)


@program(np.float64(1.5))
def numpy_numbers(x):
    return x * 2, float(x), x.item(), math.exp(x), np.asarray(x), x**2, 2**x, np.atleast_1d(x)


# Precision ----------------------------------------------------------------------------------------


@program(single)
def single_normalised(x):
    return np.sum(((x - x.mean()) / (x.std() + 1e-3)) ** 2 * 0.5) + np.sqrt(np.sum(x**2) + 1e-6)


@program(single)
def single_softmax(x):
    e = np.exp(x - x.max())
    return -np.log(e / e.sum())[2] + np.sum(np.where(x > 0, x * 2, 0.0) + np.clip(x, -0.5, 0.5))


@program(single, 4, again=[(single, 0)])
def single_recurrence(x, n):
    h = np.zeros_like(x)
    for t in range(n):
        h = np.tanh(h * 0.5 + x * t)
    return h.sum()


@program(single, np.arange(5, dtype=np.int8), np.arange(5))
def single_with_ints(x, few, many):
    return np.sum(x * few), np.sum(x * many), x * 3 / 2


@program(f32(1.5))
def single_number(x):
    return x * 2.0 + 1, np.sqrt(x), x**0.5, 2**x, x * np.float64(2), float(x) * 2


@program(array(5, dtype=np.longdouble))
def long_double(x):
    return np.sum(np.sin(x) * x) * 2.0


@program(array(3, 2, dtype=np.longdouble), array(3))
def long_double_times_double(x, w):
    return np.sum(np.sum(x, axis=1) * w) * np.longdouble("0.1")


@program(array(5, dtype=f32))
def single_complex(x):
    z = np.exp(np.complex64(1j) * x)
    return np.sum(np.abs(z + 1) ** 2)


# Complex numbers inside ---------------------------------------------------------------------------


@program(vector)
def fourier_power(x):
    k = np.arange(5)
    z = np.exp(-2j * np.pi * np.outer(k, k) / 5) @ x
    return np.sum(np.abs(z) ** 2 * k) + np.sum(np.abs(z))


@program(vector)
def complex_loop(x):
    z = 1 + 0j
    for k in range(5):
        z = z * np.exp(0.3j * k) + x[k]
    return abs(z)


@program(vector)
def conjugates(x):
    z = x + 1j * x[::-1] + 3
    return (z * np.conj(z)).real.sum() + np.angle(z).sum() + (z / (1 + z.conj())).imag.sum()


@program(1.5, 2.5)
def python_complex(x, y):
    z = x + y * 1j
    w = z * z + 1 / z
    return abs(w) + w.real * w.imag


# Empty arrays -------------------------------------------------------------------------------------


@program(empty(0), again=[(array(3),)])
def reductions_of_nothing(x):
    return np.sum(x * x) + np.prod(x) + x @ x + np.sum(np.cumsum(x)) + np.sum(np.sort(x))


@program(empty(0, 3))
def rows_of_nothing(x):
    return np.sum(x.sum(axis=0) + x.prod(axis=0)) + np.sum(x.mean(axis=1)) + np.sum(x.T @ x)


@program(empty(2, 0), empty(0, 3))
def product_over_nothing(x, y):
    return np.sum((x @ y) ** 2) + np.sum(x.T) + np.einsum("ij,jk->", x, y)


@program(vector, 0, again=[(vector, 3)])
def slices_of_nothing(x, n):
    s = x[0]
    for v in x[:n]:
        s = s * v
    return s + np.sum(x[:n] ** 2) + np.sum(x[5:]) + np.prod(x[2:2]) * x[1] + np.sum(x[x > 99])


@program(empty(0), vector)
def joined_with_nothing(x, y):
    return np.sum(np.concatenate([x, y, x]) ** 2) + sum(v * v for v in x)


# Choices ------------------------------------------------------------------------------------------


@program(holes)
def untaken_root(x):
    return np.sum(np.where(x > 0.5, np.sqrt(x), 0) * np.where(x > 0.5, np.log(x), x))


@program(holes)
def untaken_in_untaken(x):
    inner = np.where(x > 1.5, np.log(x), np.sqrt(x))
    return np.sum(np.where(x > 0.5, inner / x, np.where(x > 0.3, 1 / x, x * x)))


@program(holes)
def untaken_several_uses(x):
    r = np.sqrt(x)
    return np.sum(np.where(x > 0.5, x / r, 0.0) + np.where(x > 0.7, r * np.log(r), 0.0))


@program(holes)
def untaken_selected(x):
    return np.sum(np.select([x > 1.5, x > 0.5], [np.log(x), np.sqrt(x - 0.1) / x], x * 2))


@program(holes)
def untaken_chosen(x):
    return np.sum(np.choose((x > 0.5).astype(int), [x * x, np.log(x)]))


@program(holes)
def untaken_over_an_axis(x):
    share = np.sum(np.outer(x, x) / x, axis=0)
    return np.sum(np.where(x > 0.5, share, x))


@program(holes)
def untaken_in_loop(x):
    s = 0.0
    for i in range(len(x)):
        s = s + np.where(x[i] > 0.5, np.sqrt(x[i]), 0.0)
    return s


@program(holes)
def untaken_made_before_loop(x):
    y = np.log(x)
    s = 0.0
    for k in range(3):
        s = s + np.sum(np.where(x > 0.5, y, 0.0)) * k
    return s


@program(holes, again=[(positive(5),)])
def picked_by_mask(x):
    m = x > 0.5
    return np.sum(np.log(x)[m]) + np.sum(np.compress(m, 1 / x)) + np.sum(x[~m] ** 2)


@program(holes)
def overflow_not_taken(x):
    return np.sum(np.where(x > 0.5, x, np.log1p(np.exp(1000 * (x - 1))))) / 2


@program(holes)
def roots_of_choices(x):
    safe = np.where(x > 0.5, x, 1.0)
    return np.sum(np.where(x > 0.5, np.log(safe), 0.0)) + np.sum(np.sqrt(safe))


@program(holes)
def replaced_nan(x):
    y = np.where(x > 0.5, x, np.nan) * x
    return np.sum(np.nan_to_num(y, nan=0.5)) + np.nansum(np.where(x > 0.5, x, np.nan) * x)


@program(np.array([1.0, 0.1, 2.0, 1.0]))
def no_residual_under_two_choices(x):
    # A cotangent that is zero by itself, not because a choice left it out, has derivatives.
    v = np.sqrt(x)
    near = np.where(x > 0.5, (v - 1) ** 2, 0.0) + np.where(x > 0.7, (v - 1) ** 2, 0.0)
    return np.sum(near)


@program(holes)
def unread_overflow(x):
    unread = np.exp(1000 * x) / x
    assert unread.shape == x.shape
    return np.sum(x * x)


@program(empty(3), 2)
def powers_at_zero(x, n):
    return np.sum(x**2 + x**3 + x**1 + x**0) + np.sum(x**n) + np.sum(x ** (n - 1))


@program(empty(5), np.array([0, 1, 2, 1, 3]))
def power_arrays_at_zero(x, n):
    return np.sum(x**n)


@program(1.5, 1, again=[(1.5, 2)])
def ints_that_a_nest_turns_into_floats(x, n):
    w = np.full(3, 2)
    first = w
    for _ in range(n):
        k = 0
        while k < 3:
            w = w + 0.5
            k += 1
    return np.sum(w * x) + first[0]


@program(1.5, 0, again=[(1.5, 2)])
def copies_of_ints_or_floats(x, n):
    w = np.full(3, 2)
    if n > 0:
        w = w + 0.5
    t = w[::-1].copy()
    for _ in range(2):
        t = t + x
    both, zeros = np.concatenate([w, w]), np.zeros_like(w)
    return np.sum(t * t) + np.sum((both * x) ** 2) + np.sum(zeros + x)


@program(1.5, 0, again=[(1.5, 2)])
def arrays_of_an_int_or_float(x, n):
    k = 2
    if n > 0:
        k = 0.5
    t = np.full(3, k) + x
    s = k * np.arange(3)
    for _ in range(3):
        s = s + 0.3
    return np.sum(t * t) + np.sum(s * s) * x
