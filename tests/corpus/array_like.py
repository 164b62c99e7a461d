"""What is an array and more: masked arrays, and classes with `np.ndarray` behind them."""

import numpy as np
from corpus.program import Theme, positive

import srcad

program = Theme("array_like")
three, four = positive(3), positive(4)

SEEN = np.ma.masked_invalid([0.5, np.nan, 1.5, -0.2])


@program(four)
def seen_data(x):
    return ((SEEN - x) ** 2).mean() + np.sum(np.sin(SEEN * x)) * x[1]


@program(four)
def masked_by_data(x):
    m = np.ma.masked_where(x < 0.9 * np.max(x), x * 2.0)
    rest = np.ma.array(x, mask=np.ma.getmaskarray(m))
    return (m * rest).sum() + np.sum(np.exp(rest).filled(0.5) * x)


class Tagged(np.ndarray):
    def __new__(cls, array, tag):
        made = np.asarray(array, dtype=float).view(cls)
        made.tag = tag
        return made

    def __array_finalize__(self, source):
        self.tag = getattr(source, "tag", 1.0)


class Power(np.ndarray):
    """A quantity to a power, which its products add up."""

    def __new__(cls, array, power=1):
        made = np.asarray(array, dtype=float).view(cls)
        made.power = power
        return made

    def __array_finalize__(self, source):
        self.power = getattr(source, "power", 0)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        powers = [x.power if isinstance(x, Power) else 0 for x in inputs]
        plain = [np.asarray(x) for x in inputs]
        if ufunc is np.multiply:
            return Power(ufunc(*plain), sum(powers))
        if ufunc is np.add and powers[0] == powers[1]:
            return Power(ufunc(*plain), powers[0])
        return NotImplemented


@program(three)
def ufuncs_of_its_own(x):
    area = Power(x) * Power(x * 2.0)
    volume = (area + area) * Power(np.sin(x))
    return np.sum(np.asarray(volume)) * volume.power


def energy(a):
    return np.sum(np.asarray(a) ** 3) * a.tag


@program(three)
def gradient_by_a_class(x):
    a = Tagged(x, 2.5)
    g = srcad.grad(energy)(a)
    return np.sum(np.asarray(g * a)) * g.tag


@program(four)
def samples_of_a_class(x):
    rows = Tagged(np.outer(x, x[:2]), 3.0)
    return np.sum(srcad.vmap(lambda row: np.sum(np.asarray(row) ** 2) * row.tag)(rows))
