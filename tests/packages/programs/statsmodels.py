"""Tests, moments, robust norms, time series."""

import numpy as np
from statsmodels.discrete import discrete_model as dm
from statsmodels.genmod.families import family, links
from statsmodels.nonparametric import kernels
from statsmodels.regression.linear_model import GLS, OLS, WLS, burg, yule_walker
from statsmodels.robust import norms, scale
from statsmodels.stats import api as sms
from statsmodels.stats import correlation_tools, moment_helpers, stattools
from statsmodels.stats.weightstats import DescrStatsW
from statsmodels.tools import eval_measures as measures
from statsmodels.tools import tools
from statsmodels.tsa import stattools as ts
from statsmodels.tsa import tsatools
from statsmodels.tsa.filters.bk_filter import bkfilter
from statsmodels.tsa.filters.cf_filter import cffilter

COUNTS = np.array([0.0, 1.0, 2.0, 1.0, 3.0, 0.0])
x = np.array([1.3, 0.4, 2.2, 0.9, 1.7, 0.6])
y = np.array([1.15, 0.72, 1.93, 1.27, 1.4, 0.2])
s = 0.8
C = np.array([[1.2, 0.3, 0.1], [0.3, 0.9, -0.2], [0.1, -0.2, 1.4]])
X = np.array([[1.0, 0.3], [1.0, 1.1], [1.0, -0.4], [1.0, 0.8], [1.0, 0.2], [1.0, -0.9]])
b = np.array([0.2, -0.3])
p = np.array([0.2, 0.5, 0.7])
long = np.cos(np.arange(40.0)) + 0.1 * np.arange(40.0)

measures.aic(s, 10, 3)
measures.aic_sigma(s, 10, 3)
measures.aicc(s, 10, 3)
measures.bias(x, y)
measures.bic(s, 10, 3)
measures.hqic(s, 10, 3)
measures.iqr(x, y)
measures.maxabs(x, y)
measures.meanabs(x, y)
measures.medianabs(x, y)
measures.mse(x, y)
measures.rmse(x, y)
measures.rmspe(x, y)
measures.stde(x, y)
measures.vare(x, y)
tools.add_constant(x)
tools.recipr(x)
tools.pinv_extended(X)[0]
tools.nan_dot(X, X.T)
tools.clean0(X)
sms.durbin_watson(x)
sms.jarque_bera(x)[0]
sms.omni_normtest(np.concatenate([x, y]))[0]
sms.effectsize_smd(x[0], x[1], 20, x[2], x[3], 25)[0]
sms.proportion_effectsize(p[0], p[1])
sms.se_cov(C)
sms.corr_nearest(C)
sms.cov_nearest(C)
sms.ttest_ind(x, y)[0]
sms.ztest(x, y)[0]
sms.zconfint(x)
sms.anova_oneway([x, y]).statistic
sms.powerdiscrepancy(x, y * np.sum(x) / np.sum(y))[0]
sms.weights_bartlett(3) * s
stattools.robust_skewness(x)[1]
stattools.robust_kurtosis(x)[0]
moment_helpers.mc2mnc(x[:4])
moment_helpers.mnc2mc(x[:4])
moment_helpers.cum2mc(x[:4])
moment_helpers.mnc2cum(x[:4])
moment_helpers.mvsk2mc(x[:4])
moment_helpers.cov2corr(C)
moment_helpers.corr2cov(C, p)
correlation_tools.corr_clipped(C)
DescrStatsW(x, y).mean
DescrStatsW(x, y).var
scale.mad(x)
scale.iqr(x)
scale.scale_tau(x)
norms.HuberT().rho(x)
norms.TukeyBiweight().psi(x)
norms.AndrewWave().weights(x)
norms.Hampel().rho(x)
norms.RamsayE().psi_deriv(x)
norms.estimate_location(x, s)
links.Logit()(p)
links.Log().inverse(p)
links.Probit()(p)
links.CLogLog().deriv(p)
links.NegativeBinomial(s)(x)
family.Poisson().loglike(x, y)
family.Gaussian().deviance(x, y)
family.Gamma().deviance(x, y)
family.Binomial().variance(p)
kernels.gaussian(s, x, 0.4)
kernels.tricube(s, x, 0.4)
ts.acf(long, nlags=4)
ts.acovf(long)
ts.pacf(long, nlags=3)
ts.ccf(long, np.sin(long))
ts.levinson_durbin(long, 3)[0]
tsatools.detrend(long, 1)
tsatools.lagmat(x, 2)
tsatools.add_trend(X)
burg(long, 2)[0]
yule_walker(long, 2)[0]
OLS(x, X).fit().params
OLS(x, X).loglike(b)
WLS(x, X, y).fit().rsquared
GLS(x, X, np.diag(y)).fit().params
dm.Logit((x > 1) * 1.0, X).loglike(b)
dm.Poisson(COUNTS, X).loglike(b)
dm.Probit((x > 1) * 1.0, X).score(b)
bkfilter(long, 4, 8, 3)
cffilter(long, 4, 8)[0]
