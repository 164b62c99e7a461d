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

from numba import types
from numba.extending import intrinsic

from srcad.kernels.jobs import (
    BITS,
    CLAIMED,
    FREE,
    PHASE,
    POSTED,
    STATE,
    write_call,
    write_rest,
)
from srcad.kernels.numba_adapter import cgutils, count_of_numbers, ir, signature_of
from srcad.kernels.teams import TICKET
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
                ticket = builder.load(word_at(context, builder, team, values[0], WORD(TICKET)))
                failed = word_at(context, builder, team, values[0], WORD(FAILED))
                words = builder.inttoptr(where, WORD.as_pointer())
                state, job = builder.gep(words, [WORD(STATE)]), builder.shl(ticket, WORD(BITS))
                _claim(builder, state, job)
                _write(context, builder, words, team, k, builder.ptrtoint(failed, WORD))
                builder.store_atomic(builder.or_(job, WORD(POSTED)), state, "seq_cst", 8)
        return context.get_dummy_value()

    return types.none(team, me), generate


def _claim(builder: Any, state: ir.Value, job: ir.Value) -> None:
    """Have a thread's words; another caller may have them, until its job has ended."""
    tries, tried, claimed = map(builder.append_basic_block, ("tries", "tried", "claimed"))
    builder.branch(tries)
    builder.position_at_end(tries)
    found = builder.load_atomic(state, "seq_cst", 8)
    is_free = builder.icmp_signed("==", builder.and_(found, WORD(PHASE)), WORD(FREE))
    write_rest(builder)
    builder.cbranch(is_free, tried, tries)
    builder.position_at_end(tried)
    mine = builder.cmpxchg(state, found, builder.or_(job, WORD(CLAIMED)), "seq_cst")
    builder.cbranch(builder.extract_value(mine, 1), claimed, tries)
    builder.position_at_end(claimed)


def _write(
    context: Any, builder: Any, words: Any, team: Any, me: ir.Value, failed_at: ir.Value
) -> None:
    """Put this very call into a thread's words, for thread `me`."""
    function = builder.function
    numbers = list(function.args[2:])
    numbers[count_of_numbers(context, team)] = me
    write_call(context, builder, words, function, *signature_of(context), numbers, failed_at)
