"""Writing in place: where a person would, and never where it could be noticed."""

import functools
import operator

import numpy as np
import pytest
from optimize.passes import assert_same, check_pass, run
from transform.programs import FLOAT, INT, array, program

import srcad
from srcad import runtime
from srcad.ir import (
    ArrayType,
    Block,
    Closure,
    Function,
    ObjectType,
    Op,
    SeqType,
    Value,
    show,
    verify,
)
from srcad.ir.inplace import DESTROYS
from srcad.ir.walk import statements
from srcad.optimize.memory.bufferize import store_in_place
from srcad.rules import nondiff
from srcad.rules.core.facts import type_of_constant

N = 4
VECTOR, MATRIX = array(N), array(N, N)
X, Y = np.array([1.0, -2.0, 3.0, -0.5]), np.array([0.25, 0.5, -1.0, 2.0])


def named(name, x):
    x.value.name = name
    return x


def bar(x):
    """`x` with the name that asks for writing in place."""
    return named("x_bar", x)


def writes(fn):
    """The operations in place, in program order."""
    return [s.fn.__name__ for s in statements(fn.body) if isinstance(s, Op) and s.fn in DESTROYS]


def check(written, expected, *more, types=None, again=None):
    """`written` writes in place as `expected` says, and computes what it did."""
    fn = program(written, **(types or {"x": VECTOR, "y": VECTOR}))
    new = verify(store_in_place(fn), "inplace")
    args = (X, Y, *more)
    assert_same(run(new, args), run(fn, args), f"{show(fn)}\n{show(new)}", signs=False)
    assert writes(new) == expected, show(new)
    return new


# ---- golden


def test_accumulators_of_a_reverse_loop(golden):
    def written(b, x, y):
        def forward(i, h):
            new = np.tanh(h * y)
            return new, h

        h, tape = b.loop((0, 3, 1), [x], forward, names=["h"])

        def back(i, h_bar, y_bar, x_bar, h):
            t = h_bar * (1 - h * h)
            entry = b.call(operator.getitem, t, i)
            return (
                t * y,
                named("y_bar", y_bar + t * h),
                named("x_bar", b.call(runtime.index_add, x_bar, i, entry)),
            )

        zeros = [np.zeros_like(y), np.zeros_like(x)]
        return b.loop(
            (0, 3, 1),
            [h, *zeros],
            back,
            ins=[tape],
            reverse=True,
            names=["h_bar", "y_bar", "x_bar"],
        )

    fn = program(written, x=VECTOR, y=VECTOR)
    golden("optimize_inplace_loop.txt", check_pass(store_in_place, fn, (X, Y), again=False))


def test_scattered_writes(golden):
    def written(b, x, y):
        rows = np.array([0, 2, 2])
        a = b.call(runtime.scatter, y[1:], np.shape(x), slice(1, None))
        c = b.call(runtime.index_add, a, (slice(None, -1),), y[:-1])
        d = b.call(runtime.index_add, c, rows, y[rows])
        e = b.call(runtime.index_add, x, 1, 5.0)
        f = b.call(runtime.scatter, y[rows], (N,), rows)
        return d, e, f

    fn = program(written, x=VECTOR, y=VECTOR)
    golden("optimize_inplace_scatter.txt", check_pass(store_in_place, fn, (X, Y), again=False))


# ---- straight line


def test_a_sum_of_the_same_name():
    check(lambda b, x, y: bar(bar(x * y) + x), ["iadd"])
    check(lambda b, x, y: bar(bar(x * y) - x), ["isub"])
    check(lambda b, x, y: bar(x + bar(x * y)), ["iadd"])
    check(lambda b, x, y: bar(x - bar(x * y)), [])  # x - a is not a -= x


def test_temporaries_stay_expressions():
    check(lambda b, x, y: x * y + x, [])


def test_parameters_and_their_views_are_never_written():
    check(lambda b, x, y: bar(named("x_bar", x) + y), [])
    check(lambda b, x, y: bar(bar(x[::-1]) + y), [])
    check(lambda b, x, y: bar(bar(np.reshape(x, (N,))) + y), [])
    check(lambda b, x, y: bar(bar(np.reshape(np.transpose(x[:, None]), (N,))) + y), [])
    check(lambda b, x, y: bar(bar(b.call(runtime.unbroadcast, x, (N,))) + y), [])
    check(lambda b, x, y: bar(bar(b.call(np.asarray, x)) + y), [])


def test_what_cannot_be_written_is_not():
    check(lambda b, x, y: bar(bar(np.broadcast_to(np.sum(x), (N,))) + y), [])


