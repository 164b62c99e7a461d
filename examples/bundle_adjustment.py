"""Bundle adjustment: find cameras and points from pictures, by SciPy with srcad's Jacobian.

Cameras on an arc look at a cloud of points; each sees most of them, with noise of half a pixel.
Unknown are the rotation (Rodrigues' vector), place, focal length and distortion of each camera and
all points, so that the pictures fit: a nonlinear least-squares problem, solved with

    differences  scipy's own, a run of the residuals for each unknown
    dense        srcad.jacobian(residuals)
    sparse       srcad.jacobian(residuals, sparse=True): a projection sees 9 + 3 numbers, so that
                 twelve products give all that is not zero, for any number of cameras and points

    python examples/bundle_adjustment.py                        # seconds
    python examples/bundle_adjustment.py --cameras 20 --points 600 --sparse-only
"""

import argparse
import time

import numpy as np
from images import save
from scipy.optimize import least_squares

import srcad

NOISE = 0.5  # pixels


def rotated(points, vectors):
    """Turn each point (n, 3) by its vector (n, 3): about its direction, by its length."""
    # The little number keeps the derivative of a vector of zeros.
    angle = np.sqrt(np.sum(vectors**2, axis=1, keepdims=True) + 1e-20)
    axis = vectors / angle
    along = np.sum(axis * points, axis=1, keepdims=True) * (1 - np.cos(angle))
    return np.cos(angle) * points + np.sin(angle) * np.cross(axis, points) + along * axis


def project(cameras, points):
    """Return where each camera (n, 9) sees its point (n, 3), in pixels (n, 2)."""
    p = rotated(points, cameras[:, :3]) + cameras[:, 3:6]
    p = p[:, :2] / p[:, 2:]
    r2 = np.sum(p**2, axis=1, keepdims=True)
    distortion = 1 + cameras[:, 7:8] * r2 + cameras[:, 8:9] * r2**2
    return cameras[:, 6:7] * 1000 * distortion * p


def parts(x, n_cameras):
    """Return the cameras (n, 9) and the points (m, 3) of the unknowns."""
    return x[: 9 * n_cameras].reshape(-1, 9), x[9 * n_cameras :].reshape(-1, 3)


def residuals(x, n_cameras, camera, point, seen):
    """Return how far the points are from where they were `seen`: `point[k]` by `camera[k]`."""
    cameras, points = parts(x, n_cameras)
    return (project(cameras[camera], points[point]) - seen).ravel()


def scene(n_cameras, n_points, rng):
    """Return the true unknowns, which camera sees which point, and where."""
    points = rng.normal(0, 1, (n_points, 3))
    angles = np.linspace(-0.8, 0.8, n_cameras)
    cameras = np.zeros((n_cameras, 9))
    cameras[:, :3] = rng.normal(0, 0.05, (n_cameras, 3))
    cameras[:, 1] += angles
    cameras[:, 3:6] = rng.normal((0, 0, 6), 0.1, (n_cameras, 3))
    cameras[:, 6:] = (1.0, -0.1, 0.01)
    camera, point = np.nonzero(rng.random((n_cameras, n_points)) < 0.8)
    seen = project(cameras[camera], points[point])
    seen = seen + rng.normal(0, NOISE, seen.shape)
    return np.concatenate([cameras.ravel(), points.ravel()]), camera, point, seen


def solve(jac, x0, given):
    """Return SciPy's result, how often the residuals were run, and the seconds that it took."""
    runs = 0

    def counted(*arguments):
        nonlocal runs
        runs += 1
        return residuals(*arguments)

    if callable(jac):
        jac(x0, *given)  # compiles, once for all problems
    start = time.perf_counter()
    found = least_squares(counted, x0, jac=jac, args=given, x_scale="jac", ftol=1e-10, max_nfev=50)
    return found, runs, time.perf_counter() - start


def draw(figure, pictures, seen):
    """Draw what a camera sees and what was computed of it, before and after."""
    axes = figure.subplots(1, len(pictures), sharex=True, sharey=True)
    for ax, (title, computed) in zip(axes, pictures.items(), strict=True):
        ax.plot(*seen.T, "o", color="gray", markerfacecolor="none", label="seen")
        ax.plot(*computed.T, "r.", label="computed")
        ax.set(title=title, xlabel="pixels", aspect="equal")
    axes[0].legend(fontsize="small")


def main(argv=None):
    """Solve in all ways, print the table, draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cameras", type=int, default=6)
    parser.add_argument("--points", type=int, default=50)
    parser.add_argument("--sparse-only", action="store_true", help="leave out the slower ways")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", default="bundle_adjustment.png", help="the picture's file")
    args = parser.parse_args(argv)
    rng = np.random.default_rng(args.seed)
    true, camera, point, seen = scene(args.cameras, args.points, rng)
    x0 = true + rng.normal(0, 0.03, true.shape)
    given = (args.cameras, camera, point, seen)

    print(
        f"{args.cameras} cameras, {args.points} points: {x0.size} unknowns, {seen.size} residuals"
    )
    ways = {"sparse": srcad.jacobian(residuals, sparse=True)}
    if not args.sparse_only:
        ways = {"differences": "2-point", "dense": srcad.jacobian(residuals), **ways}
    print("Jacobian     rounds  residuals run  seconds  pixels  (root mean square)")
    print(f"at the start {rms(residuals(x0, *given)):38.3f}")
    for name, jac in ways.items():
        found, runs, seconds = solve(jac, x0, given)
        print(f"{name:<11}  {found.njev:6}  {runs:13}  {seconds:7.2f}  {rms(found.fun):6.3f}")

    mine = camera == 0
    pictures = {
        title: seen[mine] + residuals(x, *given).reshape(-1, 2)[mine]
        for title, x in (("at the start", x0), ("adjusted", found.x))
    }
    drawn = save(
        args.output, lambda figure: draw(figure, pictures, seen[mine]), figsize=(7, 3.5), dpi=80
    )
    print(f"picture      {drawn}")


def rms(x):
    """Return the root mean square."""
    return np.sqrt(np.mean(x**2))


if __name__ == "__main__":
    main()
