import ast

import numpy as np
import pytest

from srcad.pipeline.standalone.native_source import with_functions

MODULE = """import math
import numpy as np

from numba import njit
from srcad.native.functions import exp
from srcad.native.functions import tanh as tanh_2

__all__ = ["f"]


@njit("(float64[::1], float64[::1])")
def f(x, tanh):
    clamp = 0.0
    for i in range(x.shape[0]):
        tanh[i] = exp(x[i]) + tanh_2(x[i]) * math.pi + clamp
"""


def test_a_module_without_such_functions_stays():
    assert with_functions("import numpy as np\n") == "import numpy as np\n"


def test_definitions_stand_between_the_imports_and_the_functions():
    text = with_functions(MODULE)
    assert "srcad." not in text.replace("srcad_", "")
    lines = text.splitlines()
    places = [lines.index(line) for line in ("import math", "import numpy as np", "class Lane:")]
    assert places == sorted(places)
    assert lines.index("class Lane:") < lines.index("def exp(x):") < lines.index("def f(x, tanh):")
    assert "\n\n\n\n" not in text
    ast.parse(text)


def test_the_module_computes_what_it_did():
    pytest.importorskip("numba")
    alone, with_srcad = {}, {}
    exec(with_functions(MODULE), alone)
    exec(MODULE, with_srcad)
    x = np.linspace(-2, 2, 100)
    y, z = np.empty(100), np.empty(100)
    alone["f"](x, y)
    with_srcad["f"](x, z)
    assert np.array_equal(y, z)
    assert np.allclose(y, np.exp(x) + np.tanh(x) * np.pi, rtol=1e-15)
