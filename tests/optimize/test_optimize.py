"""All passes on random programs: values, types, ownership of the results, and an end."""

import numpy as np
import pytest
from optimize.passes import assert_same, copied, run
from optimize.random_programs import arguments, random_program

from srcad.ir import show, verify
from srcad.ir.evaluate import evaluate
from srcad.optimize.memory.bufferize import store_in_place
from srcad.optimize.simplify import algebra
from srcad.optimize.simplify.algebra_table import LAWS
from srcad.optimize.simplify.pattern import EXACT
from srcad.pipeline.passes import (
    BUFFERIZE,
    CHECKPOINT,
    EXPAND,
    FACTOR,
    PREPARE,
    RECOMPUTE,
    SIMPLIFY,
    bufferize,
    optimize,
    simplify,
    simplify_again,
)  # fmt: skip

SEEDS = range(20)
CONTEXT = {"fast_math": False, "again": False, "repeats": False, "simplify": simplify_again}
# Sums of cotangents have no order of their own; nor have those that become products of matrices.
SUMS_IN_ANOTHER_ORDER = ("store-combining", "loops-to-matmul", "matmul-factoring", "matmul-sinking")
_EXACT = algebra._Table([law for law in LAWS if law.accuracy is EXACT])


def applied(each, fn):
    """The program after a pass; of the laws, those that are exact."""
    if each.run is algebra.apply_laws:
        return algebra._Laws(_EXACT, fn).run(fn)
    context = {**CONTEXT, "exact": range(len(fn.body.results))}
    return each.run(fn, **{name: context[name] for name in each.takes})


@pytest.mark.parametrize("seed", SEEDS)
def test_each_pass_keeps_every_bit_of_a_random_program(seed):
    fn = random_program(seed)
    calls = [arguments(seed), arguments(seed, special=True)]
    for stage in (EXPAND, PREPARE, FACTOR, SIMPLIFY, CHECKPOINT, RECOMPUTE, BUFFERIZE):
        for each in stage.passes:
            new = verify(applied(each, fn), each.name, stage.level)
            for args in calls:
                text = f"{each.name}\n{show(fn)}\n{show(new)}"
                got, want = run(new, args), run(fn, args)
                if each.name in SUMS_IN_ANOTHER_ORDER:
                    for a, b in zip(got, want, strict=True):
                        np.testing.assert_allclose(a, b, rtol=1e-12, err_msg=text)
                else:
                    # `z[i] = -0.0` stands for `0.0 + -0.0`.
                    assert_same(got, want, text, signs=each.run is not store_in_place)


@pytest.mark.parametrize("seed", SEEDS)
def test_all_passes_together(seed):
    fn = random_program(1000 + seed)
    before = show(fn)
    new = verify(optimize(fn), "optimize")
    assert show(fn) == before
    args = arguments(seed)
    got, want = run(new, args), run(fn, args)
    for a, b in zip(got, want, strict=True):
        assert (np.shape(a), np.asarray(a).dtype) == (np.shape(b), np.asarray(b).dtype)
        if np.all(np.isfinite(b)):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9, err_msg=f"{before}\n{show(new)}")


@pytest.mark.parametrize("seed", SEEDS)
def test_results_belong_to_the_caller(seed):
    new = optimize(random_program(2000 + seed))
    args = copied(arguments(seed))
    with np.errstate(all="ignore"):
        results = evaluate(new, *args)
    arrays = [r for r in results if isinstance(r, np.ndarray)]
    for k, array in enumerate(arrays):
        assert array.flags.writeable, show(new)
        for other in [*arrays[:k], *(a for a in args if isinstance(a, np.ndarray))]:
            assert not np.shares_memory(array, other), show(new)


@pytest.mark.parametrize("seed", range(15))
def test_it_ends_and_is_the_same_each_time(seed):
    fn = random_program(seed)
    new = simplify(fn)
    again = simplify(new)
    assert show(again) == show(new)
    assert show(optimize(fn)) == show(bufferize(new))


def test_random_programs_are_not_trivial():
    """The generator reaches what the tests above are for."""
    text = "".join(show(optimize(random_program(seed))) for seed in range(120))
    for word in (
        "iadd(",
        "index_iadd(",
        "index_iadd_at(",
        "index_set(",
        "index_imul(",
        "index_isub(",
        "reading",
        "while",
        "def pull",
    ):
        assert word in text, word


@pytest.mark.campaign
def test_many_random_programs():
    for seed in range(100, 1500):
        test_each_pass_keeps_every_bit_of_a_random_program(seed)
        test_all_passes_together(seed)
        test_results_belong_to_the_caller(seed)
