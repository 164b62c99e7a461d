"""Jacobians of every program of the corpus: forward against reverse, and many directions at a time
against one after the other.
"""

import copy

import numpy as np
import pytest
from corpus.test_derivatives import NAMES, argnums, is_single, quietly
from corpus.trees import leaves

import srcad
from srcad.errors import ArgumentTypeError
from srcad.transform.jacobians import directions
from srcad.transform.jacobians.batch import NotBatched


def jacobian(transform, program, args):
    """The leaves of the Jacobian; None where there is none."""
    wrt = argnums(args)
    try:
        found = transform(program.fn, wrt)
        return leaves(quietly(lambda a: found(*a), copy.deepcopy(args)))
    except ArgumentTypeError as refused:
        assert refused.code in ("E301", "E306", "E308", "E316")  # noqa: PT017 - or there is a result
        return None


def assert_all_close(found, wanted, tol):
    for a, b in zip(found, wanted, strict=True):
        if isinstance(b, float | np.ndarray | np.generic):
            assert np.shape(a) == np.shape(b)
            np.testing.assert_allclose(a, b, rtol=tol, atol=tol)


@pytest.mark.parametrize("name", NAMES)
def test_forward_against_reverse(name):
    program = NAMES[name]
    args = program.arguments()[0]
    if not argnums(args):
        return
    forward = jacobian(srcad.jacfwd, program, args)
    reverse = jacobian(srcad.jacrev, program, args)
    if forward is None or reverse is None:  # forward takes complex results, reverse arguments
        return
    single = program.single or is_single((args, forward, reverse))
    assert_all_close(forward, reverse, 1e-4 if single else 1e-8)


@pytest.mark.parametrize("name", list(NAMES)[::8])
@pytest.mark.parametrize("transform", [srcad.jacfwd, srcad.jacrev])
def test_one_direction_after_the_other(name, transform, monkeypatch):
    program = NAMES[name]
    args = program.arguments()[0]
    wanted = jacobian(transform, program, args) if argnums(args) else None
    if wanted is None:
        return

    def refuse(*_):
        raise NotBatched

    monkeypatch.setattr(directions.Batch, "run", refuse)
    monkeypatch.setenv("SRCAD_CACHE", "0")
    found = jacobian(lambda f, wrt: transform(f, wrt, cache=False), program, args)
    assert_all_close(found, wanted, 1e-4 if program.single or is_single(args) else 1e-10)
