"""Balance a pole on a cart: a policy learned by its gradient (REINFORCE), with physics of its own.

A pole stands on a cart that is pushed left or right fifty times a second (Barto, Sutton & Anderson
1983). The policy is a network that says how probable a push to the right is. It is improved by the
gradient of the expected time that the pole stays up, estimated from trials (Williams 1992): of each
push the logarithm of its probability, times how much longer than usual the trial went on.

    python examples/cart_pole.py               # seconds
    python examples/cart_pole.py --gymnasium   # and try it in CartPole-v1 of gymnasium
"""

import argparse
import time

import numpy as np
from images import save
from progress import progress_bar

import srcad
from srcad.nn import dense, init, optim, sigmoid, softplus

GRAVITY, CART, POLE, HALF, FORCE, DT = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02  # SI units
WIDE, TILTED = 2.4, np.deg2rad(12)  # where a trial ends
LONG = 500  # pushes, at most


def pushed(state, right):
    """Return the states (n, 4) after a push: place, speed, angle, speed of the angle of each."""
    _, x_dot, angle, angle_dot = state.T
    force = np.where(right, FORCE, -FORCE)
    sin, cos = np.sin(angle), np.cos(angle)
    pull = (force + POLE * HALF * angle_dot**2 * sin) / (CART + POLE)
    turn = (GRAVITY * sin - cos * pull) / (HALF * (4 / 3 - POLE * cos**2 / (CART + POLE)))
    run = pull - POLE * HALF * turn * cos / (CART + POLE)
    return state + DT * np.stack([x_dot, run, angle_dot, turn], axis=1)


def stands(state):
    """Return which of the poles stand, on a cart that is in sight."""
    return (np.abs(state[:, 0]) < WIDE) & (np.abs(state[:, 2]) < TILTED)


def logit(p, state):
    """Return the logit of a push to the right, for states (..., 4)."""
    h = np.tanh(dense(state, p["w1"], p["b1"]))
    return dense(h, p["w2"])


@srcad.value_and_grad
def surrogate(p, states, right, weights):
    """Return the mean of `-log(probability of the push) * weight`, whose gradient is wanted."""
    z = logit(p, states)
    return np.mean(weights * softplus(np.where(right, -z, z)))


def trials(p, n, rng):
    """Return states (LONG, n, 4), pushes (LONG, n), and which poles stood (LONG, n)."""
    states, right = np.zeros((LONG, n, 4)), np.zeros((LONG, n), bool)
    up = np.zeros((LONG, n), bool)
    state, standing = rng.uniform(-0.05, 0.05, (n, 4)), np.ones(n, bool)
    for k in range(LONG):
        states[k], up[k] = state, standing
        right[k] = rng.random(n) < sigmoid(logit(p, state))
        state = np.where(standing[:, None], pushed(state, right[k]), state)
        standing = standing & stands(state)
        if not standing.any():
            break
    return states, right, up


def advantages(up, discount=0.99):
    """Return how much longer each trial went on than the others at that time, discounted."""
    to_come, left = np.zeros(up.shape), np.zeros(up.shape[1])
    for k in reversed(range(LONG)):
        left = up[k] * (1 + discount * left)
        to_come[k] = left
    usual = np.sum(to_come, axis=1) / np.maximum(np.sum(up, axis=1), 1)
    found = (to_come - usual[:, None]) * up
    return found / (np.std(found[up]) + 1e-9)


def train(p, rounds, n, rng):
    """Improve the policy in place; return how long each trial was: (rounds, n)."""
    optimiser = optim.adam(0.02)
    state = optimiser.init(p)
    lengths = np.zeros((rounds, n), int)
    with progress_bar(rounds, smoothing=1) as advance:
        for k in range(rounds):
            states, right, up = trials(p, n, rng)
            lengths[k] = up.sum(axis=0)
            _, gradient = surrogate(p, states[up], right[up], advantages(up)[up])
            optimiser.update(p, gradient, state)
            advance(1, LONG - lengths[k].mean())
    return lengths


def in_gymnasium(p, n):
    """Return how long the more probable pushes hold the pole of CartPole-v1, in n trials."""
    import gymnasium

    world, lengths = gymnasium.make("CartPole-v1"), []
    for seed in range(n):
        state, _ = world.reset(seed=seed)
        fell = over = False
        lengths.append(0)
        while not fell and not over:
            state, _, fell, over, _ = world.step(int(logit(p, state.astype(float)) > 0))
            lengths[-1] += 1
    return lengths


def draw(figure, p, lengths, states, up):
    """Draw the learning, a few trials, and the policy."""
    left, middle, right = figure.subplots(1, 3)
    rounds = np.arange(1, len(lengths) + 1)
    low, high = np.quantile(lengths, (0.1, 0.9), axis=1)
    left.fill_between(rounds, low, high, alpha=0.3)
    left.plot(rounds, np.median(lengths, axis=1))
    left.set(xlabel="round", title="pushes until it falls", ylim=(0, LONG * 1.05))
    for k in range(5):
        length = up[:, k].sum()
        middle.plot(DT * np.arange(length), np.rad2deg(states[:length, k, 2]), linewidth=0.7)
    middle.set(xlabel="seconds", title="angle in five trials, degrees")
    angle, speed = np.meshgrid(np.linspace(-0.2, 0.2, 80), np.linspace(-1.5, 1.5, 80))
    still = np.zeros_like(angle)
    odds = sigmoid(logit(p, np.stack([still, still, angle, speed], axis=-1)))
    shown = right.contourf(
        np.rad2deg(angle), speed, odds, levels=np.linspace(0, 1, 11), cmap="RdBu"
    )
    figure.colorbar(shown, ax=right)
    right.set(xlabel="angle, degrees", ylabel="its speed, 1/s", title="probability of right")


def main(argv=None):
    """Train, try the policy, draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=80, help="of the training (default: 80)")
    parser.add_argument("--trials", type=int, default=32, help="in a round (default: 32)")
    parser.add_argument("--hidden", type=int, default=32, help="neurons (default: 32)")
    parser.add_argument("--gymnasium", action="store_true", help="try it in CartPole-v1")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", default="cart_pole.png", help="the picture's file")
    args = parser.parse_args(argv)
    rng = np.random.default_rng(args.seed)
    p = {
        "w1": init.glorot_normal((4, args.hidden), rng, float), "b1": np.zeros(args.hidden),
        "w2": np.zeros(args.hidden),
    }  # fmt: skip
    start = time.perf_counter()
    lengths = train(p, args.rounds, args.trials, rng)
    seconds = time.perf_counter() - start
    states, _, up = trials(p, 200, rng)
    after = up.sum(axis=0)
    print(f"training    {args.rounds} rounds of {args.trials} trials in {seconds:.1f} s")
    print(f"first       {lengths[0].mean():.0f} pushes until the pole falls, on average")
    print(f"then        {after.mean():.0f} of {LONG}; {np.mean(after == LONG):.0%} get to the end")
    if args.gymnasium:
        print(f"gymnasium   {np.mean(in_gymnasium(p, 20)):.0f} on average of 20 trials")
    drawn = save(
        args.output, lambda figure: draw(figure, p, lengths, states, up), figsize=(10, 3.2), dpi=80
    )
    print(f"picture     {drawn}")


if __name__ == "__main__":
    main()
