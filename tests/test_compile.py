"""`srcad.compile`: what a compiled function does is what its Python does, to its arguments too.

Each program is run twice, by Python and compiled, on equal arguments. Afterwards the results and
the arguments must be equal, and so must be who shares memory with whom.
"""

from __future__ import annotations

import copy
import dataclasses
import pickle
import warnings
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.nn import optim

rng = np.random.default_rng(0)


def leaves(x: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """What a value consists of, by path; containers too."""
    yield path, x
    if isinstance(x, list | tuple):
        for k, item in enumerate(x):
            yield from leaves(item, f"{path}[{k}]")
    elif isinstance(x, dict):
        for key, item in x.items():
            yield from leaves(item, f"{path}[{key!r}]")
    elif dataclasses.is_dataclass(x) or isinstance(x, SimpleNamespace | Model):
        for key, item in vars(x).items():
            yield from leaves(item, f"{path}.{key}")


def assert_same(a: Any, b: Any) -> None:
    """Equal in value, type, order of keys, and in what is the same object or shares memory."""
    ours, theirs = dict(leaves(a)), dict(leaves(b))
    assert list(ours) == list(theirs)
    for path, x in ours.items():
        y = theirs[path]
        assert type(x) is type(y), path
        if isinstance(x, np.ndarray | np.generic):
            assert (x.dtype, x.shape) == (y.dtype, y.shape), path
            np.testing.assert_allclose(x, y, rtol=1e-6, atol=1e-12, err_msg=path)
        elif isinstance(x, float | int | str):
            assert x == pytest.approx(y), path
    mutable = [p for p, x in ours.items() if isinstance(x, np.ndarray | list | dict | Model)]
    for p in mutable:
        for q in mutable:
            assert (ours[p] is ours[q]) == (theirs[p] is theirs[q]), (p, q)
            if isinstance(ours[p], np.ndarray) and isinstance(ours[q], np.ndarray):
                shared = np.shares_memory(ours[p], ours[q])
                assert shared == np.shares_memory(theirs[p], theirs[q]), (p, q)


class Model:
    """An object with parameters."""

    def __init__(self, n: int) -> None:
        self.w = np.linspace(-1.0, 1.0, n)
        self.steps = 0
        self.history: list[float] = []

    def loss(self, x: np.ndarray) -> Any:
        return np.sum((np.tanh(self.w * x) - 0.5) ** 2)

    def fit(self, x: np.ndarray) -> Any:
        loss, w_bar = srcad.value_and_grad(lambda w: np.sum((np.tanh(w * x) - 0.5) ** 2))(self.w)
        self.w -= 0.1 * w_bar
        self.steps += 1
        return loss


@dataclasses.dataclass
class Params:
    w: np.ndarray
    b: np.ndarray


class State(NamedTuple):
    u: np.ndarray
    v: np.ndarray


Case = tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]
CASES: dict[str, Case] = {}


def case(make: Callable[[], tuple[Any, ...]]) -> Callable[[Any], Any]:
    def register(f: Any) -> Any:
        CASES[f.__name__] = f, make
        return f

    return register


def array(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape)


def mlp(p: Any, x: Any, y: Any) -> Any:
    h = np.tanh(x @ p["w"] + p["b"])
    return np.mean((h - y) ** 2)


def params() -> dict[str, np.ndarray]:
    return {"w": array(4, 3), "b": array(3)}


@case(lambda: (params(), array(5, 4), array(5, 3)))
def gradient_step(p, x, y):
    loss, g = srcad.value_and_grad(mlp)(p, x, y)
    for k in p:
        p[k] -= 0.1 * g[k]
    return loss


@case(lambda: (params(), array(5, 4), array(5, 3)))
def new_arrays(p, x, y):
    g = srcad.grad(mlp)(p, x, y)
    for k in p:
        p[k] = p[k] - 0.1 * g[k]
    return p["w"]


@case(lambda: (params(), array(5, 4), array(5, 3), {"w": np.zeros((4, 3)), "b": np.zeros(3)}))
def momentum(p, x, y, velocity):
    g = srcad.grad(mlp)(p, x, y)
    for k, v in velocity.items():
        v *= 0.9
        v += g[k]
        p[k] -= 0.1 * v


@case(lambda: (array(4), array(4)))
def plain_writes(x, y):
    x += y
    y[1:] *= 2.0
    y[0] = 7.0
    return x


@case(lambda: (array(6),))
def view_inside(x):
    inner = x[1:-1]
    inner *= 2.0
    inner[0] = 1.0
    return inner


