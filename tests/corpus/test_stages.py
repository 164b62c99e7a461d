"""Every program of the corpus at each stage: derived, optimised and printed programs compute the
same.
"""

import contextlib
import io

import numpy as np
import pytest
from corpus.all import PROGRAMS
from corpus.test_derivatives import is_single
from corpus.test_primal import flat_arguments, rebuilt
from corpus.trees import inner, leaves, map_leaves, random_like, varies

import srcad
from srcad.errors import SrcadError
from srcad.ir import evaluate as interpreter
from srcad.ir import verify
from srcad.ir.interface import Static, map_slots
from srcad.pipeline.request import Request
from srcad.pipeline.specialize import activate
from srcad.pipeline.stages import compile_request

NAMES = {program.name: program for program in PROGRAMS if program.varied}


def evaluated(function, lowered, fn, args):
    """What a program computes, interpreted."""
    interface = function.interface
    places = {"F": fn, "A": args, "K": lowered.kept}
    captured = [eval(param.captured, places) for param in interface.captures]
    results = interpreter.evaluate(function, *flat_arguments(function, [*args, *captured]))
    return rebuilt(map_slots(lambda slot: Static(results[slot.index]), interface.result))


def assert_equal(found, wanted, tol=1e-12):
    for a, b in zip(leaves(found), leaves(wanted), strict=True):
        if varies(b):
            assert np.allclose(a, b, rtol=tol, atol=tol, equal_nan=True), (a, b)


@pytest.mark.parametrize("name", NAMES)
def test_stages_compute_the_same(name):
    program = NAMES[name]
    stages = {}
    args = program.arguments()[0]
    both = (*args, *random_like(args, np.random.default_rng(3)))
    request = Request("jvp", program.fn, ())
    artifact, _ = compile_request(
        request, args, frozenset(), lambda stage, made: stages.setdefault(stage, made)
    )
    with contextlib.redirect_stdout(io.StringIO()):
        dispatch = activate(artifact, request, len(args), len(args)).dispatch
        wanted = dispatch(*both)
        for stage in ("derive", "optimize"):
            verify(stages[stage], stage)
            found = evaluated(stages[stage], artifact, program.fn, both)
            tol = 1e-5 if program.single or is_single(args) else 1e-12
            assert_equal(found, wanted, tol)


def scattered(x):
    """An array with the same entries, one apart in memory and backwards."""
    if not isinstance(x, np.ndarray) or x.ndim == 0:
        return x
    room = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)[..., ::-2]
    room[...] = x
    return room


SINGLE = {np.dtype(float): np.float32, np.dtype(complex): np.complex64}


def single(x):
    if isinstance(x, np.ndarray | np.generic) and x.dtype in SINGLE:
        return x.astype(SINGLE[x.dtype])
    return x


@pytest.mark.parametrize("name", NAMES)
def test_memory_and_precision_do_not_matter(name):
    program = NAMES[name]
    args = program.arguments()[0]
    if not any(isinstance(leaf, np.ndarray) and varies(leaf) for leaf in leaves(args)):
        return
    with contextlib.redirect_stdout(io.StringIO()):
        y, pullback = srcad.vjp(program.fn, *args)
        y_bar = random_like(y, np.random.default_rng(4))
        bars = pullback(y_bar)
        check_change(program, scattered, y, y_bar, bars)
        check_change(program, single, y, y_bar, bars)
    assert np.isfinite(inner(bars, bars))


def check_change(program, change, y, y_bar, bars):
    """Changed arguments have the value and the cotangents of the plain ones."""
    args = program.arguments()[0]
    changed = map_leaves(change, args)
    before = [np.copy(leaf) for leaf in leaves(changed)]
    exact = change is scattered and not program.single and not is_single(args)
    tol = 1e-11 if exact else 2e-3
    try:
        y_changed, pullback = srcad.vjp(program.fn, *changed)
    except SrcadError as refusal:
        # What is made in the function stays in double precision: arrays of both may meet.
        if refusal.code == "E129" and change is single:
            return
        if not (program.laid_out and change is scattered and refusal.code == "E117"):
            raise
        return
    assert_equal(y_changed, y, tol)
    y_bar_changed = map_leaves(
        lambda a, b: np.asarray(b, np.result_type(a)) if varies(a) else b, y_changed, y_bar
    )
    bars_changed = pullback(y_bar_changed)
    for x, x_bar in zip(leaves(changed), leaves(bars_changed), strict=True):
        if varies(x):
            assert np.result_type(x_bar) == np.result_type(x)
    assert_equal(bars_changed, bars, tol)
    for a, b in zip(leaves(changed), before, strict=True):
        assert np.array_equal(a, b) or not varies(a)
