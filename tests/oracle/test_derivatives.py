"""Gradients, tangents and second derivatives, against JAX and autograd at the same inputs.

A system that lacks a function is not asked. At kinks each has its own answer: tests/oracle/
test_kinks.py.
"""

from __future__ import annotations

import importlib.util
import inspect
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcad
from tests.oracle import programs
from tests.oracle.expressions import EXPRESSIONS
from tests.oracle.namespaces import autograd_numpy, jax_numpy, load

pytest.importorskip("jax", reason="the oracle tests need the extra `oracle`")
pytest.importorskip("autograd", reason="the oracle tests need the extra `oracle`")

NAMES = "x z v m h p q".split()
PROGRAMS = [name for name, f in vars(programs).items() if inspect.isfunction(f)]


def arguments() -> list[Any]:
    rng = np.random.default_rng(7)
    x, z, q = (rng.uniform(-2, 2, (3, 4)) for _ in range(3))
    v = rng.uniform(0.3, 1.2, 4) * np.array([1, -1, 1, 1])
    m = rng.standard_normal((4, 4)) + 4 * np.eye(4)
    a = rng.standard_normal((4, 4))
    h = a @ a.T + np.diag([1.0, 2, 3, 4])
    return [x, z, v, m, h, rng.uniform(0.3, 2, (3, 4)), 0.45 * q]


def tangents() -> list[Any]:
    rng = np.random.default_rng(8)
    drawn = [rng.standard_normal(np.shape(a)) for a in arguments()]
    drawn[4] = drawn[4] + drawn[4].T  # a symmetric matrix moves to symmetric ones
    return drawn


@pytest.fixture(scope="module")
def sources(tmp_path_factory: Any) -> Path:
    """A file with a function for each expression: its entries weighed, so that none is lost."""
    text = "\nimport numpy as np\n"
    for k, expression in enumerate(EXPRESSIONS):
        text += f"\n\ndef f{k}({', '.join(NAMES)}):\n    return np.sum(np.sin({expression}))\n"
    path = tmp_path_factory.mktemp("oracle") / "oracle_expressions.py"
    path.write_text(text)
    return path


def ours(f: Any) -> tuple[Any, Any, Any]:
    """The gradient in all arguments, the tangent, and the tangent of the gradient."""
    xs, ts = tuple(arguments()), tuple(tangents())
    gradient = srcad.grad(f, tuple(range(len(xs))))
    return gradient(*xs), srcad.jvp(f, xs, ts)[1], srcad.jvp(gradient, xs, ts)[1]


def of_jax(f: Any) -> tuple[Any, Any, Any]:
    import jax

    xs, ts = tuple(map(jax.numpy.array, arguments())), tuple(map(jax.numpy.array, tangents()))
    gradient = jax.grad(f, tuple(range(len(xs))))
    return gradient(*xs), jax.jvp(f, xs, ts)[1], jax.jvp(gradient, xs, ts)[1]


def of_autograd(f: Any) -> tuple[Any, Any, Any]:
    import autograd
    import autograd.numpy as anp

    xs, ts = tuple(arguments()), tuple(tangents())
    first = autograd.grad(lambda packed: f(*packed))

    def along(packed: Any) -> Any:
        return sum(anp.sum(g * t) for g, t in zip(first(packed), ts, strict=True))

    y_dot = sum(np.sum(g * t) for g, t in zip(first(xs), ts, strict=True))
    try:
        return first(xs), y_dot, autograd.grad(along)(xs)
    except Exception:  # it has fewer second derivatives
        return first(xs), y_dot, None


def symmetric(gradient: Any) -> list[Any]:
    """With that in the symmetric matrix made symmetric: systems read different triangles."""
    return [g + g.T if i == 4 else g for i, g in enumerate(map(np.asarray, gradient))]


def assert_same(mine: tuple[Any, Any, Any], theirs: tuple[Any, Any, Any], system: str) -> None:
    for what, a, b in zip(("gradient", "tangent", "second"), mine, theirs, strict=True):
        if b is None:
            continue
        pairs = zip(symmetric(a), symmetric(b), strict=True) if what != "tangent" else [(a, b)]
        for one, other in pairs:
            if np.all(np.isfinite(other)):
                message = f"{what}, against {system}"
                np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-8, err_msg=message)


def compare(mine: Any, others: dict[str, Any]) -> list[str]:
    """The systems that had an answer; each is the same."""
    asked = []
    for system, ask in others.items():
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                theirs = ask()
        except Exception:  # what it lacks, each in its own way
            continue
        asked.append(system)
        assert_same(mine, theirs, system)
    return asked


def functions(path: Path) -> dict[str, Any]:
    """The functions of a file under each system's `numpy`."""
    found = {"jax": load(path, f"{path.stem}_jax", jax_numpy())}
    found["autograd"] = load(path, f"{path.stem}_autograd", autograd_numpy())
    return found


@pytest.mark.parametrize("k", range(len(EXPRESSIONS)), ids=EXPRESSIONS.__getitem__)
def test_calls(k: int, sources: Path) -> None:
    spec = importlib.util.spec_from_file_location(sources.stem, sources)
    mine = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(mine)
    theirs = functions(sources)
    asks = {"jax": lambda: of_jax(getattr(theirs["jax"], f"f{k}"))}
    asks["autograd"] = lambda: of_autograd(getattr(theirs["autograd"], f"f{k}"))
    assert compare(ours(getattr(mine, f"f{k}")), asks), "no system has this function"


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    theirs = functions(Path(programs.__file__))
    asks = {"jax": lambda: of_jax(getattr(theirs["jax"], name))}
    asks["autograd"] = lambda: of_autograd(getattr(theirs["autograd"], name))
    assert compare(ours(getattr(programs, name)), asks) == ["jax", "autograd"]
