"""Python's complex numbers: `complex`, `z.conjugate()`, and `cmath`.

The convention is that of autograd and JAX: df = Re(g dz), so that the cotangent of a holomorphic
function is the plain product with its derivative, without a conjugate. That of a real number is
real.
"""

from __future__ import annotations

import cmath
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import NumberType, Type, dtype_of, shape_of
from srcad.rules.core.broadcast import cast_like, unbroadcast
from srcad.rules.core.facts import UncoveredError, as_type, bool_type, real_only
from srcad.rules.core.kinks import nonzero
from srcad.rules.core.product import over, times
from srcad.rules.core.registry import elementwise, nondiff, rule
from srcad.rules.core.staged import call, is_complex, is_number
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.pointwise.varargs import log_partial, varargs

NUMBER = (Case(complex), Case(float), Case(np.float64))


def conj(x: Any) -> Any:
    """The complex conjugate; of a Python number a Python number, of a real one itself."""
    if not is_complex(x):
        return x
    return call(complex.conjugate, x) if is_number(x) else call(np.conj, x)


def _complex(*args: object, **_: object) -> Type:
    if any(shape_of(as_type(a)) != () for a in args):
        raise UncoveredError("arrays")
    return NumberType(complex)


def _float(*args: object) -> Type:
    _complex(*args)
    return NumberType(float)


# complex(x), complex(real, imag)


def _complex_jvp(ts: Any, y: Any, *parts: Any) -> Any:
    real, imag = ts if len(ts) == 2 else (ts[0], ZERO)
    return cast_like(real + (ZERO if imag is ZERO else times(imag, 1j)), y)


def _complex_vjp(g: Any, y: Any, *parts: Any, at: int) -> Any:
    return unbroadcast(times(g, 1j) if at else g, parts[at])


rule(
    complex,
    jvp=_complex_jvp,
    parts=_complex_vjp,
    type_of=_complex,
    cases=(*NUMBER, Case(float, float), Case(1.5, float), Case(complex, float), Case(float, 0)),
)
rule(
    complex.conjugate,
    jvp=lambda ts, y, z: cast_like(conj(ts[0]), y),
    z=lambda g, y, z: conj(unbroadcast(g, z)),
    type_of=_complex,
    cases=(Case(complex),),
)


# z.real = values, z.imag = values: the parts apart, as infinities are not 0 times the other's


def _part_jvp(fn: Any) -> Any:
    def jvp(ts: Any, y: Any, z: Any, values: Any) -> Any:
        z_dot = np.zeros_like(y) if ts[0] is ZERO else ts[0]
        return call(fn, z_dot, 0 if ts[1] is ZERO else ts[1])

    return jvp


def _parts_type(z: object, values: object) -> Type:
    dtype = dtype_of(as_type(values))
    if dtype is not None and dtype.kind == "c":
        raise UncoveredError("a part that is complex")
    return as_type(z)


def _plane(*shape: int) -> Any:
    return lambda rng: rng.uniform(-2, 2, shape) + 1j * rng.uniform(-2, 2, shape)


_PARTS = (Case(_plane(3), (3,)), Case(_plane(2, 3), (3,)), Case(_plane(3), float))

rule(
    runtime.with_real,
    jvp=_part_jvp(runtime.with_real),
    z=lambda g, y, z, values: call(runtime.with_real, g, 0),
    values=lambda g, y, z, values: unbroadcast(np.real(g), values),
    type_of=_parts_type,
    cases=_PARTS,
)
rule(
    runtime.with_imag,
    jvp=_part_jvp(runtime.with_imag),
    z=lambda g, y, z, values: call(runtime.with_imag, g, 0),
    values=lambda g, y, z, values: unbroadcast(-np.imag(g), values),
    type_of=_parts_type,
    cases=_PARTS,
)


# cmath


def _unary(fn: Any, partial: Any, domain: tuple[float, float] = (-2.0, 2.0)) -> None:
    elementwise(fn, partial, type_of=_complex, domain=domain, cases=NUMBER)


