"""Objectives of statistics: Gaussian mixtures, least squares, k-means."""

from __future__ import annotations

import math

import numpy as np


def wishart_prior(q_diagonal, q_sum, below, gamma, m):
    """Return the logarithm of the Wishart prior of all precisions, less a constant."""
    d = q_diagonal.shape[1]
    squares = np.sum(q_diagonal**2) + np.sum(below**2)
    return 0.5 * gamma**2 * squares - m * np.sum(q_sum) - len(q_sum) * (d + m + 1) * np.log(gamma)


def mixture(alphas, means, factors, x, gamma, m):
    """Return the log likelihood of points under a mixture of Gaussians, with a Wishart prior.

    A precision is Q.T @ Q; a row of `factors` has the logarithms of the diagonal of Q, then the
    entries below it.
    """
    n, d = x.shape
    rows, columns = np.tril_indices(d, -1)
    q_diagonal = np.exp(factors[:, :d])
    q_sum = np.sum(factors[:, :d], axis=1)
    q = np.zeros((len(alphas), d, d))
    q[:, np.arange(d), np.arange(d)] = q_diagonal
    q[:, rows, columns] = factors[:, d:]
    centred = x - means[:, np.newaxis, :]
    squares = np.sum((centred @ q.transpose(0, 2, 1)) ** 2, axis=2)
    inner = (alphas + q_sum)[:, np.newaxis] - 0.5 * squares
    largest = np.max(inner, axis=0)
    each = largest + np.log(np.sum(np.exp(inner - largest), axis=0))
    top = np.max(alphas)
    weights = top + np.log(np.sum(np.exp(alphas - top)))
    constant = -0.5 * n * d * math.log(2 * math.pi)
    prior = wishart_prior(q_diagonal, q_sum, factors[:, d:], gamma, m)
    return constant + np.sum(each) - n * weights - prior


def mixture_by_loops(alphas, means, factors, x, gamma, m):
    """Return what `mixture` does, point by point and Gaussian by Gaussian."""
    n, d = x.shape
    k = len(alphas)
    q_diagonal = np.exp(factors[:, :d])
    q_sum = np.sum(factors[:, :d], axis=1)
    top = np.max(alphas)
    weights = top + np.log(np.sum(np.exp(alphas - top)))
    total = -0.5 * n * d * math.log(2 * math.pi) - n * weights
    inner = np.zeros(k)
    for i in range(n):
        for c in range(k):
            centred = x[i] - means[c]
            square = 0.0
            at = d
            for r in range(d):
                s = q_diagonal[c, r] * centred[r] + factors[c, at : at + r] @ centred[:r]
                square += s * s
                at += r
            inner[c] = alphas[c] + q_sum[c] - 0.5 * square
        largest = np.max(inner)
        total += largest + np.log(np.sum(np.exp(inner - largest)))
    return total - wishart_prior(q_diagonal, q_sum, factors[:, d:], gamma, m)


def least_squares(a, x, b):
    """Return the residuals of a linear model, entry by entry."""
    n, m = a.shape
    residual = np.zeros(n)
    for i in range(n):
        s = -b[i]
        for j in range(m):
            s += a[i, j] * x[j]
        residual[i] = s
    return residual


def k_means(points, centres):
    """Return the sum of the points' squared distances from the nearest centre."""
    squares = np.sum((points[:, np.newaxis, :] - centres) ** 2, axis=2)
    return np.sum(np.min(squares, axis=1))
