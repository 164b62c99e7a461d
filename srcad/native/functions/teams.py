"""Threads that run one function together: each takes its share of a loop, all wait for the last.

    for i in range(share(team, me, n), share(team, me + 1, n)):       # my part of range(n)
        t += x[i]
    put(team, me, 0, t, t)
    wait(team)                                                        # until all are here
    t = sum_of(team, 0, t)                                            # in order of the threads

`team` is an array of integers that all threads have (`srcad.native.functions.waiting`), with slots,
each of one word for every thread. `me` counts threads from 0, which allocates what is common and
returns the results. Alone, all of this does nothing.
"""

# mypy: disable-error-code="untyped-decorator"
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import intrinsic

from srcad.kernels.numba_adapter import cgutils, impl_ret_borrowed, ir, populate_array
from srcad.native.functions.reductions import fold
from srcad.native.functions.waiting import SLOTS, WORD, team_size, wait, wait_for_all, word_at

__all__ = [
    "got",
    "keep",
    "largest_of",
    "lend",
    "merge",
    "mine",
    "own_part",
    "product_of",
    "put",
    "share",
    "shared",
    "smallest_of",
    "sum_of",
    "theirs",
    "wait",
]


def slot_at(context: Any, builder: Any, kind: Any, team: Any, k: Any, thread: Any) -> ir.Value:
    """The address of a thread's word in slot `k`."""
    row = builder.mul(k, team_size(context, builder, kind, team))
    place = builder.add(builder.add(row, thread), WORD(SLOTS))
    return word_at(context, builder, kind, team, place)


@intrinsic
def share(typingctx: Any, team: Any, k: Any, n: Any) -> Any:
    """Where the part of thread `k` starts in `range(n)`."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        some = builder.icmp_signed(">", values[2], WORD(0))
        n = builder.select(some, values[2], WORD(0))
        count = team_size(context, builder, team, values[0])
        return builder.sdiv(builder.mul(n, values[1]), count)

    return types.int64(team, types.int64, types.int64), generate


def extent_of(test: str) -> Any:
    """A function (me, n): `n` for the threads that pass the test, 0 for the others."""

    def chosen(typingctx: Any, me: Any, n: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            passes = builder.icmp_signed(test, values[0], WORD(0))
            return builder.select(passes, values[1], WORD(0))

        return types.int64(types.int64, types.int64), generate

    return intrinsic(chosen)


mine = extent_of("==")
theirs = extent_of("!=")


# Arrays ------------------------------------------------------------------------------------------


@intrinsic
def lend(typingctx: Any, team: Any, me: Any, k: Any, array: Any) -> Any:
    """Tell the others where an array of this thread's is."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        word = slot_at(context, builder, team, values[0], values[2], values[1])
        data = context.make_array(array)(context, builder, values[3]).data
        builder.store(builder.ptrtoint(data, WORD), word)
        return context.get_dummy_value()

    return types.none(team, types.int64, types.int64, array), generate


@intrinsic
def shared(typingctx: Any, team: Any, me: Any, k: Any, array: Any, n: Any) -> Any:
    """The first thread's array, for all; it has `n` rows, where that of another thread has none."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        given = context.make_array(array)(context, builder, values[3])
        own = slot_at(context, builder, team, values[0], values[2], values[1])
        builder.store(builder.ptrtoint(given.data, WORD), own)
        context.compile_internal(builder, wait_for_all, types.none(team), (values[0],))
        first = slot_at(context, builder, team, values[0], values[2], WORD(0))
        data = builder.inttoptr(builder.load(first), given.data.type)
        return like_array(context, builder, array, given, data, values[4])

    return array(team, types.int64, types.int64, array, types.int64), generate


@intrinsic
def own_part(typingctx: Any, me: Any, array: Any, own: Any) -> Any:
    """What a thread adds to: the first to the array itself, others to zeros of their own."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        whole = context.make_array(array)(context, builder, values[1])
        given = context.make_array(array)(context, builder, values[2])
        first = builder.icmp_signed("==", values[0], WORD(0))
        with builder.if_then(builder.not_(first)):
            cgutils.memset(builder, given.data, builder.mul(given.nitems, given.itemsize), 0)
        data = builder.select(first, whole.data, given.data)
        n = cgutils.unpack_tuple(builder, whole.shape)[0]
        return like_array(context, builder, array, given, data, n)

    return array(types.int64, array, array), generate


def like_array(context: Any, builder: Any, kind: Any, given: Any, data: Any, n: Any) -> Any:
    """An array like another in memory that is given, with `n` rows."""
    shape = [n, *cgutils.unpack_tuple(builder, given.shape)[1:]]
    strides = cgutils.unpack_tuple(builder, given.strides)
    made = context.make_array(kind)(context, builder)
    populate_array(made, data, shape, strides, given.itemsize, given.meminfo, given.parent)
    return impl_ret_borrowed(context, builder, kind, made._getvalue())