@case(lambda: (array(6),))
def views_of_views(x):
    inner = x[1:-1]
    odd = inner[::2]
    t = np.exp(odd) + inner[0]
    x *= 2.0
    return odd, t, x


@case(lambda: (array(6, 6), array(5, 6)))
def shifted_rows(x, y):
    above = x[:-1]
    s = np.tanh(above * y) + 1.0
    x[1:] += s * above
    return s


@case(lambda: (array(4, 4),))
def transposed_view(x):
    x.T[0] = 1.0
    return x.T, x


@case(lambda: (array(5), array(5)))
def swap(x, y):
    t = x.copy()
    x[:] = y
    y[:] = t
    return t


@case(lambda: (array(5), array(5)))
def crossed(x, y):
    x[:], y[:] = y * 2.0, x * 3.0


@case(lambda: (array(5),))
def reversed_onto_itself(x):
    x[:] = x[::-1]


@case(lambda: (array(5),))
def minus_its_reverse(x):
    x -= x[::-1]


@case(lambda: (array(5), array(5)))
def old_content_leaves(x, y):
    old = x.copy()
    x += y
    return old, x.copy(), x


@case(lambda: (array(5), array(5)))
def written_and_read_again(x, y):
    x += y
    s = np.sum(x * x)
    x *= 2.0
    return s, np.sum(x)


@case(lambda: (array(20), 5))
def simulation(u, n):
    for _ in range(n):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])


@case(lambda: (array(20), array(20), 4))
def two_buffers(u, v, n):
    for _ in range(n):
        v[1:-1] = 0.5 * (u[2:] + u[:-2])
        u[1:-1] = 0.5 * (v[2:] + v[:-2])
    return u


@case(lambda: (array(6), 2))
def only_sometimes(x, k):
    if np.sum(x) > k:
        x += 1.0
    else:
        x[k] = 0.0
    return x


@case(lambda: (array(6), 2, 3.0))
def one_entry(x, i, v):
    x[i] = v
    x[i + 1] += v


@case(lambda: ({"n": 0, "w": array(3)}, array(3)))
def items_of_all_kinds(state, x):
    state["n"] += 1
    state["last"] = np.sum(x)
    state["name"] = "a"
    state["pair"] = (x * 2, state["w"])
    state["given"] = x
    return state


@case(lambda: ({"a": array(2), "b": array(3)},))
def swapped_items(d):
    d["a"], d["b"] = d["b"], d["a"]


@case(lambda: ({"a": {"x": array(2)}, "b": {"x": array(3)}},))
def swapped_containers(d):
    d["a"]["x"] *= 2.0
    d["b"]["n"] = 1
    d["a"], d["b"] = d["b"], d["a"]
    return d["a"]


@case(lambda: ({"a": array(2), "b": array(2)},))
def order_of_keys(d):
    t = d.pop("a")
    d["c"] = t + d["b"]
    d["a"] = t


@case(lambda: ([array(2), array(2)],))
def list_items(xs):
    xs[0] += 1.0
    xs[1] = xs[0] * 2
    return xs[1]


@case(lambda: ([array(2)], 2.0))
def longer_list(xs, a):
    xs.append(xs[0] * a)
    xs.append(a)
    return len(xs)


@case(lambda: (Params(array(4, 3), array(3)), array(5, 4)))
def attributes_of_a_dataclass(p, x):
    g = srcad.grad(lambda p: np.sum(np.tanh(x @ p.w + p.b) ** 2))(p)
    p.w -= 0.1 * g.w
    p.b = p.b - 0.1 * g.b
    return p


@case(lambda: (Model(4), array(4)))
def attributes_of_an_object(m, x):
    m.w *= 0.5
    m.steps += 1
    m.history.append(m.loss(x))
    m.extra = x * 2
    return m


@case(lambda: (Model(4), array(4)))
def method_of_an_object(m, x):
    return m.fit(x), m.fit(x)


@case(lambda: (SimpleNamespace(w=array(3), t=0.0),))
def namespace(s):
    s.w += s.t
    s.t += 0.5


@case(lambda: (State(array(3), array(3)), 0.1))
def namedtuple_of_arrays(s, dt):
    s.u[:] += dt * s.v
    s.v[:] -= dt * s.u
    return s


@case(lambda: (State(array(3), array(3)), 0.1))
def new_namedtuple(s, dt):
    return s._replace(u=s.u + dt * s.v)


@case(lambda: ([array(2), array(3)], array(2)))
def tuples_of_what_came(xs, y):
    return xs, xs[0], (y, y), y


@case(lambda: (array(3).astype(np.float32), array(3).astype(np.float32)))
def single_precision(x, g):
    x -= 0.1 * g
    x *= x


