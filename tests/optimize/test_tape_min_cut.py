from __future__ import annotations

import numpy as np
import pytest

import srcad
from srcad.ir import Op, SeqType, verify
from srcad.ir.evaluate import evaluate
from srcad.ir.printer import show
from srcad.ir.walk import outputs, statements
from srcad.optimize.tape.tape_min_cut import recompute_by_min_cut
from srcad.pipeline.passes import bufferize, simplify
from srcad.pipeline.reports.saved_values import measure
from srcad.pipeline.request import Request
from srcad.pipeline.stages import compile_request

X = np.random.default_rng(0).standard_normal((6, 5))


def program(fn, *args):
    """The program of value and gradient, before writes in place."""
    stages_ = {}
    request = Request("value_and_grad", fn, (0,), single=False)
    compile_request(request, args, frozenset(), stages_.__setitem__)
    return simplify(stages_["derive"])


def n_saved(fn):
    """How many arrays and numbers the loops of a program save in an iteration."""
    made = [v for stmt in statements(fn.body) for v in outputs(stmt)]
    return sum(isinstance(v.type, SeqType) and not isinstance(v.type.elem, SeqType) for v in made)


def upwind(u, n):
    for _ in range(n):
        d = u[1:] - u[:-1]
        v = u.copy()
        v[1:] = u[1:] - 0.1 * (u[1:] * d + d * d * u[:-1])
        u = v
    return np.sum(u * u)


def nested(u, n):
    b = np.zeros_like(u)
    for k in range(n):
        s = u[1:, 1:] * u[:-1, :-1] + k
        b[1:, 1:] = s * s / (u[1:, 1:] * u[1:, 1:] + 1.0)
        for _ in range(3):
            p = u * b - b
            u = u + 0.1 * (p * p * u)
        u = 0.9 * u
    return np.sum(u * b)


def by_index(u, n):
    s = 0.0
    for k in range(n):
        a = u[k] * k - u[k + 1]
        c = a * a
        s = s + np.sum(a * c * u[0] * np.where(a > 0, a, c))
        u = u * 1.01
    return s


def transcendental(u, n):
    for _ in range(n):
        e = np.exp(-u * u)
        u = u + e * np.sin(e) * u
    return np.sum(u)


def left(u, n):
    for k in range(n):
        d = u[1:] * u[:-1]
        u = np.concatenate([u[:1], d * d * 0.5])
        if np.sum(u) > 5 - k:
            break
    return np.sum(u * u)


def collected(u, n):
    """What is collected is no tape alone."""
    rows = []
    for _ in range(n):
        d = u[1:] - u[:-1]
        u = np.concatenate([u[:1], d * d])
        rows.append(np.sum(d * d))
    return np.sum(np.array(rows) * np.sum(u))


def backwards(u, n):
    for k in range(n, -1, -2):
        d = u[1:] - u[:-1]
        u = np.concatenate([u[:1], d * d * k * d])
    return np.sum(u * u)


PROGRAMS = (upwind, nested, by_index, transcendental, left, collected, backwards)


