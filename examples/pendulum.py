"""A pendulum with friction, and its constants by least squares, for pendulum_fits.py."""

import os
import time

import numpy as np
from scipy.optimize import minimize

import srcad

TRUE = np.array([2.0, 0.15, 1.2, 0.0])
STEP, NOISE = 0.05, 0.05


def slope(angle, speed, frequency, friction):
    """Return how angle and speed change."""
    return speed, -(frequency**2) * np.sin(angle) - friction * speed


def simulate(constants, n):
    """Return the angles after each of `n` steps."""
    frequency, friction, angle, speed = constants
    angles = np.empty(n)
    for k in range(n):
        a1, s1 = slope(angle, speed, frequency, friction)
        a2, s2 = slope(angle + STEP / 2 * a1, speed + STEP / 2 * s1, frequency, friction)
        a3, s3 = slope(angle + STEP / 2 * a2, speed + STEP / 2 * s2, frequency, friction)
        a4, s4 = slope(angle + STEP * a3, speed + STEP * s3, frequency, friction)
        angle = angle + STEP / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        speed = speed + STEP / 6 * (s1 + 2 * s2 + 2 * s3 + s4)
        angles[k] = angle
    return angles


def misfit(constants, seen):
    """Return half the squared distance of the simulation from what was seen."""
    return 0.5 * np.sum((simulate(constants, len(seen)) - seen) ** 2)


step = srcad.value_and_grad(misfit, backend="numpy")


def fit(seen):
    """Return the constants, and who found them from when to when."""
    start = time.time()
    found = minimize(step, TRUE * 1.1 + 0.05, args=(seen,), jac=True, method="L-BFGS-B")
    return found.x, (os.getpid(), "fits", start, time.time())