@intrinsic
def merge(typingctx: Any, team: Any, me: Any, k: Any, array: Any) -> Any:
    """Add what the other threads lent to an array, each thread in its share of the entries."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        whole = context.make_array(array)(context, builder, values[3])
        count = team_size(context, builder, team, values[0])
        n, me_next = whole.nitems, builder.add(values[1], WORD(1))
        start = builder.sdiv(builder.mul(n, values[1]), count)
        stop = builder.sdiv(builder.mul(n, me_next), count)
        one = WORD(1)
        with cgutils.for_range_slice(builder, one, count, one) as (thread, _):
            word = slot_at(context, builder, team, values[0], values[2], thread)
            part = builder.inttoptr(builder.load(word), whole.data.type)
            with cgutils.for_range_slice(builder, start, stop, one) as (at, _):
                place = builder.gep(whole.data, [at])
                term = builder.load(builder.gep(part, [at]))
                builder.store(_sum(builder, builder.load(place), term), place)
        return context.get_dummy_value()

    return types.none(team, types.int64, types.int64, array), generate


def _sum(builder: Any, a: ir.Value, b: ir.Value) -> ir.Value:
    """The sum of two numbers, of complex ones part by part."""
    if isinstance(a.type, ir.IntType):
        return builder.add(a, b)
    if not isinstance(a.type, ir.LiteralStructType):
        return builder.fadd(a, b)
    for k in (0, 1):
        part = builder.fadd(builder.extract_value(a, k), builder.extract_value(b, k))
        a = builder.insert_value(a, part, k)
    return a


@intrinsic
def keep(typingctx: Any, array: Any) -> Any:
    """Memory is there at least until here."""
    return types.none(array), lambda context, *_: context.get_dummy_value()


# Numbers -----------------------------------------------------------------------------------------


def as_word(builder: Any, value: ir.Value) -> ir.Value:
    """The bits of a number."""
    if value.type == WORD:
        return value
    if value.type == ir.DoubleType():
        return builder.bitcast(value, WORD)
    if value.type == ir.FloatType():
        value = builder.bitcast(value, ir.IntType(32))
    return builder.zext(value, WORD)


def as_number(builder: Any, word: ir.Value, kind: Any) -> ir.Value:
    """The number that has these bits."""
    if kind == WORD:
        return word
    if kind == ir.DoubleType():
        return builder.bitcast(word, kind)
    if kind == ir.FloatType():
        return builder.bitcast(builder.trunc(word, ir.IntType(32)), kind)
    return builder.trunc(word, kind)


@intrinsic
def put(typingctx: Any, team: Any, me: Any, k: Any, number: Any, like: Any) -> Any:
    """Write a number to this thread's word of a slot, as one of the type of `like`.

    Machine code may compute a float32 in double precision; the word's reader must know which.
    """

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        word = slot_at(context, builder, team, values[0], values[2], values[1])
        builder.store(as_word(builder, context.cast(builder, values[3], number, like)), word)
        return context.get_dummy_value()

    return types.none(team, types.int64, types.int64, number, like), generate


def word_of(context: Any, builder: Any, team: Any, values: Any, thread: Any) -> ir.Value:
    """The number, of the type of the last value, that a thread wrote."""
    word = slot_at(context, builder, team, values[0], values[1], thread)
    return as_number(builder, builder.load(word), values[2].type)


@intrinsic
def got(typingctx: Any, team: Any, k: Any, number: Any) -> Any:
    """The number that the first thread wrote; `number` is one of its type."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return word_of(context, builder, team, values, WORD(0))

    return number(team, types.int64, number), generate


def over_threads(step: Callable[..., Any]) -> Any:
    """A function of what all threads wrote, from the first to the last."""

    def combined(typingctx: Any, team: Any, k: Any, number: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            total = cgutils.alloca_once_value(
                builder, word_of(context, builder, team, values, WORD(0))
            )
            count = team_size(context, builder, team, values[0])
            with cgutils.for_range_slice(builder, WORD(1), count, WORD(1)) as (thread, _):
                term = word_of(context, builder, team, values, thread)
                builder.store(step(builder, builder.load(total), term), total)
            return builder.load(total)

        return number(team, types.int64, number), generate

    return intrinsic(combined)


def sum_step(builder: Any, a: ir.Value, b: ir.Value) -> ir.Value:
    """A sum of two."""
    return builder.add(a, b) if a.type == WORD else builder.fadd(a, b)


def product_step(builder: Any, a: ir.Value, b: ir.Value) -> ir.Value:
    """A product of two."""
    return builder.mul(a, b) if a.type == WORD else builder.fmul(a, b)


def largest_step(builder: Any, a: ir.Value, b: ir.Value) -> ir.Value:
    """The larger of two floats."""
    return fold(builder, "maximum", a, b)


def smallest_step(builder: Any, a: ir.Value, b: ir.Value) -> ir.Value:
    """The smaller of two floats."""
    return fold(builder, "minimum", a, b)


sum_of = over_threads(sum_step)
product_of = over_threads(product_step)
largest_of = over_threads(largest_step)
smallest_of = over_threads(smallest_step)
