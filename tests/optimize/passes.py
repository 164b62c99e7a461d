"""Checking a pass: by text (golden), by running, and by running it again."""

import numpy as np

from srcad.ir import show, verify
from srcad.ir.evaluate import evaluate

SPECIAL = (0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, -2.0)


def assert_same(got, want, text="", signs=True):
    """Equal to the bit: dtype, shape, NaN where NaN, and the sign of zero (unless not `signs`)."""
    assert type(got) is type(want), text
    if isinstance(want, list | tuple):
        assert len(got) == len(want), text
        for a, b in zip(got, want, strict=True):
            assert_same(a, b, text, signs)
        return
    a, b = np.asarray(got), np.asarray(want)
    assert (a.dtype, a.shape) == (b.dtype, b.shape), text
    np.testing.assert_array_equal(a, b, err_msg=text)
    if a.dtype.kind == "f" and signs:
        number = ~np.isnan(b)
        np.testing.assert_array_equal(np.signbit(a)[number], np.signbit(b)[number], err_msg=text)


def copied(args):
    return [a.copy() if isinstance(a, np.ndarray) else a for a in args]


def run(fn, args):
    """The results of `fn`, which must leave its arguments alone."""
    mine = copied(args)
    with np.errstate(all="ignore"):
        results = copied(evaluate(fn, *mine))
    assert_same(mine, list(args), f"an argument was changed by\n{show(fn)}")
    return results


def check_pass(apply, fn, *calls, again=True):
    """The text before and after; the same bits for all `calls`; a second run changes nothing."""
    before = show(fn)
    new = verify(apply(fn), getattr(apply, "__name__", "pass"))
    text = f"{before}\n{show(new)}"
    for args in calls:
        assert_same(run(new, args), run(fn, args), text)
    if again:
        assert apply(new) is new, text
    return text
