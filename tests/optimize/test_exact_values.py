"""Compiled expressions give what Python gives: in value, type and dtype.

Each expression of two operands and a number meets each kind of operand: what is not finite,
integers that wrap around, bools, complex numbers, no entries, no axes, Python's and NumPy's
numbers. A refusal is right as well; another exception than a refusal only where Python raises.
"""

import copy
import importlib.util
import warnings

import numpy as np
import pytest

import srcad

EXPRESSIONS = """
x*1; 1*x; x/1; x**1; x-0; +x; x*-1; -1*x; -(-x); (-x)*(-y); (-x)/(-y); x+(-y); (-x)+y; x-(-y);
-(2*x); -(x*3); 2*(-x); (-x)*2; -(s*x); -(x/s); -(s/x); (-s)*x; x+(-y)*x; x-(-y)*s; x+-2.0*y;
x - -2.0*y; x+0; 0+x; x*0; x-x; x/x; x**2; x**0.5; x**-1; x**3; x*x*1; abs(-x); (-x)**2; x**2.0;
x//1; x%1; -x//2; x+True; x*True; y*(1/x); (1/x)*y; s*(4.0*x); 2*(x*s); 2*(3/x); x//y; x%y; x**y;
np.transpose(-x); np.reshape(-x,-1); np.reshape(x,-1); np.ravel(-x); np.ravel(x); (-x)[0:1];
np.sum(-x); np.sum(-x,axis=0); (-x)@(-y); (-x)@y; x.T.T; np.where(x==x,x,x); np.mean(x);
np.mean(x,axis=0); np.logaddexp(0,x); np.copy(x); np.real(x); np.imag(x); x.conj(); np.conj(x);
x.real; x.imag; x.T; x.astype(x.dtype); np.maximum(x,x); np.square(-x); np.power(x,2);
np.power(x,0.5); np.power(x,-1.0); np.power(x,0); np.power(x,y); np.mean(x[x>9]); np.squeeze(x);
np.sum(x)/np.size(x); np.sum(x,axis=()); np.max(x,axis=()); x[()]; x[...]; x[:]; np.atleast_1d(x);
np.abs(x); np.broadcast_to(x,np.shape(x)); np.trace(np.outer(x,y)); np.exp(-x); 1/(1+np.exp(-x));
np.clip(x,0,1); np.var(x); np.std(x); np.add(x,y); np.subtract(x,y); np.multiply(x,y);
np.divide(x,y); np.floor_divide(x,y); np.mod(x,y); np.negative(x); np.positive(x); np.invert(x);
np.sign(x); np.add(x,1); np.multiply(2,3); np.subtract(x,0); np.dot(x,y); np.vdot(x,y); abs(x);
np.ascontiguousarray(x); np.asarray(x); np.reshape(x,(1,-1)); np.expand_dims(x,0); np.flip(-x)
"""
EXPRESSIONS = [each.strip() for each in EXPRESSIONS.replace("\n", "").split(";")]
inf, nan = np.inf, np.nan
F = np.array([1.5, -0.0, inf, nan, -inf, 0.0]), np.array([0.0, -0.0, 2.0, inf, -1.0, nan])
C = [complex(inf, 1), complex(1, inf), complex(nan, 2), complex(-0.0, 0.0), complex(0.0, -0.0), 2j]
OPERANDS = {
    "double": (*F, 3.0),
    "single": (*(a.astype(np.float32) for a in F), 3.0),
    "half": (np.array([1.5, -0.0, 60000, 0.1], np.float16), np.array([3, 4, 2], np.float16), 3.0),
    "complex": (np.array(C), np.array(C)[::-1], 2.0),
    "whole": (np.array([1, -2, 0, 5]), np.array([3, 4, 1, 2]), 3),
    "bytes": (np.array([1, 255, 0], np.uint8), np.array([3, 4, 200], np.uint8), 3),
    "signed": (np.array([1, -128, 100], np.int8), np.array([3, 1, 2], np.int8), 3),
    "bools": (np.array([True, False]), np.array([True, True]), 2),
    "none": (np.array([]), np.array([]), 2.0),
    "no axes": (np.array(2.5), np.array(-1.5), 2.0),
    "matrices": (np.arange(4.0).reshape(2, 2), np.array([[1.0, -0.0], [inf, 2]]), 2.0),
    "NumPy's": (np.float64(2.5), np.float64(-0.0), 2.0),
    "Python's": (2.5, -0.5, 2.0),
    "ints": (3, 2, 2),
    "complexes": (complex(1, inf), complex(2, -0.0), 2.0),
}
# NumPy's `**` is another function here than its `power`: a root, which keeps infinity.
LEFT = {("np.power(x,0.5)", "complex")}


@pytest.fixture(scope="module")
def functions(tmp_path_factory):
    path = tmp_path_factory.mktemp("exact") / "expressions.py"
    lines = [f"def f{k}(x, y, s):\n    return {e}\n" for k, e in enumerate(EXPRESSIONS)]
    path.write_text("import numpy as np\n\n" + "\n".join(lines))
    spec = importlib.util.spec_from_file_location("expressions", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [getattr(module, f"f{k}") for k in range(len(EXPRESSIONS))]


def outcome(fn, args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return fn(*copy.deepcopy(args))
        except Exception as problem:
            return problem


def is_same(got, want):
    if type(got) is not type(want):
        return False
    a, b = np.asarray(got), np.asarray(want)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind not in "fc":
        return bool(np.all(a == b))
    finest = 4 * np.finfo(a.dtype).eps  # where a law rounds once and not twice
    return all(
        np.allclose(u, v, rtol=finest, atol=0, equal_nan=True)
        for u, v in ((a.real, b.real), (a.imag, b.imag))
    )


@pytest.mark.parametrize("kind", OPERANDS)
def test_expressions_compute_what_python_computes(kind, functions):
    args, wrong = OPERANDS[kind], []
    for expression, fn in zip(EXPRESSIONS, functions, strict=True):
        want = outcome(fn, args)
        got = outcome(srcad.compile(fn, backend="numpy", cache=False), args)
        if isinstance(got, srcad.SrcadError) and not isinstance(got, srcad.InternalError):
            continue
        if isinstance(got, Exception) and isinstance(want, Exception):
            continue
        if not is_same(got, want) and (expression, kind) not in LEFT:
            wrong.append(f"{expression}: {want!r}, not {got!r}")
    assert not wrong, "\n".join(wrong)
