"""Building IR programs in tests from Python functions, and checking their derivatives.

    fn = program(lambda b, x: np.sum(np.tanh(x)), x=array(3))
    check(fn, np.ones(3))

Inside, values are `Staged`; `b` has the region builders `b.branch`, `b.loop`, `b.turns` (`while`).
"""

from __future__ import annotations

import numpy as np

import srcad.rules.core.library  # noqa: F401 - fills the table
from srcad.ir import (
    ArrayType,
    Block,
    Dim,
    For,
    Function,
    If,
    Interface,
    NumberType,
    Param,
    SeqType,
    Slot,
    Value,
    While,
    show,
    verify,
)
from srcad.ir.evaluate import evaluate
from srcad.ir.types import is_inexact
from srcad.ir.walk import statements
from srcad.rules.core.staged import Builder, type_of, unwrap
from srcad.transform.kinds import gradient, pullback, pushforward

FLOAT, INT, BOOL = NumberType(float), NumberType(int), NumberType(bool)
SCALAR = ArrayType(np.dtype(float), (), scalar=True)


def array(*shape, dtype=float):
    """An array type; ints and symbols (`"n"`) as extents."""
    extents = tuple(Dim(e, never_one=True) if isinstance(e, str) else e for e in shape)
    return ArrayType(np.dtype(dtype), extents)


class Regions:
    """Builds statements into the block at hand."""

    def __init__(self):
        self.builder = Builder()

    def call(self, fn, *args, **kwargs):
        return self.builder.call(fn, *args, **kwargs)

    def inside(self, fn, *args):
        """The statements and results that `fn` makes."""
        outer, self.builder.body = self.builder.body, []
        results = fn(*self.builder.wrap(args))
        body, self.builder.body = self.builder.body, outer
        return body, list(unwrap(results if isinstance(results, tuple) else (results,)))

    def out(self, values):
        wrapped = tuple(self.builder.wrap(v) for v in values)
        return wrapped[0] if len(wrapped) == 1 else wrapped

    def branch(self, cond, then, orelse, types=None, partial=False):
        blocks = [Block([], *self.inside(fn)) for fn in (then, orelse)]
        types = types or [type_of(r) for r in blocks[0].results]
        outs = tuple(Value("", t, partial) for t in types)
        self.builder.body.append(If(unwrap(cond), *blocks, outs))
        return self.out(outs)

    def loop(self, bounds, init, body, *, ins=(), types=None, reverse=False, names=(), exits=False):
        """`body(i, *carried, *elements)` returns what is carried, then what is collected, then
        whether to leave, if the loop `exits`.
        """
        init, ins = unwrap(list(init)), unwrap(list(ins))
        types = types or [type_of(a) for a in init]
        names = [*names, *[""] * len(init)]
        carried = [Value(n, t) for n, t in zip(names, types, strict=False)]
        elements = [Value("", seq.type.elem) for seq in ins]
        index = Value("i", INT)
        statements, results = self.inside(body, index, *carried, *elements)
        outs = tuple(Value(n, t) for n, t in zip(names, types, strict=False))
        written = results[len(init) : len(results) - exits]
        seqs = tuple(Value("", SeqType(type_of(r))) for r in written)
        block = Block([index, *carried, *elements], statements, results)
        start, stop, step = unwrap(bounds)
        head = (start, stop, step, reverse, init, ins)
        self.builder.body.append(For(*head, block, outs, seqs, exits=exits))
        return self.out([*outs, *seqs])

    def count(self):
        """The number of iterations of the loop built last."""
        loop = self.builder.body[-1]
        loop.count = Value("count", INT)
        return self.out([loop.count])

    def turns(self, init, test, body, *, types=None, exits=False):
        """A `while`; `test` and `body` take the carried values."""
        init = unwrap(list(init))
        types = types or [type_of(a) for a in init]
        params = [[Value("", t) for t in types] for _ in range(2)]
        test_block = Block(params[0], *self.inside(test, *params[0]))
        block = Block(params[1], *self.inside(body, *params[1]))
        outs = tuple(Value("", t) for t in types)
        self.builder.body.append(While(test_block, init, block, outs, exits=exits))
        return self.out(outs)


def program(fn, **types):
    """The IR of `fn(b, *inputs)`, with inputs of these types."""
    b = Regions()
    params = [Value(name, t) for name, t in types.items()]
    body, results = b.inside(lambda *xs: fn(b, *xs), *params)
    given = tuple(Param(name, Slot(k)) for k, name in enumerate(types))
    result = Slot(0) if len(results) == 1 else tuple(map(Slot, range(len(results))))
    return verify(Function("f", Block(params, body, results), Interface(given, (), result)))


