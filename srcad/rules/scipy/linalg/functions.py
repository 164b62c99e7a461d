"""`scipy.linalg`: functions of matrices: expm, expm_frechet, sqrtm, logm, cosm, sinm.

The derivative of expm is its Frechet derivative (Al-Mohy and Higham, 2009, "Computing the Frechet
derivative of the matrix exponential, with an application to condition number estimation"), and its
adjoint that at the transposed matrix. Derivatives of that, and of logm, are blocks of the function
of a block triangular matrix (Mathias, 1996, "A chain rule for matrix functions and applications"):
f([[a, t], [0, a]]) = [[f(a), f_dot], [0, f(a)]]. That of sqrtm solves a Sylvester equation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from srcad import runtime
from srcad.ir.types import ArrayType, Type
from srcad.rules.arrays.shaping import dims, rank_of
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.call_facts import INSTEAD, SQUARE
from srcad.rules.core.facts import as_type
from srcad.rules.core.registry import composed, rule
from srcad.rules.core.staged import call, is_complex
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.matrices import inexact, known_options, mT, regular, square_type
from srcad.rules.scipy.linalg.options import one_matrix, result_dtype

INSTEAD.update({linalg.sqrtm: runtime.square_root, linalg.logm: runtime.logarithm})
SQUARE.update((linalg.expm, runtime.expm_change, linalg.expm_frechet, *INSTEAD.values()))


def _blocks(a: Any, t: Any, b: Any) -> Any:
    """[[a, t], [0, b]]."""
    top = np.concatenate((a, t), axis=-1)
    return np.concatenate((top, np.concatenate((np.zeros_like(a), b), axis=-1)), axis=-2)


def _corner(m: Any, n: Any) -> Any:
    return m[:n, n:] if rank_of(m) == 2 else m[..., :n, n:]


def _frechet(a: Any, t: Any) -> Any:
    """The derivative of expm at `a` along `t`."""
    if rank_of(a) == 2:
        return call(runtime.expm_change, a, t)
    return _corner(call(linalg.expm, _blocks(a, t, a)), dims(a)[-1])


def _small(*shape: int) -> Any:
    return lambda rng: rng.uniform(-1, 1, shape)


rule(
    linalg.expm,
    jvp=lambda ts, y, A: cast_like(_frechet(A, ts[0]), y),  # noqa: N803 - SciPy's name
    A=lambda g, y, A: cast_like(_frechet(mT(A), g), A),  # noqa: N803 -- SciPy's name
    type_of=square_type,
    cases=[Case(_small(3, 3)), Case(_small(2, 3, 3))],
)


# ---- expm_frechet: linear in E; in A the block of an exponential of twice the size


def _second(a: Any, t: Any, s: Any) -> Any:
    """The derivative of `expm_frechet(a, t)` along a change `s` of `a`; symmetric in both."""
    zero = np.zeros_like(a)
    found = call(runtime.expm_change, _blocks(a, t, a), _blocks(s, zero, s))
    return _corner(found, dims(a)[-1])


def _plain_frechet(a: Any, t: Any) -> Any:
    return linalg.expm_frechet(a, t, compute_expm=False)


def _frechet_type(
    A: object, E: object, method: object = None, compute_expm: Any = True  # noqa: N803 -- SciPy's name
) -> Any:  # fmt: skip
    one_matrix(A, "expm_frechet")
    one_matrix(E, "expm_frechet")
    dtype = result_dtype(_plain_frechet, inexact(as_type(A)), inexact(as_type(E)))
    change = ArrayType(dtype, square_type(A).shape)
    of_a = result_dtype(_plain_frechet, inexact(as_type(A)), inexact(as_type(A)))
    return (ArrayType(of_a, change.shape), change) if compute_expm else change


def _frechet_jvp(
    ts: Any, y: Any, A: Any, E: Any, method: Any = None, compute_expm: Any = True  # noqa: N803 -- SciPy's name
) -> Any:  # fmt: skip
    a_dot, e_dot = ts
    moved = ZERO if e_dot is ZERO else _frechet(A, e_dot)
    moved = moved if a_dot is ZERO else moved + _second(A, E, a_dot)
    if not compute_expm:
        return cast_like(moved, y)
    of_expm = ZERO if a_dot is ZERO else cast_like(_frechet(A, a_dot), y[0])
    return of_expm, cast_like(moved, y[1])


def _frechet_a(
    g: Any, y: Any, A: Any, E: Any, method: Any = None, compute_expm: Any = True  # noqa: N803 -- SciPy's name
) -> Any:  # fmt: skip
    of_expm, of_frechet = g if compute_expm else (ZERO, g)
    bar = ZERO if of_expm is ZERO else _frechet(mT(A), of_expm)
    if of_frechet is not ZERO:
        bar = bar + _second(mT(A), mT(E), of_frechet)
    return bar if bar is ZERO else cast_like(bar, A)


def _frechet_e(
    g: Any, y: Any, A: Any, E: Any, method: Any = None, compute_expm: Any = True  # noqa: N803 -- SciPy's name
) -> Any:  # fmt: skip
    g = g[1] if compute_expm else g
    return ZERO if g is ZERO else cast_like(_frechet(mT(A), g), E)


rule(
    runtime.expm_change,
    jvp=lambda ts, y, a, t: _frechet_jvp(ts, y, a, t, None, False),
    a=lambda g, y, a, t: _frechet_a(g, y, a, t, None, False),
    t=lambda g, y, a, t: _frechet_e(g, y, a, t, None, False),
    type_of=lambda a, t: _frechet_type(a, t, None, False),
    cases=[Case(_small(3, 3), (3, 3))],
)
rule(
    linalg.expm_frechet,
    jvp=_frechet_jvp,
    A=_frechet_a,
    E=_frechet_e,
    type_of=known_options(_frechet_type),
    cases=[Case(_small(3, 3), (3, 3), compute_expm=False), Case(_small(3, 3), (3, 3))],
)


# ---- sqrtm, logm


def _of_root(a: Any, t: Any) -> Any:
    return call(linalg.solve_sylvester, a, a, t)


def _one_type(a: object) -> Type:
    return ArrayType(inexact(as_type(a)), one_matrix(a, "sqrtm and logm"))


rule(
    runtime.square_root,
    jvp=lambda ts, y, a: cast_like(_of_root(y, ts[0]), y),
    a=lambda g, y, a: cast_like(_of_root(mT(y), g), a),
    type_of=_one_type,
    cases=[Case(regular(3, 3))],
)


def _of_logarithm(a: Any, t: Any) -> Any:
    return _corner(call(runtime.logarithm, _blocks(a, t, a)), dims(a)[-1])


rule(
    runtime.logarithm,
    jvp=lambda ts, y, a: cast_like(_of_logarithm(a, ts[0]), y),
    a=lambda g, y, a: cast_like(_of_logarithm(mT(a), g), a),
    type_of=_one_type,
    cases=[Case(regular(3, 3))],
)


# ---- cosm, sinm, coshm, sinhm: of exponentials, as SciPy has them


def _halves(A: Any, sign: int) -> Any:  # noqa: N803 - SciPy's name
    return (call(linalg.expm, A) + sign * call(linalg.expm, -A)) / 2


def _cosm(A: Any) -> Any:  # noqa: N803 -- SciPy's name
    turned = call(linalg.expm, 1j * A)
    return (turned + call(linalg.expm, -1j * A)) / 2 if is_complex(A) else np.real(turned)


def _sinm(A: Any) -> Any:  # noqa: N803 -- SciPy's name
    turned = call(linalg.expm, 1j * A)
    return (turned - call(linalg.expm, -1j * A)) * -0.5j if is_complex(A) else np.imag(turned)


_CASES = [Case(_small(3, 3))]
composed(linalg.cosm, _cosm, cases=_CASES)
composed(linalg.sinm, _sinm, cases=_CASES)
composed(linalg.coshm, lambda A: _halves(A, 1), cases=_CASES)  # noqa: N803 -- SciPy's name
composed(linalg.sinhm, lambda A: _halves(A, -1), cases=_CASES)  # noqa: N803 -- SciPy's name
