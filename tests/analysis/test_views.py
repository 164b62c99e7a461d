import numpy as np
from transform.programs import array, program

from srcad.analysis.views import roots_of, viewed
from srcad.ir.walk import statements


def test_views_of_views_have_the_array_as_their_root():
    def written(b, x):
        v = x[1:]
        w = np.transpose(v)
        return w, w + 1.0, x[np.array([0, 1])]

    fn = program(written, x=array("n", "m"))
    (x,) = fn.params
    v, w, z, taken = statements(fn.body)
    assert roots_of(fn.body.body) == {v.out: x, w.out: x}
    assert [viewed(stmt) for stmt in (v, w, z, taken)] == [x, v.out, None, None]
