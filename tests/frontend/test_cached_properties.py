"""Cached properties run at their first read, and are attributes from then on, as in Python."""

import copy
import dataclasses
import functools

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad import SrcadError


class Model:
    def __init__(self, k, rng=None):
        self.k, self.n, self.rng = k, 0, rng

    @functools.cached_property
    def scale(self):
        return self.k * 11

    @functools.cached_property
    def twice(self):
        return self.scale * 2

    @functools.cached_property
    def pair(self):
        return self.k, 2.0

    @functools.cached_property
    def grid(self):
        return np.ones(2) * self.k

    @functools.cached_property
    def items(self):
        return [self.k, {"a": (2.0, self.k)}, np.ones(2)]

    @functools.cached_property
    def told(self):
        print("computed", self.n)
        return self.k * 2

    @functools.cached_property
    def count(self):
        self.n += 1
        return self.n

    @functools.cached_property
    def draw(self):
        return self.rng.random()


@dataclasses.dataclass
class Data:
    k: float

    @functools.cached_property
    def scale(self):
        return self.k * 3

    @functools.cached_property
    def grid(self):
        return np.ones(2) * self.k


@dataclasses.dataclass(frozen=True)
class Frozen:
    k: float

    @functools.cached_property
    def scale(self):
        return self.k * 3

    @functools.cached_property
    def grid(self):
        return np.ones(2) * self.k


def writes(m, x):
    m.grid[0] = 9.0
    return m.grid.sum() * x


def updates(m, x):
    y = m.grid
    y *= x
    return m.grid.sum()


def is_one(m, x):
    return x if m.grid is m.grid else -x


def appends(m, x):
    m.items.append(x)
    return float(len(m.items)) * x


def prints(m, x):
    return m.told * x + m.told


def counts(m, x):
    m.count
    m.count
    return m.n * x


def draws(m, x):
    m.rng = np.random.default_rng(3)
    return (m.draw + m.draw) * x


def reads(m, x):
    return m.scale * x


def reads_of_others(m, x):
    return m.twice * x + m.pair[0]


def changes_what_it_is_made_of(m, x):
    y = m.scale * x
    m.k = 1.0
    return y + m.scale


def assigns(m, x):
    y = m.scale
    m.scale = x
    return y + m.scale


def deletes(m, x):
    y = m.scale
    del m.scale
    m.k = x
    return y + m.scale


def in_a_loop(m, x):
    y = 0.0
    for v in np.arange(40.0):
        y += m.scale * v
    return y * x


def in_a_branch(m, x):
    y = m.scale if x > 0 else 0.0
    return y + m.scale * x


def in_a_branch_alone(m, x):
    return m.scale * x if x > 5 else x


def arrays_in_a_loop(m, x):
    y = 0.0
    for v in np.arange(40.0):
        y += np.sum(m.grid) * v + m.items[0]
    return y * x


def before_a_loop(m, x):
    y = m.scale
    for v in np.arange(40.0):
        m.k = m.k + v
        y += m.scale
    return y * x


def of_objects_made_in_a_loop(m, x):
    y = 0.0
    for v in np.arange(40.0):
        one = Model(m.k + v)
        one.grid[0] += x
        one.items.append(v)
        y += one.grid.sum() * one.count + one.count * len(one.items) * x
    return y


EVERYWHERE = [
    is_one, reads, reads_of_others, in_a_loop, in_a_branch, in_a_branch_alone, arrays_in_a_loop,
]  # fmt: skip
PROGRAMS = [
    writes, updates, appends, prints, counts, draws, changes_what_it_is_made_of, assigns,
    before_a_loop, of_objects_made_in_a_loop, *EVERYWHERE,
]  # fmt: skip


def made(f, cls=Model):
    return lambda x: f(cls(x), x)


def local(x):
    class Box:
        def __init__(self, k):
            self.k = k

        @functools.cached_property
        def grid(self):
            return np.ones(2) * self.k

    box = Box(x)
    box.grid[0] = 9.0
    return box.grid.sum()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [*map(made, PROGRAMS), made(deletes), made(writes, Frozen), local])
def test_of_an_object_made_here(f, backend, capsys):
    wanted = f(2.0)
    said = capsys.readouterr().out
    assert srcad.compile(f, backend=backend)(2.0) == wanted
    assert capsys.readouterr().out == said
    value, slope = srcad.value_and_grad(f, backend=backend)(2.0)
    assert capsys.readouterr().out == said
    assert value == wanted
    assert slope == pytest.approx((f(2.0 + 1e-6) - f(2.0 - 1e-6)) / 2e-6, rel=1e-6)


def told(x):
    return {name: repr(item) for name, item in vars(x).items() if name != "rng"}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", PROGRAMS)
