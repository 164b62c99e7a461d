"""Kalman filters and Gaussian statistics."""

import numpy as np
from filterpy import common, kalman, stats
from filterpy.discrete_bayes import normalize, predict, update
from filterpy.gh import GHFilter, GHKFilter

A = np.array([[1.0, 0.1], [0.0, 1.0]])
H = np.array([[1.0, 0.0]])
Q = 0.01 * np.eye(2)
x = np.array([0.3, -0.7])
m = np.array([0.1, 0.4])
P = np.array([[1.2, 0.3], [0.3, 0.8]])
z = np.array([0.5])
R = np.array([[0.4]])
s = 0.35
v = 1.3
belief = np.array([0.1, 0.2, 0.4, 0.3])
likelihood = np.array([0.3, 0.6, 0.2, 0.5])
xs = np.array([[0.1, 0.3], [0.2, 0.5], [0.4, 0.1]])
Ps = np.array([[[1.0, 0.1], [0.1, 0.9]], [[0.8, 0.2], [0.2, 0.7]], [[0.9, 0.0], [0.0, 1.1]]])

stats.mahalanobis(x, m, P)
stats.log_likelihood(z, x, P, H, R)
stats.likelihood(z, x, P, H, R)
stats.logpdf(x, m, P)
stats.gaussian(s, 0.1, v)
stats.mul(s, v, 0.4, 0.8)
stats.mul_pdf(s, v, 0.4, 0.8)
stats.add(s, v, 0.4, 0.8)
stats.multivariate_gaussian(x, m, P)
stats.multivariate_multiply(x, P, m, P)[0]
stats.covariance_ellipse(P)
stats.norm_cdf((s, v), 0.2, 1.1)
stats.NEES(xs, xs[::-1], Ps)
kalman.update(x, P, z, R, H)[0]
kalman.update_steadystate(x, z, np.array([[0.4], [0.2]]), H)
kalman.predict(x, P, A, Q)[1]
kalman.predict_steadystate(x, A)
kalman.batch_filter(x, P, [z, z + 0.1], [A, A], [Q, Q], [H, H], [R, R])[0]
kalman.rts_smoother(xs, Ps, [A, A, A], [Q, Q, Q])[0]
kalman.unscented_transform(xs, np.array([0.2, 0.5, 0.3]), np.array([0.2, 0.5, 0.3]))[1]
kalman.MerweScaledSigmaPoints(2, 0.1, 2.0, 1.0).sigma_points(x, P)
kalman.JulierSigmaPoints(2, 1.0).sigma_points(x, P)
kalman.SimplexSigmaPoints(2).sigma_points(x, P)
common.Q_discrete_white_noise(2, s, v)
common.Q_continuous_white_noise(3, s, v)
common.linear_ode_discretation(A * s, np.eye(2), np.eye(2), s)[0]
common.inv_diagonal(np.diag(x))
common.outer_product_sum(xs)
normalize(belief * s)
predict(belief, 1, np.array([0.1, 0.8, 0.1]))
update(likelihood, belief)
GHFilter(s, 0.2, 0.1, 0.7, 0.3).update(v)
GHKFilter(s, 0.2, 0.1, 0.1, 0.7, 0.3, 0.1).update(v)
