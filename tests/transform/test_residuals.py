"""What reversed loops and branches save: as little as can be, and never an array for its shape."""

import operator

import numpy as np
from transform.programs import INT, SCALAR, array, check, grad, program, tapes

from srcad.ir import For, If, Op, SeqType, verify
from srcad.ir.walk import statements
from srcad.runtime import index_update
from srcad.transform.kinds import gradient

RNG = np.random.default_rng(0)
SUM = (0.0,)


def test_linear_loop_saves_nothing():
    fn = program(lambda b, x: b.loop((0, 4, 1), (x,), lambda i, h: h * 0.5 + x), x=SCALAR)
    made = grad(fn)
    assert tapes(made) == []
    check(fn, np.float64(0.3))


def test_tanh_loop_saves_its_result():
    fn = program(
        lambda b, h: np.sum(b.loop((0, 4, 1), (h,), lambda i, h: np.tanh(h))), h=array("n")
    )
    assert tapes(grad(fn)) == ["seq[f64[n]]"]
    check(fn, RNG.random(3))


def test_reads_are_repeated():
    fn = program(
        lambda b, x, n: b.loop((0, n, 1), SUM, lambda i, s: s + x[i] * x[i + 1], types=[SCALAR]),
        x=array("n"),
        n=INT,
    )
    assert tapes(grad(fn)) == []
    check(fn, RNG.random(5), 4)


def test_arithmetic_of_saved_numbers_is_repeated():
    def f(b, x, w):
        return b.loop((0, 4, 1), (x,), lambda i, h: np.sin(h * w))

    assert tapes(grad(program(f, x=SCALAR, w=SCALAR))) == ["seq[f64]"]


def test_policy_decides():
    fn = program(
        lambda b, x: b.loop((0, 4, 1), SUM, lambda i, s: s + x[i] ** 2, types=[SCALAR]),
        x=array("n"),
    )
    options = {"with_value": False, "has_aux": False, "single": True}
    kept = verify(gradient(fn, [0], **options, recompute=lambda op: "save"))
    again = verify(gradient(fn, [0], **options, recompute=lambda op: "chain"))
    assert (tapes(kept), tapes(again)) == (["seq[f64]"], [])


def test_condition_is_computed_again():
    def f(b, x):
        def body(i, s):
            return b.branch(x[i] > 0.5, lambda: s * 2.0, lambda: s + x[i])

        return b.loop((0, 4, 1), SUM, body, types=[SCALAR])

    fn = program(f, x=array("n"))
    assert tapes(grad(fn)) == []
    check(fn, RNG.random(4))


def test_branch_hands_out_what_its_reversed_form_reads():
    def f(b, x, a):
        def then():
            t = np.exp(x)
            return np.sum(t * t) + np.sum(x * 3.0)

        return b.branch(a > 0.5, then, lambda: a)

    made = grad(program(f, x=array("n"), a=SCALAR))
    forward = next(s for s in made.body.body if isinstance(s, If))
    assert [str(out.type) for out in forward.outs if out.partial] == ["f64[n]"]


def test_dead_part_of_the_reversed_body_saves_nothing():
    def f(b, x, w):
        def body(i, h):
            return h * 0.5 + np.sum(np.exp(x * 2.0)) * w

        return b.loop((0, 4, 1), (w,), body)

    options = {"with_value": False, "has_aux": False, "single": True}
    made = verify(gradient(program(f, x=array("n"), w=SCALAR), [1], **options))
    assert tapes(made) == ["seq[f64]"]  # the sum, not the exponentials


def test_cotangent_that_does_not_change_is_not_carried():
    fn = program(
        lambda b, x: b.loop((0, 4, 1), SUM, lambda i, s: s + x[i] ** 2, types=[SCALAR]),
        x=array("n"),
    )
    (reverse,) = [s for s in grad(fn).body.body if isinstance(s, For) and s.reverse]
    assert [v.name for v in reverse.carried] == ["x_bar"]


def test_reads_of_a_loop_do_work_of_the_size_of_the_slice():
    fn = program(
        lambda b, m: b.loop((0, 4, 1), SUM, lambda i, s: s + np.sum(m[i] ** 2), types=[SCALAR]),
        m=array("n", "k"),
    )
    (reverse,) = [s for s in grad(fn).body.body if isinstance(s, For) and s.reverse]
    made = [s for s in statements(reverse.body) if isinstance(s, Op)]
    whole = [s for s in made if any(str(out.type) == "f64[n, k]" for out in s.outs)]
    assert [s.fn.__name__ for s in whole] == ["index_add"]
    assert not any(isinstance(out.type, SeqType) for s in made for out in s.outs)
    assert operator.getitem in [s.fn for s in made]


def test_branch_saves_the_entries_that_it_reads_of_an_array_stored_into():
    def f(b, a):
        def body(i, a):
            return b.branch(i > 0, lambda: b.call(index_update, a, i, a[i] * a[0]), lambda: a)

        return np.sum(b.loop((0, 4, 1), (a,), body))

    fn = program(f, a=array("n"))
    assert tapes(grad(fn)) == ["seq[f64]", "seq[f64]"]
    check(fn, RNG.random(4))


def test_branch_reads_an_array_that_stays():
    def f(b, a, x):
        def body(i, s):
            return b.branch(i > 0, lambda: s * 2.0 + a[i] * x[i], lambda: s)

        return b.loop((0, 4, 1), SUM, body, types=[SCALAR])

    fn = program(f, a=array("n"), x=array("n"))
    assert tapes(grad(fn)) == []
    check(fn, RNG.random(4), RNG.random(4))


def test_branch_reads_rows_of_an_array_that_each_iteration_makes():
    def f(b, h):
        def body(i, h):
            return b.branch(i > 0, lambda: np.tanh(h) * h[0], lambda: np.tanh(h))

        return np.sum(b.loop((0, 4, 1), (h,), body))

    fn = program(f, h=array("n"))
    assert "seq[f64[n]]" in tapes(grad(fn))
    check(fn, RNG.random(4))
