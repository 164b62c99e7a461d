"""Optimal transport."""

import numpy as np
import ot

a = np.array([0.2, 0.3, 0.5])
b = np.array([0.4, 0.35, 0.25])
M = np.array([[0.1, 1.0, 2.0], [0.9, 0.2, 1.1], [1.8, 0.8, 0.3]])
x = np.array([[0.1, 0.3], [1.2, 0.5], [0.4, 1.1]])
y = np.array([[0.2, 0.1], [1.0, 0.7], [0.1, 1.2]])
u = np.array([0.1, 0.9, 0.4])
v = np.array([0.3, 0.7, 1.2])

ot.dist(x, y)
ot.dist(x, y, metric="euclidean")
ot.utils.euclidean_distances(x, y)
ot.utils.kernel(x, y)
ot.utils.proj_simplex(u)
ot.utils.dots(M, x)
ot.sinkhorn(a, b, M, 1.0, numItermax=20)
ot.sinkhorn2(a, b, M, 1.0, numItermax=20)
ot.bregman.sinkhorn_log(a, b, M, 1.0, numItermax=20)
ot.barycenter(np.stack([a, b], 1), M, 1.0, numItermax=10)
ot.sinkhorn_unbalanced(a, b, M, 1.0, 1.0, numItermax=10)
ot.wasserstein_1d(u, v)
ot.gaussian.bures_wasserstein_distance(u[:2], v[:2], x.T @ x, y.T @ y)
ot.gaussian.bures_wasserstein_mapping(u[:2], v[:2], x.T @ x, y.T @ y)[0]
