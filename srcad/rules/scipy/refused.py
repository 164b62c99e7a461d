"""Names of SciPy that are refused in a differentiated function, with what to do instead.

refusal("scipy.special.comb")    E204: use scipy.special.binom, a function of real numbers
"""

from __future__ import annotations

from functools import cache

from srcad.errors import SrcadError, error

_SETTING = ("it is a setting of SciPy, not arithmetic", "set it before the call")
_POLYNOMIAL = (
    "it makes a polynomial object",
    "`scipy.special.eval_legendre(n, x)` and its like give the values",
)
_NODES = (
    "its nodes vary with real parameters, by which they have no derivative here",
    "call it outside, and pass nodes and weights as arguments",
)
_WHOLE = (
    "it counts with whole numbers",
    "`scipy.special.binom`, `gamma(n + 1)` and `poch` are functions of real numbers",
)
_TABLE = (
    "it gives a table of functions and derivatives",
    "`eval_legendre`, `spherical_jn`, `jv` and their like give single functions",
)
_REFUSED = {
    _SETTING: "errstate geterr seterr",
    _POLYNOMIAL: """chebyc chebys chebyt chebyu gegenbauer genlaguerre hermite hermitenorm jacobi
        laguerre legendre sh_chebyt sh_chebyu sh_jacobi sh_legendre""",
    _NODES: """cg_roots j_roots js_roots la_roots roots_gegenbauer roots_genlaguerre roots_jacobi
        roots_sh_jacobi""",
    _WHOLE: "comb factorial factorial2 factorialk perm diric",
    _TABLE: """assoc_legendre_p assoc_legendre_p_all ellip_harm ellip_harm_2 ellip_normal
        legendre_p legendre_p_all lmbda lqmn lqn mathieu_even_coef mathieu_odd_coef obl_cv_seq
        pbdn_seq pbdv_seq pbvv_seq pro_cv_seq riccati_jn riccati_yn sph_harm_y sph_harm_y_all
        sph_legendre_p sph_legendre_p_all""",
}

_BASIS = (
    "its vectors are determined up to a rotation among them",
    "the projector on their space has a derivative: `a @ scipy.linalg.pinv(a)`",
)
_ORDERED = (
    "there is no rule for this decomposition",
    "`eig`, `eigh`, `svd`, `qr`, `lu` and `cholesky` have rules",
)
_FUNCTION = (
    "there is no rule for this function of a matrix",
    "`expm`, `logm`, `sqrtm`, `cosm` and `sinm` have rules",
)
_STRUCTURED = (
    "there is no rule for systems in this form",
    "make the matrix, and solve with `scipy.linalg.solve`",
)
_RICCATI = (
    "there is no rule for Riccati equations",
    "state one by `srcad.rules.rule`: its tangent solves a Lyapunov equation",
)
_REFUSED_LINALG = {
    _BASIS: "null_space orth subspace_angles",
    _ORDERED: "cdf2rdf cossin hessenberg ldl ordqz polar qz rsf2csf schur",
    _FUNCTION: "fractional_matrix_power funm signm tanhm tanm",
    _STRUCTURED: """cho_solve_banded cholesky_banded eig_banded eigh_tridiagonal eigvals_banded
        eigvalsh_tridiagonal matmul_toeplitz solve_banded solve_circulant solve_toeplitz
        solveh_banded""",
    _RICCATI: "solve_continuous_are solve_discrete_are",
}


@cache
def refused() -> dict[str, tuple[str, str]]:
    """Reason and way out, by name."""
    return {
        f"{module}.{name}": about
        for module, groups in (("scipy.special", _REFUSED), ("scipy.linalg", _REFUSED_LINALG))
        for about, names in groups.items()
        for name in names.split()
    }


def refusal(name: str) -> SrcadError | None:
    """The error for a call of what is refused."""
    found = refused().get(name)
    if found is None:
        return None
    return error("E204", None, what=f"`{name}`", fix=found[1], notes=(found[0],))
