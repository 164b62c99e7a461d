"""Names of SciPy that are refused in a differentiated function, with what to do instead.

refusal("scipy.special.diric")    E204: use scipy.special.binom, a function of real numbers
"""

from __future__ import annotations

from functools import cache
from typing import Any

from srcad.errors import SrcadError, error
from srcad.rules.core.table import name_of, no_rule

_SETTING = ("it is a setting of SciPy, not arithmetic", "set it before the call")
_POLYNOMIAL = (
    "it makes a polynomial object",
    "`scipy.special.eval_legendre(n, x)` and its like give the values",
)
_NODES = (
    "its nodes vary with real parameters, by which they have no derivative here",
    "call it outside, and pass nodes and weights as arguments",
)
WHOLE = (
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
    WHOLE: "factorialk diric",
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
        eigvalsh_tridiagonal matmul_toeplitz solve_circulant solve_toeplitz
        solveh_banded""",
    _RICCATI: "solve_continuous_are solve_discrete_are",
}

_SOLVER = (
    "it gives an object, and chooses its steps by the numbers",
    "`solve_ivp` and `odeint` have derivatives, and so has a loop of Runge-Kutta steps",
)
_QUADRATURE = (
    "it chooses its nodes by the numbers",
    "sum over fixed nodes, `w @ f(x)`: `x, w = np.polynomial.legendre.leggauss(n)` outside; or "
    "`scipy.integrate.simpson`",
)
_REFUSED_INTEGRATE = {
    _SOLVER: """BDF DOP853 LSODA RK23 RK45 Radau OdeSolver DenseOutput OdeSolution complex_ode ode
        solve_bvp""",
    _QUADRATURE: "cubature nsum qmc_quad quad_vec tanhsinh",
}
# Packages of which nothing else is read than what has a rule.
_PACKAGES = {
    "scipy.optimize": (
        "the steps of a search are not those of its result's derivative",
        "`fsolve`, `root`, `newton`, `brentq`, `minimize`, `least_squares` have derivatives; for "
        "another solver state the equation that it solves, `srcad.implicit(solver, residual)`",
    ),
    "scipy.interpolate": (
        "it makes objects and tables in which values are looked up",
        "`CubicSpline`, `PchipInterpolator`, `BSpline`, `make_interp_spline`, `np.interp` have "
        "derivatives; another spline may be made outside and called at points that vary",
    ),
}

_MAPPED = (
    "there is no rule for images that are moved",
    "it is linear in the image: state that by `srcad.rules.linear`, or index and weigh the pixels",
)
_RANKED = (
    "there is no rule for filters by order",
    "take the maximum (minimum, median) over shifted copies: `np.max(np.stack(shifted), axis=0)`",
)
_MEASURED = (
    "there is no rule for measurements of labelled images",
    "use NumPy's functions of the entries: `np.sum(x[labels == k])`",
)
_DESIGN = (
    "there is no rule for the design of filters",
    "call it outside, and pass the coefficients: `lfilter` and `sosfilt` have rules",
)
_FILTER = (
    "there is no rule for this filter",
    "make its coefficients outside; `scipy.signal.convolve`, `lfilter` and `sosfilt` have rules",
)
_SPECTRAL = (
    "there is no rule for estimates of spectra",
    "window the signal and use `np.fft.rfft`",
)
# What is refused where its arguments vary, and may be called on constants.
_WITHOUT_RULE = {
    "scipy.ndimage": {
        _MAPPED: """affine_transform geometric_transform map_coordinates rotate shift zoom
            spline_filter spline_filter1d""",
        _RANKED: """maximum_filter maximum_filter1d median_filter minimum_filter minimum_filter1d
            percentile_filter rank_filter grey_closing grey_dilation grey_erosion grey_opening
            black_tophat white_tophat morphological_gradient morphological_laplace""",
        _MEASURED: """center_of_mass extrema histogram labeled_comprehension maximum
            maximum_position mean median minimum minimum_position standard_deviation sum sum_labels
            variance""",
    },
    "scipy.signal": {
        _DESIGN: """bessel bilinear butter cheby1 cheby2 ellip firls firwin firwin2 freqs freqz
            freqz_sos iircomb iirdesign iirfilter iirnotch iirpeak remez sos2tf tf2sos tf2zpk
            zpk2sos zpk2tf""",
        _FILTER: """decimate deconvolve filtfilt medfilt medfilt2d order_filter resample
            resample_poly savgol_filter sosfiltfilt upfirdn wiener""",
        _SPECTRAL: """coherence csd envelope hilbert2 istft lombscargle periodogram spectrogram stft
            welch""",
    },
}

_GROUPS = {
    "scipy.special": _REFUSED,
    "scipy.linalg": _REFUSED_LINALG,
    "scipy.integrate": _REFUSED_INTEGRATE,
}


@cache
def refused() -> dict[str, tuple[str, str]]:
    """Reason and way out, by name."""
    return _by_name(_GROUPS)


@cache
def _of_some() -> dict[str, tuple[str, str]]:
    return _by_name(_WITHOUT_RULE)


def _by_name(modules: dict[str, dict[tuple[str, str], str]]) -> dict[str, tuple[str, str]]:
    return {
        f"{module}.{name}": about
        for module, groups in modules.items()
        for about, names in groups.items()
        for name in names.split()
    }


def refusal(name: str) -> SrcadError | None:
    """The error for a call of what is refused."""
    return _refused_with(name, refused().get(name) or _of_package(name))


def without_rule(fn: Any) -> SrcadError:
    """The error for what has no rule and is called on arguments that vary."""
    name = name_of(fn)
    known = _refused_with(name, _of_some().get(name) or _of_package(name))
    return known or no_rule(fn)


def _of_package(name: str) -> tuple[str, str] | None:
    if name == "scipy.optimize.OptimizeResult":  # a dict that is read as a user's class is
        return None
    return _PACKAGES.get(name.rpartition(".")[0])


def _refused_with(name: str, about: tuple[str, str] | None) -> SrcadError | None:
    if about is None:
        return None
    return error("E204", None, what=f"`{name}`", fix=about[1], notes=(about[0],))
