"""Every program of the corpus as loops: run as Python they compute what NumPy computes, and so do
some of them compiled.
"""

from __future__ import annotations

import numpy as np
import pytest
from corpus.all import PROGRAMS
from corpus.test_derivatives import argnums, is_scalar, is_single
from corpus.trees import random_like
from native.backends import both, compare
from native.defects import main
from native.left_calls import LEFT

from srcad.kernels import teams
from srcad.pipeline.request import Request

NAMES = {program.name: program for program in PROGRAMS if program.varied}
# A third of a second to two seconds each.
COMPILED = [name for k, name in enumerate(NAMES) if k % 40 == 7]


def requests(program):
    """A request for each derivative, with the arguments of a call."""
    args = program.arguments()[0]
    tangents = random_like(args, np.random.default_rng(3))
    yield Request("jvp", program.fn, ()), (*args, *tangents)
    if argnums(args) and is_scalar(program):
        yield Request("value_and_grad", program.fn, argnums(args), single=False), args


def check(program, numba=False):
    """How often the program was compared and how often it was left to NumPy."""
    found = {"equal": 0, "left": 0, "missed": 0}
    single = program.single or is_single(program.arguments()[0])
    for request, args in requests(program):
        n = len(program.arguments()[0])
        pair = both(request, args, n, numba)
        if not pair.functions:
            continue
        for given in program.arguments():
            extra = random_like(given, np.random.default_rng(3)) if request.kind == "jvp" else ()
            for count in (1, 2) if numba else (1,):
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(teams, "thread_count", lambda work, count=count: count)
                    found[compare(pair, (*given, *extra), single)] += 1
    return found


@pytest.mark.parametrize("name", NAMES)
def test_loops_compute_what_numpy_computes(name):
    found = check(NAMES[name])
    assert bool(found["left"]) == (name in LEFT), found


@pytest.mark.parametrize("name", COMPILED)
def test_machine_code_computes_what_numpy_computes(name):
    pytest.importorskip("numba")
    check(NAMES[name], numba=True)


@pytest.mark.campaign
@pytest.mark.parametrize("family", ["corpus", "random 150", "cliffs"])
def test_the_compiler_never_fails(family):
    pytest.importorskip("numba")
    assert main(*family.split()) == 0
