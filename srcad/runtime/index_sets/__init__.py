"""Index sets: for each entry of an array, the entries of an argument that it may depend on.

    x_from = own_places(x)                    {0} {1} {2}
    y_from = x_from[1:] | x_from[:-1]         {0, 1} {1, 2}

What moves entries (an index, `reshape`, `concatenate`) moves their sets, and `|` joins those of
arrays entry by entry.
"""

from srcad.runtime.index_sets.forms import (
    added_places,
    all_places,
    computed_places,
    contracted_places,
    joined_places,
    lines_places,
    moved_places,
    no_places,
    own_places,
    packed_places,
    placed,
    product_places,
    running_places,
    sparse_product_places,
    spread_places,
    stacked_places,
    summed_places,
    within_places,
)
from srcad.runtime.index_sets.windows import (
    images_places,
    pooled_places,
    smoothed_places,
    stencil_places,
)

__all__ = [
    "added_places",
    "all_places",
    "computed_places",
    "contracted_places",
    "images_places",
    "joined_places",
    "lines_places",
    "moved_places",
    "no_places",
    "own_places",
    "packed_places",
    "placed",
    "pooled_places",
    "product_places",
    "running_places",
    "smoothed_places",
    "sparse_product_places",
    "spread_places",
    "stacked_places",
    "stencil_places",
    "summed_places",
    "within_places",
]
