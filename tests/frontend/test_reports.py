"""Warnings, logs and clocks: once for each call, in order, where the primal is computed."""

import logging
import time
import warnings

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

logger = logging.getLogger("srcad.tests.reports")
X = np.array([0.3, 0.9])


class OwnWarning(UserWarning):
    pass


def warns(x):
    if x[0] > 0.1:
        warnings.warn(f"big {x[0]:.1f}", RuntimeWarning, stacklevel=2)
    warnings.warn("plain")
    warnings.warn(OwnWarning("own"))
    return np.sum(x * x)


@pytest.mark.parametrize("transform", [srcad.grad, srcad.value_and_grad, srcad.compile])
def test_warnings_are_those_of_python(transform):
    with warnings.catch_warnings(record=True) as expected:
        warnings.simplefilter("always")
        warns(X)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        transform(warns)(X)
    assert [(w.category, str(w.message)) for w in found] == [
        (w.category, str(w.message)) for w in expected
    ]


def test_a_warning_that_is_made_an_error_is_raised():
    with warnings.catch_warnings():
        warnings.simplefilter("error", OwnWarning)
        with pytest.raises(OwnWarning, match="own"):
            srcad.grad(warns)(X)


def test_a_warning_is_caught_by_its_handler():
    def f(x):
        try:
            warnings.warn("slow", OwnWarning)
            k = 1.0
        except OwnWarning:
            k = 3.0
        return np.sum(x) * k

    gradient = srcad.grad(f)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert gradient(X).tolist() == [3.0, 3.0]
        warnings.simplefilter("ignore")
        assert gradient(X).tolist() == [1.0, 1.0]


def logs(x, n):
    logger.info("start")
    for k in range(n):
        x = x * x
        logger.warning("step %d: %.2f", k, x[0])
    logging.error("end")
    return np.sum(x)


def test_logs_are_those_of_python(caplog):
    caplog.set_level(logging.INFO)
    logs(X, 2)
    expected = [(r.name, r.levelno, r.getMessage()) for r in caplog.records]
    caplog.clear()
    srcad.grad(logs)(X, 2)
    found = [(r.name, r.levelno, r.getMessage()) for r in caplog.records if r.name != "srcad"]
    assert found == expected


def test_another_logger_is_another_program(caplog):
    def f(x, log):
        log.warning("here")
        return np.sum(x)

    gradient = srcad.grad(f)
    for name in ("first", "second"):
        gradient(X, logging.getLogger(name))
    assert [r.name for r in caplog.records] == ["first", "second"]


def test_a_logger_that_is_not_registered_is_refused():
    def f(x, log):
        log.warning("here")
        return np.sum(x)

    with pytest.raises(SrcadError):
        srcad.grad(f)(X, logging.Logger("alone"))


def test_a_clock_is_asked_in_order():
    def f(x):
        start = time.perf_counter()
        y = np.sum(x * x)
        return y, time.perf_counter() - start, time.time_ns()

    _, took, now = srcad.compile(f)(X)
    assert took >= 0.0
    assert abs(now - time.time_ns()) < 10**10
