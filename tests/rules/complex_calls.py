"""The calls of the rule tests at complex numbers: of every case that its function computes there.

All arrays are complex, or some are real beside complex ones; and there are Python numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import MissingRule
from srcad.rules import Case, Rule
from srcad.rules.core.facts import as_type
from srcad.rules.core.infer import infer
from tests.rules.calls import (
    OURS,
    Call,
    add,
    at_call,
    cases_of,
    leaves,
    make_call,
    random_like,
    sequence_like,
)


def complex_like(x: Any, rng: np.random.Generator) -> Any:
    """`x` with imaginary parts in place of its real numbers, of the same precision."""
    if isinstance(x, list | tuple):
        return sequence_like(x, (complex_like(item, rng) for item in x))
    if type(x) is float:
        return complex(x, rng.uniform(-0.7, 0.7))
    if np.asarray(x).dtype.kind != "f":
        return x
    z = np.asarray(x + 1j * rng.uniform(-0.7, 0.7, np.shape(x)))
    z = z.astype(np.result_type(x.dtype, np.complex64))
    return z if isinstance(x, np.ndarray) else z[()]


def is_complex(x: Any) -> bool:
    """Whether an input has complex numbers."""
    return any(map(np.iscomplexobj, leaves(x)))


def twins(rule: Rule, case: Case, dtype: Any = np.float64) -> list[Call]:
    """The case with all inputs complex, only the first, only the second: those that are covered."""
    call = make_call(rule, case, dtype)
    found = []
    for which in sorted({call.active, call.active[:1], call.active[1:2]} - {()}):
        args = (complex_like(a, call.rng) if k in which else a for k, a in enumerate(call.args))
        twin = call.with_args(args)
        if any(is_complex(twin.args[k]) for k in which) and _is_covered(twin):
            found.append(twin)
    return found


def _is_covered(call: Call) -> bool:
    """Whether the function computes at these arguments and nearby, and the rule does not refuse."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of a discarded imaginary part, say
        try:
            infer(call.rule.fn, tuple(map(_typed, call.args)), call.kwargs)
            y = call.value()
            ts = call.tangents()
            call(*(add(x, 1e-4, t) for x, t in zip(call.args, ts, strict=True)))
            call.jvp(ts, y)
            call.vjp(call.active[0], random_like(call.rng, y), y)
        except MissingRule:
            return False
        except (TypeError, ValueError, NotImplementedError, ComplexWarning, np.linalg.LinAlgError):
            return False
    return True


ComplexWarning = np.exceptions.ComplexWarning


def _typed(x: Any) -> Any:
    if isinstance(x, list):
        return [_typed(item) for item in x]
    return as_type(x) if isinstance(x, np.ndarray | np.generic | float | complex) else x


VARIED = [rule for rule in OURS if rule.kind in ("elementwise", "linear", "general")]


def at_each_twin(rule: Rule, check: Callable[[Call], None], dtype: Any = np.float64) -> None:
    """Run a check at all complex calls of a rule; a failure says at which."""
    for case in cases_of(rule):
        for call in twins(rule, case, dtype):
            with at_call(rule, case):
                check(call)
