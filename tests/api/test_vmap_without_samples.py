"""`vmap` of no samples: results have all axes and their dtype, as with samples."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad


def smooth(x):
    return np.sum(np.sin(x)) * x[0] if x[0] > 0 else np.prod(x)


def row(x):
    return np.sort(x) if x[0] > 0 else x * 2.0


def longer(x):
    return np.append(x, x[0]) if x[0] > 0 else np.append(x, 1.0)


def table(x):
    return np.outer(x, x) if x[0] > 0 else np.outer(x, x + 1.0)


def whole(x):
    return int(x[0])


def whole_or_three(x):
    return int(x[0]) if x[0] > 0 else 3


def is_large(x):
    return x > 1.0 if x[0] > 0 else x < 1.0


def single(x):
    y = x.astype(np.float32)
    return y * 2 if x[0] > 0 else y


def both(x):
    return (row(x), whole(x)) if x[0] > 0 else (x, 1)


FUNCTIONS = [smooth, row, longer, table, whole, whole_or_three, is_large, single, both]
MAPPED = [*FUNCTIONS, srcad.grad(smooth), srcad.hessian(smooth), srcad.jacobian(row)]


def kinds(found):
    return [(x.shape[1:], x.dtype) for x in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", MAPPED)
def test_no_samples(f, backend):
    mapped = srcad.vmap(f, backend=backend)
    some, none = mapped(np.ones((3, 2))), mapped(np.ones((0, 2)))
    assert kinds(none) == kinds(some)
    assert all(len(x) == 0 for x in (none if isinstance(none, tuple) else (none,)))


def test_no_samples_of_unknown_shape():
    mapped = srcad.vmap(lambda x: x[x > 0.0] if x[0] > 0 else x[x < 0.0])
    assert mapped(np.ones((3, 2))).shape == (3, 2)
    with pytest.raises((ValueError, srcad.SrcadError)):
        mapped(np.ones((0, 2)))


def test_derivative_through_no_samples():
    def loss(w, x):
        return np.sum(srcad.vmap(lambda v: np.sort(v * w) if v[0] > 0 else v * w)(x))

    assert srcad.value_and_grad(loss)(2.0, np.ones((0, 2))) == (0.0, 0.0)
    assert srcad.value_and_grad(loss)(2.0, np.ones((3, 2))) == (12.0, 6.0)
