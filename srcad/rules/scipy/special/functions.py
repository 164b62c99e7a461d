"""`scipy.special` for rules: its ufuncs, also where SciPy wraps them.

SCIPY_ARRAY_API=1      special.chdtr is a function around a ufunc, for arrays of other packages
special.chdtr(2, x)    the call of the ufunc, which is what NumPy's arrays get
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special as _special

from srcad.rules.core.call_facts import INSTEAD


class _Special:
    """The module, of whose functions the ufuncs behind them are given."""

    def __getattr__(self, name: str) -> Any:
        return _plain(getattr(_special, name))


def _plain(fn: Any) -> Any:
    behind = getattr(fn, "__wrapped__", None)
    return behind if isinstance(behind, np.ufunc) else fn


special = _Special()
_members = [getattr(_special, name) for name in dir(_special) if not name.startswith("_")]
INSTEAD.update((fn, _plain(fn)) for fn in _members if _plain(fn) is not fn)
