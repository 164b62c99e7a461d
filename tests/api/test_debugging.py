"""`srcad.debug_nans`: the first NaN or infinity, at the user's line."""

from __future__ import annotations

import asyncio
import math
import os
import pickle
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
from corpus.all import PROGRAMS

import srcad
from srcad import rules
from srcad.api.arguments.trees import leaves
from srcad.ir.guards import rule_version

X = np.array([1.0, 0.0, 4.0])

pytestmark = pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")


def told(call: Any, *args: Any) -> srcad.NotFinite:
    with srcad.debug_nans(), pytest.raises(srcad.NotFinite) as found:
        call(*args)
    return found.value


def log(x: Any) -> Any:
    y = x * 2
    z = np.log(y)  # <- log
    return np.sum(z * x)


def root(x: Any) -> Any:
    y = np.sqrt(x)  # <- root
    return np.sum(y + x)


def line_of(mark: str) -> int:
    with open(__file__, encoding="utf-8") as file:
        lines = file.readlines()
    return next(n for n, line in enumerate(lines, 1) if line.rstrip().endswith(f"# <- {mark}"))


def test_the_value_is_told_at_its_line():
    found = told(srcad.grad(log), X)
    assert found.code == "E701"
    assert isinstance(found, FloatingPointError)
    assert found.location is not None
    assert found.location.line == line_of("log")
    text = str(found)
    assert "`np.log(y)` makes -inf" in text
    assert "z = np.log(y)" in text
    assert "^^^^" in text
    assert found.notes == (
        "the result is float64 of shape (3,): 1 of 3 entries is -inf, the first at [1]",
        "`y` is float64 of shape (3,), from 0 to 8; 0 at [1]",
    )


def test_the_derivative_is_told_at_its_line():
    found = told(srcad.grad(root), X)
    assert found.code == "E702"
    assert found.location is not None
    assert found.location.line == line_of("root")
    assert "the derivative of `np.sqrt` makes inf" in str(found)
    assert found.notes[0].startswith("x_bar is float64 of shape (3,): 1 of 3 entries is inf")


@pytest.mark.parametrize(
    "run",
    [
        lambda x: srcad.value_and_grad(root)(x),
        lambda x: srcad.jvp(root, (x,), (x + 1,)),
        lambda x: srcad.vjp(root, x)[1](1.0),
        lambda x: srcad.jacrev(root)(x),
        lambda x: srcad.jacfwd(root)(x),
        lambda x: srcad.jacobian(root)(x),
        lambda x: srcad.hessian(root)(x),
        lambda x: srcad.hvp(root)(x, x),
        lambda x: srcad.elementwise_grad(np.sqrt)(x),
        lambda x: srcad.grad(lambda y: np.sum(srcad.grad(root)(y)))(x),
        lambda x: srcad.compile(lambda y: srcad.grad(root)(y))(x),
        lambda x: srcad.grad(root, backend="auto")(x),
        lambda x: srcad.grad(lambda t: np.sum(srcad.vmap(root)(t)))(x[None]),
    ],
)
def test_all_transformations_tell(run):
    assert told(run, X).code == "E702"


def test_native_programs_are_checked_by_numpy():
    pytest.importorskip("numba")
    gradient = srcad.grad(root, backend="native")
    with srcad.debug_nans():
        assert "check_value" in gradient.source(X)
    assert told(gradient, X).code == "E702"


def test_what_is_finite_is_what_it_is_without():
    gradient = srcad.value_and_grad(root)
    usual = gradient(X + 1)
    with srcad.debug_nans():
        value, found = gradient(X + 1)
    assert value == usual[0]
    np.testing.assert_array_equal(found, usual[1])


def test_outside_nothing_is_checked():
    gradient = srcad.grad(root, backend="numpy")
    text = gradient.source(X)
    np.testing.assert_array_equal(gradient(X), [1.5, np.inf, 1.25])
    gradient(X)
    hits = gradient.cache_info()
    told(gradient, X)
    assert gradient.cache_info() == hits
    assert gradient.source() == text
    assert "check" not in text
    np.testing.assert_array_equal(gradient(X), [1.5, np.inf, 1.25])
    assert gradient.cache_info() == hits._replace(hits=hits.hits + 1)
    assert rule_version.current == rule_version.number


