"""Gradients over many samples, in parts: on threads, processes, a Dask cluster or MPI.

def loss(w, x, y):
    return np.mean((x @ w - y) ** 2) + 0.1 * np.sum(w**2)

with ProcessPoolExecutor(2) as pool:
    step = srcad.parallel.value_and_grad(loss, over=("x", "y"), engine=pool)
    value, w_bar = step(w, x, y)

The arguments in `over` are split along their first axis. The compiler proves that the result is a
sum or a mean over the samples, so that parts of it are added; a program that is none is refused.
Parts run where an engine runs them that exists; there is no scheduler here.
"""

from srcad.parallel.gradients import Parallel, grad, value_and_grad
from srcad.parallel.reading import batches, parquet

__all__ = ["Parallel", "batches", "grad", "parquet", "value_and_grad"]
