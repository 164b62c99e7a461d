"""Draws of Python's `random`: as plain Python draws, once, in order, in every mode."""

import inspect
import random
from random import Random, gauss
from random import uniform as between

import numpy as np
import pytest
from optional import needs_numba

import srcad
from srcad.errors import SrcadError

OWN = Random(7)


class Model:
    def __init__(self):
        self.rng = Random(5)

    def loss(self, x):
        return self.rng.gauss(0, 1) * x


MODEL = Model()


def added(values):
    """Their sum, one after the other: from Python 3.12 on `sum` keeps what is rounded off."""
    total = 0.0
    for v in values:
        total += v
    return total


def uniform_numbers(x):
    return random.random() * x + between(-1, x) + OWN.random() * x**2


def normal_numbers(x):
    return gauss(x, x * x) + random.normalvariate(x, 2) + random.lognormvariate(x, 0.5)


def other_distributions(x):
    rng = random.Random(3)
    return (
        rng.expovariate(x) + rng.triangular(0, x, 0.3) + rng.triangular(high=x)
        + rng.paretovariate(x) + rng.weibullvariate(x, 2 * x)
    )  # fmt: skip


def constant_parameters(x):
    total = random.betavariate(2, 3) + random.gammavariate(2.0, 1.0)
    return x * (total + random.vonmisesvariate(0.1, 2))


def whole_numbers(x):
    k = random.randint(1, 3) + random.randrange(0, 10, 2) + random.getrandbits(3)
    return k * x + random.randrange(5) * x**2


def monte_carlo(x):
    random.seed(0)
    total = 0.0
    for _ in range(50):
        total += max(0.0, x * np.exp(random.gauss(0, 0.2)) - 1.0)
    return total / 50


def in_a_comprehension(x):
    return added([random.uniform(-1, 1) * x for _ in range(10)])


def until_one_is_large(x):
    n, total = 0, 0.0
    while random.random() < 0.8:
        n += 1
        total += x**n
    return total


def on_a_branch(x):
    if random.random() < 0.5:
        return x * x
    return x * random.random()


def chosen(x):
    a = np.array([x, 2 * x, 3 * x])
    y = random.choice([x, x * x, x**3]) + random.choice(a) + random.choice((1.0, 2.0)) * x
    return y + random.choice(range(1, 5)) * x


def chosen_text(x):
    return 2 * x if random.choice("abc") == "a" else x


def several_chosen(x):
    heavy = random.choices([x, 2 * x, 3 * x], weights=[1, 2, 3], k=5)
    return added(heavy) + added(random.choices([x, x * x], k=3))


def sampled(x):
    return added(random.sample([x, 2 * x, 3 * x, 4 * x**2], 2))


def shuffled(x):
    order, pairs = list(range(5)), [(x, 1.0), (2 * x, 0.5), (3 * x, 0.2)]
    random.shuffle(order)
    random.shuffle(pairs)
    w = np.arange(5.0) * x
    total = added([w[i] * k for k, i in enumerate(order)])
    for n, (a, b) in enumerate(pairs):
        total += (n + 1) * a * b
    return total


def by_an_attribute(x):
    return MODEL.loss(x)


PROGRAMS = [
    uniform_numbers, normal_numbers, other_distributions, constant_parameters, whole_numbers,
    monte_carlo, in_a_comprehension, until_one_is_large, on_a_branch, chosen, chosen_text,
    several_chosen, sampled, shuffled, by_an_attribute,
]  # fmt: skip
MODES = {
    "compile": lambda f: srcad.compile(f),
    "value_and_grad": lambda f: srcad.value_and_grad(f),
    "jvp": lambda f: lambda x: srcad.jvp(f, (x,), (1.0,)),
    "hessian": lambda f: lambda x: (None, srcad.grad(srcad.grad(f))(x)),
}


