"""Globals that are assigned: what they hold after the call, after an exception, and meanwhile."""

import contextlib
import sys

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.errors import SrcadError
from srcad.ir.types import NumberType

mode = "linear"
scale = 2.0
count = 0
busy = False
last = None
seen = []
this = sys.modules[__name__]
START = {"mode": mode, "scale": scale, "count": count, "busy": busy, "last": last}


@pytest.fixture(autouse=True)
def _as_at_the_start():
    vars(this).update(START)
    seen.clear()


def held():
    return {name: (type(globals()[name]), globals()[name]) for name in START}


def rate(x):
    if mode == "linear":
        return x * scale
    return x**2 * scale


def set_mode(new):
    global mode
    mode = new


class Mode:
    def __init__(self, new):
        self.new, self.before = new, mode

    def __enter__(self):
        set_mode(self.new)

    def __exit__(self, *about):
        set_mode(self.before)


@contextlib.contextmanager
def with_mode(new):
    global mode
    before = mode
    mode = new
    try:
        yield
    finally:
        mode = before


def by_a_class(x):
    with Mode("square"):
        y = np.sum(rate(x))
    return y + np.sum(rate(x))


def by_a_generator(x):
    with with_mode("square"):
        if x[0] > 0:
            return np.sum(rate(x))
    return np.sum(rate(x))


def left_changed(x):
    set_mode("square")
    return np.sum(rate(x))


def on_one_path(x):
    global count
    if x[0] > 0:
        count = 7
    return np.sum(x**2) * count


def another_text_on_each_path(x):
    if x[0] > 0:
        set_mode("square")
    return np.sum(rate(x))


def counted(x):
    global count
    for _ in range(3):
        count += 1
        x = x * 1.1
    return np.sum(x) * count


def counted_and_left(x):
    global count
    i = 0
    while i < 4:
        count = count + 2
        i += 1
        if count > 5:
            break
    return np.sum(x**2) * count


def number_restored(x):
    global scale
    before = scale
    scale = 5.0
    y = np.sum(rate(x))
    scale = before
    return y + np.sum(rate(x))


def number_computed(x):
    global scale
    scale = float(np.sum(x))
    return np.sum(rate(x))


def guarded_by_a_flag(x):
    global busy
    assert not busy
    busy = True
    try:
        y = np.sum(np.linalg.inv(np.outer(x, x) + np.eye(2)))
    finally:
        busy = False
    return y


def by_its_module(x):
    set_mode("square")
    return np.sum(x**2) * (3.0 if this.mode == "square" else 1.0)


RIGHT = [
    by_a_class, by_a_generator, left_changed, on_one_path, another_text_on_each_path, counted,
    counted_and_left,
    number_restored, number_computed, guarded_by_a_flag, by_its_module,
]  # fmt: skip


def twice(call, x):
    """What two calls give, and what the globals hold after each."""
    found = []
    for _ in range(2):
        y = call(x)
        found.append((y, held()))
    vars(this).update(START)
    return found


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("fn", RIGHT)
def test_as_python(fn, backend):
    for x in (np.array([0.3, 0.9]), np.array([-0.3, 0.5])):
        wanted = twice(fn, x)
        derivative = srcad.value_and_grad(fn, backend=backend)
        calls = [lambda x, f=derivative: f(x)[0], lambda x: srcad.jvp(fn, (x,), (np.ones(2),))[0]]
        for call in (*calls, srcad.compile(fn, backend=backend)):
            found = twice(call, x)
            assert [now for _, now in found] == [now for _, now in wanted]
            np.testing.assert_allclose([y for y, _ in found], [y for y, _ in wanted], rtol=1e-12)


def at_the_start(fn, x):
    vars(this).update(START)
    return fn(x)


@pytest.mark.parametrize("fn", RIGHT)
def test_derivatives(fn):
    x = np.array([0.3, 0.9])
    steps = np.eye(2) * 1e-6
    wanted = [(at_the_start(fn, x + h) - at_the_start(fn, x - h)) / 2e-6 for h in steps]
    np.testing.assert_allclose(at_the_start(srcad.grad(fn), x), wanted, rtol=1e-6)
    tangent = at_the_start(lambda x: srcad.jvp(fn, (x,), (np.array([1.0, 2.0]),))[1], x)
    np.testing.assert_allclose(tangent, np.dot(wanted, [1.0, 2.0]), rtol=1e-6)