def test_of_an_argument(f, backend, capsys):
    m, other = Model(3.0), Model(3.0)
    compiled = srcad.compile(f, backend=backend)
    for k in (5.0, 7.0):
        assert f(m, 2.0) == compiled(other, 2.0)
        said = capsys.readouterr().out
        assert said[: len(said) // 2] == said[len(said) // 2 :]
        assert told(m) == told(other)
        m.k = other.k = k


@pytest.mark.parametrize("cls", [Data, Frozen])
@pytest.mark.parametrize("f", [is_one, reads, in_a_loop, in_a_branch])
def test_of_a_dataclass_that_is_an_argument(f, cls):
    m, other = cls(3.0), cls(3.0)
    compiled = srcad.compile(f)
    for k in (5.0, 7.0):
        assert f(m, 2.0) == compiled(other, 2.0)
        assert told(m) == told(other)
        m.__dict__["k"] = other.__dict__["k"] = k
    gradient = srcad.grad(f, 0)(other, 2.0)
    assert gradient.k == 0.0


@pytest.mark.parametrize("f", EVERYWHERE)
def test_of_a_captured_object(f):
    m, other = Model(3.0), Model(3.0)
    compiled = srcad.compile(lambda x: f(other, x))
    for k in (5.0, 7.0):
        assert f(m, 2.0) == compiled(2.0)
        assert told(m) == told(other)
        m.k = other.k = k


@pytest.mark.parametrize("f", [*EVERYWHERE, counts, changes_what_it_is_made_of])
def test_a_derivative_changes_no_argument(f):
    m = Model(3.0)
    wanted = f(copy.copy(m), 2.0)
    assert srcad.value_and_grad(f, 1)(m, 2.0)[0] == wanted
    assert vars(m) == vars(Model(3.0))


def returned(m, x):
    return m.grid


def test_what_is_returned_is_what_the_object_holds():
    m = Model(3.0)
    assert srcad.compile(returned)(m, 1.0) is m.grid
    m = Model(3.0)
    with pytest.raises(SrcadError, match="E139"):
        srcad.compile(lambda x: m.grid)(1.0)


def object_of_which_a_loop_reads(x):
    m = Model(x)
    y = 0.0
    for v in np.arange(40.0):
        y += m.scale * v
    return m, y


def changes_in_a_loop(x):
    m = Model(x)
    y = 0.0
    for _ in range(400):
        m.k = m.k + x
        y += m.scale
    return y


def writes_in_a_loop(x):
    m = Model(x)
    for v in np.arange(40.0):
        m.grid[0] += v
    return m.grid.sum()


def prints_in_a_branch(x):
    m = Model(x)
    y = m.told if x > 1 else x
    return y + m.told


@pytest.mark.parametrize(
    "f", [object_of_which_a_loop_reads, changes_in_a_loop, writes_in_a_loop, prints_in_a_branch]
)
def test_what_is_not_known_in_a_loop_is_refused(f):
    with pytest.raises(SrcadError, match=r"E116|E118|E306"):
        srcad.compile(f)(2.0)


@functools.lru_cache
def table(n):
    return np.arange(float(n))


def test_array_that_a_cache_keeps_does_not_leave():
    with pytest.raises(SrcadError, match="E139"):
        srcad.compile(lambda x: table(3))(1.0)
    assert np.array_equal(srcad.compile(lambda x: table(3) * x)(2.0), [0.0, 2.0, 4.0])
    assert np.array_equal(srcad.compile(lambda x: np.copy(table(3)))(2.0), table(3))


def _set_then_read(m, n):
    m.z = m.k
    return m.scale


def _none_then_read(m, n):
    m.f, m.g = None, np.sin
    m.scale
    m.h = 1.0


def _read_then_read_in_a_loop(m, n):
    s = m.scale
    for _ in range(n):
        s += m.told
    return s


def _set_then_read_in_a_loop(m, n):
    m.z, m.y = m.k * 2, [1.0]
    for _ in range(n):
        m.told
    m.y.append(2.0)
    m.z = 3.0


def _set_then_read_in_a_while(m, n):
    s = m.scale
    while n > 0:
        s += m.told
        n -= 1
    m.z = s


def _read_in_a_loop_then_read(m, n):
    s = 0.0
    for _ in range(n):
        s += m.told
    return s + m.scale


ORDERS = [
    *(_set_then_read, _none_then_read, _read_then_read_in_a_loop, _set_then_read_in_a_loop),
    *(_set_then_read_in_a_while, _read_in_a_loop_then_read),
]


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("f", ORDERS)
def test_attributes_have_the_order_of_python(f, n):
    class Plain(Model):
        told = functools.cached_property(lambda self: self.k * 3)
        told.__set_name__(None, "told")

    got, wanted = Plain(2.0), Plain(2.0)
    assert srcad.compile(f, backend="numpy")(got, n) == f(wanted, n)
    assert list(vars(got).items()) == list(vars(wanted).items())
