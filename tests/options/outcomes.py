"""What srcad does with one documented parameter: the value as NumPy gives it and the derivative as
central differences tell, or a refusal.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import srcad
from options.trials import Trial

STEP = 1e-6


def outcome(trial: Trial) -> str:
    """`right`, `refused: CODE: the first line of the error`, or `wrong: what differs`."""
    with warnings.catch_warnings():  # NumPy's and Python's own say nothing of srcad
        warnings.simplefilter("ignore")
        try:
            return _compared(trial)
        except srcad.SrcadError as refusal:
            return f"refused: {refusal.code}: {str(refusal).splitlines()[0].split(': ', 2)[-1]}"
        except Exception as problem:
            return f"wrong: {type(problem).__name__}: {problem}"


def _fresh(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x.copy()
    return type(x)(map(_fresh, x)) if type(x) in (list, tuple) else x


def _compared(trial: Trial) -> str:
    call, args = trial.call, trial.args
    wanted = _fresh(call(*map(_fresh, args)))
    found = srcad.compile(call, cache=False, backend="numpy")(*map(_fresh, args))
    if trial.name in ("np.empty", "np.empty_like"):
        found, wanted = (np.zeros_like(y) for y in (found, wanted))
    if not _is_same(found, wanted):
        return f"wrong: {found!r} for {wanted!r}"
    floats = [k for k, x in enumerate(args) if np.asarray(x).dtype.kind == "f"]
    if not floats or not _is_inexact(wanted) or trial.name == "np.empty_like":
        return "right"
    k = floats[0]

    def one(x: Any) -> Any:
        return call(*(x if j == k else _fresh(y) for j, y in enumerate(args)))

    direction = np.random.default_rng(3).uniform(0.5, 1.5, np.shape(args[k]))
    direction = float(direction) if isinstance(args[k], float) else np.asarray(direction)[()]
    directions = [direction if j == k else np.zeros_like(y) * 1.0 for j, y in enumerate(args)]
    gives = srcad.jvp(call, tuple(map(_fresh, args)), _tangents(args, directions))[1]
    return _derivative(one, _fresh(args[k]), direction, gives)


def _tangents(args: Any, directions: Any) -> tuple[Any, ...]:
    return tuple(
        float(d)
        if type(x) is float
        else np.asarray(d, getattr(x, "dtype", None))[()]
        if np.asarray(x).dtype.kind in "fc"
        else None
        for x, d in zip(args, directions, strict=True)
    )


def _derivative(one: Any, x: Any, direction: Any, tangent: Any) -> str:
    ahead, behind = (_fresh(one(_fresh(x) + s * STEP * direction)) for s in (1, -1))
    for a, b, t in zip(_leaves(ahead), _leaves(behind), _leaves(tangent), strict=True):
        if t is None or np.asarray(a).dtype.kind not in "fc":
            continue
        slope = (np.asarray(a, complex) - np.asarray(b, complex)) / (2 * STEP)
        single = np.asarray(a).dtype.itemsize in (4, 8) and np.asarray(a).dtype in (
            np.float32,
            np.complex64,
        )
        if not single and not np.allclose(t, slope, rtol=1e-4, atol=1e-5):
            return f"wrong: the derivative {t!r}, not {slope!r}"
    return "right"


def _leaves(x: Any) -> list[Any]:
    return [leaf for item in x for leaf in _leaves(item)] if isinstance(x, tuple | list) else [x]


def _is_inexact(x: Any) -> bool:
    return any(np.asarray(leaf).dtype.kind in "fc" for leaf in _leaves(x) if leaf is not None)


def _is_same(a: Any, b: Any) -> bool:
    if isinstance(b, tuple | list):
        return isinstance(a, tuple | list) and len(a) == len(b) and all(map(_is_same, a, b))
    if type(a) is not type(b) or np.asarray(a).dtype != np.asarray(b).dtype:
        return False
    if np.asarray(a).dtype.kind not in "fciub":
        return bool(np.all(np.asarray(a == b)))
    return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-6, atol=1e-9, equal_nan=True)
