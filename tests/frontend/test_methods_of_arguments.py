"""Methods without derivative of objects that are arguments: they get the very object."""

import logging
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad import rules
from srcad.errors import SrcadError


class Monitor:
    best: Any = None
    is_on = False

    def __init__(self) -> None:
        self.n, self.scale, self.lines, self.row = 0, 2.0, [], np.zeros(4)
        self.counts = {"calls": 0}

    @rules.nondiff
    def log(self, x):
        self.lines.append(float(np.sum(x)))
        self.row[self.n] = np.sum(x)
        self.n += 1
        self.counts["calls"] += 1
        self.best = x if self.best is None else min(x, self.best)

    @rules.nondiff
    def turn_on(self):
        self.is_on = True

    @rules.nondiff
    def factor(self):
        return self.scale

    @rules.nondiff
    def __call__(self, x):
        self.n += 1

    @property
    def state(self):
        return self.n, self.lines, self.row.tolist(), self.counts, self.best, self.is_on


class Inheriting(Monitor):
    @rules.nondiff
    def log(self, x):
        super().log(x)
        self.scale += 1.0


def once(x, m):
    m.log(x)
    return x * x


def in_a_loop(x, m):
    for _ in range(3):
        x = np.sin(x)
        m.log(x)
    return x


def on_one_path(x, m):
    if x > 1.0:
        m.log(x)
    return x * x


def called(x, m):
    m(x)
    return x**3


def by_its_result(x, m):
    return x * m.factor()


def in_a_helper(x, m):
    def inner(z):
        m.log(z)
        return z * m.factor()

    return inner(x) + inner(2 * x)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("cls", [Monitor, Inheriting])
@pytest.mark.parametrize("f", [once, in_a_loop, on_one_path, called, by_its_result])
def test_they_change_the_object_as_python_does(f, cls, backend):
    gradient = srcad.value_and_grad(f, backend=backend)
    mine, its = cls(), cls()
    for x in (1.5, 0.5, 2.5)[: 1 if f is in_a_loop else 3]:
        value, slope = gradient(x, its)
        assert value == f(x, mine)
        assert its.state == mine.state
        h = 1e-6
        assert slope == pytest.approx((f(x + h, cls()) - f(x - h, cls())) / (2 * h), rel=1e-6)


def test_functions_inside_call_them():
    monitor = Monitor()
    assert srcad.grad(in_a_helper)(1.5, monitor) == 6.0
    assert monitor.lines == [1.5, 3.0]


def test_objects_in_containers_and_keywords():
    first, second, third = Monitor(), Monitor(), Monitor()

    def f(x, monitors, *, last):
        for each in monitors:
            each.log(x)
        last.log(x)
        return x * x

    assert srcad.grad(f)(3.0, [first, second], last=third) == 6.0
    assert first.lines == second.lines == third.lines == [3.0]


def reads_a_list(x, m):
    m.log(x)
    return x * len(m.lines)


def reads_by_another_name(x, m):
    row = m.row
    m.log(x)
    return x * row[0]


def reads_a_constant(x, m):
    m.turn_on()
    return x * (2.0 if m.is_on else 3.0)


def reads_in_the_next_iteration(x, m):
    for _ in range(2):
        x = x * (2.0 if m.is_on else 3.0)
        m.turn_on()
    return x


def reads_the_namespace(x, m):
    m.turn_on()
    return x * len(vars(m))


def changes_before(x, m):
    m.scale = 3.0
    return x * m.factor()


def changes_an_entry_before(x, m):
    m.row[0] = 3.0
    m.log(x)
    return x


def changes_in_a_loop(x, m):
    for _ in range(2):
        x = x * m.factor()
        m.scale = 3.0
    return x


@pytest.mark.parametrize(
    ("f", "code"),
    [
        (reads_a_list, "E107"),
        (reads_by_another_name, "E107"),
        (reads_a_constant, "E107"),
        (reads_in_the_next_iteration, "E107"),
        (reads_the_namespace, "E107"),
        (changes_before, "E118"),
        (changes_an_entry_before, "E118"),
        (changes_in_a_loop, "E118"),
    ],
)
def test_what_the_program_would_miss_is_refused(f, code):
    monitor = Monitor()
    with pytest.raises(SrcadError) as caught:
        srcad.grad(f)(3.0, monitor)
    assert caught.value.code == code
    assert monitor.state == Monitor().state


def reads_another(x, m, other):
    m.turn_on()
    return x * (2.0 if other.is_on else 3.0)


def sums_an_array(x, m, row):
    m.log(x)
    return x * row[0]


def counts_a_list(x, m, lines):
    m.log(x)
    return x * len(lines)


def test_one_object_under_two_names_is_refused():
    monitor = Monitor()
    for f, other in (
        (reads_another, monitor),
        (sums_an_array, monitor.row),
        (counts_a_list, monitor.lines),
    ):
        gradient = srcad.grad(f)
        apart = {reads_another: Monitor(), sums_an_array: np.ones(4), counts_a_list: [1.0]}[f]
        assert gradient(3.0, Monitor(), apart) == {reads_another: 3.0}.get(f, 1.0)
        with pytest.raises(SrcadError) as caught:
            gradient(3.0, monitor, other)
        assert caught.value.code in ("E133", "E136")


@dataclass
class Model:
    w: float = 2.0
    n: int = 0
    losses: list = field(default_factory=list)

    @rules.nondiff
    def remember(self, loss):
        self.losses.append(float(loss))
        self.n += 1


def loss(model, x):
    found = (model.w - x) ** 2
    model.remember(found)
    return found


def test_what_they_change_is_no_part_of_the_program(caplog):
    model, gradient = Model(), srcad.grad(loss)
    with caplog.at_level(logging.INFO, "srcad"):
        for k in range(3):
            assert gradient(model, 1.0) == Model(2.0, None, None)
            assert model.losses == [1.0] * (k + 1)
    assert not any("again" in record.message for record in caplog.records)


def test_compiled_functions_call_them_too():
    def step(x, m):
        m.log(x)
        y = x * m.factor()
        m.scale = 5.0
        return y * m.scale, m

    monitor = Monitor()
    y, same = srcad.compile(step)(3.0, monitor)
    assert (y, same is monitor, monitor.scale, monitor.lines) == (30.0, True, 5.0, [3.0])
