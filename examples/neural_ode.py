"""A neural ODE: a network learns the law of a pendulum from how it swings.

A damped pendulum is seen a few times, with noise. Known is that the angle's rate is the speed; the
speed's rate, -9.81 sin(angle) - 0.3 speed, is what a network of the two has to find. The network is
integrated by the method of Runge and Kutta, and the gradient goes back through all of its steps
(Chen et al. 2018, "Neural ordinary differential equations"; by discrete steps here, so that it is
the gradient of what is computed).

    python examples/neural_ode.py                            # half a minute
    python examples/neural_ode.py --steps 50 --swings 6      # seconds
"""

import argparse
import time

import numpy as np
from images import save
from progress import progress_bar

import srcad
from srcad.nn import init, optim

DT = 0.05  # seconds between two sights
PIECE = 10  # sights that one start is followed for
NOISE = 0.02
LR = 0.03  # learning rate at the start; it falls to zero by a cosine


def pendulum(state):
    """Return the rates of angle and speed, (n, 2), as physics has them."""
    angle, speed = state[:, 0], state[:, 1]
    return np.stack([speed, -9.81 * np.sin(angle) - 0.3 * speed], axis=1)


def network(p, state):
    """Return the rates of angle and speed, (n, 2), the second by the network."""
    hidden = np.tanh(state @ p["w1"] + p["b1"])
    hidden = np.tanh(hidden @ p["w2"] + p["b2"])
    return np.stack([state[:, 1], hidden @ p["w3"]], axis=1)


def runge_kutta(rates, state):
    """Return the state after a time of DT."""
    k1 = rates(state)
    k2 = rates(state + DT / 2 * k1)
    k3 = rates(state + DT / 2 * k2)
    k4 = rates(state + DT * k3)
    return state + DT / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def follow(rates, state, n):
    """Return the states at the next n sights: (n, starts, 2)."""
    path = np.empty((n, *state.shape))
    for k in range(n):
        state = runge_kutta(rates, state)
        path[k] = state
    return path


@srcad.value_and_grad
def misfit(p, starts, seen):
    """Return the mean squared distance between the network's paths and what was seen."""
    path = follow(lambda state: network(p, state), starts, len(seen))
    return np.mean((path - seen) ** 2)


def initial_parameters(hidden, rng):
    """Draw the weights of the network."""
    return {
        "w1": init.glorot_normal((2, hidden), rng, float),
        "b1": np.zeros(hidden),
        "w2": init.glorot_normal((hidden, hidden), rng, float),
        "b2": np.zeros(hidden),
        "w3": init.normal((hidden,), rng, 0.3, float),
    }


def pieces(swings):
    """Cut the swings (sights, n, 2) into starts (m, 2) and what comes after each: (PIECE, m, 2)."""
    firsts = range(0, len(swings) - PIECE, PIECE)
    starts = np.concatenate([swings[k] for k in firsts])
    seen = np.concatenate([swings[k + 1 : k + 1 + PIECE] for k in firsts], axis=1)
    return starts, seen


def train(p, starts, seen, steps, batch, rng):
    """Improve the network in place, by random batches of the pieces."""
    optimiser = optim.adam(LR)
    state = optimiser.init(p)
    with progress_bar(steps) as advance:
        for step in range(steps):
            state["lr"] = LR * (1 + np.cos(np.pi * step / steps)) / 2
            rows = rng.choice(len(starts), batch, replace=False)
            value, gradient = misfit(p, starts[rows], seen[:, rows])
            optimiser.update(p, gradient, state)
            advance(1, value)


def draw(figure, p, swing, path):
    """Draw a swing that was not trained on, and the speed's rate of both laws."""
    left, middle, right = figure.subplots(1, 3)
    t = DT * np.arange(1, len(path) + 1)
    left.plot(t, swing[:, 0, 0], label="pendulum")
    left.plot(t, path[:, 0, 0], "--", label="network")
    left.set(xlabel="seconds", ylabel="angle", title="a new swing")
    left.legend(fontsize="small")
    angle, speed = np.meshgrid(np.linspace(-2.5, 2.5, 60), np.linspace(-6, 6, 60))
    states = np.stack([angle.ravel(), speed.ravel()], axis=1)
    for ax, title, rates in (
        (middle, "pendulum", pendulum(states)),
        (right, "network", network(p, states)),
    ):
        shade = rates[:, 1].reshape(angle.shape)
        ax.contourf(
            angle, speed, shade, levels=np.linspace(-12, 12, 13), cmap="RdBu", extend="both"
        )
        ax.streamplot(angle, speed, rates[:, 0].reshape(angle.shape), shade, color="k",
                      linewidth=0.5, density=0.7, arrowsize=0.7)  # fmt: skip
        ax.set(xlabel="angle", ylabel="speed", title=title, xlim=(-2.5, 2.5), ylim=(-6, 6))


def main(argv=None):
    """Train, follow a swing that was not trained on, compare the laws, draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--swings", type=int, default=20, help="that are seen (default: 20)")
    parser.add_argument("--sights", type=int, default=101, help="of each (default: 101)")
    parser.add_argument("--hidden", type=int, default=32, help="neurons of a layer (default: 32)")
    parser.add_argument("--steps", type=int, default=1500, help="of the training (default: 1500)")
    parser.add_argument("--batch", type=int, default=40, help="pieces a step (default: 40)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", default="neural_ode.png", help="the picture's file")
    args = parser.parse_args(argv)
    rng = np.random.default_rng(args.seed)
    first = rng.uniform((-2, -3), (2, 3), (args.swings, 2))
    swings = np.concatenate([first[None], follow(pendulum, first, args.sights - 1)])
    starts, seen = pieces(swings + rng.normal(0, NOISE, swings.shape))
    p = initial_parameters(args.hidden, rng)

    start = time.perf_counter()
    train(p, starts, seen, args.steps, min(args.batch, len(starts)), rng)
    seconds = time.perf_counter() - start
    new = np.array([[1.8, 0.0]])
    swing = follow(pendulum, new, 200)
    path = follow(lambda state: network(p, state), new, 200)
    picture = save(
        args.output, lambda figure: draw(figure, p, swing, path), figsize=(10, 3.2), dpi=80
    )
    states = swings.reshape(-1, 2)
    error = np.sqrt(np.mean((network(p, states) - pendulum(states))[:, 1] ** 2))
    print(f"seen        {len(starts)} pieces of {PIECE} sights, {DT} s apart, noise {NOISE}")
    print(
        f"training    {args.steps} steps in {seconds:.1f} s, through {4 * PIECE} evaluations each"
    )
    print(
        f"law         {error:.3f} off, of {np.std(pendulum(states)[:, 1]):.3f} (root mean square)"
    )
    print(f"new swing   {np.max(np.abs(path - swing)[:, 0, 0]):.3f} off after 10 s, at most")
    print(f"picture     {picture}")


if __name__ == "__main__":
    main()
