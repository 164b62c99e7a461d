"""Products of directions without masks, and with them where the bare ones have a NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
from transform.programs import array, program

from srcad.ir import show
from srcad.transform.jacobians.bare_products import without_masks

VECTOR = array("n")


def test_masked_products_are_the_products() -> None:
    def written(b: Any, t: Any, c: Any) -> Any:
        y = t * c
        return np.where((t == 0) & np.isnan(y), 0, y) + t

    fn = program(written, t=VECTOR, c=VECTOR)
    env: dict[Any, Any] = {}
    bare = without_masks(fn.body.body, env)
    assert bare is not None
    assert "where" in show(fn)
    assert all(getattr(stmt, "fn", None) is not np.where for stmt in bare)
    assert env[fn.body.results[0]] in bare[-1].outs


def test_other_choices_stay() -> None:
    fn = program(lambda b, t, c: np.where(c == 0, 0, t), t=VECTOR, c=VECTOR)
    assert without_masks(fn.body.body, {}) is None