@case(lambda: (array(3).astype(np.float32), array(3)))
def mixed_precision(x, g):
    x -= 0.1 * g


@case(lambda: (np.arange(5), 2))
def integers(x, k):
    x += k
    x[1:] //= 2
    return x.sum()


@case(lambda: (array(4, 6)[:, ::2], array(4, 3)))
def strided(x, g):
    x -= 0.1 * g
    x[0] = 0.0


@case(lambda: (array(4, 3).T, array(3, 4)))
def columns_first(x, g):
    x -= 0.1 * g
    x[:, 0] += 1.0


@case(lambda: (np.array(2.0), array(3)))
def no_axes(x, y):
    x += np.sum(y)
    y *= x


@case(lambda: (array(3), array(4), array(4, 3), 0.1))
def rank_one(x, g, w, lr):
    w -= lr * np.outer(g, x)


@case(lambda: (array(5, 2), np.array([1, 3, 1])))
def repeated_rows(table, ids):
    np.add.at(table, ids, 1.0)
    table[ids] *= 2.0


def helper(x: np.ndarray, y: Any) -> np.ndarray:
    x += y
    return x


@case(lambda: (array(3), array(3)))
def by_a_helper(x, y):
    z = helper(x, y)
    z *= 2.0
    np.multiply(x, 0.5, out=x)
    return z


@case(lambda: (array(2, 2), array(2, 2)))
def several_steps(w, x):
    losses = []
    for _ in range(3):
        loss, w_bar = srcad.value_and_grad(lambda w: np.sum((w @ x) ** 2))(w)
        w -= 0.01 * w_bar
        losses.append(loss)
    return losses


@case(lambda: ({"w": array(3), "v": array(3)}, array(3)))
def gradient_by_hand(p, x):
    jvp = srcad.jvp(lambda w: np.sum(np.sin(w) * x), (p["w"],), (p["v"],))
    p["w"] += jvp[1] * p["v"]
    return jvp


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", CASES)
def test_compiled_functions_do_what_python_does(name, backend):
    f, make = CASES[name]
    compiled = srcad.compile(f, backend=backend, cache=False)
    ours, theirs = make(), make()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):  # by a new program, and by one that is there
            assert_same((compiled(*ours), ours), (f(*theirs), theirs))


# Exceptions -------------------------------------------------------------------------------------


def rises_at_the_end(p, x):
    p["w"] *= 2.0
    p["n"] = 1
    p["b"][0] = 3.0
    if np.sum(x) > 0:
        raise ValueError("late")


def singular(p, x):
    p["w"] += 1.0
    p["b"] = np.linalg.inv(np.zeros((3, 3)) * np.sum(x))


def out_of_range(p, x):
    p["w"][0] += 1.0
    p["w"][np.sum(x > 0) + 10] = 2.0


def in_a_loop(p, x):
    for i in range(5):
        p["w"][i] += x[i]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [rises_at_the_end, singular, out_of_range, in_a_loop])
def test_a_call_that_raises_changes_nothing(f, backend):
    p, x = {"w": array(3), "b": array(3)}, np.ones(3)
    before = copy.deepcopy(p)
    compiled = srcad.compile(f, backend=backend, cache=False)
    with pytest.raises((ValueError, IndexError, np.linalg.LinAlgError)):
        compiled(p, x)
    assert_same(p, before)
    with pytest.raises((ValueError, IndexError, np.linalg.LinAlgError)):
        f(copy.deepcopy(p), x)


def in_several_parts(v, w, x, n):
    v *= np.tanh(v) + 2.0
    m = w @ w
    w -= 0.1 * np.outer(x, x) + np.tanh(m @ m)
    v += n


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kind", ["read-only", "not aligned", "long"])
def test_what_compiled_code_refuses_is_refused_before_anything_is_written(kind, backend):
    ours, theirs = [array(3), array(3, 3)], [array(3), array(3, 3)]
    x, n = array(3), 2**70 if kind == "long" else 2
    if kind == "not aligned":
        x = np.frombuffer(b"." + x.tobytes(), np.uint8)[1:].view(np.float64)
    x.flags.writeable = kind == "long"
    step = srcad.compile(in_several_parts, backend=backend, cache=False)
    for _ in range(5):
        step(*ours, x, n)
        in_several_parts(*theirs, x, n)
        assert_same(ours, theirs)


# What is refused --------------------------------------------------------------------------------

LOG: list[float] = []
TABLE = np.zeros(3)


def log(x):
    LOG.append(1.0)
    return x


def write_global(x):
    TABLE[0] = x[0]


def write_twins(x, y):
    x += y