TEXT = """\
def small_value_and_grad(u: f64[s0_0], n: int):
    for i: int=?1 in range(0, n, 1) carrying (u_2: f64[s0_0]) = (u):
        t: f64[s0_0-1] = getitem(u_2, 1:)
        t_2: f64[s0_0-1] = getitem(u_2, :-1)
        d: f64[s0_0-1] = mul(t, t_2)
        u_3: f64[s0_0] = mul(u_2, 1.5)
        t_3: f64[s0_0-1] = mul(d, d)
        t_4: f64[s0_0-1] = mul(t_3, d)
        u_4: f64[s0_0] = index_update(u_3, 1:, t_4)
        yield u_4, u_2
    -> u_5: f64[s0_0] collecting t_5: seq[f64[s0_0]]
    value: f64 = sum(u_5)
    t_6: (int=s0_0) = shape(u)
    u_bar: f64[s0_0] = broadcast_to(np.float64(1.0), t_6)
    for reversed i_2: int=?1 in range(0, n, 1) carrying (u_bar_2: f64[s0_0]) = (u_bar) \
reading (u_6: f64[s0_0]) of (t_5):
        t_7: f64[s0_0-1] = getitem(u_6, 1:)
        t_8: f64[s0_0-1] = getitem(u_6, :-1)
        d_2: f64[s0_0-1] = mul(t_7, t_8)
        t_9: f64[s0_0-1] = mul(d_2, d_2)
        u_bar_3: f64[s0_0] = index_update(u_bar_2, 1:, 0)
        t_10: f64[s0_0-1] = getitem(u_bar_2, 1:)
        t_11: f64[s0_0-1] = mul(t_10, d_2)
        d_bar: f64[s0_0-1] = mul(t_10, t_9)
        t_12: f64[s0_0-1] = mul(t_11, d_2)
        d_bar_2: f64[s0_0-1] = add(d_bar, t_12)
        d_bar_3: f64[s0_0-1] = add(d_bar_2, t_12)
        u_bar_4: f64[s0_0] = mul(1.5, u_bar_3)
        t_13: f64[s0_0-1] = mul(d_bar_3, t_8)
        t_14: f64[s0_0-1] = mul(d_bar_3, t_7)
        u_bar_5: f64[s0_0] = index_add(u_bar_4, :-1, t_14)
        u_bar_6: f64[s0_0] = index_add(u_bar_5, 1:, t_13)
        yield u_bar_6
    -> u_bar_7: f64[s0_0]
    return value, u_bar_7
"""


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("n", [0, 1, 4])
def test_the_same_to_the_last_bit(fn, n):
    old = program(fn, X, 2)
    new = recompute_by_min_cut(old)
    verify(new, "computed_again")
    versions = (old, new, bufferize(new))
    with np.errstate(all="ignore"):
        wanted, *others = [evaluate(version, X.copy(), n) for version in versions]
    for found in others:
        assert [np.asarray(a).tobytes() for a in found] == [np.asarray(a).tobytes() for a in wanted]


@pytest.mark.parametrize(
    ("fn", "before", "after"), [(upwind, 4, 1), (nested, 9, 3), (transcendental, 5, 3)]
)
def test_less_is_saved(fn, before, after):
    old = program(fn, X, 2)
    assert (n_saved(old), n_saved(recompute_by_min_cut(old))) == (before, after)


def test_nothing_dear_is_computed_again():
    new = recompute_by_min_cut(program(transcendental, X, 2))
    fns = [stmt.fn for stmt in statements(new.body) if isinstance(stmt, Op)]
    assert (fns.count(np.exp), fns.count(np.sin)) == (1, 1)


def test_text():
    def small(u, n):
        for _ in range(n):
            d = u[1:] * u[:-1]
            u = u * 1.5
            u[1:] = d * d * d
        return np.sum(u)

    assert show(recompute_by_min_cut(program(small, X[0], 2))) == TEXT


def test_the_report_of_what_is_saved_tells_so(monkeypatch):
    def saved(backend):
        kept, _ = measure(Request("grad", upwind, backend=backend), (X[0], 10))
        return sum(each.n_bytes for each in kept)

    plain = saved("numpy")
    monkeypatch.setattr("srcad.pipeline.targets.Native.is_available", True)
    assert saved("native") * 2 < plain == saved("numpy")


def test_machine_code_agrees():
    pytest.importorskip("numba")
    for fn in (upwind, nested, by_index):
        found = srcad.value_and_grad(fn, backend="native")(X, 4)
        wanted = srcad.value_and_grad(fn, backend="numpy")(X, 4)
        np.testing.assert_allclose(found[0], wanted[0], rtol=1e-12)
        np.testing.assert_allclose(found[1], wanted[1], rtol=1e-9, atol=1e-12)
