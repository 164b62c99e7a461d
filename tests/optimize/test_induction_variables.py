from __future__ import annotations

import operator

import numpy as np
import pytest
from optimize.passes import run

import srcad
from srcad.ir import For, NumberType, Op, SeqType, show, verify
from srcad.ir.walk import outputs, statements
from srcad.optimize.simplify.induction_variables import close_induction_variables
from srcad.pipeline.passes import bufferize, simplify
from srcad.pipeline.request import Request
from srcad.pipeline.stages import compile_request

W, X = np.arange(1.0, 16.0), np.array([0.3, -0.7, 1.1, 0.2])


def packed(w, x, k):
    s, at = 0.0, k
    for r in range(x.shape[0]):
        s = s + w[at] * np.sum(w[at : at + r]) * x[r]
        at += r
    return s


def strided(w, x, k):
    s, at = 0.0, 1
    for r in range(x.shape[0]):
        s = s + w[at] * x[r] * x[r]
        at = k + at
    return s


def carried_out(w, x, k):
    at = k
    for r in range(x.shape[0]):
        w = w * x[r]
        at += 2
    return w[at]


def of_several_loops(w, x, k):
    s, at = 0.0, 0
    for i in range(k):
        for r in range(x.shape[0] - 1):
            s = s + w[at] * x[r] * i
            at += 1
    return s


def left(w, x, k):
    s, at = 0.0, k
    for r in range(x.shape[0]):
        at += 1
        if x[r] > 1.0:
            break
        s = s + w[at] * x[r]
    return s + at


def of_its_own(w, x, k):
    s, at = 0.0, 1
    for r in range(x.shape[0] - 1):
        s = s + w[at] * x[r]
        at = at + at
    return s


def by_another(w, x, k):
    s, at, by = 0.0, 0, 1
    for r in range(x.shape[0]):
        s = s + w[at] * x[r]
        at, by = at + by, by + 1
    return s


def of_other_turns(w, x, k):
    s, at = 0.0, 0
    for r in range(1, 2 * x.shape[0] - 1, 2):
        s = s + w[at] * x[r // 2]
        at += r
    return s


def far(w, x, k):
    s, at = 0.0, 0
    for r in range(x.shape[0]):
        s = s + w[r] * x[r] * at
        at += 2**40
    return s


def by_floats(w, x, k):
    s, h = 0.0, 0.5
    for r in range(x.shape[0]):
        s = s + w[r] * x[r] * h
        h += 0.1
    return s


COUNTED = (packed, strided, carried_out, of_several_loops, left)
LEFT = (of_its_own, of_other_turns, far, by_floats)


def lowered(fn):
    stages = {}
    compile_request(Request("primal", fn), [W, X, 3], frozenset(), stages.__setitem__)
    return simplify(stages["lower"])


def is_int(t):
    return isinstance(t, NumberType) and t.kind is int


def carried(fn):
    """How many integers the loops carry."""
    loops = [s for s in statements(fn.body) if isinstance(s, For)]
    return sum(is_int(v.type) for s in loops for v in s.carried)


@pytest.mark.parametrize("fn", [*COUNTED, by_another], ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("n", [4, 1, 0])
def test_the_values_are_the_same(fn, n):
    before = lowered(fn)
    after = verify(close_induction_variables(before))
    assert after is not before
    assert run(bufferize(simplify(after)), [W, X[:n], 3]) == run(bufferize(before), [W, X[:n], 3])


@pytest.mark.parametrize("fn", LEFT, ids=lambda fn: fn.__name__)
def test_what_is_not_counted_stays(fn):
    before = lowered(fn)
    assert close_induction_variables(before) is before


@pytest.mark.parametrize("fn", [packed, strided])
def test_what_is_read_inside_alone_is_not_carried(fn):
    before = lowered(fn)
    assert carried(before) == 1
    assert carried(simplify(close_induction_variables(before))) == 0


def test_by_text():
    text = show(simplify(close_induction_variables(lowered(strided))))
    assert text == (
        "def strided(w: f64[s0_0], x: f64[s1_0], k: int):\n"
        "    t: (int=s1_0) = shape(x)\n"
        "    t_2: int=s1_0 = getitem(t, 0)\n"
        "    for r: int=?1 in range(0, t_2, 1) carrying (s: f64) = (0.0):\n"
        "        t_3: int = mul(r, k)\n"
        "        at: int = add(1, t_3)\n"
        "        t_4: f64 = getitem(w, at)\n"
        "        t_5: f64 = getitem(x, r)\n"
        "        t_6: f64 = mul(t_4, t_5)\n"
        "        t_7: f64 = mul(t_6, t_5)\n"
        "        s_2: f64 = add(s, t_7)\n"
        "        yield s_2\n"
        "    -> s_3: f64\n"
        "    return s_3\n"
    )


@pytest.mark.parametrize("fn", COUNTED, ids=lambda fn: fn.__name__)
def test_on_the_machine(fn):
    pytest.importorskip("numba")
    ours = srcad.value_and_grad(fn, argnums=(0, 1), backend="native")
    theirs = srcad.value_and_grad(fn, argnums=(0, 1), backend="numpy")
    (value, bars), (want, want_bars) = ours(W, X, 3), theirs(W, X, 3)
    assert value == pytest.approx(want, rel=1e-14)
    for bar, other in zip(bars, want_bars, strict=True):
        np.testing.assert_allclose(bar, other, rtol=1e-13)


def test_a_reverse_sweep_saves_no_positions():
    pytest.importorskip("numba")
    stages = {}
    request = Request("value_and_grad", packed, (0, 1), single=False, backend="native")
    compile_request(request, [W, X, 3], frozenset(), stages.__setitem__)
    program = [*statements(stages["optimize"].body)]
    made = [v.type for s in program for v in outputs(s)]
    assert not any(is_int(t.elem) for t in made if isinstance(t, SeqType))
    assert any(isinstance(s, Op) and s.fn is operator.floordiv for s in program)
