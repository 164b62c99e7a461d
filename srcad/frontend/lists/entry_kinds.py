"""What the entries of the columns of a list are read as: a type, several kinds, texts."""

from __future__ import annotations

from typing import Any, cast

from srcad.frontend.abstract.containers.containers import Grown
from srcad.frontend.abstract.joined_types import type_of_leaf
from srcad.frontend.abstract.kinds_by_data import Named, named, union_of
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.session import Session
from srcad.frontend.lists.items import atom_of
from srcad.ir.types import ArrayType, NumberType, Type, rank_of
from srcad.rules.core.joined_kinds import Kinds, kind_of


def may_be_alike(a: Type | Kinds, b: Type | Kinds) -> bool:
    """Whether two items may have one shape; that they have is seen when they are joined."""
    if isinstance(a, Named) or isinstance(b, Named):
        return isinstance(a, Named) and isinstance(b, Named)
    if not isinstance(a, _TYPES) or not isinstance(b, _TYPES):
        return all(t is not None and (not isinstance(t, _TYPES) or not rank_of(t)) for t in (a, b))
    if rank_of(a) == rank_of(b) == 0:
        return True
    if not isinstance(a, ArrayType) or not isinstance(b, ArrayType) or rank_of(a) != rank_of(b):
        return False
    pairs = zip(a.shape or (), b.shape or (), strict=True)
    same = all(p == q or not (isinstance(p, int) and isinstance(q, int)) for p, q in pairs)
    return same and (a.dtype, a.scalar) == (b.dtype, b.scalar)


def read_as(session: Session, part: Abstract) -> Any:
    """What an entry of a column is read as where it is this part of an item: its type; its kinds
    in Python, where it is of several; what its code stands for.
    """
    constants = named(part)
    if constants is not None:
        return constants
    atom, kinds = atom_of(session, part), session.kinds
    if atom in kinds:
        return kinds.of(atom)
    t = type_of_leaf(atom)
    return NumberType(t.kind) if isinstance(t, NumberType) else t


def joint_kind(*kinds: Any) -> Any:
    """What an entry of a column is read as; kinds where it depends on the item."""
    codes = [t for t in kinds if isinstance(t, Named)]
    if codes:
        return union_of(codes) if len(codes) == len(kinds) else None
    last, found = kinds[0], list(map(kinds_of, kinds))
    if isinstance(last, _TYPES) and all(each == found[0] for each in found):
        return last
    if not all(isinstance(each, frozenset) for each in found):
        return None
    return frozenset().union(*(each for each in found if each is not None))


def have_same_kinds(a: Grown, b: Grown) -> bool:
    """Whether the entries of the columns of two lists are read alike."""
    return list(map(kinds_of, a.kinds)) == list(map(kinds_of, b.kinds))


def kinds_of(t: Any) -> Kinds:
    """The kinds of what is read so; None where they are not known."""
    return frozenset([kind_of(t)]) if isinstance(t, _TYPES) else cast("Kinds", t)


_TYPES = (ArrayType, NumberType)

__all__ = ["have_same_kinds", "joint_kind", "kinds_of", "may_be_alike", "read_as"]
