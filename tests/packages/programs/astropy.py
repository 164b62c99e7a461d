"""Statistics, models, cosmology, stretches."""

import numpy as np
from astropy import convolution, stats
from astropy.coordinates import matrix_utilities
from astropy.cosmology import FlatLambdaCDM
from astropy.modeling import functional_models as models
from astropy.modeling import polynomial, powerlaws
from astropy.timeseries import LombScargle
from astropy.visualization import AsinhStretch, LogStretch, SqrtStretch

x = np.array([1.3, 0.4, 2.2, 0.9, 1.7, 0.6, 1.05])
y = np.array([1.1, 0.7, 1.9, 1.2, 1.4, 0.2, 0.8])
a = 1.4
m = 0.3
s = 0.8

stats.biweight_location(x)
stats.biweight_scale(x)
stats.biweight_midvariance(x)
stats.mad_std(x)
stats.median_absolute_deviation(x)
stats.circmean(x)
stats.circmoment(x)
stats.circstd(x)
stats.circvar(x)
stats.circcorrcoef(x, y)
stats.rayleightest(x)
stats.vtest(x)
stats.vonmisesmle(x)
stats.signal_to_noise_oir_ccd(a, m, 0.1, 0.2, 0.3, 4.0)
stats.akaike_info_criterion(a, 3, 10)
stats.bayesian_info_criterion_lsq(a, 3, 10)
stats.scott_bin_width(x)
stats.freedman_bin_width(x)
stats.jackknife_resampling(x)
stats.sigma_clipped_stats(x)[0]
matrix_utilities.rotation_matrix(a)
models.Gaussian1D.evaluate(x, a, m, s)
models.Gaussian2D.evaluate(x, y, a, m, m, s, 0.7, 0.2)
models.Lorentz1D.evaluate(x, a, m, s)
models.Voigt1D().evaluate(x, m, a, s, 0.4)
models.Moffat1D.evaluate(x, a, m, s, 1.2)
models.Sersic1D.evaluate(x, a, s, 1.5)
models.Sine1D.evaluate(x, a, 0.4, 0.1)
models.RickerWavelet1D.evaluate(x, a, m, s)
models.AiryDisk2D.evaluate(x, y, a, m, m, s)
models.Gaussian1D(a, m, s)(x)
powerlaws.PowerLaw1D.evaluate(x, a, s, m)
powerlaws.BrokenPowerLaw1D.evaluate(x, a, 1.1, m, s)
powerlaws.LogParabola1D.evaluate(x, a, s, m, 0.1)
polynomial.Polynomial1D(2, c0=0.1, c1=0.2, c2=0.3)(x)
polynomial.Chebyshev1D(2, c0=0.1, c1=0.2, c2=0.3)(x)
FlatLambdaCDM(70.0, 0.3).efunc(x)
FlatLambdaCDM(70.0, 0.3).comoving_distance(s).value
AsinhStretch()(x / 3)
LogStretch()(x / 3)
SqrtStretch()(x / 3)
convolution.convolve(x, np.array([0.2, 0.6, 0.2]))
convolution.convolve_fft(x, np.array([0.2, 0.6, 0.2]))
LombScargle(x, y).power(np.array([0.2, 0.5]))
