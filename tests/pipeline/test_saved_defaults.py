"""Defaults in saved modules, and globals that a saved program assigns."""

import collections
import dataclasses
import enum
import fractions
import pickle

import numpy as np
import pytest
from pipeline.modules import saved

import srcad
from srcad.errors import CacheError

Pair = collections.namedtuple("Pair", "a b")
COUNT, LAST, MODE = 0, 0.0, "slow"
SETTINGS = {"n": 1}


class Mode(enum.Enum):
    FAST = 1


@dataclasses.dataclass
class Options:
    a: float = 1.0


WRITTEN = [
    np.ones(2), np.array(2.0), np.arange(40.0), np.array([1, 2], "i4"), np.zeros((0, 2)),
    np.asfortranarray(np.arange(60.0).reshape(6, 10)), (np.ones(2), 1.0), [np.ones(2), 2.0],
    {"w": np.ones(2), "n": (1, [np.arange(20)])}, range(3), slice(0, 2), {1, 2}, frozenset({3}),
    set(),
]  # fmt: skip
REFUSED = [
    Pair(1.0, np.ones(2)), Mode.FAST, fractions.Fraction(1, 2), Options(), {"a", "b"},
    np.random.default_rng(0), [Mode.FAST],
]  # fmt: skip


@pytest.mark.parametrize("kind", ["compile", "value_and_grad"])
@pytest.mark.parametrize("d", WRITTEN, ids=repr)
def test_defaults_that_are_written(d, kind, tmp_path):
    def f(x, /, c=d, *, d=d):
        return x * 2.0

    made = getattr(srcad, kind)(f)
    function = saved(made, tmp_path / "saved.py", 2.0)
    assert function(3.0) == made(3.0)
    for default in (function.__defaults__[0], function.__kwdefaults__["d"]):
        assert pickle.dumps(default) == pickle.dumps(pickle.loads(pickle.dumps(d)))


def test_defaults_are_read(tmp_path):
    def f(x, w=np.arange(30.0), options=(np.ones(2), {"n": range(3)})):
        return np.sum(w) * x + np.sum(options[0]) * len(options[1]["n"])

    made = srcad.value_and_grad(f)
    function = saved(made, tmp_path / "saved.py", 2.0)
    assert function(3.0) == made(3.0)
    assert function(3.0, np.ones(2)) == made(3.0, np.ones(2))


def test_defaults_of_several_programs(tmp_path):
    def f(x, w=np.arange(30.0)):
        return np.sum(w) * np.sum(x)

    made = srcad.grad(f)
    made.save(tmp_path / "saved.py", signatures=[(2.0,), (np.ones(2),)])
    names = {}
    exec((tmp_path / "saved.py").read_text(), names)
    assert names["f_grad"](3.0) == made(3.0)
    assert np.array_equal(names["f_grad"](np.ones(3)), made(np.ones(3)))


@pytest.mark.parametrize("kind", ["compile", "value_and_grad"])
@pytest.mark.parametrize("d", REFUSED, ids=lambda d: type(d).__name__)
def test_defaults_that_have_no_text_are_refused(d, kind, tmp_path):
    def f(x, c=d, b=3.0):
        return x * b

    made = getattr(srcad, kind)(f)
    made(2.0)
    for example in ((2.0,), ()):
        with pytest.raises(CacheError, match="the default of `c`"):
            made.save(tmp_path / "saved.py", *example)


def test_a_default_that_callers_give_is_left_out(tmp_path):
    def f(x, options=Options(2.0)):
        return x * options.a

    function = saved(srcad.compile(f), tmp_path / "saved.py", 2.0, Options(3.0))
    assert function(2.0, Options(4.0)) == 8.0


def counts(x):
    global COUNT
    COUNT = COUNT + 1
    return COUNT * x


def chooses(x):
    global MODE
    y = x if MODE == "slow" else 2.0 * x
    MODE = "slow"
    return y


def counts_in_a_dict(x):
    SETTINGS["n"] = SETTINGS["n"] + 1
    return SETTINGS["n"] * x


@pytest.mark.parametrize("f", [counts, chooses, counts_in_a_dict])
def test_a_global_that_is_read_and_assigned_is_refused(f, tmp_path):
    with pytest.raises(CacheError, match="which it reads"):
        srcad.compile(f).save(tmp_path / "saved.py", 2.0)


def notes(x):
    global LAST
    LAST = x * 2.0
    return LAST * x


def test_a_global_that_is_only_assigned_is_assigned(tmp_path):
    function = saved(srcad.compile(notes), tmp_path / "saved.py", 2.0)
    assert function(3.0) == 18.0
    assert LAST == 6.0


def scaled(x, a=2.0, kind="plain", w=None, t=(1, 2), flag=True):
    return x * a * t[0] if flag and kind == "plain" and w is None else x


def test_a_mapped_function_with_defaults(tmp_path):
    x = np.arange(3.0)
    function = saved(srcad.vmap(scaled), tmp_path / "saved.py", x)
    np.testing.assert_array_equal(function(x), 2.0 * x)
    np.testing.assert_array_equal(function(x, 2.0, flag=True), 2.0 * x)
    for options in ({"a": 3.0}, {"a": 2}, {"kind": "other"}, {"w": 1.0}, {"t": (1, 3)}):
        with pytest.raises(TypeError, match="this module needs"):
            function(x, **options)


def test_a_mapped_function_with_a_default_has_no_form_in_c(tmp_path):
    def twice(x, a=2.0):
        return x * a

    with pytest.raises(CacheError, match="E506"):
        srcad.vmap(twice).save(tmp_path / "twice.c", np.arange(3.0))
    srcad.vmap(twice, (0, None)).save(tmp_path / "scaled.c", np.arange(3.0), 2.0)
    assert "x[i] * a" in (tmp_path / "scaled.c").read_text()
