"""Jobs: compiled functions that worker threads call without the interpreter. Needs Numba.

    is_posted = post(words, ticket, entry_of(add), (x, y, 50, 100))     add(x, y, 50, 100) there
    finish(pool.words, ticket)                                          until all have ended

A thread that is to call a function of Python's needs the interpreter's lock, which its caller has:
it sleeps until the caller lets go, and that takes as long as some kernels. So what is called here
is machine code, with arguments that lie in the thread's own words, and the thread that looks out
for it (`look_out`) has it some hundred nanoseconds later. A job that no thread has begun by then is
done by `finish` itself: no caller waits for a thread that sleeps, or that does something else.

A ticket tells of which caller the jobs are, since several callers share the threads. A caller that
did a job of another one's team would wait in there for threads that wait until it has finished its
own.

The caller keeps arrays alive until its jobs are finished, which is one call: nothing interrupts it.
(`srcad.native.functions.calling` posts what a compiled function calls.)
"""

# Numba's decorators have no types.
# mypy: disable-error-code="untyped-decorator"
from __future__ import annotations

import functools
import itertools
import os
import platform
from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from srcad.kernels.loading import load_before_compiling
from srcad.kernels.numba_adapter import (
    as_numbers,
    cgutils,
    count_of_numbers,
    function_type,
    impl_ret_untracked,
    ir,
    pointee,
    raise_again,
    release,
    status_of,
)
from srcad.kernels.teams import MOST_WORDS

load_before_compiling()

Words = NDArray[np.int64]

# Words of a thread, those that are looked at in cache lines of their own: tasks that it was given,
# those it has done; what its job is at, where the machine code is that begins it, what that raised
# as Numba tells it, and which word tells others of it; the ticket of the caller that is
# about to post what has to be begun; from where on arguments lie.
GIVEN, DONE, STATE, CALL, CODE, PROBLEM, FAILED_AT, EXPECTED = 8, 16, 24, 25, 26, 27, 28, 29
ARGUMENTS, SIZE = 32, 32 + MOST_WORDS
# What a job is at; the bits above these are its ticket. The thread that claimed the words writes
# the rest of them. Words are free again when the job has ended, unless it raised something.
FREE, CLAIMED, POSTED, _BEGUN, ENDED = range(5)
PHASE, BITS = 7, 3
# Looks at a word before a thread sleeps: with rests, some hundred microseconds on AMD's processors,
# a millisecond on Intel's. To be woken costs a tenth of that, and is due whenever a program did
# something else for longer. A waiting thread then naps, for so many microseconds (on Windows
# milliseconds).
LOOKS, _NAP = 16_384, 20 if os.name == "posix" else 0

_X86, _PAUSE = ("x86_64", "AMD64"), "llvm.x86.sse2.pause"
_WORD = ir.IntType(64)
_CODE = ir.FunctionType(ir.VoidType(), [_WORD.as_pointer()])  # of a thread's words
_nap = types.ExternalFunction(
    "usleep" if os.name == "posix" else "Sleep", types.int32(types.uint32)
)

new_ticket = functools.partial(next, itertools.count(1))


def _place(context: Any, builder: Any, kind: Any, words: Any, k: Any) -> Any:
    return builder.gep(context.make_array(kind)(context, builder, words).data, [k])


@intrinsic
def word(_: Any, words: Any, k: Any) -> Any:
    """A word as it is now."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        loaded = builder.load_atomic(_place(context, builder, words, *args), "seq_cst", 8)
        return impl_ret_untracked(context, builder, signature.return_type, loaded)

    return types.int64(words, types.int64), generate


@intrinsic
def tell(_: Any, words: Any, k: Any, n: Any) -> Any:
    """Set a word; a thread that sees it sees what was written before."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, words, *args[:2])
        builder.store_atomic(args[2], place, "seq_cst", 8)
        return context.get_dummy_value()

    return types.none(words, types.int64, types.int64), generate


@intrinsic
def _swap(_: Any, words: Any, k: Any, old: Any, new: Any) -> Any:
    """Set a word if it is `old`, and whether it was."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, words, *args[:2])
        found = builder.cmpxchg(place, args[2], args[3], "seq_cst")
        return builder.extract_value(found, 1)

    return types.boolean(words, types.int64, types.int64, types.int64), generate


@intrinsic
def rest(_: Any) -> Any:
    """Leave the core's units to its other thread for some cycles, where there is a word for it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        write_rest(builder)
        return context.get_dummy_value()

    return types.none(), generate


