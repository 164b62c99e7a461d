"""`OrderedDict`, `defaultdict`, `Counter` and `deque` as arguments, and as derivatives."""

from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

import numpy as np
import pytest
from optional import BACKENDS

import srcad

X = np.array([0.3, 0.2, 1.0])


def loss(d: Any) -> Any:
    return np.sum(d["b"] ** 2) * d["a"]


DICTS = [OrderedDict(b=X, a=2.0), defaultdict(float, a=2.0, b=X)]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("d", DICTS)
def test_dicts(d: Any, backend: str) -> None:
    value, got = srcad.value_and_grad(loss, backend=backend)(d)
    assert value == loss(d)
    assert (type(got), list(got)) == (type(d), list(d))
    np.testing.assert_allclose(got["b"], 4 * X)
    assert got["a"] == pytest.approx(np.sum(X**2))
    if isinstance(d, defaultdict):
        assert got.default_factory is float


@pytest.mark.parametrize("d", DICTS)
def test_every_transformation(d: Any) -> None:
    assert srcad.compile(loss)(d) == loss(d)
    hessian = srcad.hessian(loss)(d)
    assert type(hessian) is type(hessian["a"]) is type(d)
    np.testing.assert_allclose(hessian["b"]["a"], 2 * X)
    jacobian = srcad.jacobian(lambda d: {"u": d["a"] * 2, "v": d["b"]})(d)
    assert type(jacobian["v"]) is type(d)
    np.testing.assert_array_equal(jacobian["v"]["b"], np.eye(3))
    value, slope = srcad.jvp(loss, (d,), (d,))
    assert slope == pytest.approx(3 * value)
    (pulled,) = srcad.vjp(loss, d)[1](1.0)
    np.testing.assert_allclose(pulled["b"], 4 * X)
    np.testing.assert_allclose(srcad.hvp(loss)(d, d)["b"], 8 * X)
    inner = srcad.compile(lambda d: srcad.grad(loss)(d)["b"])(d)
    np.testing.assert_allclose(inner, 4 * X)


def test_beside_what_is_differentiated() -> None:
    def f(x: Any, d: Any, q: Any, c: Any) -> Any:
        return np.sum(x * d["b"]) * d["a"] * q[0] * len(q) * (c["a"] + c["none"])

    given = (DICTS[0], deque([3.0, 1.0], maxlen=5), Counter(a=2))
    np.testing.assert_allclose(srcad.grad(f)(X, *given), 24 * X)
    d_bar, q_bar = srcad.grad(f, (1, 2))(X, *given)
    assert type(d_bar) is OrderedDict
    assert q_bar == deque([4 * f(X, *given) / 12, 0.0], maxlen=5)
    assert q_bar.maxlen == 5


def test_the_order_is_that_of_the_call() -> None:
    gradient = srcad.grad(lambda d: sum(v * (i + 1) for i, v in enumerate(d.values())))
    assert gradient(OrderedDict(b=1.0, a=2.0)) == OrderedDict(b=1.0, a=2.0)
    assert gradient(OrderedDict(a=1.0, b=2.0)) == OrderedDict(a=1.0, b=2.0)
    assert gradient({"a": 1.0, "b": 2.0}) == {"a": 1.0, "b": 2.0}


def test_parts_of_others_and_entries_that_are_not_read() -> None:
    params = {"layer": OrderedDict(w=X, n=3), "queue": deque([2.0, 1.0])}
    got = srcad.grad(lambda p: np.sum(p["layer"]["w"] ** 2) * p["queue"][0])(params)
    np.testing.assert_allclose(got["layer"]["w"], 4 * X)
    assert type(got["layer"]) is OrderedDict
    assert got["queue"][1] == 0.0


def appended(q: Any) -> Any:
    q.append(1.0)
    return q[0]


def set_item(d: Any) -> Any:
    d["a"] = 1.0
    return d["a"]


def read_of_a_missing_key(d: Any) -> Any:
    return d["a"] * d["none"]


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (appended, deque([2.0])),
        (set_item, OrderedDict(a=2.0)),
        (read_of_a_missing_key, defaultdict(float, a=2.0)),
    ],
)
def test_they_are_not_changed(f: Any, x: Any) -> None:
    for call in (srcad.grad(f), srcad.compile(f)):
        with pytest.raises(srcad.SrcadError, match="E118"):
            call(x)


def test_a_module_of_its_own(tmp_path: Any) -> None:
    path = tmp_path / "by_order.py"
    srcad.grad(loss).save(path, DICTS[0])
    module: dict[str, Any] = {}
    exec(path.read_text(), module)
    got = module["loss_grad"](DICTS[0])
    assert type(got) is OrderedDict
    np.testing.assert_allclose(got["b"], 4 * X)
    for other in (dict(DICTS[0]), OrderedDict(a=2.0, b=X)):
        with pytest.raises(TypeError, match="this module needs"):
            module["loss_grad"](other)
