"""Saved modules: imported where srcad cannot be, they give the same gradients to the bit."""

import importlib.util
import inspect
import os
import pickle
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import srcad
from srcad.pipeline.standalone.frozen import frozen

RNG = np.random.default_rng(0)
X = RNG.normal(size=(7, 4))
W = RNG.normal(size=4)
SCALE = 2.5
TABLE = np.arange(4.0)
WEIGHTS = RNG.normal(size=(4, 30))
MODE = "tanh"


class Pair(NamedTuple):
    w: object
    b: object


@dataclass
class Params:
    w: object
    b: object


class Model:
    def __init__(self):
        self.rate = 0.5
        self.weights = np.asfortranarray(WEIGHTS)

    def loss(self, x):
        return self.rate * np.sum(np.tanh(x @ self.weights))


def plain(w, x):
    return np.sum(np.tanh(x @ w) ** 2)


def with_numbers(w):
    return SCALE * np.sum(w * TABLE)


def with_pages(w):
    return np.sum(np.tanh(w @ WEIGHTS)) * SCALE


def with_constants(w):
    return np.sum(np.tanh(w) if MODE == "tanh" else w)


def with_signature(w, /, x, n=3, *, rate=0.1, mode="sum", **options):
    for _ in range(n):
        w = w * rate
    return np.sum(x @ w) * options["scale"] if mode == "sum" else np.mean(x @ w)


def with_rest(w, *rest):
    return np.sum(w * rest[0] + rest[1])


def with_containers(params, x):
    (w, b), extra = params["layers"], params["extra"]
    return np.sum((x @ w + b) ** 2) * extra[0]


def with_pair(params, x):
    return np.sum((x @ params.w + params.b) ** 2)


def pure_python(x):
    y = SCALE
    for _ in range(3):
        y = y * x
    return y


def takes_a_branch(x, flag):
    return np.sum(x) if flag else np.sum(x * x)


def module_of(source):
    spec = importlib.util.spec_from_loader("saved", loader=None)
    module = importlib.util.module_from_spec(spec)
    exec(compile(source, "saved.py", "exec"), vars(module))
    return module


def saved(transformed, path, *args, **kwargs):
    """The public function of the module written for these arguments."""
    transformed.save(path, *args, overwrite=True, **kwargs)
    module = module_of(path.read_text(encoding="utf-8"))
    (name,) = module.__all__
    return getattr(module, name)


CALLS = [
    (plain, (W, X), {}),
    (plain, (W[:1], X[:, :1]), {}),
    (with_numbers, (W,), {}),
    (with_pages, (W,), {}),
    (with_constants, (W,), {}),
    (with_signature, (W, X), {"scale": 2.0}),
    (with_signature, (W, X, 2), {"rate": 0.5, "mode": "mean"}),
    (with_rest, (W, W, 1.0), {}),
    (with_containers, ({"layers": [W, 0.5], "extra": (2.0,)}, X), {}),
    (with_pair, (Pair(W, 0.5), X), {}),
    (with_pair, (Params(W, 0.5), X), {}),
    (Model().loss, (W,), {}),
    (pure_python, (1.5,), {}),
    (takes_a_branch, (W, True), {}),
]


@pytest.mark.parametrize(("fn", "args", "kwargs"), CALLS, ids=lambda x: getattr(x, "__name__", ""))
def test_the_saved_function_is_the_gradient(fn, args, kwargs, tmp_path):
    gradient = srcad.value_and_grad(fn)
    want = gradient(*args, **kwargs)
    function = saved(gradient, tmp_path / "saved.py", *args, **kwargs)
    assert pickle.dumps(function(*args, **kwargs)) == pickle.dumps(want)
    names = [(p.name, p.kind) for p in inspect.signature(fn).parameters.values()]
    assert [(p.name, p.kind) for p in inspect.signature(function).parameters.values()] == names


