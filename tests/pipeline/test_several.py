"""Modules with programs for several signatures, and what `.save` does to files."""

import pickle

import numpy as np
import pytest
from pipeline.modules import saved

import srcad
from srcad.errors import SrcadError

SCALE = 2.0
RNG = np.random.default_rng(0)
W, X, Y = RNG.random(3), RNG.random((4, 3)), RNG.random(4)
SINGLE = tuple(a.astype(np.float32) for a in (W, X, Y))
ONE = (W, X[:1], Y[:1])


def loss(w, x, y, *, rate=0.5):
    return SCALE * rate * np.mean((np.tanh(x @ w) - y) ** 2)


def assert_same(a, b):
    assert pickle.dumps(a) == pickle.dumps(b)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_one_function_serves_all_signatures(tmp_path, backend):
    if backend == "native":
        pytest.importorskip("numba")
    gradient = srcad.value_and_grad(loss, backend=backend)
    function = saved(gradient, tmp_path / "m.py", signatures=[(W, X, Y), SINGLE, ONE])
    for args in ((W, X, Y), SINGLE, ONE, (W, X[:2], Y[:2])):
        assert_same(function(*args), gradient(*args))
        assert_same(function(*args, rate=0.1), gradient(*args, rate=0.1))
    with pytest.raises(TypeError, match=r"x is float64\[:\]; this module needs .*; or w is"):
        function(W, X[0], Y)


def test_further_signatures_come_after_the_arguments(tmp_path):
    gradient = srcad.grad(loss, backend="numpy")
    text_of = {}
    for name, args, more in (("a", (W, X, Y), [SINGLE]), ("b", (), [(W, X, Y), SINGLE])):
        saved(gradient, tmp_path / f"{name}.py", *args, signatures=more)
        text_of[name] = (tmp_path / f"{name}.py").read_text()
    assert text_of["a"] == text_of["b"]
    single = srcad.grad(lambda x: np.sum(np.sin(x)))
    function = saved(single, tmp_path / "c.py", signatures=[X, W])  # one argument each
    for x in (X, W):
        assert_same(function(x), single(x))


def test_what_programs_have_in_common_is_there_once(tmp_path):
    gradient = srcad.grad(loss, backend="numpy")
    saved(gradient, tmp_path / "m.py", signatures=[(W, X, Y), SINGLE])
    text = (tmp_path / "m.py").read_text()
    assert text.count("def _kind(") == 1
    assert text.count("SCALE = 2.0") == 1
    assert text.count("# return SCALE * rate") == 2  # comments stay


def test_what_has_one_name_and_two_meanings_is_told_apart(tmp_path):
    def f(x, k):
        return np.sum(x * np.asarray(k["table"]))

    gradient = srcad.grad(f, backend="numpy")
    first, second = {"table": [1.0, 2.0, 3.0]}, {"table": (4.0, 5.0)}
    function = saved(gradient, tmp_path / "m.py", signatures=[(W, first), (W[:2], second)])
    for args in ((W, first), (W[:2], second)):
        assert_same(function(*args), gradient(*args))


def test_the_module_says_what_made_it_and_no_date(tmp_path):
    gradient = srcad.grad(loss, backend="numpy")
    saved(gradient, tmp_path / "m.py", W, X, Y)
    first, second, third, *_ = (tmp_path / "m.py").read_text().splitlines()
    assert first == f"# Made from `loss` by srcad {srcad.__version__}; do not edit."
    assert "licence" in second
    assert third == "import numpy as np"


def test_another_file_is_not_overwritten_unless_told(tmp_path):
    gradient, path = srcad.grad(loss, backend="numpy"), tmp_path / "m.py"
    gradient.save(path, W, X, Y)
    text = path.read_text()
    gradient.save(path, W, X, Y)  # the same once more
    path.write_text(text + "# edited\n")
    with pytest.raises(FileExistsError) as caught:
        gradient.save(path, W, X, Y)
    assert isinstance(caught.value, SrcadError)
    assert caught.value.code == "E505"
    assert str(path) in str(caught.value)
    assert path.read_text() == text + "# edited\n"
    gradient.save(path, W, X, Y, overwrite=True)
    assert path.read_text() == text
