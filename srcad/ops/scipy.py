"""Functions of SciPy, which srcad does without: stated once their package is imported.

Those of scipy.special that are ufuncs have what all ufuncs have.
"""

from srcad.ops.entries import TRANSFORMS
from srcad.ops.fitting import broadcast, of_points, unproved
from srcad.ops.table import Row, state_also_later, state_later

_DISTRIBUTIONS = """norm t laplace logistic cauchy gumbel_r gumbel_l skewnorm uniform beta truncnorm
    expon gamma chi2 invgamma f weibull_min pareto halfnorm rayleigh lognorm poisson binom bernoulli
    nbinom geom multivariate_normal dirichlet"""
_METHODS = "pdf logpdf pmf logpmf cdf logcdf sf logsf ppf"

_METHODS_OF_ALL = " ".join(f"{d}.{m}" for d in _DISTRIBUTIONS.split() for m in _METHODS.split())

FRESH = {
    "scipy.fft": """dct dctn dst dstn fft fft2 fftfreq fftn fftshift hfft hfft2 hfftn idct idctn
        idst idstn ifft ifft2 ifftn ifftshift ihfft ihfft2 ihfftn irfft irfft2 irfftn next_fast_len
        prev_fast_len rfft rfft2 rfftfreq rfftn""",
    "scipy.fftpack": "dct dctn dst dstn fft fft2 fftn idct idctn idst idstn ifft ifft2 ifftn",
    "scipy.integrate": "cumulative_trapezoid simpson trapezoid",
    "scipy.linalg": """block_diag cho_factor cho_solve cholesky circulant companion coshm cosm det
        eig eigh eigvals eigvalsh expm expm_frechet hankel inv khatri_rao leslie lstsq lu lu_factor
        lu_solve norm pinv qr sinhm sinm solve solve_banded solve_continuous_lyapunov
        solve_discrete_lyapunov solve_sylvester solve_triangular svd svdvals toeplitz""",
    "scipy.ndimage": """convolve convolve1d correlate correlate1d gaussian_filter gaussian_filter1d
        gaussian_gradient_magnitude gaussian_laplace laplace prewitt sobel uniform_filter
        uniform_filter1d""",
    "scipy.optimize": "rosen rosen_der rosen_hess",
    "scipy.spatial.distance": """braycurtis canberra cdist chebyshev cityblock correlation cosine
        euclidean jensenshannon mahalanobis minkowski pdist seuclidean sqeuclidean squareform""",
    "scipy.signal": """chirp convolve convolve2d correlate correlate2d detrend fftconvolve hilbert
        lfilter oaconvolve sawtooth sosfilt windows.barthann windows.bartlett windows.blackman
        windows.blackmanharris windows.bohman windows.boxcar windows.cosine windows.exponential
        windows.flattop windows.gaussian windows.general_hamming windows.hamming windows.hann
        windows.kaiser windows.nuttall windows.parzen windows.triang""",
    "scipy.special": """ai_zeros assoc_laguerre bei_zeros beip_zeros ber_zeros bernoulli berp_zeros
        bi_zeros comb erf_zeros euler factorial factorial2 fresnel_zeros fresnelc_zeros
        fresnels_zeros h1vp h2vp ivp jn_zeros
        jnjnp_zeros jnp_zeros jnyn_zeros jvp kei_zeros keip_zeros kelvin_zeros ker_zeros kerp_zeros
        kvp lambertw log_softmax logsumexp multigammaln perm polygamma roots_chebyc roots_chebys
        roots_chebyt roots_chebyu roots_hermite roots_hermitenorm roots_laguerre roots_legendre
        roots_sh_chebyt roots_sh_chebyu roots_sh_legendre softmax softplus spherical_in spherical_jn
        spherical_kn spherical_yn stirling2 y0_zeros y1_zeros y1p_zeros yn_zeros ynp_zeros yvp
        zeta""",
    "scipy.stats": f"""{_METHODS_OF_ALL} entropy gmean gzscore hmean iqr kurtosis
        median_abs_deviation moment multivariate_normal.entropy
        pmean sem skew trim_mean variation zmap zscore""",
}

# A matrix may be singular, a decomposition may not converge.
_DECOMPOSES = Row(memory="fresh", raises="values", raised_by_derivative=True)

for _package, _names in FRESH.items():
    state_later(
        _DECOMPOSES if _package == "scipy.linalg" else Row(memory="fresh"), _package, _names
    )
# They are linear in an argument: its derivative reads its type alone.
state_also_later(
    {"raised_by_derivative": False}, "scipy.linalg", "expm_frechet solve_discrete_lyapunov"
)

# What only the function itself finds out of shapes; the derivative by an argument as well, or not.
_UNTOLD = {
    "scipy.integrate": "cumulative_trapezoid simpson",
    "scipy.linalg": "leslie lu_solve solve_banded",
    "scipy.ndimage": "convolve convolve1d correlate correlate1d gaussian_filter",
    "scipy.optimize": "rosen_der rosen_hess",
    "scipy.signal": "lfilter",
    "scipy.spatial.distance": "cdist pdist seuclidean",
}
_TOLD = {
    "scipy.fft": """dct dctn dst dstn fft fft2 fftn hfft2 hfftn idct idctn idst idstn ifft ifft2
        ifftn ihfft ihfft2 ihfftn irfft2 irfftn rfft rfft2 rfftn""",
    "scipy.fftpack": "dct dctn dst dstn fft fft2 fftn idct idctn idst idstn ifft ifft2 ifftn",
    "scipy.integrate": "trapezoid",
    "scipy.ndimage": "gaussian_filter1d uniform_filter1d",
    "scipy.signal": """convolve convolve2d correlate correlate2d detrend fftconvolve hilbert
        oaconvolve sosfilt""",
    "scipy.spatial.distance": """braycurtis canberra chebyshev cityblock correlation cosine
        euclidean jensenshannon mahalanobis minkowski sqeuclidean""",
    "scipy.special": "log_softmax logsumexp softmax",
    "scipy.stats": "entropy gmean hmean zmap",
}
for _package, _names in _UNTOLD.items():
    state_also_later({"fits": unproved}, _package, _names)
for _package, _names in _TOLD.items():
    state_also_later({"fits": unproved, "raised_by_derivative": True}, _package, _names)
state_also_later({"fits": of_points}, "scipy.fft", "irfft hfft")
state_also_later({"fits": broadcast}, "scipy.special", "zeta")
state_also_later({"fits": broadcast}, "scipy.signal", "sawtooth")

# Which entries a filter reads (`srcad.ops.entries`).
state_also_later(
    {"entries": "stencil"}, "scipy.ndimage", "convolve convolve1d correlate correlate1d"
)
state_also_later({"entries": "smoothed"}, "scipy.ndimage", "gaussian_filter1d uniform_filter1d")
state_also_later({"entries": "stencil"}, "scipy.signal", "convolve fftconvolve oaconvolve")
state_also_later({"entries": "lagged"}, "scipy.signal", "lfilter")
state_also_later({"entries": "joined"}, "scipy.special", "logsumexp")
_LINES = {
    "scipy.fft": f"{TRANSFORMS} dct dctn idct idctn dst dstn idst idstn",
    "scipy.signal": "detrend hilbert",
    "scipy.special": "softmax log_softmax",
}
for _package, _names in _LINES.items():
    state_also_later({"entries": "lines"}, _package, _names)