def test_the_public_name_and_the_defaults(tmp_path):
    gradient = srcad.grad(with_signature)
    function = saved(gradient, tmp_path / "saved.py", W, X, scale=2.0)
    assert function.__name__ == "with_signature_grad"
    assert inspect.signature(function) == inspect.signature(with_signature)


def test_a_default_that_is_an_array_is_written(tmp_path):
    def f(x, y=1.0, w=WEIGHTS, *, z=2.0):
        return np.sum(x * y * z) + np.sum(w)

    function = saved(srcad.grad(f), tmp_path / "saved.py", W)
    found = inspect.signature(function).parameters
    assert [*found] == ["x", "y", "w", "z"]
    assert np.array_equal(found["w"].default, WEIGHTS)


@pytest.mark.parametrize(
    "d",
    [
        np.float32(0.1), np.float64(2), np.int64(2), np.bool_(True), np.complex64(1 + 2j),
        np.longdouble(2), np.float32("nan"), float("inf"), 1 + 2j,
    ],
    ids=repr,
)  # fmt: skip
def test_defaults_that_are_numbers(d, tmp_path):
    def f(x, /, c=1, d=d, *, e=d, options=(d, {"d": d})):
        return x * c, d, e, options[0], options[1]["d"]

    function = saved(srcad.compile(f), tmp_path / "saved.py", W)
    assert [*map(pickle.dumps, function(W))] == [*map(pickle.dumps, f(W))]


def test_other_sizes_are_fine_and_other_kinds_are_refused(tmp_path):
    gradient = srcad.grad(plain)
    function = saved(gradient, tmp_path / "saved.py", W, X)
    np.testing.assert_array_equal(function(W[:2], X[:3, :2]), gradient(W[:2], X[:3, :2]))
    wrong = [(W, X.astype("f4")), (W, X[0]), (W.tolist(), X), (1.0, X)]
    for args in wrong:
        with pytest.raises(TypeError, match="this module needs float64"):
            function(*args)


@pytest.mark.parametrize(
    ("fn", "args", "wrong", "message"),
    [
        (takes_a_branch, (W, True), (W, False), "flag is False; this module needs True"),
        (takes_a_branch, (W, True), (W, 1), "flag is 1; this module needs True"),
        (
            with_containers,
            ({"layers": [W, 0.5], "extra": (2.0,)}, X),
            ({"layers": [W, 0.5], "extra": (2.0, 3.0)}, X),
            r"params\['extra'\] is tuple of 2; this module needs tuple of 1",
        ),
        (
            with_containers,
            ({"layers": [W, 0.5], "extra": (2.0,)}, X),
            ({"layers": [W, 0.5]}, X),
            "params is dict of 'layers'; this module needs dict of 'extra', 'layers'",
        ),
        (
            with_pair,
            (Pair(W, 0.5), X),
            (Params(W, 0.5), X),
            "params is Params; this module needs Pair of 2",
        ),
    ],
)
def test_arguments_that_would_go_wrong_are_refused(fn, args, wrong, message, tmp_path):
    function = saved(srcad.grad(fn), tmp_path / "saved.py", *args)
    with pytest.raises(TypeError, match=message):
        function(*wrong)


def test_extents_that_do_not_fit_are_refused(tmp_path):
    function = saved(srcad.grad(plain), tmp_path / "saved.py", W, X)
    with pytest.raises(
        TypeError,
        match=r"x.shape\[1\] is 4; this module needs 3|w.shape\[0\] is 3; this module needs 4",
    ):
        function(W[:3], X)
    function = saved(srcad.grad(with_numbers), tmp_path / "saved.py", W)
    with pytest.raises(TypeError, match=r"TABLE.shape\[0\] is 4; this module needs 3"):
        function(W[:3])


def test_captured_values_are_those_of_the_moment(tmp_path, monkeypatch):
    gradient = srcad.grad(with_numbers)
    gradient(W)
    monkeypatch.setitem(globals(), "SCALE", 4.0)
    function = saved(gradient, tmp_path / "saved.py")
    np.testing.assert_array_equal(function(W), 4.0 * TABLE)
    monkeypatch.setitem(globals(), "SCALE", 8.0)
    np.testing.assert_array_equal(function(W), 4.0 * TABLE)
    assert "TABLE = np.array([0.0, 1.0, 2.0, 3.0])" in (tmp_path / "saved.py").read_text()


