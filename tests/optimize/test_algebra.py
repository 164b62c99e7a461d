"""Each law, by running both of its sides; the pass, on programs."""

import inspect
import itertools
import operator

import numpy as np
import pytest
from optimize.passes import SPECIAL, assert_same, check_pass
from transform.programs import FLOAT, SCALAR, array, program

import srcad
from srcad import runtime
from srcad.errors import Location
from srcad.ir import ArrayType, show
from srcad.ir.evaluate import evaluate
from srcad.optimize.simplify.algebra import apply_laws
from srcad.optimize.simplify.algebra_table import LAWS
from srcad.optimize.simplify.dce import dce
from srcad.optimize.simplify.pattern import ACCURATE, EXACT, FAST
from srcad.rules.core.operators import OPERATORS

NUMBERS = (1, -1, 2, 0.5, -3.0, 4.0, 0.0)


def holes(law):
    return list(inspect.signature(law.left).parameters)


def operands(dtype):
    """Two arrays and a NumPy scalar in which each special value meets each."""
    a, b = np.array(list(itertools.product(SPECIAL, SPECIAL)), dtype).T
    return a, b, dtype(1.5), b[::-1].copy(), dtype(-0.0), a[::-1].copy(), dtype(np.inf)


def calls(law, dtype):
    if law.cases:
        yield from law.cases
        return
    names = holes(law)
    matrices = law.pattern.fn is operator.matmul
    rng = np.random.default_rng(0)
    if matrices:
        yield tuple(rng.standard_normal((3, 3)).astype(dtype) for _ in names)
        return
    for order in itertools.permutations(operands(dtype), sum(n not in ("c", "c2") for n in names)):
        for numbers in itertools.product(NUMBERS, repeat=sum(n in ("c", "c2") for n in names)):
            arrays, constants = iter(order), iter(numbers)
            yield tuple(next(constants if n in ("c", "c2") else arrays) for n in names)


def both_sides(law, dtype):
    used = 0
    for args in calls(law, dtype):
        if law.when is not None and not law.when(*args):
            continue
        with np.errstate(all="ignore"):
            try:
                want = law.left(*args)
            except ZeroDivisionError:
                continue
            got = law.right(*args)
        used += 1
        yield args, got, want
    assert used, f"no arguments for {law}"


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("law", [x for x in LAWS if x.accuracy is EXACT], ids=str)
def test_exact_laws_give_the_same_bits(law, dtype):
    for args, got, want in both_sides(law, dtype):
        if np.ndim(got) == np.ndim(want) and np.result_type(got) == np.result_type(want):
            assert_same(np.asarray(got), np.asarray(want), f"{law}\n{args}")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("law", [x for x in LAWS if x.accuracy is ACCURATE], ids=str)
def test_accurate_laws_agree_within_a_rounding(law, dtype):
    eps = np.finfo(dtype).eps
    for args, got, want in both_sides(law, dtype):
        scale = [np.asarray(a) for a in args if not isinstance(a, tuple)]
        if all(np.all(np.isfinite(a)) for a in scale):
            np.testing.assert_allclose(got, want, rtol=4 * eps, atol=4 * eps, err_msg=str(law))
        assert np.result_type(got) == np.result_type(want), law


@pytest.mark.parametrize("law", [x for x in LAWS if x.accuracy is FAST], ids=str)
def test_fast_laws_hold_for_ordinary_numbers(law):
    rng, scalars = np.random.default_rng(1), iter((3.0, np.float64(1.25)))
    is_scalar = {"s", "t", "c"}
    args = [next(scalars) if n in is_scalar else rng.uniform(0.5, 2.0, 5) for n in holes(law)]
    np.testing.assert_allclose(law.right(*args), law.left(*args), rtol=1e-14, atol=1e-14)


def test_a_law_that_is_not_exact_is_found_out():
    from srcad.optimize.simplify.pattern import make_law

    wrong = make_law(lambda x: x + 0, lambda x: x)
    found = [
        args
        for args, got, want in both_sides(wrong, np.float64)
        if np.any(np.signbit(got) != np.signbit(want))
    ]
    assert found


