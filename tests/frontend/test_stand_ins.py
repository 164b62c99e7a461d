"""What stands for an object of another package, or for a dict by data, says of itself what the
object would say, or is refused.
"""

import collections
import collections.abc
import copy

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

pd = pytest.importorskip("pandas")
sp = pytest.importorskip("scipy.sparse")
transform = pytest.importorskip("scipy.spatial.transform")

V = np.array([0.1, 0.2, 0.3])
SERIES, FRAME, MATRIX = pd.Series(V), pd.DataFrame({"a": V, "b": V}), sp.eye(3).tocsr()
R = transform.Rotation
OBJECTS = {
    "series": lambda v: SERIES * v[0],
    "frame": lambda v: FRAME * v[0],
    "matrix": lambda v: MATRIX * v[0],
    "rotation": lambda v: R.from_rotvec(v),
    "rotations": lambda v: R.from_rotvec(np.stack([v, v])),
    "slerp": lambda v: transform.Slerp([0.0, 1.0], R.from_rotvec(np.stack([v, v]))),
    "dict": lambda v: {int(v[0] * 10): 1.0},
    "counter": lambda v: collections.Counter([int(v[0] * 10)]),
}
QUESTIONS = {
    "vars": lambda x: sorted(vars(x)),
    "__dict__": lambda x: sorted(x.__dict__),
    "class": lambda x: x.__class__.__name__,
    "module": lambda x: type(x).__module__,
    "copy": lambda x: type(copy.copy(x)).__name__,
    "private": lambda x: (hasattr(x, "_data"), hasattr(x, "_x"), hasattr(x, "_with")),
    "special": lambda x: (hasattr(x, "__len__"), hasattr(x, "__iter__"), hasattr(x, "__array__")),
    "public": lambda x: (hasattr(x, "ndim"), hasattr(x, "as_quat"), hasattr(x, "nnz")),
    "text": repr,
    "formatted": lambda x: f"{x}",
    "kinds": lambda x: (callable(x), isinstance(x, list), isinstance(x, tuple | dict)),
    "abstract": lambda x: (
        isinstance(x, collections.abc.Hashable),
        isinstance(x, collections.abc.Iterable),
        isinstance(x, collections.abc.Sized),
    ),
    "array": lambda x: (isinstance(x, np.ndarray), np.isscalar(x)),
    "length": len,
    "none": lambda x: x is None,
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("kind", OBJECTS)
def test_it_answers_as_the_object_or_is_refused(kind, question):
    made, ask = OBJECTS[kind], QUESTIONS[question]
    compiled = srcad.compile(lambda v: ask(made(v)))
    try:
        wanted = ask(made(V))
    except Exception as problem:
        with pytest.raises((SrcadError, type(problem))):
            compiled(V)
        return
    try:
        found = compiled(V)
    except SrcadError:
        return
    assert found == wanted
