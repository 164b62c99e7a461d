"""What becomes of one program: its values against Python's, its derivatives against differences."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from random_programs.checks import SIZES, Checks, Fault, Unfit, find_fault, load, plain
from random_programs.conformance import conforms, copied, is_raised, laid_out, outcome
from random_programs.generator import Program
from random_programs.people import WideProgram
from random_programs.structures import check_aux, check_layout, check_structure

import srcad
from srcad.errors import InternalError, SrcadError

THOROUGH = 3  # one in so many is checked in single precision and to second order as well
STRUCTURED = 4  # one is differentiated with respect to a structure, too
LAID_OUT = 4  # and one with arrays that lie otherwise in memory
WITHIN = 1e6


@dataclass
class Verdict:
    """The faults found, the refusals, and what was checked."""

    faults: list[str] = field(default_factory=list)
    refused: list[SrcadError] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)


def examine(program: Program, seed: int, source: str | None = None) -> Verdict:
    """Check all laws of a program."""
    made = Verdict()
    thorough = seed % THOROUGH == 0
    if not isinstance(program, WideProgram):
        _attempt(made, "gradient", lambda: find_fault(program, 0, source, thorough))
        return made
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            f = load(program.source if source is None else source)
        except Exception:
            return made
        calls = [program.arguments(seed + k, *size) for k, size in enumerate(SIZES)]
        if seed % LAID_OUT == 0:
            calls[1] = laid_out(calls[1], seed // LAID_OUT)
        _attempt(made, "value", lambda: conforms(f.__globals__["whole"], calls))
        calls = [program.arguments(seed + k, *size) for k, size in enumerate(SIZES)]
        _attempt(made, "gradient", lambda: _gradient(program, f, calls, seed, thorough))
    return made


def _attempt(made: Verdict, what: str, check: Any) -> None:
    try:
        fault = check()
    except (Unfit, np.linalg.LinAlgError):
        return
    except Fault as problem:
        fault = problem
    except InternalError as problem:
        fault = f"internal error: {problem}"
    except SrcadError as problem:
        made.refused.append(problem)
        return
    except Exception as problem:
        if str(problem).startswith("the list has no items"):  # refused when the program runs
            return
        fault = f"{type(problem).__name__}: {problem}"
    if isinstance(fault, str | Fault):
        made.faults.append(f"{what}: {fault}")
    made.checked.append(what)


def _gradient(
    program: Program, f: Any, calls: Sequence[tuple[Any, ...]], seed: int, thorough: bool
) -> None:
    n = len(program.parameters)
    fit = []
    checks = Checks(f, n, program.smooth, program.general)
    checks.thorough = thorough
    for args in calls:
        value = outcome(f, copied(args))
        if isinstance(value, Exception):
            made = outcome(checks.grad, copied(args))
            if not is_raised(made, value):  # unless by shapes of what nothing uses
                with plain():
                    varied = tuple(range(n))
                    made = outcome(srcad.grad(f, varied, cache=False), copied(args))
            if not is_raised(made, value):
                raise Fault(f"what the gradient raises: {made!r} is not {value!r}")
        elif np.ndim(value) == 0 and np.isfinite(value) and abs(value) < WITHIN:
            fit.append(args)
    if not fit:
        raise Unfit("no value")
    checks.left_out = len(calls) - len(fit)
    checks.run(fit)
    scope = f.__globals__
    if seed % STRUCTURED == 1 and "packed" in scope:
        check_structure(f, scope["packed"], scope["pack"], n, copy.deepcopy(fit[0]))
    if seed % STRUCTURED == 3:
        check_aux(scope["whole"], f, n, copy.deepcopy(fit[0]))
    if seed % LAID_OUT == 2:
        check_layout(f, n, copy.deepcopy(fit[0]), seed // LAID_OUT)
