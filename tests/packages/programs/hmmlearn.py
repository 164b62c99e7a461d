"""Densities of hidden Markov models."""

import numpy as np
from hmmlearn import stats

x = np.array([[0.3, 1.1], [0.8, -0.4], [1.5, 0.2]])
m = np.array([[0.1, 0.9], [1.0, -0.2]])
v = np.array([[0.5, 0.7], [0.9, 1.1]])
C = np.array([[1.2, 0.3], [0.3, 0.8]])
p = np.array([[0.2, 0.6], [0.5, 0.3]])

stats.log_multivariate_normal_density(x, m, v, "diag")
stats.log_multivariate_normal_density(x, m, np.array([0.8, 1.1]), "spherical")
stats.log_multivariate_normal_density(x, m, C, "tied")
stats.log_multivariate_normal_density(x, m, np.stack([C, C + 0.1 * np.eye(2)]), "full")
