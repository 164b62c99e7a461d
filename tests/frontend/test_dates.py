"""Dates and the times between them, which are data: of NumPy, and of Python's `datetime`."""

import datetime

import numpy as np
import pytest

import srcad

DAYS = np.array(["2020-01-01", "2020-01-03", "2020-01-07"], "M8[D]")
START = datetime.date(2020, 1, 1)
DAY = np.timedelta64(1, "D")


def seconds(x, t):
    return np.sum(x * ((t - t[0]) / np.timedelta64(1, "s"))) * 1e-5


def steps(x, t):
    return np.sum(x[1:] * (np.diff(t) / DAY)) + np.sum(np.diff(t).astype(float) * x[1:] ** 2)


def middles(x, t):
    middle = t[:-1] + np.diff(t) // 2
    return np.sum(x[1:] * (middle - t[0]).astype(float))


def units(x, t):
    months = (t.astype("M8[M]") - t.astype("M8[Y]").astype("M8[M]")).astype(int)
    hours = np.timedelta64(36, "h")
    return np.sum(x * months) + np.sum(x) * (hours / DAY) * (hours // np.timedelta64(5, "h"))


def chosen(x, t):
    early = t < np.datetime64("2020-01-02")
    at = np.searchsorted(t, np.datetime64("2020-01-03"))
    near = np.argmin(np.abs(t - np.datetime64("2020-01-06")))
    return np.sum(x[early]) + x[at] ** 2 + np.sum(np.where(t > t[0], x, x**3)) * x[near]


def spans(x, t):
    whole = (t.max() - t.min()) / DAY + np.sum(t - t[0]).astype(float)
    return np.sum(x) * whole + np.mean(t - t[0]).astype(float) * x[0] + np.ptp(t).astype(int) * x[1]


def in_a_loop(x, t):
    total = 0.0
    for k in range(len(t)):
        if t[k] >= np.datetime64("2020-01-02"):
            total = total + x[k] ** 2 * ((t[k] - t[0]) / np.timedelta64(12, "h"))
    return total


def ranges(x, t):
    days = np.datetime64("2020-01-01") + np.arange(3)
    again = np.arange("2020-01-01", "2020-01-04", dtype="M8[D]")
    weeks = np.arange(np.datetime64("2020-01-01"), np.datetime64("2020-01-20"), 7 * DAY)
    return np.sum(x * ((days - t) / DAY + (again - weeks) / DAY))


def calendar(x, t):
    years = t.astype("M8[Y]").astype(int) + 1970
    weekend = np.where(np.is_busday(t), x, x**2)
    return np.sum(x * years) + np.sum(weekend) * np.busday_count(t[0], t[2]) + np.isnat(t).sum()


def of_numbers(x, t):
    later = t + np.timedelta64(len(x), "h") * 2 + np.array([1, 2, 3], "m8[h]")
    return np.sum(x * ((later - t) / np.timedelta64(90, "m"))) * np.datetime_data(t.dtype)[1]


def of_python(x, t):
    days = (datetime.date(2020, 3, 1) - START).days + (t[1] - np.datetime64(START)) / DAY
    half = datetime.timedelta(hours=3) / datetime.timedelta(hours=6)
    is_later = datetime.datetime(2020, 3, 1, 12) > datetime.datetime(2020, 3, 1)
    year = datetime.datetime.strptime("2019-05", "%Y-%m").year - START.year
    return np.sum(x**2) * days * half + (x[0] if is_later else x[1]) * -year


_USED = (
    seconds, steps, middles, units, chosen, spans, in_a_loop, ranges, calendar, of_numbers,
    of_python,
)  # fmt: skip


@pytest.mark.parametrize("f", _USED, ids=lambda f: f.__name__)
def test_values_and_gradients(f):
    x = np.array([0.3, 1.2, -0.7])
    run = srcad.value_and_grad(f)
    for t in (DAYS, DAYS + np.array([0, 1, 40])):  # which are read anew
        value, got = run(x, t)
        assert (type(value), value) == (type(f(x, t)), f(x, t))
        wanted = [(f(x + e, t) - f(x - e, t)) / 2e-6 for e in 1e-6 * np.eye(3)]
        assert got == pytest.approx(wanted, rel=1e-5, abs=1e-5)


def constants():
    of_numpy = (
        np.timedelta64(5), np.timedelta64(3, "15m"), np.timedelta64("NaT", "D"), -7 * DAY,
        np.datetime64("2020"), np.datetime64("NaT"), np.datetime64(10, "D"), np.datetime64(),
        np.datetime64("2020-01-01T12:00:00.123456789"), np.timedelta64(1, "D").astype("m8[h]"),
        np.datetime64(np.datetime64("2020-01-01"), "M"), 7 * DAY / np.timedelta64(2, "h"),
    )  # fmt: skip
    later = START + datetime.timedelta(days=3)
    is_before = -datetime.timedelta(1) < datetime.timedelta(0)
    return of_numpy, datetime.timedelta(1).total_seconds(), START.isoformat(), later.day, is_before


def test_constants():
    wanted, got = constants(), srcad.compile(constants)()
    assert repr(got) == repr(wanted)


def test_a_unit_that_is_none_raises():
    def f(x):
        try:
            return x * (np.timedelta64(1, "fortnight") / DAY)
        except TypeError:
            return -x

    assert srcad.grad(f)(2.0) == -1


def test_a_time_is_no_index():
    for transform in (srcad.compile, srcad.grad):
        with pytest.raises(srcad.SrcadError, match="E132"):
            transform(lambda x: np.take(x, np.timedelta64(1)))(np.ones(3))


def _now(x):
    return x * (np.datetime64("now") > DAYS[0])


def _today(x):
    return x * datetime.date.today().year


@pytest.mark.parametrize("f", [_now, _today], ids=lambda f: f.__name__)
def test_clocks_are_refused(f):
    with pytest.raises(srcad.SrcadError, match=r"today|now"):
        srcad.grad(f)(1.0)


def test_captured_dates_are_guarded():
    day = START

    def f(x):
        return x * day.day

    grad = srcad.grad(f)
    assert grad(1.0) == 1
    day = datetime.date(2020, 1, 5)
    assert grad(1.0) == 5
