import numpy as np
import pytest

from srcad.native.vectorised import VECTORISED


def test_each_name_is_a_function_of_the_library():
    pytest.importorskip("numba")
    from srcad.native import functions

    for name in VECTORISED.values():
        assert name in functions.__all__
        assert hasattr(functions, name)


def test_names_are_numpy_s():
    assert VECTORISED[np.exp] == "exp"
    assert all(name == fn.__name__ for fn, name in VECTORISED.items() if fn is not np.float_power)
