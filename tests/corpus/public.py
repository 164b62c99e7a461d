"""Public functions that are read: `operator`, `math`, methods of arrays, numbers and ufuncs."""

import functools
import itertools
import math
import operator

import numpy as np
from corpus.program import Theme, array, positive

program = Theme("public")
number = 1.3
five = positive(5)


@program(five)
def sums_of_sequences(x):
    return math.fsum([x[0] * 2, x[1] ** 2, 3.0]) * math.fsum(x) + math.fsum(a * a for a in x)


@program(five, five)
def distances(x, y):
    return math.dist(x, y) + math.dist([x[0], y[1]], (1.0, 9.0))


@program(five)
def products(x):
    return math.prod([x[0], x[1], 2]) + math.prod(x, start=2.0) + math.hypot(x[0], x[1], x[2])


@program(number)
def functions_of_math(x):
    a = math.gamma(x) + math.lgamma(x) + math.erf(x) + math.erfc(x) + math.cbrt(x)
    b = math.exp2(x) + math.copysign(x, -1) + math.fmod(x, 0.7) + math.remainder(x, 0.7)
    return a + b + math.log(x, 3.0) + math.pow(x, 2.5) + math.ldexp(x, 2)


@program(five)
def operators_in_place(x):
    y = x * 2.0
    operator.setitem(y, 1, x[0] ** 2)
    operator.iadd(y, x)
    y = operator.imul(y, 3.0)
    total = operator.isub(x[0], x[1])
    return y * total


@program(five)
def operators_on_lists(x):
    a = [x[0], x[1]]
    operator.iconcat(a, [x[2]])
    operator.setitem(a, 0, x[3])
    operator.delitem(a, 1)
    return a[0] * a[1] + operator.countOf([1, 2, 1], 1) + operator.indexOf([3, 4], 4)


@program(five)
def operators_as_functions(x):
    a = operator.call(np.sum, operator.add(x, operator.mul(x, 2)))
    b = operator.itemgetter(0, 2)(x)[1] + operator.methodcaller("sum")(x)
    c = operator.attrgetter("T")(x)[0] + operator.abs(-x)[0] + operator.pos(x)[1]
    return a * b + c * operator.neg(x)[2] + operator.inv(3) + operator.index(3)


@program(five)
def comparisons_as_functions(x):
    a = operator.lt(x[0], 9) + operator.not_(x[0] > 1) + operator.truth(x[0])
    b = operator.eq([1], [1]) + operator.contains((1, 2), 2) + operator.is_(None, None)
    return x * (a + b)


@program(five)
def methods_of_operators(x):
    y = x.copy()
    y.__iadd__(x)
    y.__imul__(x)
    y.__setitem__(0, 1.0)
    z = y.__add__(x).__mul__(2.0) + x.__rsub__(1.0) + (-x).__abs__() + x.__pow__(2)
    return z + x.__neg__() + x.__len__() + x[0].__float__() + x.__getitem__(1)


@program(number)
def methods_of_numbers(x):
    a = x.__add__(2.0) + x.real + x.imag + x.conjugate() + x.is_integer() + x.__rtruediv__(2.0)
    n = int(x) + 4
    return a * n.bit_length() + n.bit_count() + n.numerator / n.denominator


@program(five)
def methods_of_vectors(x):
    y = x.compress([True, False, True, True, False]).sum() + x.take([0, 2]).sum() * x.std()
    z = x.repeat(2).sum() + x.clip(0.6, 1.2).sum() + x.var() + x.prod() + x.cumprod()[2]
    return y * z + x.argmin() + x.searchsorted(1.0) + x.nbytes / x.itemsize


@program(array(3, 4))
def methods_of_matrices(x):
    a = x.trace() + x.diagonal().sum() + x.T.sum() + x.mT[0, 0] + x.swapaxes(0, 1)[1, 1]
    b = x.squeeze()[0, 1] + x.ravel()[3] + x.flatten()[4] ** 2 + x.item(3) + x.item(1, 2)
    c = x.to_device("cpu").sum() + x.astype(float, copy=False)[0, 0] + x.dot(x.T)[0, 0]
    return a * b + c * x.astype(np.float64, casting="same_kind", order="C")[1, 1]


@program(five)
def lists_of_entries(x):
    rows = np.stack([x, x * x]).tolist()
    return sum(x.tolist()) * rows[0][0] * rows[0][1]


@program(five)
def parts_written(x):
    z = x + 1j * x[::-1]
    z.real = x**2
    z.imag = 2 * x
    return np.abs(z)


@program(five)
def indexed_to_make_arrays(x):
    a = np.r_[x, 1.0, x[0], 0:3].sum() * np.c_[x, x**2].sum()
    b = np.sum(np.mgrid[0:2, 0:1:3j]) * x[0] + np.ogrid[0:2, 0:3][1].sum() * x[1]
    return a + b + x[np.s_[1:]].sum()


@program(five)
def casts_by_class(x):
    return np.float16(1.5) * x + np.longdouble(x).astype(float) + np.int32(x + 9).sum()


@program(number)
def builtins_of_numbers(x):
    a = sum([x, x * x], start=1.0) + pow(x, 3) + divmod(x, 0.7)[1] + max(x, 0.1) + min([x, 9.0])
    b = max([x, 2 * x], key=lambda each: 1) + max([], default=x) + abs(complex(x, 2.0))
    return a * b + round(x, 1) + len(hex(255)) + ord("a") + len(format(1.5, ".2f")) + pow(7, 2, 5)


@program(number)
def iterators(x):
    a, b = itertools.tee([x, x * x])
    total = sum(p * q for p, q in zip(a, b, strict=False))
    return total + sum(itertools.accumulate([x, 2 * x])) + functools.reduce(operator.mul, [x, x])


@program(positive(3, 4))
def reductions_of_ufuncs(x):
    a = np.add.reduce(x) * np.multiply.reduce(x, axis=0) + np.maximum.reduce(x)
    b = np.minimum.reduce(x, 1, keepdims=True) + np.logaddexp.reduce(x) * np.hypot.reduce(x)
    return a + b + np.add.reduce(x, axis=None, where=x > 0.5, initial=2.0)


@program(positive(4), positive(3))
def outer_and_running(x, y):
    z = np.hypot.outer(x, y) + np.subtract.outer(x, y)
    return np.add.accumulate(z) * np.maximum.accumulate(z, axis=1) + np.add.reduceat(y, [0, 2])[0]


@program(five)
def entries_changed_again(x):
    y, z = np.ones((2, 3)), np.ones(5)
    np.multiply.at(y, (np.array([0, 1, 0]), np.array([1, 2, 1])), x[:3])
    np.multiply.at(z, x > 0.8, 2.0 * x[0])
    np.maximum.at(z, np.array([[0, 1], [1, 0]]), x[:4].reshape(2, 2))
    np.square.at(z, np.array([0, 0]))
    return y.sum() * z


@program(five)
def questions_about_types(x):
    wide, common = np.promote_types(x.dtype, np.float32), np.common_type(x)
    total = 0.0
    if np.isdtype(x.dtype, "real floating") and np.iterable(x) and not np.iterable(x[0]):
        for i, j in np.ndindex(2, 2):
            total = total + x[i] * x[j]
    return total * x.astype(wide).sum() * common(2.0) * np.zeros(2, np.min_scalar_type(7)).size
