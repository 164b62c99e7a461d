"""Sets of values as whole numbers."""

from srcad.ir.bits import Bits
from srcad.ir.nodes import Value
from srcad.ir.types import NumberType


def test_sets_are_joined_and_cut_as_numbers():
    x, y, z = (Value(name, NumberType(float)) for name in "xyz")
    bits = Bits()
    assert bits.of([]) == 0
    both = bits.of([x, y])
    assert both == 0b11
    assert both == bits.of([y]) | bits.of([x, x])
    assert bits.values(both & ~bits.of([x])) == [y]
    assert bits.values(bits.of([z, x])) == [x, z]
