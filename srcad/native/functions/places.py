"""Places in arrays that are counted from the front, and loads and stores there.

x[i - 1]            compiled code first asks whether i - 1 is negative: no SIMD
x[at(i - 1)]        it is not: loads of neighbours become one load of a register
y[at(i)] = 0.0      this leaves all x as they are: `y` is another array than `x`

LLVM is told the last with each load and store, by scopes, one for each array: else it asks at run
time whether arrays overlap, before each innermost loop, and has every loop twice; where there are
many arrays it gives up. For arrays that may have memory in common with one another, not with those
others, there is `at_common`.
"""

# mypy: disable-error-code="untyped-decorator,misc"
from __future__ import annotations

import operator
from typing import Any

from numba import types
from numba.extending import intrinsic, models, register_model

from srcad.kernels.numba_adapter import (
    AbstractTemplate,
    cgutils,
    infer_global,
    ir,
    lower_builtin,
    member_at,
    typed,
)

__all__ = ["at", "at_common"]

# More scopes than that take long to compile.
MOST_SCOPES = 100


class Place(types.Type):
    """The type of a tuple of `count` integers that are not negative.

    is_own: whether the arrays that it is the place in have no memory in common with others.
    """

    def __init__(self, count: int, is_own: bool) -> None:
        self.count, self.is_own, self.dtype = count, is_own, types.uintp
        super().__init__(f"place({count}, {is_own})")

    @property
    def key(self) -> Any:
        """What tells such types apart."""
        return self.count, self.is_own

    def __len__(self) -> int:
        """How many integers there are."""
        return self.count


def is_place_in(array: Any, place: Any) -> bool:
    """Whether types are those of an array and of the place of an entry."""
    is_both = isinstance(array, types.Array) and isinstance(place, Place)
    return is_both and array.ndim == place.count


class Load(AbstractTemplate):
    """The type of `x[at(i)]`."""

    def generic(self, args: Any, kws: Any) -> Any:
        """An entry, if these are an array and a place."""
        return typed(args[0].dtype, *args) if is_place_in(*args) else None


class Store(AbstractTemplate):
    """The type of `x[at(i)] = value`."""

    def generic(self, args: Any, kws: Any) -> Any:
        """Nothing, if these are an array and a place; the value is converted to an entry."""
        array, place, _ = args
        return typed(types.none, array, place, array.dtype) if is_place_in(array, place) else None


def entry_address(
    context: Any, builder: Any, kind: Any, array: ir.Value, place: ir.Value
) -> ir.Value:
    """Where an entry is."""

    def member(name: str) -> Any:
        return builder.extract_value(array, member_at(context, kind, name))

    shape, strides, index = (
        cgutils.unpack_tuple(builder, each) for each in (member("shape"), member("strides"), place)
    )
    return cgutils.get_item_pointer2(
        context, builder, member("data"), shape, strides, kind.layout, index
    )


def tell_scope(builder: Any, array: ir.Value, place: Any, access: Any) -> None:
    """Mark a load or store as one of this array, which is none of the arrays that came before."""
    name = variable_of(array) if place.is_own else "in common"
    fn, module = builder.function, builder.module
    known = vars(fn).setdefault("scopes", {})
    if name and name not in known and len(known) < MOST_SCOPES:
        domain = module.add_metadata([f"arrays of {fn.name}"])
        scope = module.add_metadata([f"{name} of {fn.name}", domain])
        earlier = [each for each, _, _ in known.values()]
        known[name] = scope, module.add_metadata([scope]), module.add_metadata(earlier)
    if name in known:
        _, own, others = known[name]
        access.set_metadata("alias.scope", own)
        if others.operands:
            access.set_metadata("noalias", others)


def variable_of(array: ir.Value) -> str | None:
    """The local variable that an array is loaded from: Numba has one for each assignment.

    Variables of Numba's own, whose names no Python variable has, may be copies: None.
    """
    slot = array.operands[0] if isinstance(array, ir.LoadInstr) else None
    return slot.name if isinstance(slot, ir.AllocaInstr) and slot.name[0].isalpha() else None


def load(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """The entry at a place."""
    kind, place = signature.args
    where = entry_address(context, builder, kind, *values)
    entry = context.unpack_value(builder, kind.dtype, where)
    if isinstance(entry, ir.LoadInstr):
        tell_scope(builder, values[0], place, entry)
    return entry


def store(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """Write the entry at a place."""
    kind, place, given = signature.args
    where = entry_address(context, builder, kind, *values[:2])
    entry = context.cast(builder, values[2], given, kind.dtype)
    context.pack_value(builder, kind.dtype, entry, where)
    last = builder.block.instructions[-1]
    if isinstance(last, ir.StoreInstr):
        tell_scope(builder, values[0], place, last)
    return context.get_dummy_value()


def place_of(is_own: bool) -> Any:
    """A function of integers: the tuple of them, none of which is negative, as an index."""
    # Numba is told before there is a place.
    assert TOLD

    def chosen(typingctx: Any, *index: Any) -> Any:
        if not all(isinstance(t, types.Integer) for t in index):
            return None
        place = Place(len(index), is_own)

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            given = cgutils.unpack_tuple(builder, values[0])
            pairs = zip(given, index, strict=True)
            unsigned = [context.cast(builder, value, t, types.uintp) for value, t in pairs]
            return cgutils.pack_array(builder, unsigned)

        return place(types.StarArgTuple(index)), generate

    return intrinsic(chosen)


TOLD = (
    register_model(Place)(models.UniTupleModel),
    infer_global(operator.getitem)(Load),
    infer_global(operator.setitem)(Store),
    lower_builtin(operator.getitem, types.Array, Place)(load),
    lower_builtin(operator.setitem, types.Array, Place, types.Any)(store),
)
at = place_of(True)
at_common = place_of(False)
