"""The program of a part of the samples, for any number of samples.

What was found while the function was read may hold for some numbers alone: `if len(x) > 3` where
there are five. It is refused: parts are shorter than the whole.
"""

from __future__ import annotations

from collections.abc import Sequence

from srcad.frontend.lower import Lowered
from srcad.ir.interface import paths
from srcad.ir.nodes import Function
from srcad.pipeline.passes import expand
from srcad.transform.boundary import interface_of
from srcad.transform.parts.analysis import refused
from srcad.transform.parts.contribution import contribution


def of_part(lowered: Lowered, over: Sequence[str], has_aux: bool) -> Function:
    """The program of a part, which has its share of the samples for a last parameter.

    Args:
        over: the paths of the arrays that are split.

    Raises:
        UnsupportedSyntax: E142, the result is not made of those of the parts.
    """
    interface = interface_of(lowered.function)
    found = [paths(param.tree, f"A[{k}]") for k, param in enumerate(interface.params)]
    slots = {path.replace('"', "'"): slot for each in found for slot, path in each.items()}
    program = contribution(expand(lowered.function), [slots[path] for path in over], has_aux)
    lengths = {f"{path}.shape[0]" for path in over}
    for guard in lowered.guards:
        named = [length for length in lengths if length in guard.path]
        sides = set(guard.path.split(" == "))
        if named and not (sides <= lengths and guard.expected is True):
            raise refused(None, "it is compiled for some numbers of samples only")
    return program


__all__ = ["of_part"]