def test_a_captured_value_that_became_another_kind(tmp_path, monkeypatch):
    gradient = srcad.grad(with_numbers)
    gradient(W)
    monkeypatch.setitem(globals(), "SCALE", np.ones(1))
    with pytest.raises(srcad.CacheError, match="captured value of which has changed") as caught:
        gradient.save(tmp_path / "saved.py")
    assert caught.value.code == "E503"
    assert not (tmp_path / "saved.py").exists()
    function = saved(gradient, tmp_path / "saved.py", W)
    np.testing.assert_array_equal(function(W), gradient(W))


def test_a_name_that_is_captured_and_assigned(tmp_path):
    def make():
        y = 3.0

        def f(x):
            z = y
            for _ in range(3):
                z = z * x
            return z

        return f

    fn = make()
    function = saved(srcad.grad(fn), tmp_path / "saved.py", 2.0)
    assert function(2.0) == srcad.grad(fn)(2.0)
    assert function(2.0) == srcad.grad(fn)(2.0)


def test_pages_of_numbers_stand_at_the_end(tmp_path):
    srcad.grad(with_pages).save(tmp_path / "saved.py", W)
    text = (tmp_path / "saved.py").read_text()
    assert "\nimport base64\n\nimport numpy as np\n" in text
    assert text.index("SCALE = 2.5") < text.index("def with_pages_grad(w):")
    assert text.index("def _kind(x, *axes):") < text.index("WEIGHTS = np.frombuffer(")
    assert max(map(len, text.splitlines())) <= 100


MARK = object()


def test_an_object_of_the_process_as_argument_is_refused(tmp_path):
    def f(x, mark):
        return np.sum(x * x) if mark is MARK else np.sum(x)

    gradient = srcad.grad(f)
    np.testing.assert_array_equal(gradient(W, MARK), 2 * W)
    with pytest.raises(srcad.CacheError, match="is an object of this process") as caught:
        gradient.save(tmp_path / "saved.py", W, MARK)
    assert caught.value.code == "E503"
    assert not (tmp_path / "saved.py").exists()


def test_a_function_as_argument_is_refused(tmp_path):
    def f(x, activation):
        return np.sum(activation(x))

    with pytest.raises(srcad.CacheError, match="passed as `activation`"):
        srcad.grad(f).save(tmp_path / "saved.py", W, lambda x: x * x)


PROCESS = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("srcad", "gast", "astunparse", "optree"):
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
sys.modules.pop("srcad", None)
import pickle
import saved

try:
    import srcad
except ImportError:
    args = pickle.load(open("args", "rb"))
    pickle.dump(getattr(saved, saved.__all__[0])(*args), open("result", "wb"))
"""


def test_a_process_without_srcad(tmp_path):
    gradient = srcad.value_and_grad(with_containers)
    args = ({"layers": [W, 0.5], "extra": (2.0,)}, X)
    gradient.save(tmp_path / "saved.py", *args)
    (tmp_path / "args").write_bytes(pickle.dumps(args))
    (tmp_path / "run.py").write_text(textwrap.dedent(PROCESS))
    environment = {**os.environ, "PYTHONPATH": ""}
    subprocess.run([sys.executable, "run.py"], cwd=tmp_path, env=environment, check=True)
    result = pickle.loads((tmp_path / "result").read_bytes())
    assert frozen(result) == frozen(gradient(*args))
    assert frozen(result) is not None


def test_names_of_the_module_give_way_to_the_users(tmp_path):
    def f(_kind, _check):
        return np.sum(_kind * _check)

    function = saved(srcad.grad(f), tmp_path / "saved.py", W, W)
    np.testing.assert_array_equal(function(W, W), W)
    with pytest.raises(TypeError, match="needs"):
        function(W, 1.0)
