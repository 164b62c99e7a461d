"""`vmap`: a function of one sample as a function of many."""

from __future__ import annotations

from typing import Any

from srcad.api.arguments.options import check_options
from srcad.api.signatures.transformations import Axes, Mapped
from srcad.api.signatures.typed import TypedAs
from srcad.api.transformed import create
from srcad.errors import error
from srcad.pipeline.request import Request


@TypedAs[Mapped]()
def vmap(f: Any = None, in_axes: Axes = 0, out_axes: Axes = 0, **options: Any) -> Any:
    """`f` for each entry of an axis, the results stacked, as one program.

    Operations become those of arrays with one more axis: a matrix-vector product a matrix product.
    What has no such form, a branch or a loop that depends on a sample's data for instance, runs in
    a loop over the samples. Transformations can be mapped, and what is mapped transformed:
    `vmap(grad(f), in_axes=(None, 0))` gives the gradient of each sample.

    Args:
        f: the function of one sample. An argument that is a 1-d array of samples comes as a NumPy
            number. What it writes into its arguments stays in the call. It may not draw random
            numbers.
        in_axes: the axis of the samples in each argument: an int for all of them, or a tuple with
            an int, None (not mapped), or a tuple, list or dict of these for each. Of keyword
            arguments it is the first; defaults are not mapped.
        out_axes: the axis of the samples in the result: an int, None for what is the same for all,
            which must not depend on them, or a tuple, list or dict of these.
        backend, fast_math, cache: as of `grad`.

    Returns:
        A function of the arguments of `f`, those that are mapped with the axis of the samples. In
        the result each number and array has it; bools and strings that are known while compiling
        stay what they are.

    Raises:
        ArgumentValueError: E320, the axes do not fit the arguments or the result.
        UnsupportedSyntax: E141, a part of `f` cannot run for all samples.
        ValueError: the mapped axes of two arguments differ in length.

    >>> import numpy as np
    >>> import srcad
    >>> norms = srcad.vmap(lambda x: np.sqrt(x @ x))
    >>> norms(np.array([[3.0, 4.0], [6.0, 8.0]]))
    array([ 5., 10.])
    """
    if f is None:
        check_options(options)
        return lambda fn: vmap(fn, in_axes, out_axes, **options)
    if not callable(f):
        raise error("E313", None, what=f"{f!r}")
    axes = (_frozen(in_axes), _frozen(out_axes))
    return create(Request("vmap", f, (), axes=axes, **check_options(options)))


def _frozen(axes: Any) -> Any:
    """A copy of axes, which the caller may change later."""
    if isinstance(axes, tuple | list):
        return tuple(map(_frozen, axes))
    if isinstance(axes, dict):
        return {key: _frozen(each) for key, each in axes.items()}
    return axes
