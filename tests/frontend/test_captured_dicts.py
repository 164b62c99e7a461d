"""Dicts of settings that a module holds: set while a call runs, and put back."""

import enum
from contextlib import contextmanager

import numpy as np
import pytest

import srcad

settings = {"power": 2, "check": True, "name": "plain"}
X = np.array([0.3, 0.9])


@contextmanager
def setting(**options):
    before = settings.copy()
    for name, x in options.items():
        settings[name] = x
    try:
        yield
    finally:
        for name, x in before.items():
            settings[name] = x


def rate(x):
    if settings["check"] and settings["name"] == "plain":
        return x ** settings["power"]
    return x * 5.0


def put_back(x):
    with setting(check=False):
        y = np.sum(rate(x))
    return y + np.sum(rate(x))


def left_changed(x):
    settings["power"] = 3
    return np.sum(rate(x))


def on_one_path(x):
    if x[0] > 0.0:
        settings["name"] = "other"
    return np.sum(rate(x))


def counted(x):
    for _ in range(3):
        settings["power"] += 1
    return np.sum(rate(x))


@pytest.fixture(autouse=True)
def restored():
    before = dict(settings)
    yield
    settings.clear()
    settings.update(before)


def run(call, x):
    before = dict(settings)
    found = call(x), dict(settings)
    settings.update(before)
    return found


@pytest.mark.parametrize("fn", [put_back, left_changed, on_one_path, counted])
@pytest.mark.parametrize("x", [X, -X])
def test_as_python(fn, x):
    value, held = run(fn, x)
    gradient = srcad.value_and_grad(fn)
    for call in (
        lambda x: gradient(x)[0],
        lambda x: srcad.jvp(fn, (x,), (x,))[0],
        srcad.compile(fn),
    ):
        found, after = run(call, x)
        assert found == pytest.approx(value, rel=1e-14)
        assert after == held
    steps = np.eye(2) * 1e-6
    slopes = [(run(fn, x + h)[0] - run(fn, x - h)[0]) / 2e-6 for h in steps]
    np.testing.assert_allclose(run(gradient, x)[0][1], slopes, rtol=1e-6)


def test_another_value_at_the_start_is_seen():
    gradient = srcad.value_and_grad(put_back)
    assert gradient(X)[0] == put_back(X)
    settings["power"] = 4
    assert gradient(X)[0] == put_back(X)


def test_an_exception_leaves_what_was_put_back():
    def f(x):
        with setting(check=False):
            if x[0] > 0.0:
                raise ValueError("large")
            return np.sum(rate(x))

    before = dict(settings)
    with pytest.raises(ValueError, match="large"):
        srcad.grad(f)(X)
    assert settings == before


def test_an_array_is_refused():
    def f(x):
        settings["power"] = x
        return np.sum(x)

    with pytest.raises(srcad.SrcadError, match="E133"):
        srcad.grad(f)(X)


class Kind(enum.Enum):
    LINEAR = 1
    SQUARE = 2


class Level(enum.IntEnum):
    LOW = 0
    HIGH = 1


rates = {Kind.LINEAR: 2.0, Kind.SQUARE: 3.0}
tables = {Kind.LINEAR: np.array([1.0, 2.0]), Kind.SQUARE: [1.0, 2.0]}
levels = {Level.LOW: 0.5, Level.HIGH: 4.0}


def by_member(x):
    return rates[Kind.SQUARE] * x + np.sum(tables[Kind.LINEAR]) * x


def by_argument(x, kind=Kind.LINEAR):
    return rates[kind] * x + levels[Level.HIGH]


def over_items(x):
    total = 0.0
    for kind, rate in rates.items():
        total += rate * x if kind is Kind.LINEAR else rate
    return total + len(rates) + sum(levels.values())


def asked(x):
    return rates.get(Kind.SQUARE, 1.0) * x if Kind.LINEAR in rates else x


def test_members_of_an_enum_are_keys():
    programs = [(f, srcad.value_and_grad(f)) for f in (by_member, by_argument, over_items, asked)]

    def check():
        for f, program in programs:
            assert program(1.5)[0] == f(1.5)

    check()
    before = rates.copy()
    try:
        rates[Kind.SQUARE] = 7.0
        check()
        del rates[Kind.LINEAR]
        rates[Kind.LINEAR] = 1.0  # behind the other
        check()
    finally:
        rates.clear()
        rates.update(before)
    check()


def test_members_of_an_enum_in_a_dict_that_is_passed_are_refused():
    with pytest.raises(srcad.SrcadError, match=r"key\.name"):
        srcad.grad(lambda x, d: d[Kind.LINEAR] * x)(1.5, rates)
