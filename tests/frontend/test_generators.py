"""Random generators in differentiated functions: drawn once, in order, kept for both sweeps."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcad
from srcad.rules.draws import METHODS, type_of_draw

X = np.array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]])


def seeded(seed: int = 7) -> np.random.Generator:
    return np.random.default_rng(seed)


def noisy(x: Any, rng: Any) -> Any:
    return np.sum(np.sin(x * rng.standard_normal(x.shape)))


def looped(x: Any, rng: Any) -> Any:
    total = 0.0
    for k in range(4):
        noise = rng.normal(0.5, 2.0, size=x.shape)
        if rng.random() < 0.5:
            noise = noise * rng.uniform(1.0, 2.0)
        else:
            noise = noise + rng.standard_exponential(x.shape[1])
        total = total + np.sum(np.tanh(x * noise) ** 2) * (k + 1)
    return total


def until_heads(x: Any, rng: Any) -> Any:
    y = x
    while rng.random() < 0.7:
        y = np.sin(y) + rng.standard_normal(y.shape)
    return np.sum(y * x)


def indexed(x: Any, rng: Any) -> Any:
    rows = rng.permutation(x.shape[0])
    columns = rng.integers(0, x.shape[1], size=5)
    some = rng.choice(x.shape[1], 2, replace=False)
    masked = np.where(rng.random(x.shape) < 0.5, x**2, 0.0)
    picked = np.sum(x[rows] ** 3) + np.sum(x[:, columns] ** 2) + np.sum(np.exp(x[:, some]))
    return picked * rng.binomial(5, 0.5) + np.sum(masked) * rng.poisson(3.0)


def made_inside(x: Any, rng: Any) -> Any:
    own = np.random.default_rng(3)
    return np.sum(np.sin(x * own.standard_normal(x.shape)) * rng.laplace(0.0, 1.0, x.shape))


def halved(x: Any, n: int, rng: Any) -> Any:
    return x if n == 0 else halved(x * rng.random(), n - 1, rng) + rng.normal()


def recursive(x: Any, rng: Any) -> Any:
    return np.sum(np.sin(halved(x, 3, rng)))


def left_early(x: Any, rng: Any) -> Any:
    for _ in range(10):
        u = rng.random()
        if u > 0.8:
            break
        if u < 0.2:
            continue
        x = x * u + rng.standard_normal(x.shape)
    else:
        return np.sum(x)
    return np.sum(x**2)


def one_of_two(x: Any, rng: Any) -> Any:
    chosen = rng if x[0, 0] > 0 and rng.random() < 0.5 else np.random.default_rng(5)
    for _ in range(3):
        x = x * chosen.random(x.shape)
        if rng.random() < 0.5:
            chosen = np.random.default_rng(6)
    return np.sum(x**2)


def raising(x: Any, rng: Any) -> Any:
    try:
        if rng.random() < 0.5:
            raise ValueError
        y = x * rng.random()
    except ValueError:
        y = x**2 * rng.random()
    return np.sum(y)


def with_derivatives_inside(x: Any, rng: Any) -> Any:
    def inner(y: Any) -> Any:
        return np.sum(y**3 * rng.random(y.shape))

    return np.sum(srcad.grad(inner)(x) ** 2) + inner(x)


def counted(x: Any, rng: Any) -> Any:
    total = 0.0
    for _ in range(rng.poisson(3)):
        draw = rng.standard_normal
        total = total + np.sum(x ** int(rng.integers(1, 4)) * draw(x.shape))
    return total + np.sum(x)


PROGRAMS = (
    noisy, looped, until_heads, indexed, made_inside, recursive, left_early, one_of_two, raising,
    with_derivatives_inside, counted,
)  # fmt: skip


def differences(f: Any, x: Any) -> Any:
    """The gradient of `f` by central differences."""
    found = np.zeros_like(x)
    for k in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[k] = 1e-6
        found[k] = (f(x + step) - f(x - step)) / 2e-6
    return found


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("seed", range(4))
def test_the_same_numbers_as_plain_python(f: Any, seed: int) -> None:
    rng, plain = seeded(seed), seeded(seed)
    value, gradient = srcad.value_and_grad(f)(X, rng)
    np.testing.assert_allclose(value, f(X, plain), rtol=1e-14)
    assert rng.bit_generator.state == plain.bit_generator.state  # drawn as often, and no more
    expected = differences(lambda x: f(x, seeded(seed)), X)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("f", PROGRAMS)
def test_each_transformation_draws_once(f: Any) -> None:
    expected, plain = srcad.grad(f)(X, seeded()), seeded()
    f(X, plain)
    v = np.cos(X)
    for run in (
        lambda rng: srcad.jvp(lambda x: f(x, rng), (X,), (v,))[1],
        lambda rng: np.sum(srcad.vjp(lambda x: f(x, rng), X)[1](1.0)[0] * v),
        lambda rng: np.sum(srcad.jacrev(f)(X, rng) * v),
        lambda rng: np.sum(srcad.jacfwd(f)(X, rng) * v),
    ):
        rng = seeded()
        np.testing.assert_allclose(run(rng), np.sum(expected * v), rtol=1e-10)
        assert rng.bit_generator.state == plain.bit_generator.state


@pytest.mark.parametrize("f", PROGRAMS)
def test_second_derivatives_draw_once(f: Any) -> None:
    v, plain, rng = np.cos(X), seeded(), seeded()
    f(X, plain)

    def along(x: Any, rng: Any) -> Any:
        return np.sum(srcad.grad(f)(x, rng) * v)

    second = srcad.grad(along)(X, rng)
    assert rng.bit_generator.state == plain.bit_generator.state
    expected = differences(lambda x: np.sum(srcad.grad(f)(x, seeded()) * v), X)
    np.testing.assert_allclose(second, expected, rtol=1e-5, atol=1e-6)
    rng = seeded()
    hessian = srcad.hessian(f)(X, rng)
    assert rng.bit_generator.state == plain.bit_generator.state
    np.testing.assert_allclose(np.tensordot(hessian, v, 2), second, rtol=1e-9, atol=1e-12)


def test_a_captured_generator_is_read_anew_at_each_call() -> None:
    held = [seeded(1)]
    g = srcad.grad(lambda x: np.sum(x * held[0].random(3)))
    np.testing.assert_array_equal(g(np.ones(3)), seeded(1).random(3))
    held[0] = seeded(2)
    np.testing.assert_array_equal(g(np.ones(3)), seeded(2).random(3))
    assert g.cache_info().misses == 1


def test_a_generator_in_a_container_and_in_an_object() -> None:
    class Net:
        def __init__(self) -> None:
            self.rng = seeded(5)

        def __call__(self, x: Any) -> Any:
            return np.sum(x * self.rng.standard_normal(x.shape))

    np.testing.assert_array_equal(srcad.grad(Net())(X), seeded(5).standard_normal(X.shape))
    f = srcad.grad(lambda x, given: np.sum(x * given["rng"].standard_normal(x.shape)))
    np.testing.assert_array_equal(f(X, {"rng": seeded(5)}), seeded(5).standard_normal(X.shape))


def test_none_or_a_generator() -> None:
    def f(x: Any, rng: Any = None) -> Any:
        if rng is None:
            return np.sum(x)
        assert isinstance(rng, np.random.Generator)
        return np.sum(x * rng.random(x.shape))

    g = srcad.grad(f)
    np.testing.assert_array_equal(g(X), np.ones_like(X))
    np.testing.assert_array_equal(g(X, seeded()), seeded().random(X.shape))


def test_draws_that_are_returned_are_the_callers() -> None:
    def f(x: Any, rng: Any) -> Any:
        noise = rng.standard_normal(x.shape)
        y = noise * x
        noise[0] = 0.0
        return np.sum(y), noise

    gradient, noise = srcad.grad(f, has_aux=True)(X, seeded())
    drawn = seeded().standard_normal(X.shape)
    np.testing.assert_array_equal(gradient, drawn)
    np.testing.assert_array_equal(noise[0], 0.0)
    np.testing.assert_array_equal(noise[1], drawn[1])


CALLS = [
    ("random", (), {}),
    ("random", ((2, 3), np.float32), {}),
    ("random", (), {"size": ()}),
    ("standard_normal", (4,), {"dtype": np.float32}),
    ("standard_normal", ([2, 3],), {}),
    ("normal", (), {}),
    ("normal", (np.zeros((3, 1)), np.ones(4)), {}),
    ("normal", (1.0, 2.0, (2, 2)), {}),
    ("uniform", (-1.0, 1.0), {"size": 3}),
    ("integers", (5,), {}),
    ("integers", (0, 5), {"size": (2, 3), "dtype": np.int32, "endpoint": True}),
    ("integers", (np.array([3, 4]),), {}),
    ("binomial", (3, 0.5), {}),
    ("binomial", (3, [0.5, 0.2]), {}),
    ("poisson", (2.0,), {"size": 4}),
    ("geometric", (0.5, ()), {}),
    ("exponential", (2.0, 3), {}),
    ("gamma", (2.0, 1.0, 3), {}),
    ("beta", (2.0, 1.0), {}),
    ("permutation", (5,), {}),
    ("permutation", (np.ones((3, 2), np.float32),), {}),
    ("permuted", (np.ones((3, 2)),), {"axis": 1}),
    ("choice", (5,), {}),
    ("choice", (5, (2, 2)), {}),
    ("choice", (np.arange(4.0),), {}),
    ("choice", (np.ones((4, 2), np.float32), 3), {}),
    ("choice", (np.ones((4, 2)),), {}),
    ("dirichlet", ([1.0, 2.0, 3.0],), {}),
    ("multivariate_normal", (np.zeros(2), np.eye(2), 3), {}),
]


@pytest.mark.parametrize(("name", "args", "options"), CALLS)
def test_types_of_draws(name: str, args: Any, options: Any) -> None:
    drawn = METHODS[name](seeded(), *args, **options)
    told = type_of_draw(name, args, options)
    if isinstance(drawn, int | float) and not isinstance(drawn, np.generic):
        assert told.kind is type(drawn)
        return
    assert told.shape == np.shape(drawn)
    assert told.dtype == drawn.dtype
    assert told.scalar == isinstance(drawn, np.generic)


def test_all_methods_have_a_type() -> None:
    assert set(METHODS) > {"random", "standard_normal", "choice", "binomial", "permutation"}


@pytest.mark.parametrize(
    ("f", "way_out"),
    [
        (lambda x, rng: np.sum(rng.normal(x, 1.0)), r"mu \+ sigma"),
        (lambda x, rng: np.sum(rng.normal(0.0, scale=np.exp(x), size=(2, 3))), r"mu \+ sigma"),
        (lambda x, rng: np.sum(rng.uniform(0.0, x) * x), "rng.random"),
        (lambda x, rng: np.sum(rng.permutation(x)), r"x\[rng.permutation"),
        (lambda x, rng: np.sum(rng.choice(x, 2)), r"x\[rng.choice"),
        (lambda x, rng: np.sum(x) * rng.binomial(3, 1 / (1 + np.sum(x**2))), "stop_gradient"),
        (lambda x, rng: np.sum(x * rng.poisson(x**2)), "stop_gradient"),
    ],
)
def test_derivatives_by_parameters_are_refused(f: Any, way_out: str) -> None:
    with pytest.raises(srcad.SrcadError, match=way_out) as found:
        srcad.grad(f)(X, seeded())
    assert found.value.code == "E205"
    with pytest.raises(srcad.SrcadError, match=way_out):
        srcad.jvp(lambda x: f(x, seeded()), (X,), (X,))


def test_parameters_that_are_constant_may_be_arrays() -> None:
    def f(x: Any, scale: Any, rng: Any) -> Any:
        kept = rng.binomial(1, srcad.stop_gradient(1 / (1 + np.exp(-x))))
        return np.sum(x * rng.normal(scale, 0.1)) + np.sum(kept * x)

    value, gradient = srcad.value_and_grad(f)(X, np.abs(X), seeded())
    plain = seeded()
    assert value == f(X, np.abs(X), plain)
    expected = differences(lambda x: f(x, np.abs(X), seeded()), X)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("f", "code"),
    [
        (lambda x, rng: rng.shuffle(x) or np.sum(x), "E121"),
        (lambda x, rng: np.sum(x) * len(rng.spawn(2)), "E121"),
        (lambda x, rng: np.sum(x * rng.random(out=np.zeros((2, 3)))), "E121"),
        (lambda x, rng: np.sum(x * rng.random(3, 4, 5, 6)), "E131"),
    ],
)
def test_what_is_refused(f: Any, code: str) -> None:
    with pytest.raises(srcad.SrcadError) as found:
        srcad.grad(f)(X, seeded())
    assert found.value.code == code


def test_a_recomputed_function_draws_nothing() -> None:
    inner = srcad.checkpoint(lambda x, rng: np.sin(x * rng.random(x.shape)))
    with pytest.raises(srcad.SrcadError, match="made once"):
        srcad.grad(lambda x, rng: np.sum(inner(x, rng)))(X, seeded())


def test_a_program_of_the_cache_takes_the_generator(tmp_path: Path) -> None:
    (tmp_path / "noisy_model.py").write_text(
        "import numpy as np\nimport srcad\n\nHELD = np.random.default_rng(2)\n\n\n"
        "def f(x, rng):\n    return np.sum(x * rng.random(3) * HELD.random(3))\n\n\n"
        "g = srcad.grad(f)\nprint(g(np.ones(3), np.random.default_rng(1)).tolist())\n"
    )
    folder = {"SRCAD_CACHE_DIR": str(tmp_path / "cache"), "SRCAD_CACHE": "1"}
    command = [sys.executable, "noisy_model.py"]
    environment = {**os.environ, **folder, "PYTHONPATH": os.pathsep.join(map(str, sys.path))}
    printed = [
        subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        for _ in range(2)
    ]
    expected = seeded(1).random(3) * seeded(2).random(3)
    for done in printed:
        assert done.stdout == f"{expected.tolist()}\n", done.stderr


def test_a_saved_module_takes_the_generator(tmp_path: Path) -> None:
    g = srcad.value_and_grad(looped)
    expected = g(X, seeded())
    g.save(tmp_path / "saved_noise.py", X, seeded())
    spec = importlib.util.spec_from_file_location("saved_noise", tmp_path / "saved_noise.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    value, gradient = module.looped_value_and_grad(X, seeded())
    assert value == expected[0]
    np.testing.assert_array_equal(gradient, expected[1])
    with pytest.raises(TypeError, match="rng is int"):
        module.looped_value_and_grad(X, 3)
