"""One of two numbers that are both computed: an instruction, where `a if c else b` is a branch."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

__all__ = ["where"]


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def where(typingctx: Any, cond: Any, a: Any, b: Any) -> Any:
    """`a if cond else b`, as the type that `a` and `b` have in common."""
    kind = typingctx.unify_types(types.unliteral(a), types.unliteral(b))
    if not isinstance(cond, types.Boolean) or not isinstance(kind, types.Number | types.Boolean):
        return None

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.select(*values)

    return kind(types.boolean, kind, kind), generate
