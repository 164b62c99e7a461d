"""Making a program smaller and faster without changing what it computes.

A *pass* is one small file with one public function from a program to a program. It changes nothing
in place: what it returns shares the untouched statements and the values of what it was given, and
*is* what it was given where there was nothing to do. (One exception, for the reader's sake: an
unnamed value may take over the name of a value that it replaces. `optimize` works on a copy, so
that its argument keeps even its names.) The functions that a program calls go through the same
passes, each on its own; what arrays they are given and return may be anybody's.

`OPTIMIZE` is run in rounds until nothing changes, `FINISH` once, after it: the programs that come
out of it write in place (`srcad.ir.inplace`) and are for emission, not for further transformation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from srcad.ir import Function
from srcad.ir.calls import called, copy_program
from srcad.optimize.asked import asked
from srcad.optimize.augment import augment
from srcad.optimize.broadcasts import broadcasts
from srcad.optimize.commit import commit
from srcad.optimize.copies import copies
from srcad.optimize.cse import cse
from srcad.optimize.dce import dce
from srcad.optimize.detach import detach
from srcad.optimize.early import early
from srcad.optimize.fold import fold
from srcad.optimize.fresh import fresh
from srcad.optimize.held import held
from srcad.optimize.hoist import hoist
from srcad.optimize.inplace import inplace
from srcad.optimize.laws import apply_laws
from srcad.optimize.slots import slots
from srcad.optimize.sparse import sparse
from srcad.optimize.stores import stores
from srcad.optimize.touched import touched
from srcad.optimize.untaped import untaped
from srcad.optimize.witness import witness

Pass = Callable[[Function], Function]

OPTIMIZE: tuple[Pass, ...] = (
    *(fold, broadcasts, apply_laws, cse, copies, stores, untaped, witness, dce, hoist),
)
FINISH: tuple[Pass, ...] = (
    *(
        held,
        slots,
        augment,
        dce,
        early,
        detach,
        fresh,
        sparse,
        touched,
        commit,
        inplace,
        dce,
        asked,
    ),
)

_ROUNDS = 8


def optimize(fn: Function, *, fast_math: bool = False) -> Function:
    """The program after `OPTIMIZE` and `FINISH`; `fn` stays as it is.

    With `fast_math` the laws of real arithmetic are used that rounding, infinities and NaN do not
    obey.
    """
    return finish(simplify(fn, fast_math=fast_math))


def simplify(fn: Function, *, fast_math: bool = False, again: bool = False) -> Function:
    """The program after `OPTIMIZE`, without writes in place.

    Args:
        again: it is to be differentiated: nothing is lost that matters to its derivatives alone.
    """
    fn = copy_program(fn)
    laws = partial(apply_laws, fast_math=fast_math, again=again)
    passes = [laws if run is apply_laws else run for run in OPTIMIZE]
    for callee in called(fn):
        callee.body = _in_rounds(callee, passes).body
    return _in_rounds(fn, passes)


def _in_rounds(fn: Function, passes: Sequence[Pass]) -> Function:
    idle = 0
    for step in range(_ROUNDS * len(passes)):
        before, fn = fn, passes[step % len(passes)](fn)
        idle = idle + 1 if fn is before else 0
        if idle == len(passes):
            break
    return fn


def finish(fn: Function) -> Function:
    """The program after `FINISH`."""
    if called(fn):
        fn = copy_program(fn)
    for callee in called(fn):
        # What they return may be shared, and nobody writes it; that of a checkpoint is copied.
        left_out = (sparse,) if callee.recomputed else (fresh, sparse)
        passes = [run for run in FINISH if run not in left_out]
        callee.body = _finished(callee, passes).body
    return _finished(fn, FINISH)


def _finished(fn: Function, passes: Sequence[Pass]) -> Function:
    for run in passes:
        fn = run(fn)
    return fn


__all__ = ["FINISH", "OPTIMIZE", "Pass", "finish", "optimize", "simplify"]