def after(call, x, seed):
    """What a call gives, and what the generators give after it."""
    random.seed(seed)
    OWN.seed(seed)
    MODEL.rng.seed(seed)
    found = call(x)
    return found, (random.random(), random.gauss(0, 1), OWN.random(), MODEL.rng.random())


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", PROGRAMS)
def test_as_python_draws(f, mode, seed):
    wanted, left = after(f, 1.3, seed)
    found, left_by_it = after(MODES[mode](f), 1.3, seed)
    assert left_by_it == left
    if mode == "compile":
        assert found == wanted
        assert type(found) is type(wanted)
    elif mode != "hessian":
        step = 1e-6
        above, below = (after(f, 1.3 + h, seed)[0] for h in (step, -step))
        assert found[0] == wanted
        assert found[1] == pytest.approx((above - below) / (2 * step), rel=1e-5, abs=1e-7)


def a_count(x):
    return random.sample(np.arange(3.0), 2)[0] * x


def of_nothing(x):
    return random.choice([]) * x


def too_many(x):
    return sum(random.sample([x, x], 3))


def no_range(x):
    return random.randrange(0) * x


@pytest.mark.parametrize("f", [a_count, of_nothing, too_many, no_range])
def test_raises_as_python_does(f):
    with pytest.raises((TypeError, LookupError, ValueError)) as wanted:
        f(1.3)
    for mode in ("compile", "value_and_grad"):
        with pytest.raises(wanted.type):
            MODES[mode](f)(1.3)


def by_a_shape(x):
    return random.gammavariate(x, 1.0)


def by_weights(x):
    return sum(random.choices([1.0, 2.0], weights=[x, 1.0], k=2)) * x


def of_rows(x):
    rows = np.ones((3, 2)) * x
    random.shuffle(rows)
    return np.sum(rows[0])


def its_state(x):
    return len(random.getstate()) * x


def of_numpys_number(x):
    return random.betavariate(np.exp(0.5), 1.0) * x


@pytest.mark.parametrize(
    ("f", "code"),
    [
        (by_a_shape, "E205"),
        (by_weights, "E205"),
        (of_rows, "E121"),
        (its_state, "E121"),
        (of_numpys_number, "E121"),
    ],
)
def test_refused(f, code):
    with pytest.raises(SrcadError) as caught:
        srcad.grad(f)(1.3)
    assert caught.value.code == code


def test_samples_of_a_batch_are_refused():
    with pytest.raises(SrcadError, match="E141"):
        srcad.vmap(uniform_numbers)(np.ones(3))


def test_the_modules_functions_are_called_by_their_names(capsys, tmp_path):
    gradient = srcad.grad(monte_carlo)
    gradient.show(1.3)
    assert "random.gauss(0.0, 1.0)" in capsys.readouterr().out
    gradient.save(tmp_path / "saved.py", 1.3)
    assert "import random" in (tmp_path / "saved.py").read_text()


def test_a_checkpoint_names_the_draw():
    f = srcad.checkpoint(lambda x: x * random.random())
    with pytest.raises(SrcadError, match=r"`random\.random`"):
        srcad.grad(f)(1.3)


def test_another_generator_is_an_argument():
    def f(x, rng):
        return rng.gauss(0, 1) * x

    gradient = srcad.grad(f)
    assert [gradient(2.0, Random(k)) for k in range(3)] == [Random(k).gauss(0, 1) for k in range(3)]


@needs_numba
@pytest.mark.parametrize("f", [monte_carlo, in_a_comprehension])
def test_machine_code_draws_once(f):
    wanted, left = after(srcad.value_and_grad(f), 1.3, 4)
    found, left_by_it = after(srcad.value_and_grad(f, backend="native"), 1.3, 4)
    assert (found, left_by_it) == (wanted, left)


def test_formulas_are_those_of_this_python():
    text = inspect.getsource(Random)
    for line in (
        "return a + (b - a) * self.random()",
        "return -_log(1.0 - self.random()) / lambd",
        "return u ** (-1.0 / alpha)",
        "return alpha * (-_log(u)) ** (1.0 / beta)",
        "return low + (high - low) * _sqrt(u * c)",
        "return mu + z * sigma",
    ):
        assert line in text
