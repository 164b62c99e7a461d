"""Programs with loops, checkpointed: the gradient to the bit, or refused at the loop."""

import contextlib
import copy
import io

import numpy as np
import pytest
from corpus.all import PROGRAMS

import srcad
from srcad.errors import SrcadError

THEMES = ("loops", "while", "mutation", "growing", "generators")
NAMES = [p for p in PROGRAMS if p.theme in THEMES and p.varied]


def run(fn, wrt, args):
    """Value, gradients, and what is printed; how it is refused."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            value, gradient = srcad.value_and_grad(fn, wrt, backend="numpy")(*copy.deepcopy(args))
        except (SrcadError, ArithmeticError, ValueError, TypeError) as refusal:
            return [], refusal
    return [value, *gradient], out.getvalue()


@pytest.mark.parametrize("program", NAMES, ids=[p.name for p in NAMES])
def test_a_checkpointed_loop_has_the_same_gradient(program):
    args = program.arguments()[0]
    wrt = tuple(
        k
        for k, a in enumerate(args)
        if isinstance(a, float) or (isinstance(a, np.ndarray) and a.dtype.kind == "f")
    )
    if not wrt:
        pytest.skip("no array or float to differentiate by")
    want, printed = run(program.fn, wrt, args)
    if not want:
        pytest.skip(f"as it is: {printed}")
    found, printed_again = run(srcad.checkpoint(program.fn, steps=2), wrt, args)
    if not found:
        assert isinstance(printed_again, SrcadError)
        assert printed_again.code == "E100"
        assert "checkpoint" in printed_again.title
        assert printed_again.location is not None
        return
    assert printed_again == printed
    for a, b in zip(found, want, strict=True):
        assert type(a) is type(b)
        np.testing.assert_array_equal(a, b)