def varying(fn):
    """The positions of the parameters that can be varied."""
    return [k for k, p in enumerate(fn.params) if is_inexact(p.type)]


def grad(fn, wrt=None):
    """The gradient program of a scalar program, by all its float inputs."""
    wrt = varying(fn) if wrt is None else wrt
    made = gradient(fn, wrt, with_value=False, has_aux=False, single=False)
    return verify(made, "gradient")


def jvp(fn):
    return verify(pushforward(fn), "pushforward")


def vjp(fn):
    return verify(pullback(fn), "pullback")


def tapes(fn):
    """The types of all sequences that the program writes in `for` loops."""
    return [str(seq.type) for s in statements(fn.body) if isinstance(s, For) for seq in s.seqs]


def difference(f, args, directions, h=1e-3):
    """Central differences of fourth order of a list-valued `f` along `directions` (None: fixed)."""

    def at(t):
        moved = [a if d is None else a + t * d for a, d in zip(args, directions, strict=True)]
        return [np.asarray(r, dtype=float) for r in f(*moved)]

    lines = zip(at(-2 * h), at(-h), at(h), at(2 * h), strict=True)
    return [(a - 8 * b + 8 * c - d) / (12 * h) for a, b, c, d in lines]


def directions_for(fn, args, seed=0):
    rng = np.random.default_rng(seed)
    dots = []
    for p, a in zip(fn.params, args, strict=True):
        if not is_inexact(p.type):
            dots.append(None)
        elif isinstance(p.type, NumberType):
            dots.append(float(rng.standard_normal()))
        else:
            dots.append(np.asarray(rng.standard_normal(np.shape(a)))[()])
    return dots


def check(fn, *args, order=2, tol=1e-7):
    """Compare both modes with differences of the primal, and again for the gradient program."""
    before = [np.array(a, copy=True) for a in args]
    dots = directions_for(fn, args)
    want = difference(lambda *xs: evaluate(fn, *xs), args, dots)
    forward = jvp(fn)
    n = len(fn.body.results)
    given = [np.zeros_like(a) if d is None else d for a, d in zip(args, dots, strict=True)]
    got = evaluate(forward, *args, *given)
    for value, y in zip(got[:n], evaluate(fn, *args), strict=True):
        np.testing.assert_array_equal(value, y)
    for y_dot, difference_of_y in zip(got[n:], want, strict=True):
        np.testing.assert_allclose(
            y_dot, difference_of_y, rtol=tol, atol=tol, err_msg=show(forward)
        )
    if n == 1 and np.ndim(evaluate(fn, *args)[0]) == 0:
        backward = grad(fn)
        bars = evaluate(backward, *args)
        for k, bar in zip(varying(fn), bars, strict=True):
            assert np.shape(bar) == np.shape(args[k]), show(backward)
            assert not isinstance(args[k], np.ndarray | np.generic) or bar.dtype == args[k].dtype
        total = sum(np.vdot(bar, dots[k]) for k, bar in zip(varying(fn), bars, strict=True))
        np.testing.assert_allclose(total, want[0], rtol=tol, atol=tol, err_msg=show(backward))
        if order > 1:
            check_second(fn, backward, args)
    for a, b in zip(args, before, strict=True):
        np.testing.assert_array_equal(a, b)


def check_second(fn, backward, args, tol=1e-6):
    """Reverse over reverse and forward over reverse against differences of the gradient."""
    dots = directions_for(fn, args, seed=1)
    weights = [d for d in directions_for(fn, args, seed=2) if d is not None]
    want = difference(lambda *xs: evaluate(backward, *xs), args, dots)
    forward = jvp(backward)
    n = len(weights)
    given = [np.zeros_like(a) if d is None else d for a, d in zip(args, dots, strict=True)]
    got = evaluate(forward, *args, *given)[n:]
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=tol, atol=tol, err_msg=show(forward))
    twice = vjp(backward)
    *_, pull = evaluate(twice, *args)
    bars = pull(*weights)
    bars = [bar for k, bar in enumerate(bars) if bar is not None]
    left = sum(np.vdot(w, y) for w, y in zip(weights, want, strict=True))
    right = sum(np.vdot(bar, dots[k]) for k, bar in zip(varying(fn), bars, strict=True))
    np.testing.assert_allclose(right, left, rtol=tol, atol=tol, err_msg=show(twice))
