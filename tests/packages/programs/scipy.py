"""What SciPy itself writes in Python."""

import numpy as np
from scipy import fft, integrate, interpolate, linalg, ndimage, optimize, signal, stats
from scipy.cluster import vq
from scipy.signal import windows
from scipy.spatial import distance, procrustes
from scipy.spatial.transform import Rotation

COUNTS = np.array([1, 2, 0, 1, 3])
x = np.array([1.3, 0.4, 2.2, 0.9, 1.7])
y = np.array([1.1, 0.7, 1.9, 1.2, 1.4])
a = 0.7
A = np.array([[1.2, 0.3, 0.1], [0.3, 0.9, -0.2], [0.1, -0.2, 1.4]])
X = np.array([[0.3, 1.1], [0.8, -0.4], [1.5, 0.2], [-0.6, 0.9], [0.1, 0.5]])
t = np.array([0.1, 0.5, 1.2, 1.9, 2.4])
b = np.array([0.2, 0.3])

optimize.rosen(x)
optimize.rosen_der(x)
optimize.rosen_hess(x)
optimize.newton(lambda z: z**3 - a, 1.0)
optimize.brentq(lambda z: z**3 - a, 0.0, 2.0)
optimize.fsolve(lambda z: z**3 - a, 1.0)
stats.gmean(x)
stats.hmean(x)
stats.pmean(x, 1.7)
stats.skew(x)
stats.kurtosis(x)
stats.moment(x, 3)
stats.variation(x)
stats.sem(x)
stats.zscore(x)
stats.zmap(x, y)
stats.gzscore(x)
stats.iqr(x)
stats.median_abs_deviation(y)
stats.trim_mean(x, 0.2)
stats.tmean(x, (0.0, 3.0))
stats.tvar(x)
stats.describe(x).variance
stats.entropy(x / np.sum(x))
stats.differential_entropy(x)
stats.ttest_1samp(x, a).statistic
stats.ttest_ind(x, y).statistic
stats.ttest_rel(x, y).pvalue
stats.f_oneway(x, y).statistic
stats.pearsonr(x, y).statistic
stats.linregress(x, y).slope
stats.chisquare(x, y * np.sum(x) / np.sum(y)).statistic
stats.boxcox_llf(a, x)
stats.yeojohnson(x, a)
stats.norm.logpdf(x, a, 1.2)
stats.gamma.cdf(x, 1.4)
stats.beta.pdf(x / 3, 1.2, 2.1)
stats.t.ppf(b, 4.2)
stats.expon.entropy(scale=a)
stats.weibull_min.sf(x, 1.4)
stats.lognorm.mean(a)
stats.multivariate_normal.logpdf(X, b, np.eye(2))
stats.poisson.pmf(COUNTS, x)
stats.gaussian_kde(x)(t)
windows.gaussian(5, a)
windows.kaiser(5, a)
windows.tukey(9, a)
windows.general_hamming(5, a)
windows.exponential(5, None, a)
signal.chirp(t, 1.0, 2.0, a)
signal.gausspulse(t, 2)
signal.sawtooth(t, a)
signal.detrend(x)
signal.savgol_filter(x, 3, 1)
signal.convolve(x, b)
signal.correlate(x, y)
signal.fftconvolve(x, b)
signal.oaconvolve(x, b)
signal.lfilter(b, [1.0, -0.3], x)
signal.filtfilt(b, [1.0, -0.3], np.concatenate([x, y]))
signal.periodogram(x)[1]
signal.welch(x, nperseg=4)[1]
signal.resample(x, 7)
signal.resample_poly(x, 2, 1)
np.abs(signal.hilbert(x))
np.abs(signal.freqz(b, worN=4)[1])
signal.zpk2tf(b, t[:2], a)[0]
signal.ss2tf(A, A[:, :1], A[:1], A[:1, :1])[0]
signal.bilinear(b, [1.0, a])[0]
signal.lp2hp(b, [1.0, a], 1.2)[0]
signal.lombscargle(t, x, t + 1)
signal.wiener(x, 3)
linalg.circulant(x)
linalg.companion(x)
linalg.toeplitz(x, y)
linalg.hankel(x)
linalg.leslie(x, y[1:])
linalg.block_diag(A, X)
linalg.khatri_rao(A, A)
linalg.expm(A)
linalg.logm(A)
linalg.polar(A)[1]
linalg.pinvh(A)
linalg.orthogonal_procrustes(X, X[::-1])[1]
linalg.solve_sylvester(A, A, A)
linalg.solve_continuous_lyapunov(A, A)
linalg.solve_discrete_lyapunov(0.3 * A, A)
linalg.solve_toeplitz(x, y)
linalg.solve_circulant(x, y)
linalg.solve_banded((1, 0), np.array([[1.2, 1.1, 1.3], [0.2, 0.1, 0.0]]), x[:3])
linalg.norm(A, 2)
distance.euclidean(x, y)
distance.minkowski(x, y, 3)
distance.cosine(x, y)
distance.correlation(x, y)
distance.mahalanobis(x[:3], y[:3], A)
distance.braycurtis(x, y)
distance.canberra(x, y)
distance.jensenshannon(x, y)
distance.cdist(X, X + a)
distance.pdist(X)
procrustes(X, X[::-1] ** 2)[2]
Rotation.from_rotvec(x[:3]).as_matrix()
Rotation.from_euler("xyz", x[:3]).as_quat()
integrate.trapezoid(y, t)
integrate.simpson(y, x=t)
integrate.cumulative_trapezoid(y, t)
integrate.quad(lambda z: np.exp(-a * z), 0.0, 1.0)[0]
integrate.fixed_quad(lambda z: np.exp(-a * z), 0.0, 1.0)[0]
integrate.solve_ivp(lambda s, u: -a * u, (0.0, 1.0), b, rtol=1e-10, atol=1e-12).y[:, -1]
interpolate.interp1d(t, y)(t[:-1] + 0.1)
interpolate.CubicSpline(t, y)(t[:-1] + 0.1)
interpolate.PchipInterpolator(t, y)(t[:-1] + 0.1)
interpolate.BarycentricInterpolator(t, y)(a)
interpolate.lagrange(t, y)(a)
interpolate.RBFInterpolator(X, x)(X + 0.1)
interpolate.make_interp_spline(t, y)(t[:-1] + 0.1)
fft.dct(x)
fft.idst(x)
np.abs(fft.rfft(x))
ndimage.gaussian_filter(A, a)
ndimage.convolve(A, X[:3, :1])
ndimage.laplace(A)
ndimage.map_coordinates(A, X[:2] * 0.5 + 0.5, order=1)
ndimage.center_of_mass(np.abs(A))
vq.whiten(X)
