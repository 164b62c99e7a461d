"""Arrays of which compiled code reads the extents alone are not passed, and not copied."""

import operator

import numpy as np
from native.backends import both, compare
from transform.programs import array, program

from srcad.ir import Value, show
from srcad.native.boundary.argument_scalarization import scalarize_arguments
from srcad.native.boundary.caller_statements import Caller
from srcad.native.loops.fusion import fuse_loops
from srcad.native.loops.store_forwarding import forward_stores
from srcad.native.scalarize.driver import scalarize
from srcad.pipeline.request import Request

X = np.arange(12.0).reshape(3, 4) / 10 + 0.1


def parted(fn):
    """A function of loops after, what measures its arguments, and what is passed."""
    made = forward_stores(fuse_loops(scalarize(fn)))
    sources = {p: Value(f"source_{p.name}", p.type) for p in made.params}
    args = [Value(f"dense_{p.name}", p.type) for p in made.params]
    caller = Caller(made, sources, args)
    after = scalarize_arguments(made, caller)
    return show(after), caller.measures, [arg.name for arg in caller.arguments]


def test_extents_take_the_place_of_an_array():
    fn = program(lambda b, x, y: x + np.sum(np.zeros_like(y)), x=array("n"), y=array("m", "k"))
    after, before, passed = parted(fn)
    assert "y: f64" not in after
    assert [op.fn for op in before] == [np.shape, operator.getitem, operator.getitem]
    assert before[0].args[0].name == "source_y"
    assert passed == ["dense_x", "", ""]


def test_what_is_not_read_at_all_is_not_passed():
    fn = program(lambda b, x, y: x + np.zeros_like(y), x=array("n", "m"), y=array("n", "m"))
    _, before, passed = parted(fn)
    assert not before
    assert passed == ["dense_x"]


def test_an_array_whose_entries_are_read_is_passed():
    fn = program(lambda b, x, y: x + np.zeros_like(y) * y, x=array("n", "m"), y=array("n", "m"))
    _, before, passed = parted(fn)
    assert not before
    assert passed == ["dense_x", "dense_y"]


def spread(x, w):
    """The reverse sweep reads the extents of the transpose of x."""
    h = np.tanh(w @ x.T)
    s = np.mean(x.T, axis=1)
    return np.sum(h * h) + np.sum(s * s)


def test_what_is_measured_only_is_not_copied():
    args = X, np.ones((2, 4))
    pair = both(Request("value_and_grad", spread, (0, 1), single=False), args, len(args))
    assert "ascontiguousarray(x" not in pair.text  # its product with the weights is NumPy's
    assert compare(pair, args) == "equal"
