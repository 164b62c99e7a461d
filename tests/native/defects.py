"""How often compiling fails: exceptions in a pass, refusals of Numba's. There is to be none.

    python -m native.defects corpus            # from tests/; each program of the corpus
    python -m native.defects corpus 8 3        # each eighth of them, from the third on
    python -m native.defects random 100        # programs of seeds from 100000 on
    python -m native.defects cliffs            # those of benchmarks/cliffs.py

What compiled code has no form for is left to NumPy, and is no defect. Prints each defect with the
program's name, and the count.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from corpus.all import PROGRAMS
from corpus.test_derivatives import argnums, is_scalar
from random_programs.checks import SIZES, load
from random_programs.people import family_of, program_of

import srcad
from srcad.errors import InternalError, SrcadError
from srcad.pipeline.defects import INTERNAL

Case = tuple[str, Callable[..., Any], tuple[int, ...], tuple[Any, ...]]


def corpus(step: int = 1, first: int = 0) -> Iterator[Case]:
    """Gradients of programs of the corpus."""
    for program in islice((p for p in PROGRAMS if p.varied), first, None, step):
        args = program.arguments()[0]
        if argnums(args) and is_scalar(program):
            yield program.name, program.fn, argnums(args), args


def random(count: int = 100, first: int = 100000) -> Iterator[Case]:
    """Gradients of random programs."""
    for seed in range(first, first + count):
        program = program_of(seed, family_of(seed))
        args = program.arguments(seed, *SIZES[0])
        yield str(seed), load(program.source), tuple(range(len(program.parameters))), args


def cliffs() -> Iterator[Case]:
    """Gradients of the benchmark's programs."""
    sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
    from cliffs import PROGRAMS as by_name

    for name, program in by_name.items():
        yield name, program.function, (0,), program.args


# What is raised in a compiler; programs raise other classes.
_INSIDE = (InternalError, TypeError, AttributeError, LookupError, AssertionError)


def _told(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}"


def defect(case: Case) -> str:
    """What failed inside while a program was compiled, or ""."""
    _, fn, nums, args = case
    gradient = srcad.value_and_grad(fn, nums, backend="native")
    try:
        gradient(*args)
    except Exception as problem:
        is_refusal = isinstance(problem, SrcadError) and not isinstance(problem, InternalError)
        return "" if is_refusal or not isinstance(problem, _INSIDE) else _told(problem)
    told = gradient.explain()
    found = (why for why in (told.why, *told.stays) if why.startswith(INTERNAL))
    return next(found, "")


def main(family: str, *numbers: str) -> int:
    """Count the defects of a family of programs."""
    cases = {"corpus": corpus, "random": random, "cliffs": cliffs}[family](*map(int, numbers))
    count = failed = 0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for case in cases:
            why = defect(case)
            count, failed = count + 1, failed + bool(why)
            if why:
                print(f"{case[0]}: {why}", flush=True)
    print(f"{failed} defects in {count} programs")
    return failed


if __name__ == "__main__":
    sys.exit(bool(main(*sys.argv[1:])))
