"""`scipy.special`: functions that are computed, but not differentiated by any argument.

Programs may call them with arguments that do not depend on what is differentiated; else E202 says
why not. Those of whole numbers alone (zeros of Bessel functions, quadrature nodes) cannot vary.
"""

from __future__ import annotations

from typing import Any

from srcad.errors import error
from srcad.ir.types import dtype_of, rank_of
from srcad.rules.core.broadcast import unbroadcast
from srcad.rules.core.declaration import probing
from srcad.rules.core.facts import UncoveredError, as_type
from srcad.rules.core.product import spread, times
from srcad.rules.core.registry import composed, elementwise, nondiff, rule
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.scipy.refused import WHOLE
from srcad.rules.scipy.special.functions import special

_BY_PARAMETER = "it finds a parameter of a distribution; its derivatives are not known to srcad"
_NONCENTRAL = "derivatives of noncentral distributions are not known to srcad"
_NO_FORMULA = "its derivatives are not known to srcad"
_ROUGH = "SciPy computes it to six digits only"

_HELD = {
    _BY_PARAMETER: """bdtrik bdtrin btdtria btdtrib chdtriv fdtridfd gdtrib nbdtrik nbdtrin pdtrik
        stdtridf""",
    _NONCENTRAL: """chndtr chndtridf chndtrinc chndtrix ncfdtr ncfdtri ncfdtridfd ncfdtridfn
        ncfdtrinc nctdtr nctdtridf nctdtrinc nctdtrit""",
    _NO_FORMULA: """agm besselpoly elliprc elliprd elliprf elliprg elliprj kolmogi kolmogorov lpmv
        mathieu_a mathieu_b mathieu_cem mathieu_modcem1 mathieu_modcem2 mathieu_modsem1
        mathieu_modsem2 mathieu_sem modfresnelm modfresnelp obl_ang1 obl_ang1_cv obl_cv obl_rad1
        obl_rad1_cv obl_rad2 obl_rad2_cv pro_ang1 pro_ang1_cv pro_cv pro_rad1 pro_rad1_cv pro_rad2
        pro_rad2_cv smirnov smirnovi tklmbda""",
    _ROUGH: "itairy",
}
for _reason, _names in _HELD.items():
    for _name in _names.split():
        _fn = getattr(special, _name, None)
        if _fn is not None:  # SciPy's releases differ
            _sample = [0.5 if _reason == _NONCENTRAL else 1] * _fn.nin
            elementwise(_fn, *[None] * _fn.nin, cases=(Case(*_sample),), note=_reason)

# Of whole numbers: tables of zeros, nodes and weights of quadrature
_OF_ONE = """ai_zeros bi_zeros bei_zeros beip_zeros ber_zeros berp_zeros erf_zeros fresnel_zeros
    fresnelc_zeros fresnels_zeros kei_zeros keip_zeros kelvin_zeros ker_zeros kerp_zeros y0_zeros
    y1_zeros y1p_zeros bernoulli euler jnjnp_zeros roots_legendre roots_chebyt roots_chebyu
    roots_chebyc roots_chebys roots_laguerre roots_hermite roots_hermitenorm roots_sh_legendre
    roots_sh_chebyt roots_sh_chebyu"""
_OF_TWO = "jn_zeros jnp_zeros jnyn_zeros yn_zeros ynp_zeros stirling2"
for _names, _case in ((_OF_ONE, Case(3)), (_OF_TWO, Case(2, 3))):
    for _name in _names.split():
        nondiff(getattr(special, _name), cases=(_case,))

# Counts: of ints alone


def _counts(fn: Any) -> Any:
    """The type of a count of ints; real numbers are refused, which it does not interpolate."""

    def type_of(*args: Any, exact: Any = False, **options: Any) -> Any:
        types = list(map(as_type, args))
        kinds = ["" if dtype is None else dtype.kind for dtype in map(dtype_of, types)]
        if not all(kind in ("b", "i", "u") for kind in kinds):
            reason, fix = WHOLE
            what = f"`scipy.special.{fn.__name__}`"
            raise error("E204", None, what=what, fix=fix, notes=(reason,))
        if exact is not False and any(rank_of(t) != 0 for t in types):
            raise UncoveredError("`exact=True` of an array")  # may be one of Python's ints
        return probing.probe(fn, tuple(types), {"exact": exact, **options})

    return type_of


for _fn, _args in (
    (special.comb, (6, 2)), (special.perm, (6, 2)), (special.factorial, (5,)),
    (special.factorial2, (5,)),
):  # fmt: skip
    nondiff(_fn, type_of=_counts(_fn), cases=(Case(*_args), Case(*_args, exact=True)))


# Jacobi's functions sn, cn, dn and the amplitude, by u; DLMF 22.13.1 and 22.16.3
def _ellipj_slopes(y: Any, m: Any) -> tuple[Any, ...]:
    sn, cn, dn, _ = y
    return cn * dn, -sn * dn, -m * sn * cn, dn


def _ellipj_jvp(ts: Any, y: Any, u: Any, m: Any) -> Any:
    if ts[1] is not ZERO:
        raise error("E202", None, what="`scipy.special.ellipj`", notes=("it is not varied by `m`",))
    pairs = zip(_ellipj_slopes(y, m), y, strict=True)
    return tuple(spread(times(ts[0], slope), out) for slope, out in pairs)


def _ellipj_vjp(g: Any, y: Any, u: Any, m: Any) -> Any:
    pairs = zip(g, _ellipj_slopes(y, m), strict=True)
    return unbroadcast(sum((times(g_k, s) for g_k, s in pairs if g_k is not ZERO), ZERO), u)


rule(
    special.ellipj,
    jvp=_ellipj_jvp,
    u=_ellipj_vjp,
    cases=(Case((3, 4), 0.5), Case((), 0.3)),
    domain=(0.2, 1.2),
    note="not by `m`",
)
composed(
    special.assoc_laguerre,
    lambda x, n, k=0.0: special.eval_genlaguerre(n, k, x),
    cases=(Case((3, 4), 2), Case((3, 4), 3, 1.5)),
)