def test_a_value_that_is_read_later_stays():
    check(lambda b, x, y: (lambda a: (bar(a + y), a))(bar(x * y)), [])
    check(lambda b, x, y: (lambda a: bar(a + y) + a)(bar(x * y)), [])
    check(lambda b, x, y: (lambda a, v: (bar(a + y), v))(*(lambda a: (a, a[1:]))(bar(x * y))), [])
    check(lambda b, x, y: (lambda a: bar(a[::-1] * 1.0 + a))(bar(x * y)), ["iadd"])


def test_of_two_sums_only_the_last_destroys():
    """z = x + y gives both arguments one cotangent."""

    def written(b, x, y):
        g = bar(x * y)
        return bar(g + x), bar(g + y)

    check(written, ["iadd"])


def test_a_view_may_be_added_to_what_it_views():
    check(lambda b, x, y: (lambda a: bar(a + a[::-1]))(bar(x * y)), ["iadd"])


@pytest.mark.parametrize("store", [runtime.index_add, runtime.index_update])
def test_what_is_written_may_overlap_with_where(store):
    """NumPy sees to it for slices; for index arrays the values are copied first."""

    def slices(b, x, y):
        a = x * y
        return b.call(store, a, slice(1, None), a[:-1])

    def rows(b, x, y):
        a = x * y
        return b.call(store, a, np.array([2, 0, 1]), a[:-1])

    expected = ["index_iadd" if store is runtime.index_add else "index_set"]
    assert "copy" not in show(check(slices, expected))
    assert show(check(rows, expected)).count("copy") == 1


def test_types_must_be_the_very_same():
    f32, number = array(N, dtype=np.float32), ArrayType(np.dtype(float), (), True)
    types = {"x": f32, "y": VECTOR}
    fn = program(lambda b, x, y: bar(bar(x * x) + y), **types)
    assert writes(store_in_place(fn)) == []
    fn = program(lambda b, x, y: bar(bar(np.sum(x)) + y), x=VECTOR, y=number)
    assert writes(store_in_place(fn)) == []
    fn = program(lambda b, x, y: bar(bar(x[:, None] * 1.0) + y), x=VECTOR, y=VECTOR)
    assert writes(store_in_place(fn)) == []
    unknown = ArrayType(np.dtype(float), None)
    fn = program(lambda b, x, y: bar(bar(x * y) + y), x=unknown, y=unknown)
    assert writes(store_in_place(fn)) == []


def test_functions_of_others_may_keep_what_they_return():
    kept = np.ones(N)

    def theirs(x):
        return kept

    def written(b, x, y):
        out = Value("x_bar", VECTOR)
        b.builder.body.append(Op(theirs, (b_atom(x),), {}, (out,)))
        return bar(b.builder.wrap(out) + y)

    check(written, [])
    np.testing.assert_array_equal(kept, np.ones(N))


def b_atom(x):
    return x.value


def test_constant_arrays_are_never_written():
    table = np.ones(N)
    new = check(lambda b, x, y: b.call(runtime.index_add, table, 1, 5.0), [])
    check(lambda b, x, y: b.loop((0, 2, 1), [table], lambda i, a: a + y, types=[VECTOR]), ["iadd"])
    np.testing.assert_array_equal(table, np.ones(N))
    assert "index_add" in show(new)


# ---- branches


def test_each_branch_may_destroy_what_the_other_reads():
    def written(b, x, y):
        a = bar(x * y)
        return b.branch(np.sum(x) > 0, lambda: bar(a + x), lambda: bar(a + y))

    check(written, ["iadd", "iadd"])


def test_a_branch_may_hand_on_what_another_value_is():
    def written(b, x, y):
        a = bar(x * y)
        one = bar(b.branch(np.sum(x) > 0, lambda: a, lambda: y * 2.0))
        return bar(one + x), a

    check(written, [])

    def parameter(b, x, y):
        one = bar(b.branch(np.sum(x) > 0, lambda: x, lambda: y * 2.0))
        return bar(one + y)

    check(parameter, [])


def test_what_one_branch_destroyed_is_not_read_after_it():
    def written(b, x, y):
        a = bar(x * y)
        one = b.branch(np.sum(x) > 0, lambda: bar(a + x), lambda: y)
        return one * a

    check(written, [])


# ---- loops


def loop(b, init, body, **about):
    return b.loop((0, 3, 1), init, body, **about)


def test_a_carried_sum():
    check(lambda b, x, y: loop(b, [np.zeros_like(x)], lambda i, a: a + y), ["iadd"])
    check(lambda b, x, y: loop(b, [np.zeros_like(x)], lambda i, a: y + a), ["iadd"])


