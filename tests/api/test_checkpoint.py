"""Checkpoints: what is saved, what is run again, what is refused. More programs: the corpus."""

import functools
import pickle

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

X = np.linspace(0.1, 1.0, 100)


def plain_step(x):
    return np.sin(np.exp(x) * np.cos(x))


@srcad.checkpoint
def step(x):
    """A step."""
    return np.sin(np.exp(x) * np.cos(x))


def chain(function, n):
    def loss(x):
        for _ in range(n):
            x = function(x)
        return np.sum(x)

    return loss


def in_turns(function):
    def loss(x, n):
        for _ in range(n):
            x = function(x)
        return np.sum(x)

    return loss


def test_outside_of_a_derivative_it_is_the_function():
    np.testing.assert_array_equal(step(X), plain_step(X))
    assert (step.__name__, step.__doc__, step.__wrapped__(0.0)) == (
        "step",
        "A step.",
        0.0 + step(0.0),
    )
    assert pickle.loads(pickle.dumps(step)) is step


def test_only_the_arguments_of_the_calls_are_saved():
    without = srcad.grad(chain(plain_step, 8)).saved(X).total
    saved = srcad.grad(chain(step, 8)).saved(X)
    assert saved.total == 7 * X.nbytes  # the first is the argument
    assert saved.read_again == ("x",)
    assert without >= 3 * saved.total


def test_a_loop_saves_its_states():
    without = srcad.grad(in_turns(plain_step)).saved(X, 20).total
    assert srcad.grad(in_turns(step)).saved(X, 20).total <= 21 * X.nbytes
    assert without >= 2 * 20 * X.nbytes


def test_a_checkpoint_around_checkpoints_saves_less():
    @srcad.checkpoint
    def four(x):
        return step(step(step(step(x))))

    def loss(x):
        return np.sum(four(four(x)))

    assert srcad.grad(loss).saved(X).total == X.nbytes
    np.testing.assert_allclose(srcad.grad(loss)(X), srcad.grad(chain(plain_step, 8))(X))


def test_second_derivatives_save_no_insides():
    def curvature(function):
        return srcad.grad(lambda x: np.sum(srcad.grad(chain(function, 4))(x) ** 2))

    with_, without = curvature(step), curvature(plain_step)
    np.testing.assert_allclose(with_(X), without(X), rtol=1e-12)
    assert with_.saved(X).total < without.saved(X).total / 2


@pytest.mark.parametrize("order", [1, 2])
def test_against_differences(order):
    srcad.testing.check_grads(chain(step, 3), (X[:4],), order=order)


def test_the_text_has_one_function_for_equal_calls():
    text = srcad.grad(lambda x: np.sum(step(step(step(x))))).source(X)
    assert text.count("\ndef step(x):") == 1
    assert text.count("\ndef step_adjoint(x, y_bar):") == 1
    assert text.count("step_adjoint(") == 4


def test_it_runs_the_function_once_forwards_and_once_backwards(capsys):
    @srcad.checkpoint
    def loud(x):
        print("run")
        return np.exp(x)

    srcad.grad(lambda x: np.sum(loud(loud(x))))(X)
    assert capsys.readouterr().out == "run\nrun\n"


def test_forms():
    class Layer:
        def __init__(self, w):
            self.w = w

        @srcad.checkpoint
        def __call__(self, x):
            return np.tanh(self.w * x)

    layer, w = Layer(2.0), 2.0
    forms = {
        "method": lambda x: np.sum(layer(x)),
        "bound": lambda x: np.sum(srcad.checkpoint(layer.__call__)(x)),
        "lambda": lambda x: np.sum(srcad.checkpoint(lambda v: np.tanh(w * v))(x)),
        "partial": lambda x: (
            np.sum(srcad.checkpoint(functools.partial(np.multiply, w))(x)) * 0
            + np.sum(np.tanh(w * x))
        ),
    }
    wanted = 2.0 * (1 - np.tanh(2.0 * X) ** 2)
    for form in forms.values():
        np.testing.assert_allclose(srcad.grad(form)(X), wanted)
    np.testing.assert_allclose(srcad.grad(srcad.checkpoint(np.sum))(X), 1.0)
    _, y_dot = srcad.jvp(step, (X,), (np.ones_like(X),))
    np.testing.assert_allclose(y_dot, srcad.elementwise_grad(plain_step)(X))


def test_wrappers_of_a_checkpoint_are_other_functions():
    @functools.wraps(step)
    def doubled(x):
        return 2 * step(x)

    np.testing.assert_allclose(
        srcad.elementwise_grad(doubled)(X), 2 * srcad.elementwise_grad(plain_step)(X)
    )


def test_writes_reach_the_caller_and_arguments_stay():
    @srcad.checkpoint
    def shift(u):
        u[1:] += u[:-1] ** 2
        return u

    def loss(x):
        u = x * 1.0
        v = shift(u)
        v[0] = 3.0 * x[1]
        return np.sum(u**2)

    before = X.copy()
    srcad.testing.check_grads(loss, (X[:4],))
    np.testing.assert_array_equal(X, before)


def _log(x):
    return float(x[0])


srcad.rules.nondiff(_log)


def with_a_manager(x):
    with np.printoptions(precision=3):
        return np.sum(x)


def called_once(x):
    return np.sum(x) * _log(x)


def always_raises(x):
    raise ValueError("no")


def calls_itself(x):
    return x if x[0] < 0.1 else calls_itself(x / 2)


def changes_a_name(x):
    n = 0

    def count(v):
        nonlocal n
        n += 1
        return v

    return np.sum(srcad.checkpoint(count)(x)) * n


def changes_an_array_around(x):
    u = x * 1.0

    def write(v):
        u[0] = v[1]
        return np.sum(v)

    return srcad.checkpoint(write)(x) + u[0]


def changes_a_list(x):
    found = []
    srcad.checkpoint(lambda xs: xs.append(x))(found)
    return np.sum(found[0])


def in_a_recursion(x):
    def down(v):
        if v[0] < 0.1:
            return v
        return srcad.checkpoint(lambda u: down(u / 2) * 2)(v)

    return np.sum(down(x))


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (lambda x: srcad.checkpoint(with_a_manager)(x), "E100"),
        (lambda x: srcad.checkpoint(called_once)(x), "E100"),
        (lambda x: srcad.checkpoint(always_raises)(x), "E100"),
        (in_a_recursion, "E100"),
        (changes_a_name, "E133"),
        (changes_an_array_around, "E133"),
        (changes_a_list, "E118"),
    ],
)
def test_refusals(function, code):
    with pytest.raises(SrcadError) as refused:
        srcad.grad(function)(X)
    assert refused.value.code == code
    assert refused.value.location is not None
    assert refused.value.fix


def test_no_function():
    with pytest.raises(SrcadError, match="E313"):
        srcad.checkpoint(3)
