"""Objects of classes with `np.ndarray` behind them: made by `view`, finalized as NumPy does it."""

import numpy as np
import pytest
from array_classes import Info, Signal
from optional import BACKENDS

import srcad


class Bare(np.ndarray):
    pass


class Made(np.ndarray):
    def __new__(cls, shape, dtype=float, info=None):
        made = super().__new__(cls, shape, dtype)
        made.info = info
        return made

    def __array_finalize__(self, source):
        if source is not None:
            self.info = getattr(source, "info", None)


class Counts(np.ndarray):
    """It counts from how many others it was made, one after the other."""

    def __array_finalize__(self, source):
        self.n = getattr(source, "n", 0) + 1


HELD = Info(np.array([1.0, 2.0, 3.0]), info=2.0)


def sums(x):
    a = Info(x, info=3.0)
    return float(np.sum(a**2)) * a.info, np.sum(a).info


def parts(x):
    b = Info(x, info="kg")[1:] * 2
    return np.asarray(b), b.info, type(b).__name__, isinstance(b, np.ndarray), isinstance(b, Info)


def methods(x):
    s = Signal(x, rate=2.0)
    return float(s.energy() * s.duration), (s * 3).rate, s.shape, s.ndim, len(s), s.dtype


def classes(x):
    p = x.view(Bare)
    made = (p + 1, np.concatenate([p, p]), p[0], p.sum(), np.exp(p), np.diff(p), p > 1, np.array(p))
    return [type(each).__name__ for each in made], np.asarray(p + 1), p.view(np.ndarray)


def made_empty(x):
    r = Made((3,), info=1.5)
    r[:] = x
    return np.asarray(r * 2), r.info, (r * 2).info, r[1:].info


def counts(x):
    c = x.view(Counts)
    made = (c, c[1:], c + 1, np.sum(c), np.diff(c), c.copy(), np.cumsum(c), c.T, np.clip(c, 0, 1))
    return [each.n for each in made], c.mean().n, np.zeros_like(c).n


def shares_memory(x):
    a = Info(x, info=1.0)
    x[0] = 7.0
    seen = a[0]
    a[1] = 5.0
    a += 1
    np.add(a, 1, out=a)
    return x, seen, a.info


def operators(x):
    a = Info(x, info=1.0)
    made = (2 - a, -a, a > 1, x + a, abs(a), a @ a, np.where(a > 1, a, 0), a[a > 1], a[[0, 1]])
    infos = [getattr(each, "info", "none") for each in made]
    return [np.asarray(each) for each in made], infos, np.dot(a, a), bool((a > 0).all())


def loops(x):
    a = Info(x)
    s = 0.0
    for v in a:
        s = s + v
    for i in range(len(a)):
        s = s + a[i] * i
    return s, [float(v) for v in a], np.asarray(a.reshape(3, 1) @ a.reshape(1, 3)), a.tolist()


def several(x):
    a = Info(x, info=1.0)
    quotient, rest = np.divmod(a, 2.0)
    b = a.copy()
    b.info = 6.0
    return np.asarray(quotient), rest.info, a.info, (a + b).info, (b + a).info


def held(x):
    return float((HELD * x).sum()), (HELD * x).info, HELD.info, np.asarray(HELD * np.arange(3))


_USED = (
    sums, parts, methods, classes, made_empty, counts, shares_memory, operators, loops, several,
    held,
)  # fmt: skip


def same(x, y):
    if isinstance(x, tuple | list):
        return type(x) is type(y) and len(x) == len(y) and all(map(same, x, y))
    if isinstance(x, np.ndarray | np.generic):
        return type(x) is type(y) and x.dtype == y.dtype and x.tolist() == y.tolist()
    return type(x) is type(y) and x == y


@pytest.mark.parametrize("f", _USED, ids=lambda f: f.__name__)
def test_is_what_python_gives(f):
    x, y = np.array([1.5, 2.0, 0.5]), np.array([1.5, 2.0, 0.5])
    assert same((srcad.compile(f)(x), x), (f(y), y))


def test_arguments():
    def f(a):
        a[0] = 9.0
        return float((a**2).sum()), a.info, np.asarray(a * 2)

    made = [Info(np.array([1.5, 2.0]), info=2.0) for _ in range(2)]
    assert same(srcad.compile(f)(made[0]), f(made[1]))
    assert made[0].tolist() == made[1].tolist()


def test_an_argument_is_the_caller_s_own():
    a = Info(np.array([1.5, 2.0]), info=2.0)
    assert srcad.compile(lambda a: a)(a) is a
    first, second = srcad.compile(lambda a: (a, [a]))(a)
    assert first is a
    assert second[0] is a
    assert srcad.compile(lambda a: HELD)(a) is HELD


def test_attributes_of_an_argument_are_set():
    def f(a):
        a.info = a.info * 2
        a.unit = "m"
        a[0] = 9.0
        return a[1:]

    made = [Info(np.array([1.5, 2.0]), info=2.0) for _ in range(2)]
    found, wanted = srcad.compile(f)(made[0]), f(made[1])
    assert same(found, wanted)
    assert vars(found) == vars(wanted)
    assert vars(made[0]) == vars(made[1]) == {"info": 4.0, "unit": "m"}
    assert made[0].tolist() == made[1].tolist()


def test_what_is_not_followed_is_told():
    def f(a):
        HELD.info = 3.0
        return 1.0

    with pytest.raises(srcad.SrcadError, match="outlives the call"):
        srcad.compile(f)(HELD * 1)
    with pytest.raises(srcad.SrcadError, match=r"`x\.copy\(\)`"):
        srcad.compile(lambda x: [Info(x * 2)] * 2)(np.ones(2))


