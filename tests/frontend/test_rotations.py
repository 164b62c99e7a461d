"""Rotations of SciPy's, passed, captured and made inside: values as SciPy's, derivatives."""

import inspect
import warnings

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.errors import SrcadError
from srcad.testing import check_grads

transform = pytest.importorskip("scipy.spatial.transform")
R, Slerp = transform.Rotation, transform.Slerp
pytestmark = pytest.mark.skipif(
    not inspect.isfunction(R.as_matrix), reason="SciPy before 1.17 has other rotations"
)

ONE = R.from_euler("zyx", [0.1, -0.4, 0.3])
STACK = R.from_quat([[0.1, 0.2, 0.3, 1.0], [1.0, 0.2, -0.3, 0.4], [0.1, -1.2, 0.3, -0.5]])
V = np.array([0.3, -0.5, 0.8])
ROWS = np.array([[0.3, -0.5, 0.8], [1.1, 0.4, -0.2], [-0.7, 1.3, 0.9]])
Q = np.array([0.3, -0.2, 0.4, -0.9])
QUATS = np.array([[0.3, -0.2, 0.4, 0.9], [0.8, 0.3, -0.2, 0.1], [0.1, -0.7, 0.4, -0.3]])
POINTS = np.linspace(-1.0, 1.0, 9).reshape(3, 3)
NEAR = STACK.as_matrix() + 0.05 * np.cos(np.arange(27.0)).reshape(3, 3, 3)

PROGRAMS = {
    "one angle": (lambda a: R.from_euler("z", a).as_matrix()[:2, :2], 0.4),
    "angles": (lambda a: R.from_euler("zyx", a).as_matrix(), V),
    "intrinsic angles": (lambda a: R.from_euler("XZY", 40.0 * a, degrees=True).as_quat(), V),
    "angles of a stack": (lambda a: R.from_euler("zxz", a).as_matrix(), ROWS),
    "stack of one angle": (lambda a: R.from_euler("x", a[:, None]).apply(V), V),
    "numbers in a list": (lambda a, b: R.from_euler("xy", [a, b]).as_rotvec(), 0.3, -0.8),
    "vector": (lambda v: R.from_rotvec(v).apply(V), V),
    "vectors": (lambda v: R.from_rotvec(v).apply(V), ROWS),
    "no rotation": (lambda v: R.from_rotvec(v).as_rotvec(), np.zeros(3)),
    "almost none": (lambda v: R.from_rotvec(v).as_rotvec(), 1e-5 * ROWS),
    "quaternion": (lambda q: R.from_quat(q).as_quat(canonical=True), Q),
    "scalar first": (lambda q: R.from_quat(q, scalar_first=True).as_quat(scalar_first=True), Q),
    "constructor": (lambda q: R(q).as_mrp(), QUATS),
    "matrix": (lambda m: R.from_matrix(m).as_rotvec(), ONE.as_matrix()),
    "matrices": (lambda m: R.from_matrix(m).as_quat(), STACK.as_matrix()),
    "not orthogonal": (lambda m: R.from_matrix(m).as_quat(), NEAR),
    "Rodrigues": (lambda v: R.from_mrp(v).as_matrix(), ROWS),
    "euler": (lambda q: R.from_quat(q).as_euler("xyz"), Q),
    "euler of a stack": (lambda q: R.from_quat(q).as_euler("ZXZ"), QUATS),
    "euler intrinsic": (lambda q: 0.01 * R.from_quat(q).as_euler("YXZ", degrees=True), QUATS),
    "composed": (lambda v: (ONE * R.from_rotvec(v) * STACK).as_matrix(), V),
    "inverse": (lambda v: (R.from_rotvec(v).inv() * R.from_rotvec(2.0 * V)).magnitude(), V),
    "magnitudes": (lambda q: R.from_quat(q).magnitude(), QUATS),
    "applied inversely": (lambda v, p: R.from_rotvec(v).apply(p, inverse=True), ROWS, POINTS),
    "one to many": (lambda v, p: R.from_rotvec(v).apply(p), V, POINTS),
    "many to one": (lambda v, p: R.from_rotvec(v).apply(p), ROWS, V),
    "power": (lambda v, n: (R.from_rotvec(v) ** n).as_quat(), V, 0.7),
    "power of one": (lambda v, n: (R.from_rotvec(v) ** n).as_quat(), V, 1.0),
    "whole powers": (lambda v: sum((R.from_rotvec(v) ** n).as_rotvec() for n in (-1, 0, 1, 3)), V),
    "items": (lambda v: (lambda r: r[0].apply(r[1:].as_rotvec()))(R.from_rotvec(v)), ROWS),
    "gone through": (lambda v: sum(r.magnitude() ** 2 for r in R.from_rotvec(v)), ROWS),
    "concatenated": (lambda v: R.concatenate([R.from_rotvec(v), ONE]).as_matrix(), V),
    "identity": (lambda v: (R.identity(3) * R.from_rotvec(v)).as_quat(), V),
    "mean": (lambda q: R.from_quat(q).mean(np.array([1.0, 2.0, 0.5, 1.5, 3.0])).as_matrix(),
             np.vstack([QUATS, QUATS[:2, ::-1]])),
    "interpolated": (lambda v, t: Slerp([0.0, 1.0, 2.5], R.from_rotvec(v))(t).as_quat(), ROWS, 1.4),
    "interpolated often": (lambda v, t: Slerp(t, R.from_rotvec(v))([0.4, 0.9, 1.9]).as_matrix(),
                           ROWS, np.array([0.0, 1.0, 2.5])),
}  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_scipys(name, backend):
    f, *args = PROGRAMS[name]
    wanted, found = f(*args), srcad.compile(f, backend=backend)(*args)
    assert type(found) is type(wanted)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-13)


