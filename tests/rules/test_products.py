import operator

import numpy as np
import pytest

from srcad.errors import SrcadError
from srcad.ir import ArrayType, Dim
from srcad.rules import RULES
from srcad.rules.core.infer import infer
from tests.rules.staging import Stage, vjp_text

F8 = np.dtype(float)


def operations(text):
    return [line.split(" = ")[1].split("(")[0] for line in text.splitlines()[:-1]]


@pytest.mark.parametrize(
    ("a", "b", "at", "emitted"),
    [
        ("k", "k", 0, ["mul"]),
        ("k", "k", 1, ["mul"]),
        ("nk", "k", 0, ["getitem", "getitem", "dot"]),
        ("nk", "k", 1, ["transpose", "matmul"]),
        ("k", "km", 0, ["matmul"]),
        ("k", "km", 1, ["getitem", "getitem", "dot"]),
        ("nk", "km", 0, ["transpose", "matmul"]),
        ("nk", "km", 1, ["transpose", "matmul"]),
        ("bnk", "bkm", 0, ["swapaxes", "matmul"]),
        ("bnk", "km", 1, ["tensordot"]),
        ("bnk", "k", 1, ["tensordot"]),
        ("nk", "bkm", 0, ["tensordot"]),
        ("nk", "bkm", 1, ["transpose", "matmul"]),
    ],
)
@pytest.mark.parametrize("fn", [operator.matmul, np.matmul], ids=["operator", "np"])
def test_cheapest_form_of_each_product(fn, a, b, at, emitted):
    stage = Stage()
    text = vjp_text(fn, at, stage, stage.array("a", *a), stage.array("b", *b))
    assert operations(text) == emitted


def test_einsum_transposes_to_one_einsum():
    stage = Stage()
    a, b = stage.array("a", "n", "k"), stage.array("b", "k", "m")
    text = vjp_text(np.einsum, 1, stage, "ij,jk->ik", a, b)
    assert text == "t: f64[n, k] = einsum('ik,jk->ij', g, b)\nreturn t"


def test_einsum_without_arrow_sorts_the_letters_found_once():
    t = ArrayType(F8, (2, 3))
    assert infer(np.einsum, ("ba", t), {}).shape == (3, 2)
    assert infer(np.einsum, ("...a", t), {}).shape == (2, 3)
    assert infer(np.einsum, ("ab,cb", t, t), {}).shape == (2, 2)


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (operator.matmul, ((2, 3), (3,))),
        (np.dot, ((2, 3), (3, 4))),
        (np.tensordot, ((2, 3), (3, 4, 2))),
        (np.outer, ((2,), (3,))),
        (np.inner, ((2, 3), (4, 3))),
        (np.kron, ((2, 3), (2,))),
        (np.vdot, ((2, 3), (2, 3))),
    ],
)
def test_complex_operands(fn, args):
    """Re <g, y_dot> = Re <x_bar, x_dot>, and the cotangent of a real operand is real."""
    rng = np.random.default_rng(0)
    options = {"axes": 1} if fn is np.tensordot else {}

    def random(shape):
        return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)

    for real_first in (False, True):
        xs = [random(s) for s in args]
        if real_first:
            xs[0] = xs[0].real.copy()
        ts = [random(s) if np.iscomplexobj(x) else random(s).real for s, x in zip(args, xs)]
        rule, y = RULES[fn], fn(*xs, **options)
        g = random(np.shape(y))
        y_dot = rule.jvp(ts, y, *xs, **options)
        h = 1e-6
        ahead = fn(*(x + h * t for x, t in zip(xs, ts)), **options)
        behind = fn(*(x - h * t for x, t in zip(xs, ts)), **options)
        np.testing.assert_allclose(y_dot, (ahead - behind) / (2 * h), rtol=1e-7, atol=1e-7)
        bars = [rule.vjps[i](g, y, *xs, **options) for i in (0, 1)]
        assert [np.iscomplexobj(b) for b in bars] == [np.iscomplexobj(x) for x in xs]
        pairs = sum(np.sum(b * t).real for b, t in zip(bars, ts))
        np.testing.assert_allclose(pairs, np.sum(g * y_dot).real)


@pytest.mark.parametrize("fn", [operator.matmul, np.dot, np.inner, np.kron])
def test_cotangents_have_the_dtype_of_their_operand(fn):
    a, b = np.ones((2, 2), np.float32), np.ones((2, 2))
    y = fn(a, b)
    assert RULES[fn].vjps[0](y, y, a, b).dtype == np.float32
    assert RULES[fn].vjps[1](y, y, a, b).dtype == np.float64


@pytest.mark.parametrize(
    ("fn", "args", "code"),
    [
        (operator.matmul, (ArrayType(F8, (2, 3)), ArrayType(F8, (2, 3))), "E402"),
        (operator.matmul, (ArrayType(F8, (2, 3)), ArrayType(F8, ())), "E132"),
        (np.dot, (ArrayType(F8, (3,)), ArrayType(F8, (2,))), "E402"),
        (np.einsum, ("ij,jk", ArrayType(F8, (2, 3)), ArrayType(F8, (2,))), "E407"),
        (np.einsum, (ArrayType(F8, (2, 3)), [0, 1]), "E123"),
        (np.cross, (ArrayType(F8, (4,)), ArrayType(F8, (4,))), "E402"),
    ],
)
def test_refused_products(fn, args, code):
    with pytest.raises(SrcadError) as refusal:
        infer(fn, args, {})
    assert refusal.value.code == code


def test_a_product_of_unknown_rank_is_refused_where_it_is_differentiated():
    stage = Stage()
    a = stage.value("a", ArrayType(F8, None))
    b = stage.array("b", "k", "m")
    assert (a @ b).type == ArrayType(F8, None)
    with pytest.raises(SrcadError) as refusal:
        RULES[operator.matmul].vjps[0](a @ b, a @ b, a, b)
    assert refusal.value.code == "E123"


def test_extents_that_may_be_1_are_summed_at_run_time():
    stage = Stage()
    a = stage.value("a", ArrayType(F8, (Dim("p"), Dim("n"), Dim("k"))))
    b = stage.value("b", ArrayType(F8, (Dim("q"), Dim("k"), Dim("m"))))
    assert "unbroadcast" in operations(vjp_text(operator.matmul, 0, stage, a, b))