def text_of(fn):
    """The right sides of the program's operations, in order."""
    return [line.strip() for line in show(fn).splitlines()[1:]]


VECTOR = array("n")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (lambda b, x, y: x * 1, "return x"),
        (lambda b, x, y: x + x + x, "t: f64[n] = mul(3, x)|return t"),
        (lambda b, x, y: (-x) * y + x, "t: f64[n] = mul(x, y)|t_2: f64[n] = sub(x, t)|return t_2"),
        (lambda b, x, y: -(-(x / y)), "t: f64[n] = truediv(x, y)|return t"),
        (lambda b, x, y: x - (-y), "t: f64[n] = add(x, y)|return t"),
        (lambda b, x, y: -(2.0 * x), "t: f64[n] = mul(-2.0, x)|return t"),
        (
            lambda b, x, y: y + (-2.0) * x,
            "t: f64[n] = mul(2.0, x)|t_2: f64[n] = sub(y, t)|return t_2",
        ),
        (lambda b, x, y: np.reshape(np.reshape(x, (-1, 1)), np.shape(x)), "return x"),
        (lambda b, x, y: x.astype(float), "return x"),
        (lambda b, x, y: np.zeros_like(x) + y, "return y"),
    ],
)
def test_programs_become_shorter(written, expected):
    y = np.array(SPECIAL)
    fn = program(written, x=VECTOR, y=VECTOR)
    new = dce(apply_laws(fn))
    assert text_of(new) == expected.split("|"), show(fn)
    with np.errstate(all="ignore"):
        got, want = (evaluate(f, y, y[::-1].copy()) for f in (new, fn))
    np.testing.assert_allclose(got[0], want[0], rtol=1e-15)


def test_types_stay():
    f32, i64 = array(3, dtype=np.float32), array(3, dtype=np.int64)
    zero_d = ArrayType(np.dtype(float), ())
    for written, t in (
        (lambda b, x: x * np.float64(1), f32),  # becomes float64
        (lambda b, x: x * 1.0, i64),
        (lambda b, x: x / 1, i64),
        (lambda b, x: x * 1, zero_d),  # a NumPy scalar, no array
        (lambda b, x: np.sum(x), ArrayType(np.dtype(int), ())),
    ):
        fn = program(written, x=t)
        assert apply_laws(fn) is fn, show(fn)


def test_unsigned_and_mixed_integers_keep_their_minus():
    u8, i64 = array(3, dtype=np.uint8), array(3, dtype=np.int64)
    for written in (
        lambda b, x, y: (-x) * y,
        lambda b, x, y: y + (-x),
        lambda b, x, y: y / (-x),
    ):
        fn = program(written, x=u8, y=i64)
        assert apply_laws(fn) is fn, show(fn)


def test_a_value_used_twice_is_not_made_twice():
    fn = program(lambda b, x, y: (lambda n: (n * y, n))(-x), x=VECTOR, y=VECTOR)
    assert apply_laws(fn) is fn


def test_work_does_not_move_into_a_loop():
    def written(b, x, y):
        minus = np.exp(-x)
        negative = -minus
        return b.loop((0, 3, 1), [y], lambda i, h: (h @ h) * (negative * h))

    fn = program(written, x=VECTOR, y=VECTOR)
    assert show(apply_laws(fn)) == show(fn)


def test_scalars_take_the_minus_and_the_power_of_two():
    fn = program(lambda b, s, x: -(s * (2.0 * x)), s=SCALAR, x=VECTOR)
    check_pass(apply_laws, fn, (np.float64(0.3), np.array([0.0, -0.0, 1.5])))
    shown = [line.split(" = ")[-1] for line in text_of(dce(apply_laws(fn)))]
    assert shown == ["mul(-2.0, s)", "mul(t, x)", "return t_2"]


def test_scatters_are_added_in_place_later():
    def written(b, x, g):
        t = b.call(runtime.scatter, g, np.shape(x), 1)
        return x + t

    fn = program(written, x=VECTOR, g=SCALAR)
    assert "index_add(x, 1, g)" in show(apply_laws(fn))


