"""Attributes of dataclass objects that are no fields: read as those of any object are."""

import copy
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pytest

import srcad


@dataclass
class Model:
    w: float
    rate = 2.0

    @property
    def doubled(self):
        return self._own * 2

    @cached_property
    def squared(self):
        return self.w**2

    def norm(self):
        return self.w * 3


@dataclass(frozen=True)
class Frozen:
    w: float
    n: int = field(init=False, default=2)

    def __post_init__(self):
        object.__setattr__(self, "half", self.w / 2)


def model(w=2.0, **others):
    made = Model(w)
    vars(made).update(others)
    return made


def default(m):
    return m.w * getattr(m, "extra", 7.0)


def asked(m):
    return m.w * (m.extra if hasattr(m, "extra") else 5.0)


def handled(m):
    try:
        return m.w * m.extra
    except AttributeError:
        return m.w


def of_the_class(m):
    return m.w * m.rate


def method(m):
    return m.w * m.norm()


def all_of_them(m):
    return m.w * sum(x for x in vars(m).values() if isinstance(x, float))


def their_names(m):
    return m.w * sum(len(name) for name in m.__dict__)


def of_a_copy(m):
    other = copy.copy(m)
    other.w = 3.0
    return getattr(other, "extra", 1.0) * m.w * other.w


def by_fields(m):
    return asdict(m)["w"] * len(asdict(m)) * getattr(m, "extra", 1.0)


def replaced(m):
    return getattr(replace(m, w=m.w * 2), "extra", 9.0) * m.w


def set_again(m):
    m.extra = getattr(m, "extra", 1.0) * 2 + m.w
    return m.extra * m.w


def set_on_one_path(m):
    if m.w > 1.0:
        m.extra = m.w * 4
    return m.extra


def computed_once(m):
    return m.squared * m.w


MODELS = [
    model(),
    model(extra=3.0),
    model(rate=4.0),
    model(extra=1.5, rate=5.0, name="m"),
    model(norm=lambda: 2.0),
    model(squared=9.0),
    model(0.5, extra=2.5),
]
PROGRAMS = [
    default,
    asked,
    handled,
    of_the_class,
    method,
    all_of_them,
    their_names,
    of_a_copy,
    by_fields,
    replaced,
    set_again,
    computed_once,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_python(f):
    run, slope = srcad.compile(f, backend="numpy"), srcad.value_and_grad(f)
    refused = f in (all_of_them, their_names)  # its class has a cached property
    for made in [*MODELS, *reversed(MODELS)]:
        mine, other = copy.copy(made), copy.copy(made)
        if refused:
            with pytest.raises(srcad.SrcadError, match="E121"):
                run(mine)
            continue
        wanted = f(mine)
        assert run(other) == wanted
        assert vars(other) == vars(mine)
        value, found = slope(made)
        assert value == wanted
        assert list(vars(found)) == list(vars(made))
        for name, x in vars(made).items():
            if isinstance(x, float):
                sides = [copy.copy(made) for _ in range(2)]
                for side, step in zip(sides, (1e-6, -1e-6), strict=True):
                    setattr(side, name, x + step)
                quotient = (f(sides[0]) - f(sides[1])) / 2e-6
                assert vars(found)[name] == pytest.approx(quotient, abs=1e-5)


@dataclass
class Plain:
    w: float


def plain(w=2.0, **others):
    made = Plain(w)
    vars(made).update(others)
    return made


@pytest.mark.parametrize("f", [all_of_them, their_names, set_on_one_path])
def test_all_that_an_object_holds(f):
    run = srcad.compile(f, backend="numpy")
    for made in (plain(extra=3.0), plain(extra=3.0, more=1.0), plain(0.5, extra=3.0)):
        mine, other = copy.copy(made), copy.copy(made)
        assert run(other) == f(mine)
        assert vars(other) == vars(mine)
        assert srcad.value_and_grad(f)(copy.copy(made))[0] == f(copy.copy(made))


def of_post_init(m):
    return m.w * m.half * m.n


def test_set_by_post_init():
    assert srcad.compile(of_post_init)(Frozen(3.0)) == 9.0
    slope = srcad.grad(of_post_init)(Frozen(3.0))
    assert type(slope) is Frozen
    assert vars(slope) == {"w": 3.0, "half": 6.0}


class Arrays:
    def __init__(self, **own: Any) -> None:
        vars(self).update(own)


def of_arrays(m):
    return np.sum(m.w * m.table["v"]) + m.items[1]


@pytest.mark.parametrize("unread", [{}, {"label": "a", "u": 1.0, "history": [1.0]}])
def test_derivatives_as_of_plain_objects(unread):
    own = {"w": np.array([1.0, 2.0]), "table": {"v": 3.0}, "items": [0.5, 1.5], **unread}
    twins = Plain(own["w"]), Arrays(**own)
    vars(twins[0]).update(own)
    for transform in (srcad.grad, srcad.jacrev):
        first, second = (transform(of_arrays)(twin) for twin in twins)
        assert repr(vars(first)) == repr(vars(second))
    vectors = [srcad.flatten(twin) for twin in twins]
    np.testing.assert_array_equal(vectors[0][0], vectors[1][0])
    assert repr(vars(vectors[0][1](vectors[0][0]))) == repr(own)
    pulled = [srcad.vjp(of_arrays, twin)[1](1.0)[0] for twin in twins]
    assert repr(vars(pulled[0])) == repr(vars(pulled[1]))
    pushed = [srcad.jvp(of_arrays, (twin,), (twin,)) for twin in twins]
    assert repr(pushed[0]) == repr(pushed[1])


def gradient_inside(m):
    return srcad.grad(lambda m: m.w * m.w)(m)


def test_gradient_inside_a_program():
    made = plain(extra=3.0, label="a")
    found = srcad.compile(gradient_inside)(made)
    assert vars(found) == vars(gradient_inside(made)) == {"w": 4.0, "extra": 0.0, "label": "a"}


def unread(m):
    return m.w * 2.0


def test_what_is_not_read_is_not_guarded():
    made = plain(history=[1.0])
    slope = srcad.grad(unread)
    for k in range(4):
        made.history.append(k)
        assert vars(slope(made))["w"] == 2.0
    assert slope.cache_info().misses == 1


SCALE = plain(extra=3.0)


def of_a_global(x):
    return x * SCALE.extra * getattr(SCALE, "more", 1.0)


def test_of_a_global():
    run, slope = srcad.compile(of_a_global), srcad.grad(of_a_global)
    assert (run(2.0), slope(2.0)) == (6.0, 3.0)
    SCALE.extra = 4.0
    assert (run(2.0), slope(2.0)) == (8.0, 4.0)
    SCALE.more = 0.5
    assert (run(2.0), slope(2.0)) == (4.0, 2.0)


@dataclass
class Unset:
    a: float
    b: float = field(init=False)


def may_be_unset(u):
    return u.a * (u.b if hasattr(u, "b") else 2.0)


def test_fields_that_are_not_set():
    made = Unset(3.0)
    assert srcad.compile(may_be_unset)(made) == 6.0
    assert vars(srcad.grad(may_be_unset)(made)) == {"a": 2.0}
    made.b = 5.0
    assert srcad.compile(may_be_unset)(made) == 15.0
    assert vars(srcad.grad(may_be_unset)(made)) == {"a": 5.0, "b": 3.0}