def write_rest(builder: Any) -> None:
    """As `rest`, in code under construction."""
    if platform.machine() in _X86:
        shape = ir.FunctionType(ir.VoidType(), [])
        builder.call(cgutils.get_or_insert_function(builder.module, shape, _PAUSE), [])


# Calls -------------------------------------------------------------------------------------------


@intrinsic
def _write_call(_: Any, words: Any, entry: Any, args: Any) -> Any:
    """Put a call into a thread's words."""
    if any(not isinstance(t, types.Array) and t not in (types.int64, types.boolean) for t in args):
        return None  # the machine code would take it for something else

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        start = _place(context, builder, words, values[0], _WORD(0))
        given = [builder.extract_value(values[2], i) for i in range(len(args))]
        numbers = as_numbers(context, builder, args.types, given)
        shape = function_type(context, types.none, args.types)
        callee = builder.inttoptr(values[1], shape.as_pointer())
        write_call(context, builder, start, callee, types.none, args.types, numbers, _WORD(0))
        return context.get_dummy_value()

    return types.none(words, types.int64, args), generate


def write_call(
    context: Any, builder: Any, start: Any, callee: Any, result: Any, kinds: Any,
    numbers: list[Any], failed_at: Any,
) -> None:  # fmt: skip
    """Put a call into the words that begin at `start`.

    callee: a function of Numba's with results and arguments of these types.
    numbers: the arguments as the function takes them.
    failed_at: the address of a word that is 1 from when one of several calls has raised something,
        of which only the first has a problem then; or 0.
    """
    numbers = _borrowed(context, kinds, numbers)
    lying = ir.LiteralStructType([callee.type, *(number.type for number in numbers)])
    if lying.get_abi_size(context.target_data) > 8 * (SIZE - ARGUMENTS):
        raise ValueError(f"a job: expected arguments of at most {SIZE - ARGUMENTS} words")
    place = builder.bitcast(builder.gep(start, [_WORD(ARGUMENTS)]), lying.as_pointer())
    for i, number in enumerate([callee, *numbers]):
        builder.store(number, _field(builder, place, i))
    code = _calling(context, builder.module, result, lying)
    builder.store(builder.ptrtoint(code, _WORD), builder.gep(start, [_WORD(CALL)]))
    builder.store(failed_at, builder.gep(start, [_WORD(FAILED_AT)]))


def _borrowed(context: Any, kinds: Any, numbers: list[Any]) -> list[Any]:
    """Arrays for code that counts no references: those of this call end with it."""
    lent, at = list(numbers), 0
    for kind in kinds:
        if isinstance(kind, types.Array):
            for i in (at, at + 1):
                lent[i] = ir.Constant(numbers[i].type, None)
        at += count_of_numbers(context, kind)
    return lent


def _field(builder: Any, start: Any, i: int) -> Any:
    return builder.gep(start, [ir.IntType(32)(0), ir.IntType(32)(i)])


def _calling(context: Any, module: Any, result: Any, lying: Any) -> Any:
    """The code that reads arguments where they lie and makes the call, as Numba has its calls."""
    code = ir.Function(module, _CODE, module.get_unique_name("srcad.call"))
    code.linkage = "internal"
    builder = ir.IRBuilder(code.append_basic_block())
    words = code.args[0]
    start = builder.bitcast(builder.gep(words, [_WORD(ARGUMENTS)]), lying.as_pointer())
    loaded = [builder.load(_field(builder, start, i)) for i in range(len(lying.elements))]
    kinds = [pointee(place) for place in pointee(loaded[0].type).args[:2]]
    found, problem = map(builder.alloca, kinds)
    for kind, place in zip(kinds, (found, problem), strict=True):
        builder.store(ir.Constant(kind, None), place)
    status = builder.call(loaded[0], [found, problem, *loaded[1:]], attrs=("noinline",))
    raised = builder.load(problem)
    builder.store(builder.ptrtoint(raised, _WORD), builder.gep(words, [_WORD(PROBLEM)]))
    code_at = builder.gep(words, [_WORD(CODE)])
    builder.store(_WORD(0), code_at)
    has_raised = status_of(context, builder, status, raised).is_error
    with builder.if_then(has_raised, likely=False):
        builder.store(builder.sext(status, _WORD), code_at)
        failed_at = builder.load(builder.gep(words, [_WORD(FAILED_AT)]))
        with builder.if_then(builder.icmp_signed("!=", failed_at, _WORD(0))):
            failed = builder.inttoptr(failed_at, _WORD.as_pointer())
            was_first = builder.cmpxchg(failed, _WORD(0), _WORD(1), "seq_cst")
            with builder.if_then(builder.not_(builder.extract_value(was_first, 1))):
                builder.store(_WORD(0), code_at)
    if result != types.none:  # what is returned is let go; after an error it is empty
        release(context, builder, result, builder.load(found))
    builder.ret_void()
    return code


