from srcad.ir import NumberType, Value
from srcad.ir.walk import reached


def test_values_are_found_once_each_in_order_and_constants_are_none():
    a, b, c, d = (Value(name, NumberType(float)) for name in "abcd")
    behind = {a: [c, 1.0, b], b: [d, a], c: [d]}
    assert list(reached([a], lambda value: behind.get(value, ()))) == [a, c, b, d]
    assert list(reached([d, b], lambda value: ())) == [d, b]