def _sqrt(x: Any) -> Any:
    return call(cmath.sqrt, x)


_unary(cmath.exp, lambda y, z: y)
_unary(cmath.log10, lambda y, z: over(z, 1 / cmath.log(10).real), (0.2, 3.0))
_unary(cmath.sqrt, lambda y, z: over(y, 0.5), (0.2, 3.0))
_unary(cmath.sin, lambda y, z: call(cmath.cos, z))
_unary(cmath.cos, lambda y, z: -call(cmath.sin, z))
_unary(cmath.tan, lambda y, z: 1 + y * y, (-1.2, 1.2))
_unary(cmath.asin, lambda y, z: over(_sqrt(1 - z * z)), (-0.9, 0.9))
_unary(cmath.acos, lambda y, z: over(_sqrt(1 - z * z), -1), (-0.9, 0.9))
_unary(cmath.atan, lambda y, z: over(1 + z * z), (-0.9, 0.9))
_unary(cmath.sinh, lambda y, z: call(cmath.cosh, z))
_unary(cmath.cosh, lambda y, z: call(cmath.sinh, z))
_unary(cmath.tanh, lambda y, z: 1 - y * y)
_unary(cmath.asinh, lambda y, z: over(_sqrt(1 + z * z)), (-0.9, 0.9))
# In two factors, which have the branch cut of the function: Kahan (1987), "Branch cuts for complex
# elementary functions".
_unary(cmath.acosh, lambda y, z: over(_sqrt(z - 1) * _sqrt(z + 1)), (1.2, 4.0))
_unary(cmath.atanh, lambda y, z: over(1 - z * z), (-0.9, 0.9))


varargs(
    cmath.log,
    log_partial(cmath.log),
    cases=(*NUMBER, Case(complex, float), Case(complex, 10), Case(2, complex)),
    type_of=_complex,
    domain=(1.2, 3.0),
)


def _phase_turn(z: Any) -> Any:
    """The partial of the phase: along `1j * z` it grows by one."""
    return over(nonzero(z), -1j)


def _real(x: Any) -> Any:
    return np.real(x) if is_complex(x) else x


def _phase_jvp(t: Any, z: Any) -> Any:
    return _real(times(t, _phase_turn(z))) if is_complex(z) else ZERO


def _phase_vjp(g: Any, z: Any) -> Any:
    return times(g, _phase_turn(z)) if is_complex(z) else ZERO


rule(
    cmath.phase,
    jvp=lambda ts, y, z: _phase_jvp(ts[0], z),
    z=lambda g, y, z: unbroadcast(_phase_vjp(g, z), z),
    type_of=_float,
    cases=NUMBER,
    note="0 for real numbers, and at 0",
)


def _abs_partial(r: Any, z: Any) -> Any:
    return over(nonzero(r), conj(z))


def _polar_jvp(ts: Any, y: Any, z: Any) -> Any:
    return _real(times(ts[0], _abs_partial(y[0], z))), _phase_jvp(ts[0], z)


def _polar_vjp(g: Any, y: Any, z: Any) -> Any:
    return unbroadcast(times(g[0], _abs_partial(y[0], z)) + _phase_vjp(g[1], z), z)


rule(
    cmath.polar,
    jvp=_polar_jvp,
    z=_polar_vjp,
    type_of=lambda z: (_float(z), _float(z)),
    cases=NUMBER,
    note="0 at 0",
)
elementwise(
    cmath.rect,
    lambda y, r, phi: call(cmath.rect, 1, phi),
    lambda y, r, phi: 1j * y,
    type_of=real_only(_complex),
    cases=(Case(float, float), Case(1.5, float), Case(np.float64, float)),
)


nondiff(cmath.isnan, cmath.isinf, cmath.isfinite, type_of=bool_type, cases=NUMBER)
nondiff(cmath.isclose, type_of=bool_type, cases=(Case(complex, 1.0), Case(1j, 2j, rel_tol=0.1)))
