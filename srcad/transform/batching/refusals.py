"""What cannot be mapped over samples."""

from __future__ import annotations

from srcad.errors import error
from srcad.ir.nodes import Atom, Block, Op
from srcad.ir.walk import reads, statements
from srcad.rules.draws import GENERATOR, is_draw, is_shared_draw
from srcad.transform.jacobians.batch import Batch


def refuse_draws(block: Block) -> None:
    """Each sample would draw other numbers, one sample after the other."""
    for stmt in statements(block):
        draws = isinstance(stmt, Op) and (is_draw(stmt.fn) or is_shared_draw(stmt.fn))
        if draws or any(v.type == GENERATOR for v in reads(stmt)):
            raise error("E141", stmt.loc, what="a random draw")


def same_for_all(batch: Batch, atom: Atom) -> Atom:
    """A result that is to have no axis for the samples.

    Raises:
        ArgumentValueError: E320, it depends on them.
    """
    if batch.has_axis(atom):
        raise error("E320", None, what="out_axes=None for a result that depends on the samples")
    return atom


__all__ = ["refuse_draws", "same_for_all"]
