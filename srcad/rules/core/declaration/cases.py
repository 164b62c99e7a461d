"""Cases made concrete: random arguments for a rule, as its `Case`s describe them."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.rules.core.table import Case, Rule


def places(n: int) -> Any:
    """For cases: places in order, of which no two lie close."""
    return lambda rng: np.arange(n) + rng.uniform(-0.3, 0.3, n)


def draw(
    rule: Rule, case: Case, rng: np.random.Generator, dtype: Any = np.float64
) -> tuple[tuple[Any, ...], dict[str, Any], tuple[int, ...]]:
    """Canonical arguments, options, and the positions of the inputs that are varied."""
    args, options, varied = draw_call(rule, case, rng, dtype)
    return (*rule.bind(args, options), varied)


def draw_call(
    rule: Rule, case: Case, rng: np.random.Generator, dtype: Any = np.float64
) -> tuple[tuple[Any, ...], dict[str, Any], tuple[int, ...]]:
    """Arguments and options as a call has them, and the positions of those that are varied."""
    any_input = rule.signature is None or rule.kind == "composed"
    drawn = [
        _input(rule, rng, dtype, given) if i in rule.vjps or any_input else (given, False)
        for i, given in enumerate(case.args)
    ]
    varied = tuple(
        i
        for i, (_, varies) in enumerate(drawn)
        if varies and (i in rule.vjps or rule.kind == "composed")
    )
    options = {k: _made(rng, v) for k, v in case.kwargs.items()}
    return tuple(_made(rng, value) for value, _ in drawn), options, varied


def _input(rule: Rule, rng: Any, dtype: Any, given: Any) -> tuple[Any, bool]:
    """The value that a case gives, and whether it is varied."""
    if given is float:
        return float(rng.uniform(*rule.domain)), True
    if given is complex:
        return complex(rng.uniform(*rule.domain), rng.uniform(-0.7, 0.7)), True
    if given is np.float64:
        return np.dtype(dtype).type(_entries(rule, rng, dtype, ())), True
    if isinstance(given, tuple) and all(isinstance(n, int) for n in given):
        return np.array(_entries(rule, rng, dtype, given), dtype), True
    if isinstance(given, list) and given and all(isinstance(s, tuple) for s in given):
        return [_input(rule, rng, dtype, shape)[0] for shape in given], True
    if callable(given) and not isinstance(given, type | Case.made):
        values = np.array(given(rng))
        if values.dtype.kind == "c":
            return values.astype(np.result_type(dtype, np.complex64)), True
        return (values + _imaginary(rng, dtype, values.shape)).astype(dtype), True
    return given, False


def _entries(rule: Rule, rng: Any, dtype: Any, shape: tuple[int, ...]) -> Any:
    """Entries from the rule's domain, off the real axis for a complex dtype."""
    return rng.uniform(*rule.domain, shape) + _imaginary(rng, dtype, shape)


def _imaginary(rng: Any, dtype: Any, shape: tuple[int, ...]) -> Any:
    return 0.5j * rng.uniform(-1, 1, shape) if np.dtype(dtype).kind == "c" else 0


def _made(rng: Any, value: Any) -> Any:
    """Constants, made by their function where they have one."""
    if isinstance(value, Case.made):
        return value.make(rng)
    return [_made(rng, item) for item in value] if type(value) is list else value
