"""What a rod is made of: an inverse problem of the heat equation, with a sparse Jacobian.

One end of a rod is heated, thermometers along it are read, and the conductivity at each place is
wanted. Unknown are its logarithm and all temperatures at all times together; the residuals are the
heat equation (implicit Euler), the thermometers, and a weak wish for smoothness ("all at once"). A
residual sees a handful of the thousands of unknowns, so that a handful of products give the whole
Jacobian, for any number of cells and times. `scipy.optimize.least_squares` is given

    grouped   the pattern alone, which srcad found; SciPy takes differences, group by group
    sparse    srcad.jacobian(residuals, sparse=True)

    python examples/heat_conduction.py                          # seconds
    python examples/heat_conduction.py --cells 80 --times 120   # 9839 unknowns
"""

import argparse
import time

import numpy as np
from images import save
from progress import progress_bar
from scipy.optimize import least_squares
from scipy.sparse.linalg import spsolve

import srcad

NOISE = 0.005  # of the thermometers, degrees
EXACT = 1e-4  # how far the heat equation may be missed, degrees a step
SMOOTH = 0.3  # change of the logarithm from one cell to the next that is thought normal
END = 2.0  # of the time


def heater(t):
    """Return the temperature of the heated end: on, off, on."""
    return np.where((t < 0.5) | (t > 1.2), 1.0, 0.0)


def temperatures(inside, times):
    """Return the temperatures with the start and both ends: (times + 1, cells + 2)."""
    rows, cells = inside.shape
    u = np.zeros((rows + 1, cells + 2))
    u[1:, 0] = heater(times)
    u[1:, 1:-1] = inside
    return u


def heat_balance(log_k, inside, times):
    """Return by how much the heat equation is missed at each time and cell, in degrees."""
    cells = inside.shape[1]
    u = temperatures(inside, times)
    flow = np.exp(log_k) * np.diff(u[1:], axis=1) * (cells + 1)
    step = END / len(times)
    return np.diff(u, axis=0)[:, 1:-1] - step * np.diff(flow, axis=1) * (cells + 1)


def residuals(z, seen, places, times):
    """Return all that should be small: heat equation, thermometers, smoothness."""
    cells = len(z) // (len(times) + 1)
    log_k, inside = z[: cells + 1], z[cells + 1 :].reshape(len(times), cells)
    return np.concatenate(
        [
            heat_balance(log_k, inside, times).ravel() / EXACT,
            (inside[:, places] - seen).ravel() / NOISE,
            np.diff(log_k) / SMOOTH,
        ]
    )


def simulate(log_k, times):
    """Return the temperatures (times, cells), by the same equation, solved step by step."""
    cells = log_k.size - 1
    inside = np.zeros((len(times), cells))
    balance = srcad.jacobian(heat_balance, "inside", sparse=True)
    flat = spsolve(balance(log_k, inside, times).tocsc(), -heat_balance(log_k, inside, times).ravel())
    return flat.reshape(inside.shape)


def rod(cells):
    """Return the logarithm of the conductivity of the true rod, between the cells."""
    x = np.linspace(0, 1, cells + 1)
    return np.log(0.3 + 0.5 * x) - 1.2 * np.exp(-(((x - 0.6) / 0.1) ** 2))


def solve(jac, pattern, z0, given, rounds):
    """Return SciPy's result and the seconds that it took."""
    with progress_bar(rounds) as advance:

        def told(intermediate_result):
            advance(1, intermediate_result.cost)

        start = time.perf_counter()
        found = least_squares(
            residuals, z0, jac=jac, jac_sparsity=pattern, args=given, x_scale="jac", ftol=1e-6,
            max_nfev=rounds, callback=told,
        )  # fmt: skip
    return found, time.perf_counter() - start