def test_a_start_that_others_hold_is_copied_once():
    new = check(lambda b, x, y: loop(b, [x], lambda i, a: a + y), ["iadd"])
    assert "= copy(x)" in show(new)

    def read_after(b, x, y):
        start = x * y
        return loop(b, [start], lambda i, a: a + y), start

    assert "copy" in show(check(read_after, ["iadd"]))

    def read_inside(b, x, y):
        start = x * y
        return loop(b, [start], lambda i, a: a + start)

    assert "copy" in show(check(read_inside, ["iadd"]))


def test_two_carried_values_that_start_as_one():
    def written(b, x, y):
        start = np.zeros_like(x)
        return loop(b, [start, start], lambda i, a, c: (a + y, c + x))

    assert show(check(written, ["iadd", "iadd"])).count("copy") == 2


def test_a_carried_sum_on_the_tape_stays_functional():
    def written(b, x, y):
        a, tape = loop(b, [x * y], lambda i, a: (a + y, a))
        return a, loop(b, [np.zeros_like(x)], lambda i, s, h: s + h * h, ins=[tape])

    check(written, ["iadd"])

    def result_on_tape(b, x, y):
        def body(i, a):
            new = a + y
            return new, new

        a, tape = loop(b, [x * y], body)
        return a, loop(b, [np.zeros_like(x)], lambda i, s, h: s + h * h, ins=[tape])

    check(result_on_tape, ["iadd"])

    def view_on_tape(b, x, y):
        a, tape = loop(b, [x * y], lambda i, a: (a + y, a[1:]))
        return a, loop(b, [np.zeros_like(x)], lambda i, s, h: s + np.sum(h * h), ins=[tape])

    check(view_on_tape, ["iadd"])


def test_what_the_tape_holds_is_not_written_when_it_is_read():
    def written(b, x, y):
        _, tape = loop(b, [x], lambda i, a: (np.tanh(a), np.exp(a)))

        def back(i, s, h):
            return s * (named("h", named("h", h) + y)), h

        first, same = loop(b, [y], back, ins=[tape])
        return first, loop(b, [y], lambda i, s, h: s * h, ins=[same])

    check(written, [])


def test_the_next_turn_reads_the_old_value():
    def swapped(b, x, y):
        return loop(b, [x * y, y * 2.0], lambda i, a, c: (c, a + y))

    check(swapped, ["iadd"])

    def kept(b, x, y):
        return loop(b, [x * y, y * 2.0], lambda i, a, c: (a + y, a))

    check(kept, [])

    def twice(b, x, y):
        def body(i, a, c):
            new = a + y
            return new, new

        return loop(b, [x * y, y * 2.0], body)

    check(twice, [])

    def later(b, x, y):
        return loop(b, [x * y, y * 2.0], lambda i, a, c: (a + y, np.exp(a)))

    check(later, [])


def test_a_value_from_outside_is_read_in_every_turn():
    def written(b, x, y):
        a = bar(x * y)
        return loop(b, [y], lambda i, s: s * bar(a + x))

    check(written, [])


def test_a_buffer_of_this_turn_may_be_destroyed_in_it():
    def written(b, x, y):
        return loop(b, [y], lambda i, s: np.tanh(bar(bar(s * x) + y)))

    check(written, ["iadd"])


def test_a_turn_that_gives_a_parameter_back():
    def written(b, x, y):
        def body(i, a):
            return b.branch(np.sum(a) > 0, lambda: a + y, lambda: x)

        return loop(b, [x * y], body)

    check(written, [])


def test_nested_loops_hand_their_buffers_over():
    def written(b, x, y):
        def outer(i, a):
            return loop(b, [a], lambda j, c: c + y)

        return loop(b, [np.zeros_like(x)], outer)

    assert "copy" not in show(check(written, ["iadd"]))

    def read_between(b, x, y):
        def outer(i, a):
            inner = loop(b, [a], lambda j, c: c + y)
            return inner * a

        return loop(b, [np.zeros_like(x)], outer)

    assert "copy" in show(check(read_between, ["iadd", "imul"]))


def test_a_while_tests_before_it_writes():
    def written(b, x, y):
        types = [INT, VECTOR]
        return b.turns(
            [0, np.zeros_like(x)], lambda k, a: k < 3, lambda k, a: (k + 1, a + y), types=types
        )[1]

    check(written, ["iadd"])

    def watched(b, x, y):
        types = [VECTOR, VECTOR]
        return b.turns(
            [np.zeros_like(x), x * y],
            lambda a, c: np.sum(a) < 2.0,
            lambda a, c: (a + np.exp(c), a),
            types=types,
        )

    check(watched, [])


# ---- closures


def closure(b, body, *captured):
    param, out = Value("g", VECTOR), Value("pull", ObjectType("function"))
    made, results = b.inside(body, param)
    b.builder.body.append(Closure(Function("pull", Block([param], made, results)), out))
    return out


