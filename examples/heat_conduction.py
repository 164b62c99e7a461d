"""What a rod is made of: an inverse problem of the heat equation, with a sparse Jacobian.

One end of a rod is heated, thermometers along it are read, and the conductivity at each place is
wanted. Unknown are its logarithm and all temperatures at all times together; the residuals are the
heat equation (implicit Euler), the thermometers, and a weak wish for smoothness ("all at once"). A
residual sees a handful of the thousands of unknowns, so that eight products give the Jacobian, for
any number of cells and times. `scipy.optimize.least_squares` is given it as it is.

    python examples/heat_conduction.py                          # seconds
    python examples/heat_conduction.py --cells 80 --times 120   # 9681 unknowns
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
EXACT = 2e-3  # how far the heat equation may be missed, degrees a step
SMOOTH = 0.15  # change of the logarithm from one cell to the next that is thought normal
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
    flat = spsolve(
        balance(log_k, inside, times).tocsc(), -heat_balance(log_k, inside, times).ravel()
    )
    return flat.reshape(inside.shape)


def rod(cells):
    """Return the logarithm of the conductivity of the true rod, between the cells."""
    x = np.linspace(0, 1, cells + 1)
    return np.log(0.3 + 0.5 * x) - 1.2 * np.exp(-(((x - 0.6) / 0.1) ** 2))


def first_guess(cells, seen, places, times):
    """Return the unknowns to begin with: one conductivity, temperatures between the readings."""
    at = [0, *places + 1, cells + 1]
    rows = [
        np.interp(np.arange(1, cells + 1), at, [end, *row, 0.0])
        for end, row in zip(heater(times), seen, strict=True)
    ]
    return np.concatenate([np.full(cells + 1, np.log(0.5)), np.ravel(rows)])


def solve(jacobian, z0, given, rounds):
    """Return SciPy's result; the progress bar shows half of the sum of squares."""
    with progress_bar(rounds, smoothing=1) as advance:
        return least_squares(
            residuals, z0, jac=jacobian, args=given, ftol=1e-5, max_nfev=rounds,
            callback=lambda intermediate_result: advance(1, intermediate_result.cost),
        )  # fmt: skip


def draw(figure, log_k, k, inside, spots, pattern):
    """Draw the conductivity, the temperatures, and where the Jacobian has entries."""
    left, middle, right = figure.subplots(1, 3, width_ratios=(1.2, 1, 1))
    x = np.linspace(0, 1, log_k.size)
    left.plot(x, np.exp(log_k), label="true")
    left.plot(x, np.exp(k), "--", label="found")
    left.set(xlabel="place", title="conductivity", ylim=(0, None))
    left.legend(fontsize="small")
    shown = middle.imshow(
        inside, origin="lower", extent=(0, 1, 0, END), aspect="auto", cmap="inferno"
    )
    figure.colorbar(shown, ax=middle)
    middle.plot(spots, np.full_like(spots, 0.02), "w^", markersize=4)
    middle.set(xlabel="place", ylabel="time", title="temperature")
    right.spy(pattern, markersize=0.3, color="C0")
    right.set(title="Jacobian", xticks=[], yticks=[])
    right.set_xlabel(f"{pattern.nnz} entries of {np.prod(pattern.shape)}")


def main(argv=None):
    """Simulate a rod and its thermometers, find the conductivity, draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cells", type=int, default=40, help="of the rod (default: 40)")
    parser.add_argument("--times", type=int, default=60, help="that are computed (default: 60)")
    parser.add_argument(
        "--every", type=int, default=5, help="cells from one thermometer to the next"
    )
    parser.add_argument("--rounds", type=int, default=40, help="of the solver, at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", default="heat_conduction.png", help="the picture's file")
    args = parser.parse_args(argv)
    rng = np.random.default_rng(args.seed)
    times = np.linspace(0, END, args.times + 1)[1:]
    places = np.arange(args.every // 2, args.cells, args.every)
    log_k = rod(args.cells)
    inside = simulate(log_k, times)
    seen = inside[:, places] + rng.normal(0, NOISE, (args.times, places.size))
    given = (seen, places, times)
    z0 = first_guess(args.cells, seen, places, times)

    jacobian = srcad.jacobian(residuals, sparse=True)
    pattern = jacobian.pattern(z0, *given)
    groups = jacobian.colors(z0, *given).max() + 1
    start = time.perf_counter()
    found = solve(jacobian, z0, given, args.rounds)
    seconds = time.perf_counter() - start
    k = found.x[: log_k.size]
    error = np.sqrt(np.mean((np.exp(k) - np.exp(log_k)) ** 2))
    print(f"unknowns    {z0.size}: {log_k.size} conductivities, {inside.size} temperatures")
    print(f"Jacobian    {pattern.nnz} entries of {np.prod(pattern.shape)}, by {groups} products")
    print(f"solved in   {seconds:.1f} s, {found.njev} rounds")
    print(f"residuals   {found.cost:.1f}, half of their squares, of {seen.size} readings")
    print(f"error       {error:.3f} of conductivities up to {np.exp(log_k).max():.3f}")
    picture = save(
        args.output,
        lambda figure: draw(figure, log_k, k, inside, (places + 1) / (args.cells + 1), pattern),
        figsize=(10, 3.2),
        dpi=80,
    )
    print(f"picture    {picture}")


if __name__ == "__main__":
    main()
