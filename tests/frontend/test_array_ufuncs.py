"""Classes with `np.ndarray` behind them that compute by their own `__array_ufunc__`."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad

X = np.array([0.5, 1.5, 2.0])


class Noted(np.ndarray):
    """It notes which operands were of its class, as the example of NumPy's guide does."""

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        args = [x.view(np.ndarray) if isinstance(x, Noted) else x for x in inputs]
        outputs = out
        if outputs:
            given = [x.view(np.ndarray) if isinstance(x, Noted) else x for x in outputs]
            kwargs["out"] = tuple(given)
        else:
            outputs = (None,) * ufunc.nout
        results = super().__array_ufunc__(ufunc, method, *args, **kwargs)
        if results is NotImplemented:
            return NotImplemented
        if ufunc.nout == 1:
            results = (results,)
        results = tuple(
            np.asarray(result).view(Noted) if output is None else output
            for result, output in zip(results, outputs)
        )
        results[0].noted = [i for i, x in enumerate(inputs) if isinstance(x, Noted)]
        return results[0] if len(results) == 1 else results


class Length(np.ndarray):
    """A length to a power: metres, squares, cubes."""

    def __new__(cls, array, power=1):
        made = np.asarray(array, dtype=float).view(cls)
        made.power = power
        return made

    def __array_finalize__(self, source):
        self.power = getattr(source, "power", 0)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if method != "__call__" or kwargs:
            return NotImplemented
        powers = [x.power if isinstance(x, Length) else 0 for x in inputs]
        plain = [np.asarray(x) for x in inputs]
        if ufunc in (np.add, np.subtract):
            if powers[0] != powers[1]:
                raise ValueError("lengths of two powers")
            return Length(ufunc(*plain), powers[0])
        if ufunc is np.multiply:
            return Length(ufunc(*plain), sum(powers))
        if ufunc is np.true_divide:
            return Length(ufunc(*plain), powers[0] - powers[1])
        if ufunc is np.sqrt:
            return Length(ufunc(*plain), powers[0] / 2)
        if ufunc is np.square or (ufunc is np.power and inputs[1] == 2):
            return Length(plain[0] ** 2, powers[0] * 2)
        if ufunc in (np.less, np.greater):
            return ufunc(*plain)
        return NotImplemented


class Silent(Length):
    def __array_ufunc__(self, *args, **kwargs):
        return NotImplemented


def added(x):
    y = x.view(Noted) + 1
    return np.asarray(y), y.noted, type(y).__name__


def called(x):
    y, z = np.sqrt(x.view(Noted)), np.add(x, x.view(Noted))
    return np.asarray(y), y.noted, np.asarray(z), z.noted


def reflected(x):
    y = 2 - x.view(Noted) ** 2
    return np.asarray(y), y.noted, (x * x.view(Noted)).noted


def in_place(x):
    y = x.view(Noted)
    y *= 2
    z = np.multiply(y, 3.0, out=y)
    return np.asarray(y), y.noted, z is y


def unary(x):
    y = -x.view(Noted)
    return np.asarray(abs(y)), abs(y).noted, np.asarray(y < 0), type(y < 0).__name__


def two_results(x):
    whole, part = np.modf(x.view(Noted))
    return np.asarray(whole), np.asarray(part)


def product(x):
    return np.asarray(x.view(Noted) @ x.view(Noted))


def lengths(x):
    area = Length(x, 1) * Length(x, 1)
    side = np.sqrt(area) + 2.0 * Length(x)
    return np.asarray(side), side.power, (area / side).power, (side**2).power, (x * side).power


def compared(x):
    return Length(x) < Length(2 * x), Length(x)[0] < 1.0


class Beside(np.ndarray):
    pass


def beside_others(x):
    y = x[::-1] < x.view(Noted)
    z = x.view(Beside) + x.view(Noted)
    pair = x.view(Beside) < x.view(Noted), x[0] == x.view(Noted)
    return y.noted, z.noted, type(z).__name__, [(p.noted, np.asarray(p)) for p in pair]


def scalars(x):
    return x.sum().view(Noted), x.mean().view(np.ndarray), x[0] < x.view(Beside).view(np.ndarray)


def moved(x):
    y = np.concatenate([Length(x), Length(x)])
    return np.asarray(y), type(y).__name__, np.asarray(Length(x).T * 2), (Length(x)[1:] * 2).power


def by_its_base(x):
    return (Silent(x) * 1.0).power


def of_two_powers(x):
    return np.asarray(Length(x, 1) + Length(x, 2))


def of_no_answer(x):
    return np.exp(Length(x))


def of_no_answer_in_place(x):
    y = Length(x)
    y += Length(x)
    return np.asarray(y)


PROGRAMS = [
    added, called, reflected, in_place, unary, two_results, product, lengths, compared, moved,
    beside_others, scalars,
]  # fmt: skip
RAISING = [of_two_powers, of_no_answer, of_no_answer_in_place, by_its_base]


def same(a, b):
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and np.array_equal(a, b)


@pytest.mark.parametrize("f", PROGRAMS)
def test_what_it_answers(f):
    assert same(srcad.compile(f)(X.copy()), f(X.copy()))


@pytest.mark.parametrize("f", RAISING)
def test_what_it_raises(f):
    with pytest.raises((TypeError, ValueError)) as wanted:
        f(X.copy())
    with pytest.raises(wanted.type):
        srcad.compile(f)(X.copy())


@pytest.mark.parametrize("backend", BACKENDS)
def test_derivatives(backend):
    def loss(x):
        area = Length(x, 2)
        y = np.sqrt(area * area) * area
        return float(np.sum(np.asarray(y))) * y.power

    np.testing.assert_allclose(srcad.grad(loss, backend=backend)(X), 8 * X)
    found = srcad.grad(lambda a: np.sum(np.asarray(a * a)) * a.power)(Length(X, 3))
    assert (type(found), found.power) == (Length, 3)
    np.testing.assert_allclose(np.asarray(found), 6 * X)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: Length(x).sum(),
        lambda x: np.mean(x.view(Noted)),
        lambda x: np.add.reduce(x.view(Noted)),
        lambda x: x.view(Noted) ** x[0],
    ],
)
def test_what_is_refused(f):
    with pytest.raises(srcad.SrcadError, match="E120"):
        srcad.compile(f)(X)