def call(b, pull, g):
    out = Value("", VECTOR)
    b.builder.body.append(Op(lambda f, v: f(v)[0], (pull, g.value), {}, (out,)))
    return b.builder.wrap(out)


def test_what_a_closure_reads_later_stays():
    def written(b, x, y):
        a = bar(x * y)
        pull = closure(b, lambda g: g * a)
        changed = bar(a + y)
        return changed, call(b, pull, x)

    check(written, [])

    def dead(b, x, y):
        a = bar(x * y)
        pull = closure(b, lambda g: g * a)
        first = call(b, pull, x) * 1.0
        return bar(a + y), first

    check(dead, ["iadd"])


def test_a_closure_runs_more_than_once():
    def written(b, x, y):
        a = bar(x * y)
        pull = closure(b, lambda g: bar(a + g))
        return call(b, pull, x), call(b, pull, x)

    check(written, [])

    def own(b, x, y):
        a = x * y
        pull = closure(b, lambda g: bar(bar(a * g) + g))
        return call(b, pull, x), call(b, pull, x)

    check(own, ["iadd"])

    def loops(b, x, y):
        a = x * y
        pull = closure(b, lambda g: loop(b, [a], lambda i, s: s + g))
        return call(b, pull, x), call(b, pull, x)

    assert "copy(" in show(check(loops, ["iadd"]))


def test_nothing_to_do_is_nothing_done():
    fn = program(lambda b, x, y: np.exp(x), x=VECTOR, y=VECTOR)
    assert store_in_place(fn) is fn


@pytest.mark.parametrize(
    "index", [1, slice(1, 3), (slice(None),), np.array([0, 0, 1]), np.int64(2)]
)
def test_every_index(index):
    """As the functional operation does it, on a carried buffer and on a parameter."""

    def written(b, x, y):
        g = y[index]
        once = b.call(runtime.index_add, x, index, g)
        return once, loop(
            b,
            [np.zeros_like(x)],
            lambda i, a: b.call(runtime.index_add, a, index, g),
        )

    name = "index_iadd_at" if isinstance(index, np.ndarray) else "index_iadd"
    check(written, [name, name])


def test_a_mask_and_the_loops_index():
    def written(b, x, y):
        mask = x > 0
        first = b.call(runtime.scatter, y[mask], (N,), mask)

        def body(i, a):
            return b.call(runtime.index_add, a, (i,), y[i])

        return first, loop(b, [np.zeros_like(x)], body)

    check(written, ["index_set", "index_iadd"])


def test_rows_counted_up_are_named_once():
    """`p[np.arange(n), labels]`: no row twice, whatever the labels."""
    types = {"x": MATRIX, "y": VECTOR, "k": array(N, dtype=np.int64)}

    def written(b, x, y, k, counts):
        return b.call(runtime.index_add, x, (counts, k), y)

    def rows(b, x, y, k):
        return written(b, x, y, k, b.call(np.arange, N))

    def shifted(b, x, y, k):
        return written(b, x, y, k, b.call(np.arange, -2, 2))

    def masked(b, x, y, k):
        return written(b, x, y, k > 0, b.call(np.arange, N))

    args = (np.zeros((N, N)), Y, np.array([3, 0, 0, 2]))
    for made, expected in ((rows, "index_iadd"), (shifted, "index_iadd_at")):
        fn = program(made, **types)
        new = store_in_place(fn)
        assert writes(new) == [expected]
        assert_same(run(new, args), run(fn, args), show(new))
    assert writes(store_in_place(program(masked, **types))) == ["index_iadd_at"]


def test_a_sequence_of_lists_is_no_buffer():
    assert SeqType(VECTOR) != VECTOR
    check(
        lambda b, x, y, k: bar(bar(x * k) + y),
        ["iadd"],
        2.0,
        types={"x": VECTOR, "y": VECTOR, "k": FLOAT},
    )


KEPT = np.arange(3.0)


@functools.wraps(np.arange)
def kept(n):
    """A user's function that wears NumPy's module, and gives an array that it keeps."""
    return KEPT


def test_an_array_that_a_users_function_keeps_is_not_written():
    nondiff(kept, type_of=lambda n: type_of_constant(KEPT))

    def f(x):
        t = kept(3)
        for _ in range(3):
            t = t + x
        return t

    x = np.array([0.5, 0.25, 1.0])
    for _ in range(2):
        np.testing.assert_array_equal(srcad.compile(f, backend="numpy")(x), np.arange(3.0) + 3 * x)
    np.testing.assert_array_equal(KEPT, np.arange(3.0))
