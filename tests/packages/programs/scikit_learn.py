"""Metrics, kernels and preprocessing."""

import numpy as np
from sklearn import covariance, metrics, preprocessing
from sklearn.decomposition import PCA
from sklearn.gaussian_process import kernels as gp
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import pairwise
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils import extmath

LABELS = np.array([0, 1, 1, 0, 1])
y = np.array([1.3, 0.4, 2.2, 0.9, 1.7])
p = np.array([1.1, 0.7, 1.9, 1.2, 1.4])
prob = np.array([0.2, 0.7, 0.6, 0.3, 0.9])
X = np.array([[0.3, 1.1], [0.8, -0.4], [1.5, 0.2], [-0.6, 0.9], [0.1, 0.5]])
Y = np.array([[0.5, 0.2], [1.1, -0.8], [0.4, 1.3]])
a = 0.7

metrics.mean_absolute_error(y, p)
metrics.mean_squared_error(y, p)
metrics.root_mean_squared_error(y, p)
metrics.mean_squared_log_error(y, p)
metrics.mean_absolute_percentage_error(y, p)
metrics.median_absolute_error(y, 1.07 * p)
metrics.mean_pinball_loss(y, p, alpha=0.3)
metrics.mean_poisson_deviance(y, p)
metrics.mean_gamma_deviance(y, p)
metrics.mean_tweedie_deviance(y, p, power=1.5)
metrics.explained_variance_score(y, p)
metrics.r2_score(y, p)
metrics.max_error(y, 1.07 * p)
metrics.d2_absolute_error_score(y, p)
metrics.d2_pinball_score(y, p, alpha=0.3)
metrics.d2_tweedie_score(y, p, power=1.5)
metrics.log_loss(LABELS, prob)
metrics.brier_score_loss(LABELS, prob)
metrics.hinge_loss(LABELS, p)
pairwise.euclidean_distances(X, Y)
pairwise.manhattan_distances(X, Y)
pairwise.cosine_distances(X, Y)
pairwise.cosine_similarity(X, Y)
pairwise.haversine_distances(X, Y)
pairwise.paired_euclidean_distances(X[:3], Y)
pairwise.paired_manhattan_distances(X[:3], Y)
pairwise.paired_cosine_distances(X[:3], Y)
pairwise.linear_kernel(X, Y)
pairwise.polynomial_kernel(X, Y)
pairwise.sigmoid_kernel(X, Y)
pairwise.rbf_kernel(X, Y, gamma=a)
pairwise.laplacian_kernel(X, Y)
pairwise.chi2_kernel(np.abs(X), np.abs(Y))
pairwise.pairwise_distances(X, Y)
preprocessing.normalize(X)
preprocessing.scale(X)
preprocessing.minmax_scale(X)
preprocessing.maxabs_scale(X)
preprocessing.robust_scale(X)
preprocessing.power_transform(X)
preprocessing.add_dummy_feature(X)
StandardScaler().fit_transform(X)
MinMaxScaler().fit_transform(X)
extmath.row_norms(X)
extmath.softmax(X)
extmath.squared_norm(X)
extmath.safe_sparse_dot(X, Y.T)
extmath.weighted_mode(X, np.ones((5, 2)))[1] * X
extmath.fast_logdet(X.T @ X)
extmath.randomized_svd(X, 1, random_state=0)[1]
covariance.empirical_covariance(X)
covariance.log_likelihood(np.cov(X.T), np.eye(2))
covariance.shrunk_covariance(np.cov(X.T), a)
covariance.ledoit_wolf(X)[0]
covariance.oas(X)[0]
gp.RBF(a)(X)
gp.Matern(a, nu=1.5)(X, Y)
gp.RationalQuadratic(a, 1.2)(X, Y)
gp.ExpSineSquared(a, 1.2)(X, Y)
gp.DotProduct(a)(X, Y)
gp.WhiteKernel(a)(X)
gp.ConstantKernel(a)(X, Y)
LinearRegression().fit(X, y).coef_
Ridge(a).fit(X, y).predict(Y)
PCA(1).fit(X).explained_variance_
