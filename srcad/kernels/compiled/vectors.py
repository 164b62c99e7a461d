"""A register full of numbers as a type of Numba: what the compiled convolutions are made of.

    acc = zeros(x)                      as many float32 or float64 as fit: 16 or 8 with AVX-512
    acc = fma(w[t], load(x, at), acc)   acc += w[t] * x[at : at + 8]
    store(y, at, acc)

Numba has no such type, and its accumulators in arrays go through memory. In values of this type
they stay in registers; LLVM splits a register that the machine has not. All arrays are contiguous
and have one axis; nothing checks that `at` is within them.
"""

# Numba's decorators have no types.
# mypy: disable-error-code="untyped-decorator"
from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic, models, register_model

from srcad.kernels.numba_adapter import impl_ret_untracked, ir
from srcad.kernels.products.registers import (
    has_wide_registers,
    moved,
    own_function,
    smaller_of,
    transposed,
)

# Of a register: AVX-512's, else AVX's.
BYTES = 64 if has_wide_registers() else 32


class Lanes(types.Type):  # type: ignore[misc]  # Numba is untyped
    """The type: so many numbers of one dtype."""

    def __init__(self, dtype: Any, count: int) -> None:
        self.dtype, self.count = dtype, count
        super().__init__(name=f"Lanes({dtype}, {count})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]  # Numba is untyped
    def __init__(self, manager: Any, lanes: Lanes) -> None:
        super().__init__(manager, lanes, _vector(lanes))


def _lanes(array: Any) -> Lanes:
    """A register full of an array's numbers."""
    return Lanes(array.dtype, BYTES * 8 // array.dtype.bitwidth)


def _vector(lanes: Lanes) -> Any:
    number = {types.float32: ir.FloatType(), types.float64: ir.DoubleType()}
    return ir.VectorType(number.get(lanes.dtype, ir.IntType(8)), lanes.count)


def _start(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
    """Where the entries of an array from `at` on lie."""
    return builder.gep(context.make_array(kind)(context, builder, array).data, [at])


def _load(builder: Any, start: Any, lanes: Lanes) -> Any:
    place = builder.bitcast(start, ir.PointerType(_vector(lanes)))
    return builder.load(place, align=lanes.dtype.bitwidth // 8)


def _store(builder: Any, start: Any, vector: Any, lanes: Lanes) -> None:
    place = builder.bitcast(start, ir.PointerType(_vector(lanes)))
    builder.store(vector, place, align=lanes.dtype.bitwidth // 8)


def _spread(builder: Any, number: Any, vector: Any) -> Any:
    """A number in each lane."""
    blank, first = ir.Constant(vector, ir.Undefined), ir.Constant(ir.IntType(32), 0)
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), None)
    return builder.shuffle_vector(builder.insert_element(blank, number, first), blank, zeros)


@intrinsic
def width(_: Any, array: Any) -> Any:
    """How many numbers of the array's dtype there are in a register: a constant."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(ir.IntType(64), _lanes(array).count)

    return types.int64(array), generate


@intrinsic
def zeros(_: Any, array: Any) -> Any:
    """Zero in each lane, of the array's dtype."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(_vector(_lanes(array)), [0.0] * _lanes(array).count)

    return _lanes(array)(array), generate


@intrinsic
def read(_: Any, array: Any, at: Any) -> Any:
    """`array[at]`; `at` never counts from the end, which lets LLVM see what is read in a row."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(array)(context, builder, args[0]).data
        return builder.load(builder.gep(data, [args[1]], inbounds=True))

    return array.dtype(array, types.intp), generate


@intrinsic
def write(_: Any, array: Any, at: Any, number: Any) -> Any:
    """`array[at] = number`, as `read`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(array)(context, builder, args[0]).data
        value = context.cast(builder, args[2], number, array.dtype)
        builder.store(value, builder.gep(data, [args[1]], inbounds=True))
        return context.get_dummy_value()

    return types.none(array, types.intp, number), generate


@intrinsic
def choose(_: Any, condition: Any, a: Any, b: Any) -> Any:
    """`a if condition else b` without a branch, which the machine would guess wrong."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(*args)

    return a(condition, a, a), generate


@intrinsic
def load(_: Any, array: Any, at: Any) -> Any:
    """Read the entries at `at` and after it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _load(builder, _start(context, builder, array, *args), _lanes(array))

    return _lanes(array)(array, types.intp), generate


@intrinsic
def store(_: Any, array: Any, at: Any, lanes: Any) -> Any:
    """Write `lanes` to `at` and after it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _store(builder, _start(context, builder, array, *args[:2]), args[2], lanes)
        return context.get_dummy_value()

    return types.none(array, types.intp, lanes), generate


@intrinsic
def fma(_: Any, a: Any, b: Any, total: Any) -> Any:
    """`total + a * b`, rounded once where the machine can; `a` is a number or lanes."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        left, right, total = args
        if not isinstance(a, Lanes):
            left = _spread(builder, left, right.type)
        product = builder.fmul(left, right, flags=("contract",))
        return builder.fadd(total, product, flags=("contract",))

    return b(a, b, b), generate


@intrinsic
def total(_: Any, lanes: Any) -> Any:
    """The sum of the lanes, halves first."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        left, index = args[0], ir.IntType(32)
        while left.type.count > 1:
            half = left.type.count // 2
            pick = ir.VectorType(index, half)
            low, high = (
                builder.shuffle_vector(left, left, ir.Constant(pick, list(range(k, k + half))))
                for k in (0, half)
            )
            left = builder.fadd(low, high)
        total = builder.extract_element(left, index(0))
        return impl_ret_untracked(context, builder, signature.return_type, total)

    return lanes.dtype(lanes), generate


@intrinsic
def transpose(
    _: Any, like: Any, x: Any, at: Any, step: Any, last: Any, y: Any, to: Any, stride: Any
) -> Any:
    """Read a square and write it transposed: `y[to + j * stride + i] = x[at + i * step + j]`.

    Rows `i` of the square are `step` apart and at most the `last`; columns `j` become lanes that
    are `stride` apart. There are as many of both as `like` has numbers in a register.
    """
    lanes = Lanes(x.dtype, _lanes(like).count)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _, source, at, step, last, target, to, stride = args
        source = _start(context, builder, x, source, at)
        target = _start(context, builder, y, target, to)
        fn = _transposing(builder.module, source.type, lanes)
        builder.call(fn, [source, step, last, target, stride])
        return context.get_dummy_value()

    i = types.int64
    return types.none(like, x, i, i, i, y, i, i), generate


def _transposing(module: Any, pointer: Any, lanes: Lanes) -> Any:
    """`transpose` as a function of its own: a square of 16 is 64 shuffles, too many to repeat."""
    name, count = f"srcad.transpose.{lanes}", ir.IntType(64)
    if name in module.globals:
        return module.globals[name]
    kinds = [pointer, count, count, pointer, count]
    fn = own_function(module, kinds, name)
    # What a loop is made of brings the function with it: one stays.
    fn.linkage = "linkonce_odr"
    builder = ir.IRBuilder(fn.append_basic_block())
    source, step, last, target, stride = fn.args
    rows = []
    for k in range(lanes.count):
        within = smaller_of(builder, ir.Constant(count, k), last)
        rows.append(_load(builder, moved(builder, source, (within, step)), lanes))
    for k, row in enumerate(transposed(builder, rows)):
        _store(builder, moved(builder, target, (ir.Constant(count, k), stride)), row, lanes)
    builder.ret_void()
    return fn


# Maxima ------------------------------------------------------------------------------------------


@intrinsic
def places(_: Any, lanes: Any, number: Any) -> Any:
    """A byte in each lane."""
    kind = Lanes(types.uint8, lanes.count)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte = context.cast(builder, args[1], number, types.uint8)
        return _spread(builder, byte, _vector(kind))

    return kind(lanes, number), generate


@intrinsic
def larger(_: Any, best: Any, place: Any, entry: Any, new: Any) -> Any:
    """`best` or a larger `entry`, and the place of it; NaN stays, without a place of its own."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        best, place, entry, new = args
        is_more = builder.fcmp_ordered(">", entry, best)
        is_nan = builder.fcmp_unordered("uno", entry, entry)
        value = builder.select(builder.or_(is_more, is_nan), entry, best)
        made = builder.select(is_more, new, place)
        return context.make_tuple(builder, signature.return_type, (value, made))

    return types.Tuple((best, place))(best, place, entry, new), generate


@intrinsic
def positive(_: Any, best: Any, bias: Any, place: Any, off: Any) -> Any:
    """The positive part of `best + bias`, and `place`, or `off` where there is none."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        total = builder.fadd(args[0], _spread(builder, args[1], args[0].type))
        zero = ir.Constant(total.type, [0.0] * best.count)
        value = builder.select(builder.fcmp_ordered("<", total, zero), zero, total)
        made = builder.select(builder.fcmp_ordered(">", total, zero), args[2], args[3])
        return context.make_tuple(builder, signature.return_type, (value, made))

    return types.Tuple((best, place))(best, bias, place, off), generate


@intrinsic
def where_at(_: Any, found: Any, place: Any, lanes: Any) -> Any:
    """`lanes` where `found` is `place`, elsewhere zero."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zero = ir.Constant(args[2].type, [0.0] * lanes.count)
        return builder.select(builder.icmp_unsigned("==", args[0], args[1]), args[2], zero)

    return lanes(found, place, lanes), generate


@intrinsic
def load_places(_: Any, lanes: Any, array: Any, at: Any) -> Any:
    """Read as many bytes as `lanes` has numbers."""
    kind = Lanes(types.uint8, lanes.count)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _load(builder, _start(context, builder, array, *args[1:]), kind)

    return kind(lanes, array, types.intp), generate


__all__ = [
    "BYTES",
    "Lanes",
    "choose",
    "fma",
    "larger",
    "load",
    "load_places",
    "places",
    "positive",
    "read",
    "store",
    "total",
    "transpose",
    "where_at",
    "width",
    "write",
    "zeros",
]