def test_the_program_with_checks_is_compiled_once(monkeypatch):
    gradient = srcad.grad(root)
    told(gradient, X)
    monkeypatch.setattr("srcad.pipeline.disk.store.compile_or_load", None)
    assert told(gradient, X).code == "E702"


def test_a_saved_module_has_no_checks(tmp_path):
    gradient = srcad.grad(root)
    with srcad.debug_nans():
        gradient.save(tmp_path / "saved.py", X)
    assert "check_value" not in (tmp_path / "saved.py").read_text()


def test_other_threads_are_not_checked():
    gradient = srcad.grad(root, backend="numpy")
    gradient(X)
    results: list[Any] = []
    with srcad.debug_nans():
        thread = threading.Thread(target=lambda: results.append(gradient(X)))
        thread.start()
        thread.join()
    np.testing.assert_array_equal(results[0], [1.5, np.inf, 1.25])
    assert gradient.cache_info().misses == 1


def test_tasks_are_checked_each_by_itself():
    gradient = srcad.grad(root)

    async def checked() -> str:
        with srcad.debug_nans():
            await asyncio.sleep(0)
            try:
                gradient(X)
            except srcad.NotFinite as found:
                return found.code
        return ""

    async def usual() -> str:
        gradient(X)
        await asyncio.sleep(0)
        gradient(X)
        return "usual"

    async def both() -> Any:
        return await asyncio.gather(checked(), usual())

    assert asyncio.run(both()) == ["E702", "usual"]


def test_it_decorates_and_nests():
    @srcad.debug_nans()
    def train(x: Any) -> Any:
        with srcad.debug_nans():
            srcad.grad(root)(x + 1)
        return srcad.grad(root)(x)

    with pytest.raises(srcad.NotFinite):
        train(X)
    assert rule_version.current == rule_version.number


def test_numbers_and_loops():
    def f(x: Any, n: Any) -> Any:
        total = 0.0
        for k in range(n):
            total += math.exp(x * k)
        return total * 1e300

    found = told(srcad.grad(f), 100.0, 4)
    assert found.notes[0] == "the result is inf"
    assert found.notes[1].startswith("`total` is ")
    text = "the value is not finite: `total * 1e+300` makes inf"
    assert text in str(found)


def test_infinity_that_was_there_is_not_told_and_nan_made_of_it_is():
    def f(s: Any, mask: Any) -> Any:
        s = np.where(mask, s, -np.inf)
        shifted = s - np.max(s, axis=1, keepdims=True)
        return np.sum(np.exp(shifted))

    mask = np.array([[True, False], [True, True]])
    with srcad.debug_nans():
        srcad.grad(f)(np.ones((2, 2)), mask)
    mask[0, 0] = False
    assert "makes nan" in str(told(srcad.grad(f), np.ones((2, 2)), mask))


def test_nan_among_the_arguments_is_not_told():
    with srcad.debug_nans():
        assert np.isnan(srcad.grad(log)(X * np.nan)).all()


def test_what_errstate_says_is_expected_is_not_told_in_the_value_alone():
    def masked(x: Any) -> Any:
        with np.errstate(divide="ignore"):
            y = np.log(x)
        return np.sum(np.where(x > 0, y, 0.0))

    def summed(x: Any) -> Any:
        with np.errstate(divide="ignore"):
            y = np.log(x)
        return np.sum(np.exp(y))

    with srcad.debug_nans():
        np.testing.assert_array_equal(srcad.grad(masked)(X), [1.0, 0.0, 0.25])
    assert told(srcad.grad(summed), X).code == "E702"


def test_a_handler_of_the_function_does_not_catch_it():
    def f(x: Any) -> Any:
        try:
            total = np.sum(np.log(np.linalg.cholesky(x)))
        except Exception:
            total = np.sum(x)
        return total

    assert told(srcad.grad(f), np.eye(2)).code == "E701"