@intrinsic
def _call(_: Any, words: Any) -> Any:
    """Make the call that lies in a thread's words."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        code = builder.load(_place(context, builder, words, args[0], _WORD(CALL)))
        start = _place(context, builder, words, args[0], _WORD(0))
        builder.call(builder.inttoptr(code, _CODE.as_pointer()), [start])
        return context.get_dummy_value()

    return types.none(words), generate


@intrinsic
def _raise_again(_: Any, code: Any, problem: Any) -> Any:
    """Raise what a call raised, if it did, from what it told (`CODE`, `PROBLEM`)."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = pointee(function_type(context, types.none, ()).args[1])
        code, raised = builder.trunc(args[0], ir.IntType(32)), builder.inttoptr(args[1], kind)
        status = status_of(context, builder, code, raised)
        with builder.if_then(status.is_error):
            raise_again(context, builder, status)
        return context.get_dummy_value()

    return types.none(types.int64, types.int64), generate


@njit(nogil=True, cache=True, no_cfunc_wrapper=True)  # it is compiled for each kernel
def post(words: Any, ticket: Any, entry: Any, args: Any) -> Any:
    """Have a thread call machine code of a function without a result; whether it is free for it."""
    state, job = word(words, STATE), ticket << BITS
    if state & PHASE != FREE or not _swap(words, STATE, state, job | CLAIMED):
        return False
    _write_call(words, entry, args)
    tell(words, STATE, job | POSTED)
    return True


@njit
def _do(words: Any, job: Any) -> None:
    """Do a job that was taken."""
    _call(words)
    tell(words, STATE, job | (FREE if words[CODE] == 0 else ENDED))


@njit("none(int64[:, ::1], int64)", nogil=True, cache=True)
def finish(words: Any, ticket: Any) -> None:
    """Wait until all jobs of a ticket have ended, and do those that no thread has begun.

    words: of all threads that may have been given one.

    Raises what the first of them raised that has a problem.
    """
    job, code, problem = ticket << BITS, 0, 0
    for k in range(len(words)):
        own, looks = words[k], 0
        if own[EXPECTED] == ticket:
            own[EXPECTED] = 0
        state = word(own, STATE)
        while state >> BITS == ticket and state & PHASE != FREE:
            if state & PHASE == ENDED:
                if code == 0:
                    code, problem = own[CODE], own[PROBLEM]
                tell(own, STATE, job | FREE)
            elif state & PHASE == POSTED:
                if _swap(own, STATE, state, job | CLAIMED):
                    _do(own, job)
            elif looks > LOOKS:
                _nap(_NAP)
            else:
                looks += 1
                rest()
            state = word(own, STATE)
    _raise_again(code, problem)


@njit("int64(int64[::1], int64)", nogil=True, cache=True)
def look_out(words: Any, done: Any) -> Any:
    """Tell how many tasks are done, and look for more while jobs come: how many were given."""
    tell(words, DONE, done)
    looks = 0
    while looks < LOOKS:
        looks += 1
        state = word(words, STATE)
        job = state - POSTED
        if state & PHASE == POSTED and _swap(words, STATE, state, job | _BEGUN):
            _do(words, job)
            looks = 0
        given = word(words, GIVEN)
        if given != done:
            return given
        rest()
    return done


@njit("boolean(int64[::1])", cache=True)
def is_wanted(words: Any) -> Any:
    """Whether a thread has a job that it has not begun, or is about to have one."""
    return word(words, STATE) & PHASE == POSTED or word(words, EXPECTED) != 0


__all__ = [
    "BITS",
    "CLAIMED",
    "DONE",
    "EXPECTED",
    "FREE",
    "GIVEN",
    "LOOKS",
    "PHASE",
    "POSTED",
    "SIZE",
    "STATE",
    "finish",
    "look_out",
    "new_ticket",
    "post",
    "rest",
    "word",
    "write_call",
    "write_rest",
]
