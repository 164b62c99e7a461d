"""Functions without derivative may log and count; a program does not read what they change."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad import rules
from srcad.errors import SrcadError

count, seen, stats, weights = 0, [], {"n": 0}, [1.0, 2.0]


@rules.nondiff
def tick():
    global count
    count += 1


@rules.nondiff
def note(x):
    seen.append(float(x))


@rules.nondiff
def enter():
    stats["n"] += 1


@rules.nondiff
def keep(x, into):
    into.append(float(x))


@rules.nondiff
def fill(a):
    a[0] = 7.0


@rules.nondiff
def length(values):
    return float(np.sqrt(sum(v * v for v in values)))


class Model:
    n = 0

    def __init__(self):
        self.scale, self.calls = 2.0, []

    @rules.nondiff
    def log(self, x):
        self.n += 1
        self.calls.append(float(x))

    @rules.nondiff
    def rate(self, x):
        return float(int(x * self.scale))

    def value(self, x):
        self.log(x)
        return self.scale * x**2 * self.rate(x)

    def counted(self, x):
        self.log(x)
        return self.n * x


class Slotted(Model):
    __slots__ = ()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("cls", [Model, Slotted])
def test_methods_without_derivative_get_the_object_itself(cls, backend):
    model = cls()
    gradient = srcad.value_and_grad(model.value, backend=backend)
    for k in range(1, 4):
        assert gradient(1.5) == pytest.approx((13.5, 18.0))
        assert model.n == k
        assert model.calls == [1.5] * k
    model.scale = 4.0
    assert gradient(1.5) == pytest.approx((54.0, 72.0))


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_changed_outside_is_changed_once(backend):
    before = count, len(seen), stats["n"]

    def f(x):
        tick()
        note(x)
        enter()
        return x**2 * length(weights)

    for k in range(1, 3):
        assert srcad.grad(f, backend=backend)(3.0) == pytest.approx(6 * np.sqrt(5))
        assert (count, len(seen), stats["n"]) == tuple(b + k for b in before)


def reads_a_global(x):
    tick()
    return x * count


def reads_a_list(x):
    note(x)
    return x * len(seen)


def reads_a_dict(x):
    enter()
    return x * stats["n"]


def reads_a_passed_list(x):
    keep(x, seen)
    return x * len(seen)


def reads_an_attribute(x):
    return MODEL.counted(x)


def changes_an_own_list(x):
    own = []
    keep(x, own)
    return x * len(own)


def changes_an_own_array(x):
    own = np.zeros(2)
    before = own[0]
    fill(own)
    return x * own[0] + before


def changes_what_varies(x):
    own = x * np.ones(2)
    fill(own)
    return np.sum(own**2)


MODEL = Model()


@pytest.mark.parametrize(
    ("f", "code"),
    [
        (reads_a_global, "E107"),
        (reads_a_list, "E107"),
        (reads_a_dict, "E107"),
        (reads_a_passed_list, "E107"),
        (reads_an_attribute, "E107"),
        (changes_an_own_list, "E118"),
        (changes_an_own_array, "E118"),
        (changes_what_varies, "E118"),
    ],
)
def test_a_program_that_reads_what_is_changed_is_refused(f, code):
    before = count, list(seen), dict(stats)
    with pytest.raises(SrcadError) as caught:
        srcad.grad(f)(3.0)
    assert caught.value.code == code
    assert caught.value.location is not None
    assert (count, seen, stats) == before


def test_arrays_that_are_only_read_are_passed():
    @rules.nondiff
    def largest(a):
        return int(np.argmax(a))

    got = srcad.grad(lambda x: x[largest(x)] ** 2)(np.array([1.0, 3.0, 2.0]))
    np.testing.assert_array_equal(got, [0.0, 6.0, 0.0])


def closures():
    count, seen, other = 0, [], 1.0

    @rules.nondiff
    def tick(x):
        nonlocal count
        count += 1
        seen.append(float(x))

    def reads_the_count(x):
        tick(x)
        return x * count

    def reads_the_list(x):
        tick(x)
        return x * len(seen)

    def reads_neither(x):
        tick(x)
        return x * other

    return reads_the_count, reads_the_list, reads_neither


def test_variables_of_functions_around_are_not_read_either():
    *refused, fine = closures()
    for f in refused:
        with pytest.raises(SrcadError, match="E107"):
            srcad.grad(f)(3.0)
    assert srcad.grad(fine)(3.0) == 1.0


class Settings:
    n = 2.0

    def __init__(self):
        self.n = 2.0


SETTINGS = Settings()


def test_attributes_of_other_objects_are_read():
    def f(x):
        MODEL.log(x)
        return SETTINGS.n * x

    assert srcad.grad(f)(3.0) == 2.0