OFTEN = {"angles", "almost none", "no rotation", "matrices", "euler", "power of one", "composed"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives(name):
    f, *args = PROGRAMS[name]
    check_grads(f, tuple(args), order=2 if name in OFTEN else 1)


def test_a_rotation_that_moves_on():
    """A body that turns: a rotation is carried by a loop."""

    def attitude(rates, h):
        body = R.identity()
        for k in range(len(rates)):
            body = body * R.from_rotvec(h * rates[k])
        return body.apply(V)

    np.testing.assert_allclose(srcad.compile(attitude)(ROWS, 0.1), attitude(ROWS, 0.1), atol=1e-14)
    check_grads(attitude, (ROWS, 0.1))
    assert "for " in srcad.grad(lambda r: np.sum(attitude(r, 0.1))).source(ROWS)


def test_rotations_are_arguments_and_globals():
    def turned(r, x):
        return np.sum(r.apply(x) * ONE.apply(x))

    gradient = srcad.grad(turned, argnums=1)
    for r in (ONE, STACK, STACK[0], STACK[:1]):
        value, slope = srcad.value_and_grad(turned, argnums=1)(r, V)
        np.testing.assert_allclose(value, turned(r, V), rtol=1e-13)
        wanted = sum(
            each.as_matrix().T @ ONE.apply(V) + ONE.as_matrix().T @ each.apply(V)
            for each in (r if not r.single else [r])
        )
        np.testing.assert_allclose(slope, wanted, rtol=1e-12)
    assert not np.array_equal(gradient(STACK[0], V), gradient(STACK[1], V))


def test_what_a_rotation_is_is_known():
    def kinds(v):
        r = R.from_rotvec(v)
        return isinstance(r, R), type(r) is R, r.single, r.shape, bool(r)

    assert srcad.compile(kinds)(V) == kinds(V)
    assert srcad.compile(kinds)(ROWS) == kinds(ROWS)


@pytest.mark.parametrize(
    "f",
    [
        lambda v: R.from_quat(0.0 * np.append(v, 1.0)).as_matrix(),
        lambda v: R.from_quat(v).as_matrix(),
        lambda v: R.from_rotvec(v[:2]).as_matrix(),
        lambda v: R.from_mrp(v[0]).as_matrix(),
        lambda v: R.from_euler("zz", v[:2]).as_matrix(),
        lambda v: R.from_euler("zY", v[:2]).as_matrix(),
        lambda v: R.from_euler("", v).as_matrix(),
        lambda v: R.from_euler("zyx", v[:2]).as_matrix(),
        lambda v: R.from_matrix(-np.eye(3) * np.abs(v)).as_matrix(),
        lambda v: R.from_rotvec(v).as_euler("xy"),
        lambda v: R.from_rotvec(v).apply(v[0] * np.ones(2)),
        lambda v: R.from_rotvec(v)[0].as_matrix(),
        lambda v: len(R.from_rotvec(v)) * v,
        lambda v: (R.from_rotvec(v) * 3).as_matrix(),
        lambda v: STACK.apply(np.ones((2, 3)) * v),
        lambda v: Slerp([0.0, 0.0, 1.0], STACK)(v[0]).as_quat(),
        lambda v: Slerp([0.0, 1.0, 2.0], STACK)(v - 9.0).as_quat(),
    ],
)
def test_what_scipy_raises_is_raised(f):
    with pytest.raises((ValueError, TypeError)) as wanted:
        f(V)
    for transformed in (srcad.compile(f), srcad.grad(lambda v: np.sum(f(v)))):
        try:
            transformed(V)
        except SrcadError as refused:
            assert isinstance(refused, wanted.type) or refused.code == "E132"  # noqa: PT017 -- of either kind
        except wanted.type:
            pass
        else:
            pytest.fail("a value where SciPy raises")


def test_gimbal_lock_is_told():
    def angles(a):
        return R.from_euler("xyz", [0.3, a, 0.5]).as_euler("xyz")

    locked = np.pi / 2
    with pytest.warns(UserWarning, match="Gimbal lock"):
        found = srcad.compile(angles)(locked)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_allclose(found, angles(locked), atol=1e-7)


@pytest.mark.parametrize(
    ("f", "code"),
    [
        (lambda v: R.random().apply(v), "E204"),
        (lambda v: R.align_vectors(v[None], V[None])[0].apply(v), "E204"),
        (lambda v: R.from_rotvec(v), "E306"),
        (lambda v: v * (R.from_rotvec(v) == ONE), "E120"),
        (lambda v: R.from_rotvec(v).as_davenport(np.eye(3), "e"), "E120"),
        (lambda v: R.from_rotvec(v[None, None]).apply(v), "E120"),
        (lambda v: R.from_rotvec(v[None])[...].apply(v), "E120"),
        (lambda v: repr(R.from_rotvec(v)), "E120"),
        (lambda v: f"{R.from_rotvec(v)}", "E120"),
        (lambda v: print(R.from_rotvec(v)), "E120"),
        (lambda v: {R.from_rotvec(v): 1.0}[ONE], "E123"),
    ],
)
def test_refused(f, code):
    with pytest.raises(SrcadError, match=code):
        srcad.compile(f)(V)


def test_means_of_two():
    """The moments of two quaternions have two eigenvalues of zero: in reverse they do not count."""

    def middle(q):
        return R.from_quat(q).mean().as_matrix()

    np.testing.assert_allclose(srcad.compile(middle)(QUATS[:2]), middle(QUATS[:2]), atol=1e-14)
    check_grads(middle, (QUATS[:2],), order=1, modes=("rev",))
