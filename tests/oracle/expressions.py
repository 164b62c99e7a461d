"""Calls of NumPy that srcad, JAX and autograd are to differentiate alike.

Each is an expression in `x` (3, 4), `z` (3, 4), `v` (4,), `m` (4, 4) regular, `h` (4, 4) symmetric
and positive definite, `p` (3, 4) positive, `q` (3, 4) in (-0.9, 0.9).
"""

ELEMENTWISE = [
    *(f"np.{f}(x)" for f in "sin cos tanh sinh cosh exp expm1 arctan arcsinh square".split()),
    *(f"np.{f}(x)" for f in "sinc exp2 negative abs fabs deg2rad rad2deg degrees radians".split()),
    *(f"np.{f}(p)" for f in "log log2 log10 log1p sqrt reciprocal cbrt".split()),
    *(f"np.{f}(q)" for f in "arcsin arccos arctanh tan".split()),
    *(f"np.{f}(x, z)" for f in "add subtract multiply arctan2 hypot logaddexp maximum".split()),
    *(f"np.{f}(x, z)" for f in "minimum fmax fmin logaddexp2".split()),
    *(f"np.{f}(x, p)" for f in "divide true_divide mod remainder fmod".split()),
    *(f"np.{f}(p, x)" for f in "power float_power".split()),
    "x + v", "v - x", "x * v", "x / p", "p**v", "p**2", "p**-1.5", "2.0**x", "x**3", "x % 1.3",
    "np.clip(x, -0.5, 0.7)", "np.where(x > 0, x, z * z)", "np.arccosh(1 + p)",
    "np.maximum(x, 0.3)", "np.nan_to_num(x)", "np.real(x)", "np.conj(x) * z",
    "np.copysign(x, z)", "np.float_power(p, 2.5)", "np.select([x > 0, z > 0], [x * z, z], p)",
]  # fmt: skip

REDUCTIONS = [
    *(f"np.{f}(x{a})" for f in "sum mean prod max min var std ptp".split()
      for a in ("", ", axis=0", ", axis=-1, keepdims=True")),
    "np.sum(x, axis=(0, 1))", "np.var(x, ddof=1)", "np.std(x, axis=1, ddof=1)",
    "np.cumsum(x, axis=1)", "np.cumsum(x)", "np.cumprod(x, axis=0)", "np.median(x)",
    "np.median(x, axis=1)", "np.quantile(x, 0.3)", "np.percentile(x, 70.0, axis=0)",
    "np.average(x, weights=p)", "np.nansum(x)", "np.nanmean(x, axis=0)", "np.trace(m)",
    "np.linalg.norm(x)", "np.linalg.norm(x, axis=1)", "np.linalg.norm(m, 'fro')",
    "np.linalg.norm(v, 1)", "np.linalg.norm(v, 3)", "np.linalg.norm(v, np.inf)",
]  # fmt: skip

SHAPES = [
    "np.reshape(x, (2, 6))", "np.ravel(x)", "np.transpose(x)", "x.T @ z", "np.swapaxes(x, 0, 1)",
    "np.moveaxis(x, 0, 1)", "np.expand_dims(v, 1)", "np.squeeze(v[None])",
    "np.broadcast_to(v, (3, 4))", "np.flip(x, 1)", "np.roll(x, 1, axis=1)", "np.rot90(x)",
    "np.tile(v, 2)", "np.repeat(v, 3)", "np.concatenate([x, z], axis=1)", "np.stack([x, z])",
    "np.vstack([x, v])", "np.hstack([x, z])", "np.pad(x, 1)", "np.diag(v)", "np.diag(m)",
    "np.tril(m)", "np.triu(m)", "np.split(x, 2, axis=1)[1]", "np.sort(x, axis=1)",
    "np.take(x, np.array([0, 2, 0]), axis=1)", "x[1]", "x[:, ::2]", "x[np.array([0, 0, 2])]",
    "x[x > 0]", "np.diff(x, axis=1)", "np.gradient(v)", "np.append(v, v)",
    "np.column_stack([v, v])",
    "np.atleast_2d(v)", "np.fliplr(x)", "np.delete(v, 1)", "np.meshgrid(v, v)[0]", "np.ediff1d(v)",
    "np.take_along_axis(x, np.array([[0], [1], [2]]), 1)",
]  # fmt: skip

PRODUCTS = [
    "x @ v", "np.dot(x, v)", "np.matmul(x, m)", "np.inner(x, z)", "np.outer(v, v)",
    "np.tensordot(x, z, axes=([1], [1]))", "np.vdot(x, z)", "np.kron(x, z)",
    "np.einsum('ij,j->i', x, v)", "np.einsum('ij,kj->ik', x, z)", "np.einsum('ii->i', m)",
    "np.cross(x[:, :3], z[:, 1:])", "np.convolve(v, v)", "np.correlate(v, v, 'full')",
    "np.trapezoid(x)", "np.interp(q[0], np.linspace(-1.0, 1.0, 4), v)", "np.vander(v, 3)",
    "np.polyval(v, 0.7)", "np.cov(x)", "np.corrcoef(x)",
]  # fmt: skip

MATRICES = [
    "np.linalg.inv(m)", "np.linalg.solve(m, v)", "np.linalg.det(m)", "np.linalg.slogdet(m)[1]",
    "np.linalg.cholesky(h)", "np.linalg.eigvalsh(h)", "np.linalg.eigh(h)[0]",
    "np.abs(np.linalg.eigh(h)[1])", "np.linalg.svd(m, compute_uv=False)", "np.linalg.pinv(x)",
    "np.linalg.matrix_power(m, 3)", "np.linalg.multi_dot([x, m, h])",
    "np.abs(np.linalg.qr(m)[1])", "np.abs(np.fft.fft(v))", "np.abs(np.fft.rfft(x))",
    "np.real(np.fft.ifft(x))", "np.abs(np.fft.fft2(x))", "np.angle(x + 1j * p)",
]  # fmt: skip

EXPRESSIONS = [*ELEMENTWISE, *REDUCTIONS, *SHAPES, *PRODUCTS, *MATRICES]
