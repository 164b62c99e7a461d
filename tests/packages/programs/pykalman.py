"""Kalman filters in one call."""

import numpy as np
from pykalman import KalmanFilter
from pykalman.standard import _filter_correct, _filter_predict, log_multivariate_normal_density

A = np.array([[1.0, 0.1], [0.0, 1.0]])
x = np.array([0.3, -0.7])
P = np.array([[1.2, 0.3], [0.3, 0.8]])
H = np.array([[1.0, 0.0]])
R = np.array([[0.4]])
z = np.array([0.5])
zs = np.array([[0.5], [0.7], [0.4]])

log_multivariate_normal_density(zs, zs * 0.5, np.stack([R, R, R]))
_filter_predict(A, 0.01 * P, x, x, P)[0]
_filter_correct(H, R, z, x, P, z)[1]
KalmanFilter(A, H, 0.01 * P, R, x, z, x, P).filter(zs)[0]
KalmanFilter(A, H, 0.01 * P, R, x, z, x, P).smooth(zs)[0]
KalmanFilter(A, H, 0.01 * P, R, x, z, x, P).loglikelihood(zs)
KalmanFilter(A, H, 0.01 * P, R, x, z, x, P).filter_update(x, P, z)[0]
