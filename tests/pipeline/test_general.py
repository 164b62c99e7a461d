"""Extents of 1 and other orders of keys, where a saved module's program does not depend on them."""

import itertools
import pickle

import numpy as np
import pytest
from pipeline.modules import saved

import srcad

RNG = np.random.default_rng(0)


def draw(*shape):
    return RNG.normal(size=shape)


def regression(w, x, y):
    return np.mean((np.tanh(x @ w) - y) ** 2)


def network(p, x):
    return np.sum((np.tanh(x @ p["w"] + p["b"]) @ p["v"]) ** 2)


def recurrence(x, w):
    h = np.zeros(w.shape[0])
    for t in range(x.shape[0]):
        h = np.tanh(w @ h + x[t])
    return h @ h


def distances(x, y):
    return np.sum((x[:, None] - y[None, :]) ** 2)


def heat(u, steps):
    for _ in range(steps):
        u = u + 0.1 * (np.roll(u, 1) - 2 * u + np.roll(u, -1))
    return np.sum(u**2)


def outer_rows(x, y):
    total = 0.0
    for row in x:
        total = total + np.sum(np.sin(row) * y)
    return total


def spread(x):
    return np.var(x) + np.max(x) + np.linalg.norm(x)


def joined(x, y):
    return np.sum(np.concatenate([x, y]) ** 3)


def chosen(x):
    return np.sum(x) if x.shape[0] == 1 else np.sum(x * x)


def assert_close(found, wanted):
    assert str(type(found)) == str(type(wanted))
    if isinstance(wanted, dict):
        assert list(found) == list(wanted)
        found, wanted = list(found.values()), list(wanted.values())
    if isinstance(wanted, tuple | list):
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted, strict=True):
            assert_close(a, b)
    else:
        assert np.shape(found) == np.shape(wanted)
        assert getattr(found, "dtype", None) == getattr(wanted, "dtype", None)
        np.testing.assert_allclose(found, wanted, rtol=1e-13)


