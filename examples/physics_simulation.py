"""Blow smoke into the shape of a heart: fit the first wind of a simulation by gradient descent.

The simulation is written as one writes it in NumPy: in place, slice by slice, with a rock of which
nothing comes in, and an inner loop that ends when the pressure has settled, which depends on data.
JAX's arrays cannot be assigned to, and its loops that end at will have no reverse mode; autograd's
arrays cannot be assigned to either. There such a program has to be rewritten first; here the
gradient is that of the program as it stands. The loop over the pressure, linear, saves nothing.

    python examples/physics_simulation.py                        # some seconds
    python examples/physics_simulation.py --size 64 --steps 200  # a minute
"""

import argparse
import time

import numpy as np
from images import save
from progress import progress_bar

import srcad
from srcad.nn import optim

SETTLED = 1e-3  # largest change of the pressure in a turn that still counts


def make_solenoidal(u, v, rock):
    """Take out of the wind, in place, what makes it flow together: the gradient of a pressure."""
    source = 0.5 * (u[2:, 1:-1] - u[:-2, 1:-1] + v[1:-1, 2:] - v[1:-1, :-2])
    p = np.zeros_like(u)
    for _ in range(200):
        change = p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - source
        change = change / 4 - p[1:-1, 1:-1]
        p[1:-1, 1:-1] += change
        if np.max(np.abs(change)) < SETTLED:
            break
    u[1:-1, 1:-1] -= 0.5 * (p[2:, 1:-1] - p[:-2, 1:-1])
    v[1:-1, 1:-1] -= 0.5 * (p[1:-1, 2:] - p[1:-1, :-2])
    u[rock] = 0
    v[rock] = 0


def carried(field, u, v):
    """Return `field` where the wind, in cells per step, has carried it: read upstream."""
    n, m = field.shape
    row = np.clip(np.arange(n)[:, None] - u, 0, n - 1.001)
    column = np.clip(np.arange(m) - v, 0, m - 1.001)
    i, j = row.astype(int), column.astype(int)
    a, b = row - i, column - j
    upper = (1 - b) * field[i, j] + b * field[i, j + 1]
    lower = (1 - b) * field[i + 1, j] + b * field[i + 1, j + 1]
    return (1 - a) * upper + a * lower


def blow(wind, smoke, rock, turns):
    """Return the smoke after so many turns, beginning with a wind (2, n, n)."""
    u, v = wind
    u[rock] = 0
    v[rock] = 0
    make_solenoidal(u, v, rock)
    for _ in range(turns):
        smoke = carried(smoke, u, v)
        u, v = carried(u, u, v), carried(v, u, v)
        make_solenoidal(u, v, rock)
    return smoke


@srcad.value_and_grad
def misfit(wind, smoke, rock, turns, target):
    """Return how far the smoke ends from the target, with a price for strong winds."""
    return np.mean((blow(wind, smoke, rock, turns) - target) ** 2) + 1e-4 * np.mean(wind**2)


def scene(n):
    """Return a cloud, a rock (bool) and the shape wanted, each (n, n)."""
    y, x = np.mgrid[1.5 : -1.5 : n * 1j, -1.5 : 1.5 : n * 1j]
    frame = np.maximum(np.abs(x), np.abs(y)) > 1.45
    rock = (x**2 + (y + 0.05) ** 2 < 0.2**2) | frame
    cloud = 1 / (1 + np.exp(np.clip(12 * (x**2 + (y + 0.15) ** 2 - 0.9), -30, 30)))
    heart = (x**2 + y**2 - 0.8) ** 3 - 1.6 * x**2 * y**3
    return cloud * ~rock, rock, (heart < 0).astype(float) * ~rock


def draw(figure, pictures, rock):
    """Draw the pictures side by side, the rock in grey."""
    axes = figure.subplots(1, len(pictures))
    for ax, (title, picture) in zip(axes, pictures.items(), strict=True):
        ax.imshow(np.where(rock, np.nan, picture), cmap="Reds", vmin=0, vmax=1)
        ax.set(title=title, xticks=[], yticks=[], facecolor="gray")


def fit(wind, fixed, steps):
    """Improve the wind in place."""
    optimiser = optim.adam(0.1)
    state = optimiser.init(wind)
    with progress_bar(steps) as advance:
        for _ in range(steps):
            value, gradient = misfit(wind, *fixed)
            optimiser.update(wind, gradient, state)
            advance(1, value)


def print_saved(saved):
    """Print what the gradient keeps, line by line of the simulation."""
    lines = {}
    for entry in saved.entries:
        place = (entry.line, entry.source)
        lines[place] = lines.get(place, 0) + entry.bytes
    print("saved for the reverse sweep\n     bytes  line")
    for (line, source), n in lines.items():
        print(f"{n:10,}  {line:4}  {source}")
    print(f"{saved.total:10,}  in all\n")


def main(argv=None):
    """Fit the wind, report memory, times and errors, draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", type=int, default=40, help="rows and columns (default: 40)")
    parser.add_argument("--turns", type=int, default=12, help="of the simulation (default: 12)")
    parser.add_argument("--steps", type=int, default=60, help="of the descent (default: 60)")
    parser.add_argument("--output", default="physics_simulation.png", help="the picture's file")
    args = parser.parse_args(argv)
    smoke, rock, target = scene(args.size)
    wind = np.zeros((2, args.size, args.size))
    fixed = (smoke, rock, args.turns, target)
    start = time.perf_counter()
    fit(wind, fixed, args.steps)
    seconds = time.perf_counter() - start

    end = blow(wind.copy(), smoke, rock, args.turns)
    print_saved(misfit.saved(wind, *fixed))
    pictures = {"smoke": smoke, f"after {args.turns} turns": end, "target": target}
    picture = save(
        args.output, lambda figure: draw(figure, pictures, rock), figsize=(7.5, 2.8), dpi=80
    )
    calm, fitted = (np.mean((x - target) ** 2) for x in (smoke, end))
    print(f"simulation  {args.turns} turns of {args.size}x{args.size} cells")
    print(f"descent     {args.steps} steps in {seconds:.1f} s")
    print(f"error       {calm:.4f} without wind, {fitted:.4f} after the fit (mean squared)")
    print(f"picture     {picture}")


if __name__ == "__main__":
    main()
