"""The call of a compiled function: what is passed, in which form, and what comes back.

    t = mul(x, n)                       x_2 = ascontiguousarray(x)
    s = sum(t), in a run         ->     s_2 = loss_1(x_2, n)
                                        s = float64(s_2)

Arrays are passed as they lie in C's order, tuples of integers one by one. An array that may share
memory with one that the function writes is copied: inside, each array is memory of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from srcad import runtime
from srcad.analysis.alias import find_aliases
from srcad.ir import ArrayType, Block, Function, If, NumberType, Op, SeqType, Stmt, Value
from srcad.ir.definedness import unbound_anywhere
from srcad.ir.effects import destroys
from srcad.ir.passes import Stage, run
from srcad.ir.walk import copy_block, free_values, outputs, reads, statements, values_in
from srcad.native.boundary.arrays_of_ints import arrays_of_ints, checked_arrays
from srcad.native.boundary.caller_statements import Caller
from srcad.native.boundary.constant_arrays import bind_constants
from srcad.native.boundary.given_back import GivenBack, given_back
from srcad.native.boundary.length import check_length
from srcad.native.boundary.passed import Passed, read_ones
from srcad.native.boundary.shapes_passed import is_shape, items_of, taken_apart
from srcad.native.boundary.tapes_passed import arrays_of, as_arrays, as_tape, is_of_one_length
from srcad.native.scalarize.loop_builder import Unsuited, scalar
from srcad.native.scalarize.lowered_forms import Read
from srcad.native.scalarize.scalars import scalar_ops
from srcad.native.scalarize.scalars.integer_guards import find_doubtful
from srcad.native.scalarize.scalars.single_precision import is_single, meets_single
from srcad.native.scalarize.scalars.weak_scalars import Kinds, guarded
from srcad.optimize.memory.commit import written_params
from srcad.optimize.shadow_values import BOOL
from srcad.runtime.saved import pack


class CallBoundary:
    """Makes functions of runs; they are numbered.

    Args:
        program: what has the runs, or calls what has them.
        stages: what makes loops of a function, and what moves work to its caller.
        read: makes a program of a plain function.
    """

    def __init__(
        self, fn: Function, program: Function, stages: tuple[Stage, Stage], read: Read
    ) -> None:
        self.scalarize, self.boundary = stages
        self.read = read
        self.name = fn.name
        given = given_back(fn, program)
        self.facts = find_aliases(fn, own=written_params(fn), kept=given)
        self.doubtful = find_doubtful(fn, fn is program)
        self.unbound = unbound_anywhere(fn)
        self.given_back = GivenBack(fn, self.facts, given)
        self.kinds = Kinds(fn)
        self.told = _of_told_items(fn)
        self.arrays_of_ints = arrays_of_ints(fn, program, self.facts)
        self.tapes: set[Value] = set()  # of compiled loops
        self.count = 0

    def call(self, stmts: Sequence[Stmt], outs: Sequence[Value]) -> list[Stmt]:
        """The call of a run as a function that returns `outs`.

        Raises:
            Unsuited: a statement of the run has no form as loops, or binds or reads what no
                compiled function returns or takes.
        """
        parts = [guarded(checked_arrays([s], self.arrays_of_ints), self.kinds) for s in stmts]
        try:
            return self._called([made for part in parts for made in part], outs)
        except Unsuited as why:
            ends = accumulate(map(len, parts))
            why.at = next((k for k, end in enumerate(ends) if why.at < end), len(stmts) - 1)
            raise

    def _called(self, stmts: Sequence[Stmt], outs: Sequence[Value]) -> list[Stmt]:
        stmts, constants = bind_constants(stmts)
        body = Block([], list(stmts), list(outs))
        taken = list(free_values(body))
        for value in outs:
            if not self.is_passable(value) and not arrays_of(value.type):
                raise _at(_binder(stmts, value), f"{value.type} returned by compiled code")
            if value in self.told:
                raise _at(_binder(stmts, value), "a list of numbers of several kinds")
        for value in taken:
            if not self.passes(value):
                why = _at(_reader(stmts, value), f"{value.type} passed to compiled code")
                why.follows = isinstance(value.type, SeqType) or value in self.unbound
                raise why
        passed = Passed(stmts, taken, self.facts, self.doubtful)
        copy = copy_block(body, passed.inner)
        name = f"{self.name}_{self.count + 1}"
        tail: list[Stmt] = []
        results: list[Any] = []
        for result in copy.results:
            results += _as_results(result, tail)
        whole = [*passed.tuples, *copy.body, *tail]
        function = Function(name, Block(passed.params, whole, results))
        self.check_kinds(stmts, taken, outs)
        kinds: dict[int, type] = {}
        try:
            native = run(self.scalarize, function, tags=kinds, read=self.read)
            check_length(stmts, native)
        except Unsuited as why:
            why.at = min(max(0, why.at - len(passed.tuples)), len(stmts) - 1)
            raise
        self.count += 1
        self.tapes.update(value for value in outs if isinstance(value.type, SeqType))
        self.unbound.difference_update(outs)  # compiled code binds everything
        writes = _writes(native)
        caller = Caller(native, passed.sources, passed.args)
        native = run(self.boundary, native, caller=caller)
        args = caller.arguments
        read = read_ones([*constants, *passed.before], args)
        before = [*read, *caller.body, *caller.measures]
        return [*before, *_received(native, args, outs, kinds, stmts, writes)]

    def check_kinds(self, run: Sequence[Stmt], taken: list[Value], outs: Sequence[Value]) -> None:
        """Refuse numbers whose type is not known, if it is seen in the precision or the results."""
        loose = [value for value in taken if self.kinds.is_loose(value)]
        if not loose:
            return
        inside = Kinds(Function("", Block([], list(run), [])), loose)
        ops = [stmt for stmt in statements(Block([], list(run), [])) if isinstance(stmt, Op)]
        is_asked = any(op.fn is runtime.is_numpys for op in ops) or any(
            op.fn is np.full and not op.kwargs and inside.is_loose(op.args[1]) for op in ops
        )
        if is_asked or any(map(is_single, loose)) or meets_single(run, inside):
            raise _at(_reader(run, loose[0]), "a number of a kind that is not known")
        for value in outs:
            if inside.is_loose(value):
                raise _at(_binder(run, value), "a number of a kind that is not known")

    def passes(self, value: Value) -> bool:
        """Whether compiled functions take such a value."""
        return self.is_passable(value) and value not in self.unbound

    def is_passable(self, value: Value) -> bool:
        """Whether a value is one that compiled functions take or return."""
        return scalar_ops.is_number_type(value.type) or is_shape(value) or self.is_tape(value)

    def is_tape(self, value: Value) -> bool:
        """Whether a value is a tape that is passed as arrays: items that NumPy's loops have saved
        may have several lengths, those of compiled loops have one.
        """
        return bool(arrays_of(value.type)) and (value in self.tapes or is_of_one_length(value.type))


def _of_told_items(fn: Function) -> set[Value]:
    """The lists of numbers of which something reads the classes."""
    ops = [stmt for stmt in statements(fn.body) if isinstance(stmt, Op)]
    readers = (op for op in ops if op.fn in (runtime.as_held, runtime.marked, runtime.in_turn))
    read = (x for op in readers for x in values_in(op.args) if isinstance(x.type, SeqType))
    return {
        x for x in read if isinstance(x.type, SeqType) and scalar_ops.is_number_type(x.type.elem)
    }


def _received(
    native: Function,
    args: list[Any],
    outs: Sequence[Value],
    kinds: dict[int, type],
    run: Sequence[Stmt],
    writes: bool,
) -> list[Stmt]:
    """The call, and what makes NumPy's scalars, tuples, or numbers of Python's of its results.

    Args:
        kinds: of results that are numbers of Python's if a flag says so; flags come last.
        run: what is compiled. The type of an operation's result says whether it is an array without
            axes; what a loop or a branch leaves may be either.
        writes: whether the function writes arrays of the program's.
    """
    plain: list[Value] = []
    after: list[Stmt] = []
    flags: list[Value] = []
    for out in outs:
        kind = kinds.get(len(plain))
        arrays = [Value(out.name, t) for t in arrays_of(out.type)]
        if arrays:
            plain += arrays
            after.append(as_tape(arrays, out))
            continue
        if kind is None and not is_shape(out) and not _is_numpy_scalar(out):
            plain.append(out)
            continue
        own = [Value(out.name, t) for t in items_of(out)]
        plain += own
        if kind is not None:
            flags.append(Value(f"{out.name}_is_{kind.__name__}" if out.name else "", BOOL))
            after.append(_of_kind(flags[-1], kind, own[0], out))
            continue
        if is_shape(out):
            after.append(Op(pack, tuple(own), {}, (out,)))
        else:
            after += _as_numpy(own[0], out, isinstance(run[_binder(run, out)], Op))
    # What reads an array stays ahead of a call that writes it.
    call = Op(native, tuple(args), {}, (*plain, *flags), effect=writes)
    return [call, *after]


def _as_numpy(number: Value, out: Value, is_made: bool) -> list[Stmt]:
    """A NumPy scalar of a number, or an array without axes."""
    t = out.type
    assert isinstance(t, ArrayType)
    if t.scalar or not is_made:
        return [Op(t.dtype.type, (number,), {}, (out,))]
    typed = Value("", scalar(t.dtype))
    return [Op(t.dtype.type, (number,), {}, (typed,)), Op(np.asarray, (typed,), {}, (out,))]


def _of_kind(flag: Value, kind: type, number: Value, out: Value) -> If:
    """The number as one of Python's if a flag says so, else as its type says."""
    t = out.type
    assert isinstance(t, ArrayType | NumberType)
    declared = t.dtype.type if isinstance(t, ArrayType) else t.kind
    plain, typed = Value("", NumberType(kind)), Value("", t)
    then = Block([], [Op(kind, (number,), {}, (plain,))], [plain])
    return If(flag, then, Block([], [Op(declared, (number,), {}, (typed,))], [typed]), (out,))


def _writes(native: Function) -> bool:
    """Whether a function writes arrays that it is given."""
    params = set(native.params)
    ops = (stmt for stmt in statements(native.body) if isinstance(stmt, Op))
    return any(destroys(op) and op.args[0] in params for op in ops)


def _as_results(result: Any, tail: list[Stmt]) -> list[Any]:
    """What a compiled function returns: of a tuple its integers, of a tape an array."""
    if isinstance(result, Value) and isinstance(result.type, SeqType):
        return list(as_arrays(result, tail))
    return list(taken_apart(result, tail)) if is_shape(result) else [result]


def _at(position: int, reason: str) -> Unsuited:
    made = Unsuited(reason)
    made.at = position
    return made


def _binder(run: Sequence[Stmt], value: Value) -> int:
    return next(k for k, stmt in enumerate(run) if value in outputs(stmt))


def _reader(run: Sequence[Stmt], value: Value) -> int:
    return next(k for k, stmt in enumerate(run) if value in reads(stmt))


def _is_numpy_scalar(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.shape == ()
