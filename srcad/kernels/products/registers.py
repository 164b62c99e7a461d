"""AVX-512's registers in LLVM code being written: vectors of so many numbers, masked at an end.

    registers = Registers(builder, 32)              16 float32
    x = registers.load(start, mask)                 zero in the lanes that the mask has not
    registers.store(x, start)

A processor without them computes the same, slowly.
"""

from __future__ import annotations

from typing import Any

from numba import config

from srcad.kernels.numba_adapter import binding, ir

LONG, SHORT, FLAG = ir.IntType(64), ir.IntType(32), ir.IntType(1)
REGISTER_BYTES = 64


def has_wide_registers() -> bool:
    """Whether this processor has AVX-512."""
    if config.CPU_NAME is not None:  # Numba was told to compile for another
        return "+avx512f" in (config.CPU_FEATURES or "").split(",")
    try:
        return bool(binding.get_host_cpu_features().get("avx512f"))
    except RuntimeError:
        return False


def number_of(bits: int) -> ir.Type:
    """The type of numbers of so many bits."""
    return ir.FloatType() if bits == 32 else ir.DoubleType()


def lanes_of(bits: int) -> int:
    """How many numbers of so many bits there are in a register."""
    return REGISTER_BYTES * 8 // bits


class Registers:
    """Writes instructions for registers full of numbers of one type."""

    def __init__(self, builder: ir.IRBuilder, bits: int) -> None:
        self.builder, self.lanes, self.align = builder, lanes_of(bits), bits // 8
        self.vector = ir.VectorType(number_of(bits), self.lanes)
        self.suffix = f"v{self.lanes}f{bits}.p0"

    def spread(self, number: ir.Value) -> ir.Value:
        """A number in each lane."""
        blank = ir.Constant(ir.VectorType(number.type, self.lanes), ir.Undefined)
        first = self.builder.insert_element(blank, number, SHORT(0))
        zeros = ir.Constant(ir.VectorType(SHORT, self.lanes), None)
        return self.builder.shuffle_vector(first, blank, zeros)

    def mask(self, first: int, count: ir.Value) -> ir.Value:
        """Which lanes are among `count` numbers, from number `first` on."""
        numbers = list(range(first, first + self.lanes))
        order = ir.Constant(ir.VectorType(LONG, self.lanes), numbers)
        return self.builder.icmp_signed("<", order, self.spread(count))

    def load(self, start: ir.Value, mask: ir.Value | None = None) -> ir.Value:
        """The numbers from `start` on; without a mask, all."""
        place = self.builder.bitcast(start, self.vector.as_pointer())
        if mask is None:
            return self.builder.load(place, align=self.align)
        args = [place, SHORT(self.align), mask, ir.Constant(self.vector, None)]
        return self.masked("load", self.vector, args)

    def store(self, vector: ir.Value, start: ir.Value, mask: ir.Value | None = None) -> None:
        """Write numbers from `start` on."""
        place = self.builder.bitcast(start, self.vector.as_pointer())
        if mask is None:
            self.builder.store(vector, place, align=self.align)
            return
        self.masked("store", ir.VoidType(), [vector, place, SHORT(self.align), mask])

    def masked(self, what: str, result: ir.Type, args: list[Any]) -> ir.Value:
        """A call of LLVM's masked load or store."""
        module, name = self.builder.module, f"llvm.masked.{what}.{self.suffix}"
        shape = ir.FunctionType(result, [arg.type for arg in args])
        fn = module.globals.get(name) or ir.Function(module, shape, name)
        return self.builder.call(fn, args)


def transposed(builder: ir.IRBuilder, rows: list[ir.Value]) -> list[ir.Value]:
    """A square: halves of pairs of rows change places, then quarters, and so on."""
    half = len(rows) // 2
    while half:
        new = list(rows)
        for i in range(len(rows)):
            if not i & half:
                new[i], new[i | half] = exchanged(builder, rows[i], rows[i | half], half)
        rows, half = new, half // 2
    return rows


def exchanged(
    builder: ir.IRBuilder, a: ir.Value, b: ir.Value, half: int
) -> tuple[ir.Value, ir.Value]:
    """Two rows whose runs of `half` numbers changed places across."""
    n = a.type.count
    pick = ir.VectorType(SHORT, n)
    first = [i if not i & half else (i ^ half) + n for i in range(n)]
    other = [i | half if not i & half else i + n for i in range(n)]
    made = (builder.shuffle_vector(a, b, ir.Constant(pick, at)) for at in (first, other))
    return tuple(made)


def own_function(module: ir.Module, kinds: list[ir.Type], name: str) -> ir.Function:
    """A function that only its module knows; others may have another one of the same name."""
    fn = ir.Function(module, ir.FunctionType(ir.VoidType(), kinds), name)
    fn.linkage = "internal"
    for attribute in ("noinline", "nounwind"):
        fn.attributes.add(attribute)
    return fn


def smaller_of(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """The smaller of two integers."""
    return builder.select(builder.icmp_signed("<", a, b), a, b)


def moved(builder: ir.IRBuilder, start: ir.Value, *steps: tuple[ir.Value, ir.Value]) -> ir.Value:
    """So many steps on, of so many entries each."""
    for count, size in steps:
        start = builder.gep(start, [builder.mul(count, size)])
    return start
