"""Which functions of NumPy have a twin in `srcad.native.functions`: names only, without Numba.

    VECTORISED[np.exp]      "exp"

`math.exp` is not among them: it raises where NumPy answers infinity (`python_semantics` has it).
Integer arguments count as float64, so an exact power of integers is not to be asked of `power`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

VECTORISED: dict[Callable[..., Any], str] = {
    getattr(np, name): name
    for name in (
        *("exp", "exp2", "expm1", "sinh", "cosh", "tanh"),
        *("log", "log2", "log10", "log1p", "logaddexp", "arcsinh", "arccosh", "arctanh"),
        *("sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2"),
        *("cbrt", "hypot"),
    )
}
VECTORISED |= {np.power: "power", np.float_power: "power"}
