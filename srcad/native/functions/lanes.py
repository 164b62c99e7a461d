"""Floating-point arithmetic as straight-line LLVM code: the language of the functions beside it.

Numba turns `np.exp(x[i])` into a call of the C library, which ends every hope of SIMD in the loop
around it. The functions of this folder are written on `Lane`, a thin proxy of one float (or of one
bit pattern) whose operators print LLVM instructions, and become Numba intrinsics by `elementary`:

    @elementary
    def square_plus_one(x):          # called once per type, with a Lane of float32 or float64
        return x.fma(x, 1.0)

    @njit
    def f(x, y):
        for i in range(x.size):
            y[i] = square_plus_one(x[i])      # two instructions in the loop, no call: vectorised

Constants are Python floats and take the lane's type. There are no branches, `select` chooses
between two finished values; so LLVM's loop vectoriser may put 4, 8 or 16 lanes in a register.

A caller compiled with `fastmath` would break error compensation and rounding by a magic number.
Numba adds the caller's flags only to instructions that have none, so each instruction here carries
one that changes nothing (`arcp` where no division is, `contract` where no addition is).
"""

from __future__ import annotations

import inspect
import struct
from collections.abc import Callable
from typing import Any

from numba import config, types
from numba.extending import intrinsic

from srcad.kernels.numba_adapter import binding, ir
from srcad.native.functions.variants import library_function

FLOAT, DOUBLE = ir.FloatType(), ir.DoubleType()
# x + MAGIC - MAGIC rounds |x| < 2^22 (2^51) to an integer, which then stands in the low bits.
MAGIC = {32: 1.5 * 2.0**23, 64: 1.5 * 2.0**52}
MAGIC_BITS = {
    32: int.from_bytes(struct.pack("<f", MAGIC[32]), "little"),
    64: int.from_bytes(struct.pack("<d", MAGIC[64]), "little"),
}
MANTISSA = {32: 23, 64: 52}
BIAS = {32: 127, 64: 1023}


def _has_fma() -> bool:
    """Whether this processor multiplies and adds in one rounding (else `fma` would be a C call)."""
    if config.CPU_NAME is not None:  # Numba was told to compile for another
        return "+fma" in (config.CPU_FEATURES or "")
    try:
        features = binding.get_host_cpu_features()
    except RuntimeError:
        return False
    return bool(features.get("fma") or features.get("neon"))


HAS_FMA = _has_fma()