def inverse_in_a_mode(x):
    with Mode("square"):
        y = rate(np.linalg.inv(np.outer(x, x)))
    return np.sum(y)


def inverse_between(x):
    set_mode("square")
    y = np.sum(np.linalg.inv(np.outer(x, x)))
    set_mode("linear")
    return y


def inverse_caught(x):
    try:
        set_mode("square")
        y = np.sum(np.linalg.inv(np.outer(x, x)))
        set_mode("linear")
    except np.linalg.LinAlgError:
        y = np.sum(x)
    return y


def always_raises(x):
    set_mode("square")
    raise ValueError(np.sum(x) > 0)


@pytest.mark.parametrize("fn", [inverse_in_a_mode, inverse_between, inverse_caught, always_raises])
@pytest.mark.parametrize("transform", [srcad.value_and_grad, srcad.compile])
def test_when_an_exception_leaves(fn, transform):
    def outcome(call):
        try:
            call(np.zeros(2))
        except (np.linalg.LinAlgError, ValueError) as problem:
            return type(problem), held()
        return None, held()

    wanted = outcome(fn)
    vars(this).update(START)
    assert outcome(transform(fn)) == wanted


@pytest.mark.parametrize("transform", [srcad.jacrev, srcad.jacfwd, srcad.hessian])
def test_once_for_all_directions(transform):
    def squares(x):
        global count
        count += 1
        return np.sum(x**3) if transform is srcad.hessian else x**2

    transform(squares)(np.array([0.3, 0.9]))
    assert count == 1


def look(k):
    seen.append((k, mode))
    return 1.0


srcad.rules.nondiff(look, type_of=lambda k: NumberType(float))


def looks_between(x):
    set_mode("square")
    y = look(1) * np.sum(rate(x))
    set_mode("linear")
    return y * look(2)


def test_functions_that_are_not_read_see_it():
    srcad.grad(looks_between)(np.array([0.3, 0.9]))
    assert seen == [(1, "square"), (2, "linear")]


def set_until_it_raises(x):
    try:
        set_mode("square")
        y = np.sum(np.linalg.inv(x[0] * np.array([[1.0, 0.0], [0.0, x[1]]])))
        set_mode("cube")
        y = y + [1.0, 2.0][int(x[2])]
        set_mode("linear")
    except (np.linalg.LinAlgError, IndexError):
        y = np.sum(rate(x)) * len(mode)
    return y


@pytest.mark.parametrize("rest", [(2.0, 1.0), (2.0, 5.0), (0.0, 1.0)])
def test_a_handler_reads_what_the_body_has_set(rest):
    x = np.array([0.3, *rest])
    value, wanted = set_until_it_raises(x), held()
    vars(this).update(START)
    assert srcad.value_and_grad(set_until_it_raises)(x)[0] == pytest.approx(value)
    assert held() == wanted


# Refusals ----------------------------------------------------------------------------------------


def an_array(x):
    global last
    last = x * 2
    return np.sum(last)


def a_new_name(x):
    global is_new
    is_new = 1.0
    return np.sum(x)


def deleted(x):
    global mode
    del mode
    return np.sum(x)


def in_a_recursion(x):
    global count
    count = count + 1
    return np.sum(x) if x[0] > 10 else in_a_recursion(x * 2.0)


def in_a_derivative(x):
    def inner(z):
        set_mode("square")
        return np.sum(rate(z))

    return np.sum(srcad.grad(inner)(x))


@srcad.checkpoint
def recomputed(x):
    set_mode("square")
    return np.sum(rate(x))


def in_a_checkpoint(x):
    return recomputed(x) * 2


@pytest.mark.parametrize(
    ("fn", "code"),
    [
        (an_array, "E107"), (a_new_name, "E107"), (deleted, "E107"), (in_a_recursion, "E107"),
        (in_a_derivative, "E133"), (in_a_checkpoint, "E133"),
    ],
)  # fmt: skip
def test_refused(fn, code):
    with pytest.raises(SrcadError) as found:
        srcad.grad(fn)(np.array([0.3, 0.9]))
    assert found.value.code == code
    assert found.value.location.file == __file__
    assert found.value.fix
    assert held() == {name: (type(x), x) for name, x in START.items()}
