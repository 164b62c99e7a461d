import re

import numpy as np
import pytest

pytest.importorskip("numba")
from native.accuracy import DTYPES, evaluate, new_llvm, over_arrays

from srcad.native.functions import cos, sin


@new_llvm
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_vector_asks_once_for_all_its_lanes(dtype):
    (text,) = over_arrays(sin, dtype).inspect_llvm().values()
    symbol = "srcad_sin" if dtype is np.float64 else "srcad_sinf"
    (body,) = re.findall(r"\nvector\.body:.*?\n\n", text, flags=re.DOTALL)
    calls = re.findall(rf"call .*@{symbol}_(\d+)\(", body)
    assert calls
    assert f"<{calls[0]} x i1>" in body
    assert f"@{symbol}(" not in body


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("fn", [sin, cos])
def test_every_lane_may_want_it(fn, dtype):
    x = np.exp2(np.linspace(25, 120, 103)).astype(dtype)
    want = getattr(np, fn._name)(x.astype(np.float64))
    assert np.allclose(evaluate(fn, x), want, rtol=1e-5 if dtype is np.float32 else 1e-14)
