"""A small transformer that learns to write: character by character, from Python's own manual.

The text is what `help("topics")` has, as it comes with Python. A causal transformer (Vaswani et al.
2017, "Attention is all you need", normalised before each part) with learned places: from the
characters so far it says which may come next. All of it is NumPy; parameters are a dict with a list
of layers.

    python examples/transformer.py                   # half a minute: it learns to spell
    python examples/transformer.py --steps 5000      # minutes: it learns to phrase
    python examples/transformer.py --text FILE.txt   # another text
"""

import argparse
import re
import time
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np
from images import save
from progress import progress_bar

import srcad
from srcad.nn import dense, gelu, init, layer_norm, optim, softmax, softmax_cross_entropy

HEADS = 4


def attention(p, x):
    """Let each place of x (samples, places, width) look at those before it."""
    n, places, width = x.shape
    heads = dense(x, p["qkv"]).reshape(n, places, 3, HEADS, width // HEADS)
    q, k, v = heads.transpose(2, 0, 3, 1, 4)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(width // HEADS).astype(x.dtype)
    scores = np.where(np.tri(places, dtype=bool), scores, np.float32(-1e9))
    return dense((softmax(scores) @ v).swapaxes(1, 2).reshape(n, places, width), p["out"])


def logits(p, ids):
    """Return for each place of ids (samples, places) the logits of the next character."""
    x = p["characters"][ids] + p["places"][: ids.shape[1]]
    for layer in p["layers"]:
        x = x + attention(layer, layer_norm(x, layer["scale1"], layer["shift1"]))
        h = layer_norm(x, layer["scale2"], layer["shift2"])
        x = x + dense(gelu(dense(h, layer["w1"], layer["b1"])), layer["w2"], layer["b2"])
    return dense(layer_norm(x, p["scale"], p["shift"]), p["characters"].T)


@srcad.value_and_grad
def loss(p, ids):
    """Return the mean cross-entropy, in nats for a character, of all places but the first."""
    found = logits(p, ids[:, :-1])
    return softmax_cross_entropy(found.reshape(-1, found.shape[-1]), ids[:, 1:].ravel())


def initial_parameters(characters, places, width, layers, rng):
    """Draw the weights; the table of characters is also the last layer."""

    def matrix(n, m):
        return init.glorot_normal((n, m), rng)

    def layer():
        return {
            "qkv": matrix(width, 3 * width), "out": matrix(width, width),
            "w1": matrix(width, 4 * width), "b1": init.zeros(4 * width),
            "w2": matrix(4 * width, width), "b2": init.zeros(width),
            "scale1": np.ones(width, np.float32), "shift1": init.zeros(width),
            "scale2": np.ones(width, np.float32), "shift2": init.zeros(width),
        }  # fmt: skip

    return {
        "characters": init.normal((characters, width), rng, width**-0.5),
        "places": init.normal((places, width), rng, 0.1),
        "layers": [layer() for _ in range(layers)],
        "scale": np.ones(width, np.float32), "shift": init.zeros(width),
    }  # fmt: skip


def read(path):
    """Return a text as numbers of its characters, and the characters."""
    if path is None:  # of the manual the paragraphs of prose, without tables and examples
        parts = "\n\n".join(topics.values()).split("\n\n")
        prose = [" ".join(part.split()) for part in parts if re.match(r"[A-Z][a-z ]+\w", part)]
        text = "\n".join(part for part in prose if re.fullmatch(r"[ -~]*[.:]", part))
    else:
        text = Path(path).read_text(encoding="utf-8")
    characters, ids = np.unique(list(text), return_inverse=True)
    return ids, characters


def windows(ids, starts, places):
    """Return the pieces of a text that begin at `starts`: (starts, places + 1)."""
    return ids[starts[:, None] + np.arange(places + 1)]


def train(p, ids, args, rng):
    """Improve `p` in place; return the loss of each step."""
    optimiser = optim.adamw(args.lr, weight_decay=0.01)
    state = optimiser.init(p)
    history = np.empty(args.steps)
    with progress_bar(args.steps) as advance:
        for step in range(args.steps):
            warm, fall = min(1, (step + 1) / 50), (1 + np.cos(np.pi * step / args.steps)) / 2
            state["lr"] = args.lr * warm * fall
            starts = rng.integers(0, len(ids) - args.places, args.batch)
            value, gradient = loss(p, windows(ids, starts, args.places))
            optimiser.update(p, gradient, state)
            history[step] = value
            advance(1, value)
    return history


def write(p, start, n, temperature, rng):
    """Return `start` continued by n characters, drawn one by one."""
    ids = list(start)
    for _ in range(n):
        last = np.array([ids[-len(p["places"]) :]])
        odds = softmax(logits(p, last)[0, -1].astype(float) / temperature)
        ids.append(rng.choice(odds.size, p=odds))
    return ids


def draw(figure, history, chance, unseen):
    """Draw the loss over the steps."""
    ax = figure.subplots()
    ax.plot(history, color="C0", linewidth=0.8, label="training text")
    ax.axhline(chance, color="gray", linestyle=":", label="by how often each character comes")
    ax.axhline(unseen, color="C1", linestyle="--", label="text not trained on, at the end")
    ax.set(xlabel="step", ylabel="nats for a character", ylim=(0, None))
    ax.legend(fontsize="small")


def main(argv=None):
    """Train, write, measure on a part of the text that was not trained on, draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--text", help="a file (default: the topics of help())")
    parser.add_argument("--steps", type=int, default=700, help="of the training (default: 700)")
    parser.add_argument("--batch", type=int, default=32, help="pieces a step (default: 32)")
    parser.add_argument("--places", type=int, default=32, help="characters a piece (default: 32)")
    parser.add_argument("--width", type=int, default=48, help="numbers a place (default: 48)")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.01, help="learning rate (default: 0.01)")
    parser.add_argument("--length", type=int, default=400, help="characters written (default: 400)")
    parser.add_argument("--temperature", type=float, default=0.7, help="of the writing")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", default="transformer.png", help="the picture's file")
    args = parser.parse_args(argv)
    ids, characters = read(args.text)
    seen, unseen = ids[: len(ids) * 9 // 10], ids[len(ids) * 9 // 10 :]
    rng = np.random.default_rng(args.seed)
    p = initial_parameters(len(characters), args.places, args.width, args.layers, rng)

    start = time.perf_counter()
    history = train(p, seen, args, rng)
    seconds = time.perf_counter() - start
    starts = rng.integers(0, len(unseen) - args.places, 200)
    error, _ = loss(p, windows(unseen, starts, args.places))
    share = np.bincount(ids) / len(ids)
    chance = -np.sum(share * np.log(share))
    n_numbers = srcad.flatten(p)[0].size
    print(f"text        {len(ids)} characters, {len(characters)} different ones")
    print(f"network     {args.layers} layers, {n_numbers} numbers, float32")
    print(f"training    {args.steps} steps of {args.batch} x {args.places} in {seconds:.1f} s")
    print(f"loss        {history[-20:].mean():.3f} nats for a character at the end, {error:.3f} of "
          f"text not trained on ({chance:.3f} by counting)")  # fmt: skip
    written = write(p, unseen[: args.places], args.length, args.temperature, rng)
    print("".join(characters[written[args.places :]]))
    drawn = save(
        args.output, lambda figure: draw(figure, history, chance, error), figsize=(6, 3.2), dpi=80
    )
    print(f"\npicture     {drawn}")


if __name__ == "__main__":
    main()
