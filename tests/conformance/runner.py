"""Runs cases through Python and through srcad, and tells where they differ."""

from __future__ import annotations

import gc
import linecache
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from conformance.case import Case
from conformance.outcome import Outcome, difference, disagreement, run

import srcad
from srcad.errors import SrcadError

FRESH = 500  # cases, between two collections of garbage


@dataclass
class Report:
    """What became of cases: how many were alike, were refused, and the faults.

    `refused`: by code, those that Python answers; `both`: those of which Python raises.
    """

    alike: int = 0
    raised: int = 0
    both: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        """The number of cases."""
        return self.alike + self.raised + self.both + self.refused.total() + len(self.faults)

    def summary(self, refusals: int = 12) -> str:
        """The counts, and what is refused most of what Python answers."""
        lines = [
            f"{self.total} cases: {self.alike} alike, {self.raised} raise alike, "
            f"{self.refused.total()} refused, {self.both} refused where Python raises, "
            f"{len(self.faults)} faults"
        ]
        for kind, count in self.refused.most_common(refusals):
            lines.append(f"{count:7} {kind}    {self.examples[kind]}")
        return "\n".join(lines)

    def add(self, case: Case, name: str) -> None:
        """Run a case and count it."""
        fault, want, outcome = check(case, name)
        if fault is not None:
            self.faults.append(f"{name}  {case}\n    {fault}")
        elif outcome.is_refusal and want.raised is not None:
            self.both += 1
        elif outcome.is_refusal:
            words = kind_of(outcome.raised)
            self.refused[words] += 1
            self.examples.setdefault(words, f"{name} {case.body!r}")
        elif outcome.raised is not None:
            self.raised += 1
        else:
            self.alike += 1


def kind_of(refusal: Any) -> str:
    """The code of a refusal and what it says, without names and types."""
    is_early = isinstance(refusal, SrcadError)
    code, text = (refusal.code, refusal.title) if is_early else ("run", str(refusal))
    words = re.sub(r"\d+", "n", re.sub(r"\b(f|i|u|c)\d+(\[[^]]*\])?", "...", text))[:100]
    return f"{code} {words}"


def check(case: Case, name: str) -> tuple[str | None, Outcome, Outcome]:
    """The fault of a case, if it has one, what Python gave for it, and what srcad gave."""
    filename = f"<conformance {name}>"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the text: `1 is 1`
            plain, compiled = (case.load(filename) for _ in range(2))
        return _compare(case, plain, compiled)
    finally:
        linecache.cache.pop(filename, None)


def _compare(case: Case, plain: Any, function: Any) -> tuple[str | None, Outcome, Outcome]:
    compiled = srcad.compile(function, backend="numpy", cache=False)
    own, others = (
        tuple(each.__globals__[name] for name in case.captured) for each in (plain, function)
    )
    answers = []
    for variant in (0, 1, 0):
        want = run(plain, case.arguments(variant), own)
        got = run(compiled, case.arguments(variant), others)
        answers.append((want, got))
        fault = disagreement(want, got, case.arguments(variant))
        if fault is not None:
            return f"compile, call {len(answers)}: {fault}", want, got
    want, got = answers[0]
    fault = _gradient_fault(case, function, want) or _raising_fault(case, function, answers)
    return fault, want, got


def _gradient_fault(case: Case, function: Any, want: Outcome) -> str | None:
    """In what the value of `value_and_grad` differs, where the function has one."""
    varied = tuple(k for k, x in enumerate(case.arguments(0)) if is_float(x))
    if not varied or not isinstance(want.value, float | np.floating):
        return None
    derived = srcad.value_and_grad(function, varied, backend="numpy", cache=False)
    got = run(derived, case.arguments(0))
    if got.is_refusal or str(got.raised) == "math domain error":
        return None  # or the function has no derivative: the exponent of a negative number varies
    if got.raised is not None:
        return f"value_and_grad raises {got.said}; Python gives {want.said}"
    changed = difference(case.arguments(0), got.arguments, "arguments")
    fault = changed or difference(want.value, got.value[0])
    return fault and f"value_and_grad: {fault}"


def _raising_fault(case: Case, function: Any, answers: list[tuple[Outcome, Outcome]]) -> str | None:
    """Which derivative gives something where the function, of which it may not need the value,
    raises.
    """
    varied = tuple(k for k, x in enumerate(case.arguments(0)) if is_float(x))
    raising = [v for v in (0, 1) if answers[v][0].raised is not None]
    if not varied or not raising or answers[0][1].is_refusal:
        return None
    for transform in (srcad.grad, srcad.jacfwd):
        derived = transform(function, varied, backend="numpy", cache=False)
        for variant in raising:
            arguments = case.arguments(variant)
            if transform is srcad.jacfwd and not any(np.size(arguments[k]) for k in varied):
                continue  # no direction, and nothing is pushed forward (docs/limits.md)
            got = run(derived, arguments)
            if got.raised is None:
                return f"{transform.__name__} gives {got.said}; {answers[variant][0].said}"
    return None


def is_float(x: Any) -> bool:
    """Whether a derivative with respect to `x` makes sense."""
    if isinstance(x, np.ndarray | np.generic):
        return x.dtype.kind == "f"
    return type(x) is float


def campaign(cases: Iterable[tuple[str, Case]], every: int = 0) -> Report:
    """Run cases; print faults as they come where `every` so many cases a summary is wanted."""
    report = Report()
    for k, (name, case) in enumerate(cases, 1):
        known = len(report.faults)
        report.add(case, name)
        if every and len(report.faults) > known:
            print(report.faults[-1], flush=True)
        if every and k % every == 0:
            print(report.summary(0), flush=True)
        if k % FRESH == 0:
            gc.collect()
    return report


def numbered(prefix: str, cases: Iterable[Case]) -> Iterator[tuple[str, Case]]:
    """Cases with their names, `operators:17`."""
    for k, case in enumerate(cases):
        yield f"{prefix}:{k}", case
