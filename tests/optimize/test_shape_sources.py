import numpy as np
from optimize.passes import check_pass
from transform.programs import array, program

from srcad.ir import show
from srcad.optimize.simplify import shape_sources
from srcad.optimize.simplify.shape_sources import choose_shape_sources
from srcad.pipeline.passes import simplify

ARGS = (np.ones((2, 3)), np.ones((3, 4)))
TYPES = {"x": array("n", "k"), "w": array("k", "m")}


def test_parameters_witness_shapes(golden):
    def written(b, x, w):
        h = np.tanh(x)
        y = h @ w
        return b.call(np.zeros, np.shape(h)), np.shape(y)[1], np.size(h)

    fn = program(written, **TYPES)
    golden("optimize_witness.txt", check_pass(choose_shape_sources, fn, ARGS, again=False))


def test_a_temporary_asks_a_named_value_that_stays():
    def written(b, x, w):
        y = x @ w
        y.value.name = "y"
        square = y * y
        return np.broadcast_to(np.sum(square), np.shape(square)), np.exp(y)

    text = show(choose_shape_sources(program(written, **TYPES)))
    assert "shape(y)" in text
    assert "shape(t" not in text


def test_the_only_witness_stays():
    def written(b, x, w):
        y = x @ w
        return b.call(np.zeros, np.shape(y))

    fn = program(written, **TYPES)
    assert choose_shape_sources(fn) is fn
    dead = program(lambda b, x, w: b.call(np.zeros, np.shape(np.exp(x))), **TYPES)
    assert "exp" not in show(simplify(dead))


def test_each_question_looks_at_arrays_of_its_shape_alone(monkeypatch):
    looked = 0
    inner = shape_sources._shape

    def counted(x):
        nonlocal looked
        looked += 1
        return inner(x)

    def written(n):
        def write(b, x, w):
            sizes = []
            for _ in range(n):
                y = x[x[:, 0] > 0]  # of a length of its own
                sizes.append(np.shape(np.exp(y))[0])
            return tuple(sizes)

        return program(write, **TYPES)

    counts = []
    monkeypatch.setattr(shape_sources, "_shape", counted)
    for n in (20, 80):
        looked = 0
        choose_shape_sources(written(n))
        counts.append(looked)
    assert counts[1] < 5 * counts[0]
