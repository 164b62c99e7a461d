"""Updates of tables touch the rows that were read."""

import numpy as np
import pytest
from optimize.test_commit import behind, committed

import srcad
from srcad import kernels, nn
from srcad.ir import Op, show


def loss(p, ids):
    return np.sum(np.tanh(nn.embedding(p["table"], ids) @ p["w"]))


def step(p, ids, rate):
    value, g = srcad.value_and_grad(loss)(p, ids)
    for k in p:
        p[k] -= rate * g[k]
    return value


def example():
    rng = np.random.default_rng(0)
    return {"table": rng.standard_normal((9, 3)), "w": rng.standard_normal(3)}


IDS = np.array([[4, 1, 4], [-1, 4, 0]])


def made_by(fn):
    return [stmt.fn for stmt in fn.body.body if isinstance(stmt, Op)]


def test_rows_in_place_of_a_table(golden):
    fn = committed(step, example(), IDS, 0.1)
    golden("optimize_touched.txt", show(fn))
    assert kernels.summed_rows in made_by(fn)
    assert kernels.scatter_rows not in made_by(fn)
    assert "index_isub" in behind(fn)


def test_the_same_as_with_a_whole_gradient():
    ours, theirs = example(), example()
    compiled = srcad.compile(step, backend="numpy", cache=False)
    for _ in range(3):
        value, g = srcad.value_and_grad(loss, backend="numpy")(theirs, IDS)
        assert compiled(ours, IDS, 0.1) == value
        for k in theirs:
            theirs[k] -= 0.1 * np.asarray(g[k])
            np.testing.assert_allclose(ours[k], theirs[k], rtol=1e-14)


def test_rows_that_are_not_there_change_nothing():
    p = example()
    with pytest.raises(IndexError):
        srcad.compile(step, backend="numpy", cache=False)(p, IDS + 5, 0.1)
    for k, x in example().items():
        np.testing.assert_array_equal(p[k], x)


def test_a_gradient_that_something_else_reads_stays_whole():
    def norm_too(p, ids, rate):
        g = srcad.grad(loss)(p, ids)["table"]
        p["table"] -= rate * g
        return np.sum(g * g)

    assert kernels.summed_rows not in made_by(committed(norm_too, example(), IDS, 0.1))
