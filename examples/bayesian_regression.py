"""Bayesian regression: a curve and how sure it is, by Hamiltonian Monte Carlo.

Points scatter about a curve, a sum of bumps with unknown weights; a few points are far off. Two
models of the noise:

    normal     the posterior is known in closed form, with which the samples are compared
    Student's  forgives points that are far off; it has no closed form, but the same sampler

A sample is the end of a path that rolls over the energy (minus the logarithm of the posterior), so
each takes some twenty gradients (Neal 2011, "MCMC using Hamiltonian dynamics").

    python examples/bayesian_regression.py                   # seconds
    python examples/bayesian_regression.py --samples 20000   # closer to the closed form
"""

import argparse
import time

import numpy as np
from images import save
from progress import progress_bar

import srcad

NOISE = 0.15  # standard deviation of the points
FREEDOM = 2.0  # of Student's distribution: the less, the heavier its tails
BUMPS = np.linspace(-1, 1, 9)
PATH = 20  # steps of a path, about


def features(x):
    """Return the height of each bump at each point: (n, bumps)."""
    return np.exp(-0.5 * ((x[:, None] - BUMPS) / 0.25) ** 2)


@srcad.value_and_grad
def energy(w, bumps, y, model):
    """Return minus the logarithm of the posterior of the weights, up to a constant."""
    r = (y - bumps @ w) / NOISE
    if model == "normal":
        misfit = 0.5 * np.sum(r**2)
    else:
        misfit = 0.5 * (FREEDOM + 1) * np.sum(np.log1p(r**2 / FREEDOM))
    return misfit + 0.5 * np.sum(w**2)  # the prior: weights of about 1


def closed_form(bumps, y):
    """Return mean and covariance of the weights, for normal noise."""
    covariance = np.linalg.inv(bumps.T @ bumps / NOISE**2 + np.eye(BUMPS.size))
    return covariance @ bumps.T @ y / NOISE**2, covariance


@srcad.compile
def roll(w, value, force, momentum, step, n_steps, given):
    """Follow a path by the leapfrog method; return its end, with value and gradient there.

    One program with the gradient inside; with Numba it is machine code after a while.
    """
    momentum = momentum - 0.5 * step * force
    for k in range(n_steps):
        w = w + step * momentum
        value, force = energy(w, *given)
        momentum = momentum - (step if k < n_steps - 1 else 0.5 * step) * force
    return w, value, force, momentum


def sample(given, n_samples, rng):
    """Return samples of the weights (n, bumps), and how many of the paths were accepted."""
    n_warm = n_samples // 4
    w = np.zeros(BUMPS.size)
    value, force = energy(w, *given)
    step, accepted, samples = 0.01, 0, np.empty((n_samples, w.size))
    with progress_bar(n_warm + n_samples) as advance:
        for turn in range(-n_warm, n_samples):
            momentum = rng.standard_normal(w.size)
            start = value + 0.5 * momentum @ momentum
            end = roll(w, value, force, momentum, step, rng.integers(PATH // 2, 2 * PATH), given)
            is_accepted = rng.random() < np.exp(min(0, start - end[1] - 0.5 * end[3] @ end[3]))
            if is_accepted:
                w, value, force, _ = end
            if turn < 0:  # warming up: as long steps as four of five paths allow
                step *= 1.02 if is_accepted else 0.92
            else:
                samples[turn] = w
                accepted += is_accepted
            advance(1, value)
    return samples, accepted / n_samples


def scene(n, rng):
    """Return points (n,), (n,) about a curve, every ninth of them far off, and the curve."""

    def curve(x):
        return np.sin(3 * x) - 0.5 * x

    x = np.sort(rng.uniform(-1, 1, n))
    x = x[(x < 0.1) | (x > 0.5)]  # nothing is known about this part
    y = curve(x) + rng.normal(0, NOISE, x.size)
    y[::9] += 1.5
    return x, y, curve


def draw(figure, x, y, curve, found, exact):
    """Draw the points, and of each model the mean and the band of 95 %."""
    axes = figure.subplots(1, len(found), sharex=True, sharey=True)
    at = np.linspace(-1, 1, 201)
    for ax, (model, samples) in zip(axes, found.items(), strict=True):
        curves = samples @ features(at).T
        low, high = np.quantile(curves, (0.025, 0.975), axis=0)
        ax.fill_between(at, low, high, alpha=0.3, label="95 % of the samples")
        ax.plot(at, curves.mean(axis=0), label="their mean")
        if model == "normal":
            mean, spread = features(at) @ exact[0], deviations(features(at), exact[1])
            ax.plot(at, mean - 1.96 * spread, "k:", linewidth=1, label="closed form")
            ax.plot(at, mean + 1.96 * spread, "k:", linewidth=1)
        ax.plot(at, curve(at), "g--", linewidth=1, label="curve")
        ax.plot(x, y, "k.", markersize=3)
        ax.set(title=f"{model} noise", xlabel="x")
        ax.legend(fontsize="x-small", loc="lower right")


def deviations(rows, covariance):
    """Return the standard deviation of each `row @ w`."""
    return np.sqrt(np.sum(rows @ covariance * rows, axis=1))


def main(argv=None):
    """Sample both models, compare one with its closed form, draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--samples", type=int, default=4000, help="of each model (default: 4000)")
    parser.add_argument("--points", type=int, default=80)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", default="bayesian_regression.png", help="the picture's file")
    args = parser.parse_args(argv)
    rng = np.random.default_rng(args.seed)
    x, y, curve = scene(args.points, rng)
    bumps = features(x)
    exact = closed_form(bumps, y)

    at = np.linspace(-1, 1, 201)
    found = {}
    print("noise      accepted  seconds  error of the mean curve")
    for model in ("normal", "Student's"):
        start = time.perf_counter()
        found[model], accepted = sample((bumps, y, model), args.samples, rng)
        seconds = time.perf_counter() - start
        error = np.sqrt(np.mean((features(at) @ found[model].mean(axis=0) - curve(at)) ** 2))
        print(f"{model:<9}  {accepted:8.0%}  {seconds:7.1f}  {error:.3f}")

    samples, (mean, covariance) = found["normal"], exact
    spread = np.sqrt(np.diag(covariance))
    off = np.max(np.abs(samples.mean(axis=0) - mean) / spread)
    ratio = samples.std(axis=0) / spread
    print(f"against the closed form: means within {off:.2f} standard deviations,")
    print(f"which are {ratio.min():.2f} to {ratio.max():.2f} times as large")
    picture = save(
        args.output,
        lambda figure: draw(figure, x, y, curve, found, exact),
        figsize=(8, 3.5),
        dpi=80,
    )
    print(f"picture    {picture}")


if __name__ == "__main__":
    main()
