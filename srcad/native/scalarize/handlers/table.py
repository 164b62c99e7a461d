"""Which handler makes loops of which function. A new one is named in the table of its kind."""

import operator
from typing import Any, Final

import numpy as np

from srcad.native.scalarize.handlers.called import NUMPYS_OWN
from srcad.native.scalarize.handlers.decompositions import DECOMPOSITIONS
from srcad.native.scalarize.handlers.diagonals import DIAGONALS
from srcad.native.scalarize.handlers.gathers import GATHERS
from srcad.native.scalarize.handlers.last_writes import LAST_WRITES
from srcad.native.scalarize.handlers.matrix_products import tensordot
from srcad.native.scalarize.handlers.operations import OPERATIONS
from srcad.native.scalarize.handlers.padding import PADDING
from srcad.native.scalarize.handlers.ranges import RANGES
from srcad.native.scalarize.handlers.reductions import REDUCTIONS
from srcad.native.scalarize.handlers.reshaping import reshaped
from srcad.native.scalarize.handlers.sequences import SEQUENCES
from srcad.native.scalarize.handlers.several_results import SEVERAL
from srcad.native.scalarize.handlers.tapes_passed import TAPES
from srcad.native.scalarize.handlers.vector_products import outer, product
from srcad.native.scalarize.lowering import Handler

HANDLERS: Final[dict[Any, Handler]] = {
    **OPERATIONS, **GATHERS, **SEVERAL, **REDUCTIONS, **SEQUENCES, **DIAGONALS, **PADDING,
    **LAST_WRITES, **RANGES, **TAPES, **DECOMPOSITIONS, **NUMPYS_OWN,
    operator.matmul: product, np.matmul: product, np.dot: product, np.outer: outer,
    np.tensordot: tensordot, np.reshape: reshaped,
}  # fmt: skip
