"""Every program of the corpus through the public API: against differences, forward against
reverse, twice.
"""

import contextlib
import copy
import io

import numpy as np
import pytest
from corpus.all import PROGRAMS
from corpus.test_primal import assert_same
from corpus.trees import inner, leaves, map_leaves, moved, parts, quotient, random_like, varies

import srcad

NAMES = {program.name: program for program in PROGRAMS if program.varied}
SCALAR = {
    name: program
    for name, program in NAMES.items()
    if program.smooth and len(leaves(program.arguments()[0])) > 0
}


def quietly(fn, *args):
    """The result, without what is printed."""
    with contextlib.redirect_stdout(io.StringIO()):
        return fn(*args)


def primal(fn, args):
    """The result at copies of the arguments: the function may write them."""
    return quietly(fn, *copy.deepcopy(args))


def is_single(x):
    return any(getattr(leaf, "dtype", None) in (np.float32, np.complex64) for leaf in leaves(x))


def assert_close(found, wanted, tol, what):
    for i, (a, b) in enumerate(zip(leaves(found), leaves(wanted), strict=True)):
        if b is None:
            continue
        assert np.shape(a) == np.shape(b), (what, i, np.shape(a), np.shape(b))
        scale = tol * (1 + float(np.max(np.abs(b), initial=0.0)))
        assert np.allclose(a, b, rtol=tol, atol=scale), (what, i, a, b)


def assert_value(program, found, wanted):
    if program.rounded:
        assert_close(found, wanted, 1e-13, "value")
    else:
        assert_same(found, wanted)


def differences(program, args, tangents, fn=None):
    """The derivative along `tangents`, extrapolated from central differences."""
    fn = fn or program.fn
    single = program.single or is_single(args)
    step = 1e-2 if single else 1e-4
    a, b = (
        quotient(primal(fn, moved(args, tangents, h)), primal(fn, moved(args, tangents, -h)), h)
        for h in (step, step / 2)
    )
    if single:
        return a
    return map_leaves(lambda p, q: None if p is None else (4 * q - p) / 3, a, b)


@pytest.mark.parametrize("name", NAMES)
def test_products_against_differences_and_each_other(name):
    program = NAMES[name]
    rng = np.random.default_rng(1)
    for args in program.arguments()[: 1 + len(program.again)]:
        before = copy.deepcopy(args)
        value = primal(program.fn, args)
        tangents = random_like(args, rng)
        y, y_dot = quietly(lambda a, t: srcad.jvp(program.fn, a, t), args, tangents)
        assert_value(program, y, value)
        single = program.single or is_single((args, value))
        assert_close(y_dot, differences(program, args, tangents), 2e-2 if single else 1e-6, "jvp")

        y_bar = random_like(value, rng)
        y, pullback = quietly(lambda a: srcad.vjp(program.fn, *a), args)
        assert_value(program, y, value)
        bars = quietly(pullback, y_bar)
        for x, x_bar in zip(leaves(args), leaves(bars), strict=True):
            if varies(x):
                assert type(x_bar) is type(x) or np.ndim(x) == 0
                assert np.shape(x_bar) == np.shape(x)
                assert np.result_type(x_bar) == np.result_type(x)
        left, right = inner(y_bar, y_dot), inner(bars, tangents)
        assert np.isclose(left, right, rtol=1e-3 if single else 1e-9, atol=1e-4 if single else 1e-9)
        assert_same(args, before) if all(
            parts(a) is None or isinstance(a, tuple | list | dict) for a in args
        ) else None


def is_scalar(program):
    args = program.arguments()[0]
    value = primal(program.fn, args)
    return varies(value) and np.shape(value) == () and not np.iscomplexobj(value)


def argnums(args):
    return tuple(i for i, a in enumerate(args) if all(map(varies, leaves(a))) and leaves(a))


@pytest.mark.parametrize("name", SCALAR)
def test_gradient_and_its_derivatives(name):
    program = NAMES[name]
    if not is_scalar(program):
        return
    args = program.arguments()[0]
    wrt = argnums(args)
    if not wrt or program.single or is_single(args):
        return
    rng = np.random.default_rng(2)
    tangents = random_like(args, rng)
    gradient = srcad.grad(program.fn, wrt)
    value, found = quietly(srcad.value_and_grad(program.fn, wrt), *args)
    assert_value(program, value, primal(program.fn, args))
    assert_close(quietly(gradient, *args), found, 1e-12, "grad")
    only = tuple(t if i in wrt else random_like(t, rng) for i, t in enumerate(tangents))
    only = tuple(
        t if i in wrt else map_leaves(lambda leaf: leaf * 0 if varies(leaf) else leaf, t)
        for i, t in enumerate(only)
    )
    wanted = differences(program, args, only)
    total = inner(found, tuple(only[i] for i in wrt))
    assert np.isclose(total, wanted, rtol=1e-6, atol=1e-7)

    _, second = quietly(lambda a, t: srcad.jvp(gradient, a, t), args, only)
    assert_close(second, differences(program, args, only, gradient), 1e-5, "second, forward")
    weights = random_like(found, rng)
    _, pullback = quietly(lambda a: srcad.vjp(gradient, *a), args)
    bars = quietly(pullback, weights)
    left = inner(weights, second)
    right = inner(tuple(bars), only)
    assert np.isclose(left, right, rtol=1e-8, atol=1e-8), "second, reverse"