PROGRAMS = pytest.mark.parametrize(
    ("fn", "make"),
    [
        (regression, lambda n, m: (draw(n), draw(m, n), draw(m))),
        (network, lambda n, m: ({"w": draw(n, m), "b": draw(m), "v": draw(m, 2)}, draw(5, n))),
        (recurrence, lambda n, m: (draw(n, m), draw(m, m))),
        (distances, lambda n, m: (draw(n), draw(m))),
        (heat, lambda n, m: (draw(n), m)),
        (outer_rows, lambda n, m: (draw(n, m), draw(m))),
        (spread, lambda n, m: (draw(n, m),)),
        (joined, lambda n, m: (draw(n, m), draw(n, m))),
        (chosen, lambda n, m: (draw(n),)),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)


@PROGRAMS
def test_extents_of_one_are_served_by_the_general_program(fn, make, tmp_path):
    check_sizes(srcad.value_and_grad(fn, backend="numpy"), make, tmp_path)


def test_extents_of_one_are_served_by_the_compiled_program(tmp_path):
    pytest.importorskip("numba")
    gradient = srcad.value_and_grad(outer_rows, backend="native")
    check_sizes(gradient, lambda n, m: (draw(n, m), draw(m)), tmp_path)


@pytest.mark.parametrize("example", [(1, 3), (4, 1), (1, 1)])
@pytest.mark.parametrize(
    ("fn", "make"), [each for each in PROGRAMS.args[1] if each[0] not in (network, heat)]
)
def test_the_program_for_an_example_of_one_row_serves_more(fn, make, example, tmp_path):
    check_sizes(srcad.value_and_grad(fn, backend="numpy"), make, tmp_path, example)


def test_an_example_of_one_row_whose_program_depends_on_it(tmp_path):
    function = saved(srcad.grad(lambda x: np.sum(np.squeeze(x))), tmp_path / "a.py", draw(1, 4))
    np.testing.assert_array_equal(function(draw(1, 4)), np.ones((1, 4)))
    with pytest.raises(TypeError, match=r"x is float64\[:, :\]; this module needs float64\[1, :\]"):
        function(draw(2, 4))
    shifted = saved(srcad.grad(lambda x, b: np.sum((x + b) ** 2)), tmp_path / "b.py",
                    draw(1, 3), draw(3))  # fmt: skip
    assert shifted(draw(5, 3), draw(3)).shape == (5, 3)


def check_sizes(gradient, make, tmp_path, example=(4, 3)):
    function = saved(gradient, tmp_path / "m.py", *make(*example))
    for n, m in itertools.product((1, 2, 5), repeat=2):
        args = make(n, m)
        assert_close(function(*args), gradient(*args))


def test_extents_of_one_that_are_broadcast_are_refused(tmp_path):
    def shifted(x, y):
        return np.sum(x[1:] * y)

    def squeezed(x):
        return np.sum(np.squeeze(x) ** 2)

    function = saved(srcad.grad(shifted), tmp_path / "a.py", draw(5), draw(4))
    np.testing.assert_array_equal(function(np.ones(2), np.ones(1)), [0.0, 1.0])
    with pytest.raises(TypeError, match="needs 1"):
        function(draw(5), draw(1))
    function = saved(srcad.grad(squeezed), tmp_path / "b.py", draw(3, 4))
    with pytest.raises(TypeError, match=r"x is float64\[1, :\]; this module needs float64\[:, :\]"):
        function(draw(1, 4))


def test_each_extent_is_looked_at_alone(tmp_path):
    def f(x, w):
        return np.sum(np.squeeze(x)) + np.sum(w**2)

    function = saved(srcad.grad(f, argnums=(0, 1)), tmp_path / "m.py", draw(3, 4), draw(5))
    np.testing.assert_array_equal(function(draw(3, 4), np.ones(1))[1], [2.0])
    with pytest.raises(TypeError, match="needs"):
        function(draw(1, 4), np.ones(1))


def test_further_signatures_serve_what_the_first_does_not(tmp_path):
    def f(x):
        return np.sum(np.squeeze(x) ** 2)

    gradient = srcad.grad(f)
    examples = [draw(3, 4), draw(1, 4)]
    function = saved(gradient, tmp_path / "m.py", signatures=examples)
    for x in (*examples, draw(1, 9)):
        assert pickle.dumps(function(x)) == pickle.dumps(gradient(x))


def reads(p, x):
    return np.sum(np.tanh(x @ p["w"] + p["b"])) * p["scale"]["s"] + p["scale"]["t"]


def branches(p, x):
    w = p["w"] if x[0] > 0 else 2 * p["w"]
    for _ in range(2):
        w = w * p["b"]
    return np.sum(w), {"seen": w}


P = {"w": draw(3, 2), "b": draw(2), "scale": {"s": 2.0, "t": 3.0}}
ORDERS = [
    {"b": P["b"], "scale": {"t": 3.0, "s": 2.0}, "w": P["w"]},
    {"scale": {"s": 2.0, "t": 3.0}, "b": P["b"], "w": P["w"]},
]


@pytest.mark.parametrize("make", [srcad.grad, srcad.value_and_grad])
@pytest.mark.parametrize("argnums", [0, "p", (0,), (0, 1), (1, 0), 1])
def test_the_order_of_keys_is_that_of_the_argument(make, argnums, tmp_path):
    gradient = make(reads, argnums=argnums)
    x = draw(5, 3)
    function = saved(gradient, tmp_path / "m.py", P, x)
    for p in (P, *ORDERS):
        assert_close(function(p, x), gradient(p, x))


@pytest.mark.parametrize("make", [srcad.grad, srcad.value_and_grad])
def test_the_order_of_keys_beside_what_is_returned_as_it_is(make, tmp_path):
    gradient = make(branches, has_aux=True)
    p, x = {"w": draw(2), "b": draw(2)}, draw(3)
    function = saved(gradient, tmp_path / "m.py", p, x)
    for each in (p, {"b": p["b"], "w": p["w"]}):
        assert_close(function(each, x), gradient(each, x))


@pytest.mark.parametrize(
    "fn",
    [
        lambda p: sum(np.sum(v) * k for k, v in enumerate(p.values())),
        lambda p: np.sum(list(p.values())[1]),
        lambda p: np.sum(p[next(iter(p))]),
        lambda p: np.sum(p["a"]) if list(p) == ["a", "b", "c"] else np.sum(p["b"]),
        lambda p: np.sum(next(2 * v for v in dict(p).values())),
        lambda p: np.sum(next(iter({**p}.values()))),
        lambda p: np.sum(next(iter(p.copy().values()))),
        lambda p: np.sum(next(iter((p if p["a"][0] > 0 else {**p}).values()))),
    ],
)
def test_programs_that_depend_on_the_order_of_keys_refuse_another(fn, tmp_path):
    p = {"a": np.ones(2), "b": np.ones(3), "c": np.ones(3)}
    gradient = srcad.grad(fn)
    function = saved(gradient, tmp_path / "m.py", p)
    assert_close(function(p), gradient(p))
    with pytest.raises(TypeError, match=r"tuple\(p\) is \('b', 'a', 'c'\)"):
        function({"b": p["b"], "a": p["a"], "c": p["c"]})


def test_other_derivatives_keep_the_order_of_the_example(tmp_path):
    p, q = {"w": draw(3), "b": draw(3)}, {"b": draw(3), "w": draw(3)}

    def f(p):
        return np.sum(p["w"] ** 3 * p["b"])

    function = saved(srcad.hvp(f), tmp_path / "m.py", p, p)
    assert_close(function(p, p), srcad.hvp(f)(p, p))
    with pytest.raises(TypeError, match="tuple"):
        function(q, q)