@pytest.mark.parametrize("backend", BACKENDS)
def test_derivatives(backend):
    def f(x, a):
        s = Signal(x * a, rate=2.0)
        return np.sum(s**2) * a.info + s.energy() * s.duration

    x = np.array([0.3, 1.2, -0.7])
    got = srcad.grad(f, backend=backend)(x, HELD)
    wanted = [float(f(x + e, HELD) - f(x - e, HELD)) / 2e-6 for e in 1e-6 * np.eye(3)]
    assert got == pytest.approx(wanted)


class Answers(np.ndarray):
    def __array_ufunc__(self, *args, **kwargs):
        return NotImplemented


class Turning(np.ndarray):
    """A complex number by its parts, with operators of its own."""

    def __new__(cls, parts, unit=True):
        parts = np.array(parts, dtype=float)
        if unit:
            parts /= np.linalg.norm(parts)
        made = super().__new__(cls, parts.shape, float, parts)
        made.parts = parts
        return made

    def __array_finalize__(self, source):
        if source is not None:
            self.parts = getattr(source, "parts", None)

    def __mul__(self, other):
        a, b = np.asarray(self), np.asarray(other)
        return Turning([a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]], unit=False)

    def __pow__(self, n):
        return super().__pow__(n) + 1.0

    def __eq__(self, other):
        return bool(np.all(np.asarray(self) == np.asarray(other)))

    def __getitem__(self, index):
        found = super().__getitem__(index)
        return 2.0 * float(found) if isinstance(index, int) else np.asarray(found)

    def sum(self):
        return np.asarray(self).sum() * 10.0

    @property
    def T(self):
        return np.asarray(self)[::-1]


def _turned(x):
    a, b = Turning(x[:2]), Turning(x[1:], unit=False)
    return float((a * b).parts.sum()) + (a * b)[0] + a.sum() + a.T[0]


def _powers(x):
    a = Turning(x, unit=False)
    return float(np.asarray(a**2).sum()) + a[1] * a[1:].sum()


def _as_numpy_does(x):
    a = Turning(x, unit=False)
    made = (2.0 * a, x * a, a + 1, np.exp(a), np.multiply(a, x), a / 2)
    return sum(np.asarray(each)[0] * np.asarray(each)[-1] for each in made) + np.linalg.norm(a)


def _compared(x):
    return x[0] if Turning(x, unit=False) == x * 1.0 else x[1]


@pytest.mark.parametrize("f", [_turned, _powers, _as_numpy_does, _compared])
@pytest.mark.parametrize("x", [[1.5, 2.0, 0.5], [-0.3, 0.4, 1.2]])
def test_operators_and_methods_of_its_own(f, x):
    x = np.array(x)
    value, gradient = srcad.value_and_grad(f)(x)
    assert value == pytest.approx(f(x), rel=1e-14)
    wanted = [(f(x + e) - f(x - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
    assert gradient == pytest.approx(wanted, rel=1e-6)


class Halves(np.ndarray):
    def mean(self, *args, **kwargs):
        return 0.5


def _parts_of_one(x):
    a = Info(x * 2, info=1.0)
    return a, a[:2]


def _beside_its_array(x):
    return x, Info(x[::-1], info=[x[0] * 1.0, 2])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [_parts_of_one, _beside_its_array])
def test_results_share_the_memory_that_pythons_do(f, backend):
    found, wanted = srcad.compile(f, backend=backend)(np.arange(3.0)), f(np.arange(3.0))
    for made in (found, wanted):
        made[1][0] = 9.0
    for a, b in zip(found, wanted, strict=True):
        assert same(np.asarray(a), np.asarray(b)) and type(a) is type(b)
        assert same(getattr(a, "info", None), getattr(b, "info", None))


def test_one_as_a_result_beside_a_loss():
    def loss(x):
        return np.sum(x**2), Signal(x * 3.0, rate=4.0)

    (_, kept), gradient = srcad.value_and_grad(loss, has_aux=True)(np.ones(3))
    assert (type(kept), kept.rate, kept.tolist()) == (Signal, 4.0, [3.0] * 3)
    assert gradient.tolist() == [2.0] * 3


def _filled(x):
    y = Turning(x)
    y[:] = 1.0  # NumPy writes into what `y[:]` gives
    return np.asarray(y)


def test_numpys_own_source_asks_the_class():
    def asked(x):
        y = x.view(Halves)
        return np.mean(y), np.median(np.asarray(y)), np.diff(Turning(x)), np.average(y)

    found, wanted = srcad.compile(asked)(np.arange(3.0) + 1), asked(np.arange(3.0) + 1)
    for a, b in zip(found, wanted, strict=True):
        assert type(a) is type(b)
        np.testing.assert_allclose(a, b, rtol=1e-15)


@pytest.mark.parametrize(
    ("f", "code", "what"),
    [
        (lambda x: float((x.view(Answers) + 1)[0]), "E132", "answers NotImplemented"),
        (lambda x: np.sum(Turning(x)), "E131", "sum"),
        (lambda x: np.roll(Turning(x), 1)[0], "E127", "np.broadcast"),
        (_filled, "E120", "asks `__getitem__` of the class"),
        (lambda x: x.view(np.int64)[0] * 1.0, "E204", "view"),
    ],
)
def test_refused(f, code, what):
    with pytest.raises(srcad.SrcadError, match=what) as caught:
        srcad.compile(f)(np.ones(3))
    assert caught.value.code == code
