"""Functions with rules of one's own in saved modules: copied with what they read, or refused."""

import math
import subprocess
import sys

import numpy as np
import pytest
from pipeline.modules import loaded
from scipy import optimize

import srcad
from srcad import rules
from srcad.rules import RULES
from srcad.rules.core.declaration import registration

W = np.linspace(0.5, 1.5, 4)
SHARPNESS = 2.0
TABLE = np.linspace(0.0, 1.0, 40)


def sharpened(x):
    return np.exp(SHARPNESS * x)


def soft(x, scale=SHARPNESS):
    """A softplus."""
    return np.log1p(sharpened(x)) / scale + TABLE[0]


def residual(x, a):
    return x**3 + a * x - 1


def root(a):
    return optimize.brentq(residual, -10.0, 10.0, args=(a,), xtol=1e-14)


def power(x, n):
    return x if n <= 1 else x * power(x, n - 1)


def hidden(x):
    np = math  # a name of the module's own means something else here
    return np.sqrt(2.0) * x


class Solver:
    def __call__(self, x):
        return 2 * x


SOLVER = Solver()


def solved(x):
    return SOLVER(x)


def counted(x):
    global COUNT
    COUNT = 1
    return 2 * x


@pytest.fixture(autouse=True)
def own_rules():
    def made(c):
        @rules.rule(vjp=lambda g, y, x: (c * g,), type_of=lambda x: x)
        def scaled(x):
            return c * x

        return scaled

    before = set(registration.of_users)
    rules.elementwise(soft, lambda y, x, scale=2.0: 1 - np.exp(-scale * y))
    rules.rule(
        root,
        jvp=lambda ts, y, a: -y * ts[0] / (3 * y**2 + a),
        a=lambda g, y, a: -g * y / (3 * y**2 + a),
    )
    rules.rule(power, vjp=lambda g, y, x, n: (g * n * y / x, 0.0), type_of=lambda x, n: x)
    for fn, factor in ((hidden, math.sqrt(2.0)), (solved, 2.0), (counted, 2.0)):
        rules.elementwise(fn, lambda y, x, factor=factor: factor + 0 * x, type_of=lambda x: x)
    yield made(3.0)
    for fn in set(registration.of_users) - before:
        del RULES[fn]
        registration.of_users.discard(fn)


def saved(gradient, path, *args):
    """The module's function, and its text."""
    gradient.save(path, *args)
    module = loaded(path)
    return getattr(module, module.__all__[0]), path.read_text()


def loss(w):
    return np.sum(soft(w) ** 2) * root(w[0]) + np.sum(hidden(w) ** 2)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_functions_are_copied_with_what_they_read(backend, tmp_path):
    if backend == "native":
        pytest.importorskip("numba")
    gradient = srcad.value_and_grad(loss, backend=backend)
    function, text = saved(gradient, tmp_path / "m.py", W)
    assert "from srcad" not in text
    assert "test_carried" not in text.split('"""')[2]
    assert text.count("def sharpened(x):") == text.count("SHARPNESS = 2.0") == 1
    assert "def soft(x, scale=2.0):" in text
    for found, wanted in zip(function(W), gradient(W), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-14)


def test_closures_recursion_and_names_that_are_taken(own_rules, tmp_path):
    scaled = own_rules

    def f(c, sharpened):
        return np.sum(scaled(c) ** 2) + np.sum(power(sharpened, 3)) + np.sum(soft(c))

    gradient = srcad.value_and_grad(f, argnums=(0, 1))
    function, text = saved(gradient, tmp_path / "m.py", W, W)
    assert "def sharpened_2(x):" in text
    value, bars = function(W, W)
    wanted, wanted_bars = gradient(W, W)
    assert value == wanted
    np.testing.assert_array_equal(bars, wanted_bars)


def test_a_process_without_srcad(tmp_path):
    srcad.value_and_grad(loss).save(tmp_path / "m.py", W)
    code = """
import sys
sys.modules["srcad"] = None
import numpy as np
import m
print(repr(float(m.loss_value_and_grad(np.linspace(0.5, 1.5, 4))[0])))
"""
    made = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    np.testing.assert_allclose(float(made.stdout), srcad.value_and_grad(loss)(W)[0], rtol=1e-14)


def test_what_has_no_text_is_refused_where_it_is_read(tmp_path):
    for fn, word in ((solved, "`SOLVER`, which `solved` reads"), (counted, "`counted`, which")):
        gradient = srcad.value_and_grad(lambda x, fn=fn: np.sum(fn(x) ** 2))
        with pytest.raises(srcad.CacheError, match="E503") as refused:
            gradient.save(tmp_path / "m.py", W)
        assert word in str(refused.value)
        assert "test_carried.py:" in str(refused.value)
    assert "return SOLVER(x)\n" in str(refused_at(solved, tmp_path))


def refused_at(fn, tmp_path):
    with pytest.raises(srcad.CacheError) as refused:
        srcad.value_and_grad(lambda x: np.sum(fn(x) ** 2)).save(tmp_path / "m.py", W)
    return refused.value


def test_several_programs_share_the_copies(tmp_path):
    gradient = srcad.value_and_grad(lambda x: np.sum(soft(x) ** 2))
    gradient.save(tmp_path / "m.py", signatures=[W, W.astype(np.float32)])
    text = (tmp_path / "m.py").read_text()
    assert text.count("def soft(") == 1