def lists_in_two_places(d, x):
    d["a"] = trace = [x * 2]
    return trace


@pytest.mark.parametrize(
    ("f", "args", "code"),
    [
        (log, (array(2),), "E133"),
        (write_global, (array(2),), "E133"),
        (write_twins, (TABLE, TABLE[::-1]), "E136"),
        (write_twins, (np.broadcast_to(1.0, 3), array(3)), "E137"),
        (lists_in_two_places, ({}, array(2)), "E139"),
    ],
)
def test_what_cannot_be_done_is_refused_and_nothing_is_changed(f, args, code):
    with pytest.raises(srcad.SrcadError) as refusal:
        srcad.compile(f, cache=False)(*args)
    assert refusal.value.code == code
    assert LOG == []
    assert not TABLE.any()


# Its place among the others ---------------------------------------------------------------------

RATE = 0.5


def by_a_global(w, g):
    w -= RATE * g


def test_captured_values_are_read_anew(monkeypatch):
    step, w = srcad.compile(by_a_global, cache=False), np.ones(2)
    step(w, np.ones(2))
    assert w.tolist() == [0.5, 0.5]
    monkeypatch.setattr(f"{__name__}.RATE", 1.0)
    step(w, np.ones(2))
    assert w.tolist() == [-0.5, -0.5]


@srcad.compile
def squared(x):
    return np.sum(x**2)


@srcad.compile(backend="numpy", cache=False)
def doubled(x):
    x *= 2.0
    return x


def test_compiled_functions_inside_others_are_part_of_these():
    assert srcad.grad(squared)(np.array([1.0, 2.0])).tolist() == [2.0, 4.0]
    assert srcad.grad(lambda x: squared(x) * 2)(np.array([1.0])).tolist() == [4.0]
    x = np.ones(2)

    @srcad.compile(cache=False)
    def f(x):
        return doubled(x), squared(doubled(x))

    y, s = f(x)
    assert y is x
    assert x.tolist() == [4.0, 4.0]
    assert s == 32.0


def test_the_object_is_as_that_of_other_transformations(tmp_path):
    assert doubled.__name__ == "doubled"
    x = np.ones(2)
    assert doubled(x) is x
    assert "x *= 2.0" in doubled.source()
    assert doubled.cache_info().size == 1
    assert "compile of doubled" in str(doubled.explain())
    doubled.save(tmp_path / "doubled.py", x)
    saved: dict[str, Any] = {}
    exec((tmp_path / "doubled.py").read_text(), saved)
    saved["doubled"](x)
    assert x.tolist() == [4.0, 4.0]
    assert pickle.loads(pickle.dumps(doubled)) is doubled


def test_parameters_with_defaults_and_by_name():
    @srcad.compile(cache=False)
    def f(x, *rest, rate=0.5, **named):
        x -= rate * rest[0]
        named["y"][0] = 1.0
        return rest[0]

    x, y, z = np.ones(2), np.ones(2), np.zeros(1)
    assert f(x, y, y=z) is y
    assert (x.tolist(), z.tolist()) == ([0.5, 0.5], [1.0])


def test_arrays_of_one_size_need_one_program():
    step = srcad.compile(by_a_global, cache=False)
    for n in (2, 3, 4):
        w = np.ones(n)
        step(w, np.ones(n))
        assert w.tolist() == [0.5] * n
    assert step.cache_info().size == 1


def test_layouts_have_programs_of_their_own():
    step = srcad.compile(by_a_global, cache=False)
    for w in (np.ones((3, 3)), np.ones((3, 6))[:, ::2], np.ones((3, 3)).T[::-1], np.ones((4, 4))):
        step(w, np.ones(len(w)))
        assert (w == 0.5).all()
    assert step.cache_info().size == 2


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "optimiser",
    [
        optim.sgd(0.1),
        optim.sgd(0.1, momentum=0.9, weight_decay=0.01),
        optim.adam(0.01),
        optim.adamw(0.01),
    ],
)
def test_optimisers_of_nn_are_part_of_the_step(optimiser, backend):
    def step(p, state, x, y):
        loss, g = srcad.value_and_grad(mlp)(p, x, y)
        optimiser.update(p, g, state)
        return loss

    compiled = srcad.compile(step, backend=backend, cache=False)
    x, y = array(5, 4), array(5, 3)
    ours, theirs = params(), params()
    our_state, their_state = optimiser.init(ours), optimiser.init(theirs)
    for _ in range(3):
        results = compiled(ours, our_state, x, y), step(theirs, their_state, x, y)
        assert_same((results[0], ours, our_state), (results[1], theirs, their_state))
    assert compiled.cache_info().size == 1
