"""Derivatives by forward mode: what dual numbers compute, as a program without dual numbers.

The textbook example f(x, y) = 2x + x*y^3 + sin x at (3, 5): a tangent of (1, 0) gives the partial
derivative by x, one of (0, 1) that by y, any other the derivative in that direction, each beside
the value and in one sweep. Then x^2 and its derivatives as curves.

    python examples/forward_mode.py
"""

import argparse

import numpy as np
from images import save

import srcad


def f(x, y):
    """Return 2x + x*y^3 + sin x."""
    return 2 * x + x * y**3 + np.sin(x)


def square(x):
    """Return x^2."""
    return x**2


def exact(x, y):
    """Return both partial derivatives of `f`, found by hand."""
    return 2 + y**3 + np.cos(x), 3 * x * y**2


def draw(figure):
    """Draw `square` and its first two derivatives."""
    x = np.linspace(-2, 2, 101)
    ax = figure.subplots()
    ax.plot(x, square(x), label="x²")
    ax.plot(x, srcad.derivative(square)(x), label="derivative")
    ax.plot(x, srcad.derivative(square, order=2)(x), "--", label="second derivative")
    ax.axhline(0, color="gray", linewidth=0.5)
    ax.set_xlabel("x")
    ax.legend()


def main(argv=None):
    """Print the table, save the plot."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--at", nargs=2, type=float, default=(3.0, 5.0), metavar=("X", "Y"))
    parser.add_argument("--show-source", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--output", default="forward_mode.png", help="the picture's file name")
    args = parser.parse_args(argv)
    x, y = args.at

    by_x, by_y = exact(x, y)
    rows = {"df/dx": ((1.0, 0.0), by_x), "df/dy": ((0.0, 1.0), by_y)}
    rows["along (0.6, 0.8)"] = ((0.6, 0.8), 0.6 * by_x + 0.8 * by_y)
    if args.show_source:
        srcad.derivative(square).show(x)
    print(f"f({x:g}, {y:g}) = {f(x, y):.12f}\n")
    print(f"{'derivative':<16}  {'tangent':<10}  {'srcad.jvp':>18}  {'by hand':>18}  difference")
    for name, (tangent, by_hand) in rows.items():
        _, found = srcad.jvp(f, (x, y), tangent)
        print(f"{name:<16}  {tangent!s:<10}  {found:18.12f}  {by_hand:18.12f}  "
              f"{abs(found - by_hand):10.1e}")  # fmt: skip
    print(f"\npicture  {save(args.output, draw, figsize=(5, 3.5))}")


if __name__ == "__main__":
    main()
