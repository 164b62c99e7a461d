"""Functions of NumPy."""

import numpy as np

from srcad.ops.table import Row, state

state(Row(product=True), np.matmul, np.linalg.matmul, np.dot)
