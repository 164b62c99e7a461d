"""Where a refusal stands that nothing in the user's source is at: what is handed over itself."""

import numpy as np
import pytest

import srcad


def rows(x):
    return x * 2.0


@pytest.mark.parametrize("outer", [srcad.vmap, srcad.jacobian, srcad.grad])
def test_a_gradient_has_the_place_of_its_function(outer) -> None:
    with pytest.raises(srcad.SrcadError, match="E302") as found:
        outer(srcad.grad(rows))(np.ones((2, 3)))
    assert found.value.location.file == __file__
    assert found.value.location.line == rows.__code__.co_firstlineno


def test_what_has_no_source_has_no_place() -> None:
    with pytest.raises(srcad.SrcadError, match="E306") as found:
        srcad.vmap(srcad.grad(np.sort_complex))(np.ones((2, 3)))
    assert str(found.value).startswith("error[E306]")