def derivative(fn):
    """The program, as if all of it were computed for a derivative."""
    for op in fn.body.body:
        op.loc = Location("model.py", 1, operation="np.trace", part="derivative")
    return fn


def test_only_derivatives_leave_out_a_broadcast():
    fn = program(lambda b, x: np.broadcast_to(x, np.shape(x)), x=VECTOR)
    assert "broadcast_to" in show(apply_laws(fn))
    assert text_of(dce(apply_laws(derivative(fn)))) == ["return x"]


def test_what_is_broadcast_is_read_only():
    def f(x):
        return np.broadcast_to(x, x.shape)

    x = np.array([1.0, 2.0])
    found = srcad.compile(f)(x)
    assert not found.flags.writeable
    assert np.shares_memory(found, x)


def test_trace_of_a_product_needs_no_eye():
    def written(b, a, g):
        return (g * b.call(np.eye, 3)) @ a

    fn = derivative(program(written, a=array(3, 4), g=FLOAT))
    assert "mul(g, a)" in show(apply_laws(fn))
    not_square = program(lambda b, a, g: (g * b.call(np.eye, 2, 3)) @ a, a=array(3, 4), g=FLOAT)
    assert apply_laws(not_square) is not_square


def test_products_of_the_user_with_the_identity_are_computed():
    def f(x):
        return np.sum((np.eye(3) @ x)[:1]) + np.sum((2.0 * np.eye(3) @ x)[1:])

    x = np.array([1.5, np.inf, 2.0])
    with np.errstate(invalid="ignore"):
        assert np.isnan(f(x))
        assert np.isnan(srcad.compile(f, backend="numpy")(x))
        assert np.isnan(srcad.value_and_grad(f)(x)[0])
        np.testing.assert_array_equal(srcad.grad(f)(x), [1.0, 2.0, 2.0])


def test_fast_math_only_on_request():
    fn = program(lambda b, x, y: (x - x) + y * 0, x=VECTOR, y=VECTOR)
    assert apply_laws(fn) is fn
    assert "sub" not in show(apply_laws(fn, fast_math=True))


def test_every_law_starts_with_a_known_operation():
    known = {*OPERATORS.values()}
    for law in LAWS:
        assert law.pattern.fn in known or callable(law.pattern.fn)


def test_laws_end():
    """No sequence of laws goes on for ever, and a second run finds nothing."""
    rng = np.random.default_rng(2)
    for _ in range(40):
        steps = [int(k) for k in rng.integers(0, 6, 6)]

        def written(b, x, y, s, steps=steps):
            values = [x, y, s * x]
            for k in steps:
                a, c = values[-1], values[k % len(values)]
                made = (-a, a * (-c), a + (-2.0) * c, s * (2.0 * a), (-a) / c, a - (-c))
                values.append(made[k])
            return values[-1]

        fn = program(written, x=VECTOR, y=VECTOR, s=SCALAR)
        new = apply_laws(apply_laws(fn))
        new = apply_laws(new)
        assert apply_laws(new) is new, f"{steps}\n{show(fn)}\n{show(new)}"


def test_what_a_law_makes_is_seen_by_other_laws():
    """`-x` goes out of the second reshape, which then undoes the first."""

    def written(b, x):
        return np.reshape(-np.reshape(x, (2, 2)), (4,))

    fn = program(written, x=array(4))
    (line,) = show(dce(apply_laws(fn))).splitlines()[1:-1]
    assert line.strip() == "t: f64[4] = neg(x)"


def test_what_a_law_reads_again_is_not_made_again():
    """The logistic law finds `y`; that it is read more than once keeps it from being divided."""

    def layer(w, x):
        y = 1 / (1 + np.exp(-(x @ w)))
        return np.sum((y @ w.T) ** 2)

    source = srcad.grad(layer).source(np.ones((3, 2)), np.ones((4, 3)))
    assert source.count(" / ") == 2  # the comment and the line
    assert "y * (1 - y)" in source
