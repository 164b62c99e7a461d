"""A gradient in parts inside a function under `srcad.compile`: a whole training step."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from optional import BACKENDS
from parallel.models import made
from parallel.programs import RIGHT, arguments, over_of

import srcad
import srcad.parallel
from srcad.api.arguments.trees import flatten


def assert_identical(found, wanted):
    a, b = flatten(found)[0], flatten(wanted)[0]
    assert len(a) == len(b)
    for x, y in zip(a, b, strict=True):
        assert type(x) is type(y)
        assert np.asarray(x).dtype == np.asarray(y).dtype
        assert np.array_equal(x, y)


def loss(params, x, y):
    return np.mean((np.tanh(x @ params["w"] + params["b"]) - y) ** 2) + 0.1 * params["b"] ** 2


step = srcad.parallel.value_and_grad(loss, over=("x", "y"), parts=3)


def train(params, momentum, x, y):
    values = []
    for _ in range(4):
        value, gradient = step(params, x, y=y)
        values.append(value)
        momentum *= 0.9
        momentum += gradient["w"]
        params["w"] -= 0.1 * momentum
        params["b"] = params["b"] - 0.1 * gradient["b"]
    return values


def given():
    rng = np.random.default_rng(0)
    params = {"w": rng.standard_normal(3), "b": 0.25}
    return params, np.zeros(3), rng.standard_normal((20, 3)), rng.standard_normal(20)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_training_step_is_pythons(backend):
    wanted, found = given(), given()
    compiled = srcad.compile(train, backend=backend)
    for _ in range(2):
        assert_identical(compiled(*found), train(*wanted))
        assert_identical(found, wanted)


@pytest.mark.parametrize("function", RIGHT, ids=[f.__name__ for f in RIGHT])
def test_what_a_call_gives_keeps_its_types(function):
    args = arguments(function, np.random.default_rng(0), 7)
    for transformation, argnums in (("value_and_grad", 0), ("grad", (0, 1))):
        make = getattr(srcad.parallel, transformation)
        gradient = make(function, argnums, over=over_of(function), parts=2)
        compiled = srcad.compile(lambda *given, gradient=gradient: gradient(*given))
        assert_identical(compiled(*args), gradient(*args))


@pytest.mark.parametrize(("function", "over", "args"), made(), ids=[m[0].__name__ for m in made()])
def test_models_of_books_and_packages(function, over, args):
    gradient = srcad.parallel.value_and_grad(function, over=over, parts=2)
    assert_identical(srcad.compile(lambda *args: gradient(*args))(*args), gradient(*args))


@dataclasses.dataclass
class Line:
    slope: np.ndarray
    start: float


def of_line(line, x):
    return np.sum((x @ line.slope + line.start) ** 2), {"x": 2.0 * x, "n": len(x)}


@pytest.mark.parametrize("backend", BACKENDS)
def test_aux_and_objects(backend):
    with ThreadPoolExecutor(2) as pool:
        gradient = srcad.parallel.grad(of_line, over="x", engine=pool, has_aux=True)

        def moved(line, x):
            line_bar, aux = gradient(line, x)
            return line.slope - line_bar.slope, line.start - line_bar.start, aux

        args = Line(np.array([1.0, 2.0]), 0.5), np.arange(12.0).reshape(6, 2)
        assert_identical(srcad.compile(moved, backend=backend)(*args), moved(*args))


def test_a_gradient_in_parts_is_called_once_for_each_run():
    calls = []
    progress = lambda parts, total: (calls.append(total), parts)[1]  # noqa: E731
    counted = srcad.parallel.grad(lambda w, x: np.sum(w * x), over="x", parts=2, progress=progress)

    @srcad.compile
    def moved(w, x):
        counted(w, x)  # its result is not used; the call is made
        return w - counted(w, x)

    for _ in range(3):
        moved(1.0, np.ones(4))
    assert calls == [2] * 6


def test_a_part_that_raises_leaves_the_parameters_as_they_were():
    @srcad.compile
    def moved(params, x):
        params *= 2.0
        params -= checked(params, x)

    def sum_of(w, x):
        assert np.all(x < 9), "too large"
        return np.sum(w * np.sum(x))

    checked = srcad.parallel.grad(sum_of, over="x", parts=2)
    params = np.ones(2)
    with pytest.raises(AssertionError, match="too large"):
        moved(params, np.full(4, 10.0))
    assert np.array_equal(params, [1.0, 1.0])


@pytest.mark.parametrize(
    "function",
    [
        srcad.grad(lambda p, x, y: step(p, x, y)[0]),
        srcad.compile(lambda p, x, y: srcad.grad(lambda w: w * step(p, x, y)[0])(2.0)),
        srcad.compile(lambda p, x, y: srcad.parallel.grad(loss, over=("x", "y"))(p, x, y)),
    ],
    ids=["differentiated", "differentiated inside", "made inside"],
)
def test_other_uses_inside_are_refused(function):
    params, _, x, y = given()
    with pytest.raises(srcad.UnsupportedSyntax) as refusal:
        function(params, x, y)
    assert refusal.value.code == "E100"
    assert "parallel" in str(refusal.value) or "in parts" in str(refusal.value)