def test_arguments_are_not_written_where_it_raises():
    @srcad.compile
    def step(w: Any, x: Any) -> Any:
        w -= 0.1 * np.log(x)
        return np.sum(w)

    w = np.ones(3)
    assert told(step, w, X).code == "E701"
    np.testing.assert_array_equal(w, np.ones(3))


def reciprocal(x: Any) -> Any:
    return 1.0 / x


rules.rule(reciprocal, jvp=lambda ts, y, x: -ts[0] / x**2, x=lambda g, y, x: -g / x**2)


def test_rules_of_your_own():
    def f(x: Any) -> Any:
        return np.sum(reciprocal(x))

    assert "`reciprocal(x)` makes inf" in str(told(srcad.grad(f), X))
    found = told(srcad.grad(f), X + 1e-200)
    assert "the derivative of `reciprocal` makes -inf" in str(found)


@srcad.checkpoint
def checkpointed(x: Any) -> Any:
    return np.sqrt(x) * 2


def recursive(x: Any, n: Any) -> Any:
    if n == 0:
        return np.sqrt(x)
    return recursive(x, n - 1) * 2


def test_called_functions_are_checked():
    assert told(srcad.grad(lambda x: np.sum(checkpointed(x))), X).code == "E702"
    found = told(srcad.grad(recursive), 0.0, 3)
    assert found.notes == ("x_bar is inf", "the cotangent is 8", "`np.sqrt(x)` is 0")


def idle(x: Any) -> Any:
    return np.sum(np.sqrt(np.maximum(x, 0.0)))


@pytest.mark.parametrize("transform", [srcad.grad, srcad.jacfwd, srcad.hessian])
def test_what_has_no_part_in_the_result_may_be_infinite_on_the_way(transform):
    x = np.array([-1.0, 4.0])
    with srcad.debug_nans():
        found = transform(idle)(x)
    np.testing.assert_array_equal(found, transform(idle)(x))
    assert np.isfinite(found).all()
    assert told(transform(idle), np.array([0.0, 4.0])).code == "E702"


def test_the_error_can_be_pickled():
    found = told(srcad.grad(log), X)
    again = pickle.loads(pickle.dumps(found))
    assert str(again) == str(found)
    assert type(again) is srcad.NotFinite


def is_finite(result: Any) -> bool:
    numbers = [np.asarray(x) for x in leaves(result, nones=True) if x is not None]
    return all(np.isfinite(x).all() for x in numbers if x.dtype.kind in "fc")


@pytest.mark.parametrize("program", PROGRAMS[::8], ids=lambda program: program.name)
def test_programs_of_the_corpus_run_as_without(program):
    if not program.varied:
        pytest.skip("it has no derivative")
    gradient = srcad.value_and_grad(program.fn, backend="numpy")
    try:
        usual = gradient(*program.arguments()[0])
    except srcad.NotDifferentiable:
        pytest.skip("its result is no number")
    found, code = None, ""
    with srcad.debug_nans():
        try:
            found = gradient(*program.arguments()[0])
        except srcad.NotFinite as made:
            code = made.code
    # A value may be masked later; a derivative is not told where it is finite in the end.
    assert code != "E702" or not is_finite(usual)
    if code:
        return
    for x, y in zip(leaves(usual, nones=True), leaves(found, nones=True), strict=True):
        if x is not None and np.asarray(x).dtype.kind in "fc":
            np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("value", "found"), [("1", "E702"), ("0", "inf"), ("", "inf")])
def test_the_environment_asks_for_a_whole_process(tmp_path, value, found):
    program = tmp_path / "model.py"
    program.write_text(
        "import numpy as np\nimport srcad\n\n\ndef loss(x):\n    return np.sum(np.sqrt(x))\n\n\n"
        "with np.errstate(all='ignore'):\n    for _ in range(2):\n        try:\n"
        "            print(srcad.grad(loss)(np.zeros(1)))\n"
        "        except srcad.NotFinite as problem:\n            print(problem.code)\n"
    )
    env = {**os.environ, "SRCAD_DEBUG_NANS": value}
    run = subprocess.run(
        [sys.executable, program], env=env, capture_output=True, text=True, check=True
    )
    assert run.stdout.count(found) == 2, run.stdout + run.stderr