class Lane:
    """A float, integer or truth value in LLVM code being written; operators print instructions."""

    __slots__ = ("builder", "value")

    def __init__(self, builder: ir.IRBuilder, value: ir.Value) -> None:
        self.builder, self.value = builder, value

    @property
    def width(self) -> int:
        """How many bits: 32 or 64."""
        return 32 if self.value.type in (FLOAT, ir.IntType(32)) else 64

    def _like(self, other: Lane | float) -> ir.Value:
        """`other` as an operand of this lane's type; Python numbers become constants."""
        return other.value if isinstance(other, Lane) else ir.Constant(self.value.type, other)

    def _new(self, value: ir.Value) -> Lane:
        return Lane(self.builder, value)

    def _float(self, name: str, a: ir.Value, b: ir.Value) -> Lane:
        flag = "contract" if name == "fdiv" else "arcp"
        return self._new(getattr(self.builder, name)(a, b, flags=(flag,)))

    def __add__(self, other: Lane | float) -> Lane:
        return self._float("fadd", self.value, self._like(other))

    def __radd__(self, other: float) -> Lane:
        return self._float("fadd", self._like(other), self.value)

    def __sub__(self, other: Lane | float) -> Lane:
        return self._float("fsub", self.value, self._like(other))

    def __rsub__(self, other: float) -> Lane:
        return self._float("fsub", self._like(other), self.value)

    def __mul__(self, other: Lane | float) -> Lane:
        return self._float("fmul", self.value, self._like(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Lane | float) -> Lane:
        return self._float("fdiv", self.value, self._like(other))

    def __rtruediv__(self, other: float) -> Lane:
        return self._float("fdiv", self._like(other), self.value)

    def __neg__(self) -> Lane:
        return self._new(self.builder.fneg(self.value, flags=("arcp",)))

    def _compare(self, sign: str, other: Lane | float) -> Lane:
        test = self.builder.fcmp_unordered if sign == "!=" else self.builder.fcmp_ordered
        return self._new(test(sign, self.value, self._like(other), flags=("arcp",)))

    def __lt__(self, other: Lane | float) -> Lane:
        return self._compare("<", other)

    def __le__(self, other: Lane | float) -> Lane:
        return self._compare("<=", other)

    def __gt__(self, other: Lane | float) -> Lane:
        return self._compare(">", other)

    def __ge__(self, other: Lane | float) -> Lane:
        return self._compare(">=", other)

    def equals(self, other: Lane | float) -> Lane:
        """Equal, and neither is NaN."""
        return self._compare("==", other)

    def differs(self, other: Lane | float) -> Lane:
        """Different, or one is NaN: `x.differs(x)` is the test for NaN."""
        return self._compare("!=", other)

    def __and__(self, other: Lane | int) -> Lane:
        return self._new(self.builder.and_(self.value, self._like(other)))

    def __or__(self, other: Lane | int) -> Lane:
        return self._new(self.builder.or_(self.value, self._like(other)))

    def __xor__(self, other: Lane | int) -> Lane:
        return self._new(self.builder.xor(self.value, self._like(other)))

    def __invert__(self) -> Lane:
        return self._new(self.builder.not_(self.value))

    def __lshift__(self, count: int) -> Lane:
        return self._new(self.builder.shl(self.value, self._like(count)))

    def __rshift__(self, count: int) -> Lane:
        """Logical: zeros come in from the left."""
        return self._new(self.builder.lshr(self.value, self._like(count)))

    def plus(self, other: Lane | int) -> Lane:
        """The sum of two bit patterns as integers that wrap around."""
        return self._new(self.builder.add(self.value, self._like(other)))

    def minus(self, other: Lane | int) -> Lane:
        """The difference of two bit patterns as integers that wrap around."""
        return self._new(self.builder.sub(self.value, self._like(other)))

    def bits(self) -> Lane:
        """The float's bit pattern as an integer."""
        return self._new(self.builder.bitcast(self.value, ir.IntType(self.width)))

    def real(self) -> Lane:
        """The float that has this bit pattern."""
        return self._new(self.builder.bitcast(self.value, FLOAT if self.width == 32 else DOUBLE))

    def call(self, name: str, *others: Lane | float) -> Lane:
        """LLVM's intrinsic function `llvm.<name>` of this type."""
        kind = self.value.type
        fn = self.builder.module.declare_intrinsic(
            f"llvm.{name}", [kind], ir.FunctionType(kind, [kind] * (1 + len(others)))
        )
        values = [self.value, *(self._like(other) for other in others)]
        return self._new(self.builder.call(fn, values, fastmath=("arcp",)))

    def fma(self, factor: Lane | float, addend: Lane | float) -> Lane:
        """`self * factor + addend`, in one rounding where the processor has it."""
        return self.call("fmuladd", factor, addend)

    def __abs__(self) -> Lane:
        return self.call("fabs")

    def copysign(self, sign: Lane | float) -> Lane:
        """The magnitude of this with the sign of the other."""
        return self.call("copysign", sign)

    def constant(self, value: float) -> Lane:
        """A number in this lane's type."""
        return self._new(self._like(value))

    def is_zero(self) -> Lane:
        """Whether a bit pattern is all zeros."""
        return self._new(self.builder.icmp_signed("==", self.value, self._like(0)))

    def unless(self, test: Lane, y: Lane, name: str) -> Lane:
        """`y`, but where the test holds, which is rare, the C library's function of this."""
        builder = self.builder
        before = builder.block
        with builder.if_then(test.value, likely=False):
            slow = builder.call(
                library_function(builder.module, name, self.value.type), [self.value]
            )
            inside = builder.block
        merged = builder.phi(self.value.type)
        merged.add_incoming(y.value, before)
        merged.add_incoming(slow, inside)
        return self._new(merged)

    def to(self, width: int) -> Lane:
        """This float as float32 or float64."""
        if self.width == width:
            return self
        if width == 64:
            return self._new(self.builder.fpext(self.value, DOUBLE))
        return self._new(self.builder.fptrunc(self.value, FLOAT))

    def nearest(self) -> tuple[Lane, Lane]:
        """The nearest integer of a small float: (as a float, as the low bits of an integer)."""
        shifted = self + MAGIC[self.width]
        return shifted - MAGIC[self.width], shifted.bits().minus(MAGIC_BITS[self.width])

    def as_real(self) -> Lane:
        """A small integer as a float (AVX2 has no instruction for 64 bits; this is two)."""
        return self.plus(MAGIC_BITS[self.width]).real() - MAGIC[self.width]

    def power_of_two(self) -> Lane:
        """2^n as a float, for an integer n in the range of normal numbers."""
        return (self.plus(BIAS[self.width]) << MANTISSA[self.width]).real()

    def product(self, other: Lane) -> tuple[Lane, Lane]:
        """The rounded product, and what rounding took from it (exact, unless it underflows)."""
        rounded = self * other
        if HAS_FMA:
            return rounded, self.call("fma", other, -rounded)
        (a, b), (c, d) = self._halves(), other._halves()  # Dekker (1971)
        return rounded, ((a * c - rounded) + a * d + b * c) + b * d

    def _halves(self) -> tuple[Lane, Lane]:
        """The upper half of the mantissa, and the rest."""
        drop = (MANTISSA[self.width] + 2) // 2
        high = (self.bits() & -(1 << drop)).real()
        return high, self - high

    def polynomial(self, coefficients: tuple[float, ...]) -> Lane:
        """`c[0] + c[1] x + ...` by Estrin's scheme: short chains of dependent operations."""
        terms: list[Lane | float] = list(coefficients)
        power = self
        while len(terms) > 1:
            paired: list[Lane | float] = []
            for low, high in zip(terms[::2], terms[1::2], strict=False):
                if isinstance(high, Lane):
                    paired.append(high.fma(power, low))
                else:
                    paired.append(power.fma(high, low))
            if len(terms) % 2:
                paired.append(terms[-1])
            terms, power = paired, power * power if len(paired) > 1 else power
        (total,) = terms
        return total if isinstance(total, Lane) else self._new(self._like(total))


def select(test: Lane, yes: Lane | float, no: Lane | float) -> Lane:
    """`yes` where the test holds, else `no`; both are computed."""
    model = yes if isinstance(yes, Lane) else no
    assert isinstance(model, Lane), "one of the two must be a Lane"
    builder = model.builder
    value = builder.select(test.value, model._like(yes), model._like(no))
    return Lane(builder, value)


def elementary(fn: Callable[..., Lane]) -> Any:
    """Make of a function of lanes one that Numba code calls; integers count as float64."""
    arity = len(inspect.signature(fn).parameters)

    def typed(args: tuple[Any, ...]) -> Any:
        if not all(isinstance(arg, (types.Float, types.Integer, types.Boolean)) for arg in args):
            return None
        if arity == 2 and not any(isinstance(arg, types.Float) for arg in args):
            return None  # a power of integers is an integer
        single = all(arg == types.float32 for arg in args)
        kind = types.float32 if single else types.float64

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            cast = (
                context.cast(builder, v, t, kind)
                for v, t in zip(values, signature.args, strict=True)
            )
            return fn(*(Lane(builder, value) for value in cast)).value

        return kind(*args), generate

    if arity == 1:

        def unary(typingctx: Any, x: Any) -> Any:
            return typed((x,))

        chosen: Any = unary
    else:

        def binary(typingctx: Any, x: Any, y: Any) -> Any:
            return typed((x, y))

        chosen = binary
    chosen.__name__, chosen.__doc__ = fn.__name__, fn.__doc__
    return intrinsic(prefer_literal=False)(chosen)
