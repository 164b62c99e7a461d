"""`np.random.seed`, `rand`, `normal` and their kin draw once, in order, from a shared generator."""

import linecache

import numpy as np
import pytest
from optional import needs_numba

import srcad
from srcad.errors import SrcadError

X = np.array([0.3, 0.9, 1.4])
DRAWS = """rand() rand(3) rand(2,3) randn() randn(*x.shape) random() random(3) random_sample((2,3))
    ranf() standard_normal(3) normal() normal(1.0,2.0) normal(0,1,(2,3)) normal(size=x.shape)
    normal(np.zeros((2,1)),np.ones(3)) uniform() uniform(-1,1,len(x)) exponential(2.0,3) randint(5)
    randint(1,len(x)) randint(0,9,(2,2)) choice(5) choice(5,3,False) choice(np.arange(3.))
    choice([1.0,2.0],3) permutation(4) permutation(np.arange(3.)) poisson() poisson(3.0,4)
    binomial(5,0.5,3) gamma(2.0) beta(1.0,2.0) triangular(0,1,2) geometric(0.5)""".split()


@pytest.mark.parametrize("text", DRAWS)
def test_as_numpy_draws(text, tmp_path):
    lines = "np.random.seed(3)", f"return np.random.{text}, np.random.rand(), np.sum(x)"
    source = "def f(x):\n" + "".join(f"    {line}\n" for line in lines)
    file = str(tmp_path / "drawing.py")
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names = {"np": np, "__name__": "drawing"}
    exec(compile(source, file, "exec"), names)
    f = names["f"]
    found, wanted = srcad.compile(f)(X), f(X)
    assert [type(each) for each in found] == [type(each) for each in wanted]
    assert getattr(found[0], "dtype", None) == getattr(wanted[0], "dtype", None)
    np.testing.assert_array_equal(found[0], wanted[0])
    assert found[1:] == wanted[1:]


def noisy(x):
    total = 0.0
    for v in x:
        total = total + v * np.random.normal() + np.random.rand() * v**2
    return total


def test_each_draw_is_made_once_and_kept_for_the_reverse_sweep():
    np.random.seed(5)
    wanted, state = noisy(X), np.random.get_state()[2]
    np.random.seed(5)
    value, x_bar = srcad.value_and_grad(noisy)(X)
    assert value == wanted
    assert np.random.get_state()[2] == state
    np.random.seed(5)
    k = [(np.random.normal(), np.random.rand()) for _ in X]
    np.testing.assert_allclose(x_bar, [a + 2 * b * v for (a, b), v in zip(k, X, strict=True)])


def by_its_parameter(x):
    return np.sum(np.random.normal(x, 1.0))


def by_a_count(x):
    return np.random.poisson(x[0]) * x[1]


def in_place(x):
    np.random.shuffle(x)
    return x[0]


@pytest.mark.parametrize(
    ("fn", "code"),
    [(by_its_parameter, "E205"), (by_a_count, "E205"), (in_place, "E120")],
)
def test_refused(fn, code):
    with pytest.raises(SrcadError) as caught:
        srcad.grad(fn)(X)
    assert caught.value.code == code


STATE = np.random.RandomState(5)


def of_a_state(x, rng):
    own = np.random.RandomState(0)
    total = np.sum(x * own.randn(3)[own.permutation(3)]) + own.uniform(0, 1) * x[0]
    for _ in range(4):
        total += x[rng.randint(3)] ** 2 * rng.normal(1.0, 0.5) * STATE.rand()
    own.seed(4)
    is_old = isinstance(rng, np.random.RandomState) and not isinstance(rng, np.random.Generator)
    return total * own.choice([0.5, 2.0]) if is_old else total


@pytest.mark.parametrize("backend", ["numpy", pytest.param("native", marks=needs_numba)])
def test_draws_of_a_state(backend):
    compiled = srcad.value_and_grad(of_a_state, backend=backend)
    for x in (np.array([0.3, 0.7, -1.2]), np.ones(3)):
        STATE.seed(1)
        value, gradient = compiled(x, np.random.RandomState(7))
        assert value == seeded_value(x)
        slopes = [
            (seeded_value(x + step) - seeded_value(x - step)) / 2e-6 for step in 1e-6 * np.eye(3)
        ]
        np.testing.assert_allclose(gradient, slopes, rtol=1e-6)


def seeded_value(x):
    STATE.seed(1)
    return of_a_state(x, np.random.RandomState(7))


def test_a_state_has_no_derivative_by_its_parameters():
    with pytest.raises(srcad.SrcadError, match="E205"):
        srcad.grad(lambda x: np.random.RandomState(0).normal(x[0]))(np.ones(3))
    with pytest.raises(srcad.SrcadError, match="E121"):
        srcad.grad(lambda x: np.random.RandomState(0).shuffle(x) or x[0])(np.ones(3))
