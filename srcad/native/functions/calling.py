"""A function that several threads run together has the others begin.

    @njit
    def f(team, me, x):
        call_all(team, me)          f(team, 1, x) in another thread, and so on
        ...

The first thread puts the call with its own arguments into the words of each thread of the team that
stands by (`srcad.kernels.jobs`). The last words of `team` tell where those words are; they are zero
where threads begin otherwise.
"""

# mypy: disable-error-code="untyped-decorator"
from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from srcad.kernels.jobs import CLAIMED, FREE, POSTED, STATE, write_call
from srcad.native.functions.waiting import FAILED, WORD, team_size, word_at

__all__ = ["call_all"]


@intrinsic
def call_all(typingctx: Any, team: Any, me: Any) -> Any:
    """Have the other threads call the function that this is in."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        size = context.make_array(team)(context, builder, values[0]).nitems
        count = team_size(context, builder, team, values[0])
        with (
            builder.if_then(builder.icmp_signed("==", values[1], WORD(0))),
            cgutils.for_range_slice(builder, WORD(1), count, WORD(1)) as (k, _),
        ):
            place = builder.add(builder.sub(size, count), k)
            where = builder.load(word_at(context, builder, team, values[0], place))
            with builder.if_then(builder.icmp_signed("!=", where, WORD(0))):
                failed = word_at(context, builder, team, values[0], WORD(FAILED))
                words = builder.inttoptr(where, WORD.as_pointer())
                _post(context, builder, words, team, k, builder.ptrtoint(failed, WORD))
        return context.get_dummy_value()

    return types.none(team, me), generate


def _post(
    context: Any, builder: Any, words: Any, team: Any, me: ir.Value, failed_at: ir.Value
) -> None:
    """Put this very call into a thread's words, for thread `me`."""
    state = builder.gep(words, [WORD(STATE)])
    tries, then = builder.append_basic_block("tries"), builder.append_basic_block("claimed")
    builder.branch(tries)
    builder.position_at_end(tries)  # another program may have it: until that is done
    found = builder.cmpxchg(state, WORD(FREE), WORD(CLAIMED), "seq_cst")
    builder.cbranch(builder.extract_value(found, 1), then, tries)
    builder.position_at_end(then)
    function, about = builder.function, context.fndesc
    numbers = list(function.args[2:])
    numbers[len(context.get_arg_packer([team]).argument_types)] = me
    results = about.restype, about.argtypes
    write_call(context, builder, words, function, *results, numbers, failed_at)
    builder.store_atomic(WORD(POSTED), state, "seq_cst", 8)
