"""The gradients of the corpus, optimised against unoptimised."""

import contextlib
import copy
import io

import numpy as np
import pytest
from corpus.all import PROGRAMS
from corpus.test_primal import flat_arguments, lowered
from optimize.passes import run

from srcad.errors import SrcadError
from srcad.ir import show, verify
from srcad.ir.interface import slots
from srcad.ir.types import is_inexact
from srcad.pipeline.calls.dispatch import build_dispatch
from srcad.pipeline.passes import optimize
from srcad.transform.kinds import gradient


def differentiable(fn):
    """The positions of parameters all of whose leaves can be varied."""
    params = enumerate(fn.interface.params)
    return [k for k, p in params if all(is_inexact(fn.params[slot].type) for slot in slots(p.tree))]


def unoptimised(program, args):
    """The program of the value and gradient, its flat arguments and what it computes."""
    made = lowered(program.fn, copy.deepcopy(args))
    take = build_dispatch(
        lambda *values: values, program.fn, len(args), 0, made.guards, made.captures, made.kept
    )
    flat = flat_arguments(made.function, take(*args))
    wrt = differentiable(made.function)
    fn = gradient(made.function, wrt, with_value=True, has_aux=False, single=False)
    return fn, flat, run(fn, flat)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_optimised_gradients_are_the_gradients(program):
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            fn, flat, want = unoptimised(program, program.arguments()[0])
        except SrcadError as refusal:
            pytest.skip(f"has no gradient: {refusal.code}")
        new = verify(optimize(fn), "optimize")
        got = run(new, flat)
    for a, b in zip(got, want, strict=True):
        assert np.shape(a) == np.shape(b), show(new)
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12, err_msg=show(new))
