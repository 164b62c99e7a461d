"""Calls that NumPy refuses: each case of each rule with one argument that does not fit.

One array has an entry less or more than it should, an axis less or more, or none at all; an axis
lies beyond the last one. Where the function raises, a program must raise that calls it, also where
nothing reads the result, and so must the gradient by each argument alone, which may not need the
result.

    python -m rules.misfits               # from tests/: all of them
    python -m rules.misfits ::97          # one in 97
    python -m rules.misfits np.interp     # those of one function
"""

from __future__ import annotations

import itertools
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from conformance.outcome import run
from rules.calls import OURS, cases_of, make_call
from rules.edges import UNCHECKED, function_of

import srcad
from srcad.rules.core.table import Case, Rule, name_of

CHANGES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "shorter": lambda x: x[..., 1:] if x.ndim else x,
    "fewer": lambda x: x[1:] if x.ndim > 1 else x,
    "longer": lambda x: np.concatenate([x, x[..., :1]], axis=-1) if x.ndim else x,
    "one": lambda x: x[..., :1] if x.ndim else x,
    "one row": lambda x: x[:1] if x.ndim > 1 else x,
    "none": lambda x: x[:0] if x.ndim else x,
    "an axis more": lambda x: np.stack([x, x, x]),
    "an axis less": lambda x: x[0] if x.ndim and len(x) else x,
}
AXES = (7, -7)


@dataclass(frozen=True)
class Misfit:
    """One call of one rule: what becomes of the argument `at`, or of the axis among the options."""

    rule: Rule
    case: Case
    at: int | str
    change: Any

    def __str__(self) -> str:
        return f"{name_of(self.rule.fn)} at {self.case}, {self.at} {self.change}"

    def arguments(self) -> tuple[tuple[Any, ...], dict[str, Any], list[int]]:
        """The arguments, the options, and the positions of the arguments that are arrays."""
        call = make_call(self.rule, self.case)
        args, options = list(call.args), dict(call.kwargs)
        if isinstance(self.at, str):
            options[self.at] = self.change
        else:
            args[self.at] = CHANGES[self.change](args[self.at])
        return tuple(args), options, _arrays(args)


def _arrays(args: Iterable[Any]) -> list[int]:
    return [i for i, x in enumerate(args) if isinstance(x, np.ndarray) and x.dtype.kind in "fc"]


def misfits() -> Iterator[Misfit]:
    """All calls, in an order that stays."""
    for rule in OURS:
        if name_of(rule.fn).startswith(("srcad.", *UNCHECKED)):
            continue
        for case in cases_of(rule):
            call = make_call(rule, case)
            for at in _arrays(call.args):
                yield from (Misfit(rule, case, at, change) for change in CHANGES)
            if "axis" in call.kwargs:
                yield from (Misfit(rule, case, "axis", axis) for axis in AXES)


def fault_of(misfit: Misfit) -> tuple[str | None, str]:
    """What is wrong with a call, and what became of it."""
    args, options, given = misfit.arguments()
    if not given:
        return None, "constant"
    try:
        whole = function_of(misfit.rule.fn, args, options, given)
        unread = function_of(misfit.rule.fn, args, options, given, "{call}; return 1.0 * len(x{0})")
        summed = function_of(misfit.rule.fn, args, options, given, "return np.sum({call})")
    except SyntaxError:  # an option without a text
        return None, "not written"
    xs = tuple(args[i] for i in given)
    want = run(whole, xs)
    if want.raised is None:
        return None, "fits"
    if run(srcad.compile(unread, backend="numpy", cache=False), xs).raised is None:
        return f"no {want.said} where nothing reads it", "raises"
    if run(summed, xs).raised is None:  # it was the result that could not be returned
        return None, "raises"
    for k in range(len(xs)):
        if run(srcad.grad(summed, argnums=k, backend="numpy", cache=False), xs).raised is None:
            return f"no {want.said} in the gradient by argument {k}", "raises"
    return None, "raises"


def campaign(chosen: Iterable[Misfit]) -> tuple[Counter[str], list[str]]:
    """What became of calls, and the faults."""
    counts: Counter[str] = Counter()
    faults = []
    for misfit in chosen:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            fault, became = fault_of(misfit)
        counts[became] += 1
        if fault is not None:
            faults.append(f"{misfit}: {fault}")
    return counts, faults


def _chosen(arguments: list[str]) -> Iterator[Misfit]:
    if arguments and arguments[0].startswith("::"):
        return itertools.islice(misfits(), 0, None, int(arguments[0][2:]))
    return (each for each in misfits() if not arguments or name_of(each.rule.fn) in arguments)


if __name__ == "__main__":
    found, wrong = campaign(_chosen(sys.argv[1:]))
    print(*wrong, sep="\n")
    print(dict(found))
    sys.exit(bool(wrong))
