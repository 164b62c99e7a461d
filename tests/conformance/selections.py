"""What a condition selects: no entry, one, two, all, and what functions make of so many.

s = w[w > 1.0]
return np.median(s)
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np
import scipy
from conformance.case import Case
from conformance.kinds import Kind

OF_ENTRIES = (
    "np.sum(s)", "np.prod(s)", "np.mean(s)", "np.var(s)", "np.std(s)", "np.max(s)", "np.min(s)",
    "np.ptp(s)", "np.median(s)", "np.average(s)", "np.average(s, weights=s)", "np.nanmean(s)",
    "np.nansum(s)", "np.nanvar(s)", "np.nanstd(s)", "np.nanmax(s)", "np.nanprod(s)",
    "np.quantile(s, 0.5)", "np.nanquantile(s, 0.5)", "np.percentile(s, [10, 20])", "np.any(s)",
    "np.all(s)", "np.count_nonzero(s)", "np.argmax(s)", "np.argsort(s)", "np.sort(s)",
    "np.unique(s)", "np.cumsum(s)", "np.cumprod(s)", "np.diff(s)", "np.ediff1d(s)",
    "np.gradient(s)", "np.trapezoid(s)", "np.linalg.norm(s)", "np.linalg.norm(s, 1)",
    "np.linalg.norm(s, np.inf)", "np.dot(s, s)", "s@s", "np.inner(s, s)", "np.outer(s, s)",
    "np.outer(s, s).sum()", "np.kron(s, s)", "np.vdot(s, s)", "np.cross(s, s)",
    "np.einsum('i, i', s, s)", "np.tensordot(s, s, 1)", "np.tensordot(s, s, 0)",
    "np.concatenate([s, s])", "np.stack([s, s])", "np.hstack([s, s])", "np.vstack([s, s])",
    "np.column_stack([s, s])", "np.tile(s, 2)", "np.repeat(s, 2)", "np.pad(s, 1)",
    "np.pad(s, 1, mode='edge')", "np.roll(s, 1)", "np.flip(s)", "np.append(s, 1.0)",
    "np.insert(s, 0, 1.0)", "np.delete(s, [])", "np.split(s, 1)", "np.array_split(s, 2)",
    "np.resize(s, 3)", "np.reshape(s, (-1, 1))", "s.reshape(0, 2)", "np.atleast_2d(s)",
    "np.expand_dims(s, 0)", "np.squeeze(s)", "np.ravel(s)", "np.broadcast_to(s, (2, len(s)))",
    "np.diag(s)", "np.tril(np.outer(s, s))", "np.trace(np.outer(s, s))", "np.searchsorted(s, 1.0)",
    "np.digitize(s, [1.0, 2.0])", "np.interp(s, [0., 1.], [0., 1.])", "np.interp([0.5], s, s)",
    "np.interp(0.5, s, s)", "np.histogram(s, 3, (0., 1.))[0]", "np.histogram(s)[0]",
    "np.bincount(s.astype(int))", "np.bincount(s.astype(int), s)",
    "np.bincount(s.astype(int), s, 4)", "np.convolve(s, [1., 2.])", "np.correlate(s, s)",
    "np.cov(s)", "np.corrcoef(s, s)", "np.polyval(s, 2.0)", "np.polyval([1., 2.], s)",
    "np.vander(s, 2)", "np.polyfit(s, s, 1)", "np.where(s>1, s, 0)", "np.where(s>1)[0]",
    "np.nonzero(s)[0]", "np.flatnonzero(s)", "np.argwhere(s)", "np.take(s, [])", "np.take(s, [0])",
    "s[0]", "s[-1]", "s[:1]", "s[::-1]", "np.compress(s>0, s)", "np.extract(s>0, s)",
    "np.select([s>0], [s])", "np.choose([0], [s])", "np.piecewise(s, [s>0], [1.0])",
    "np.maximum(s, 1)", "np.clip(s, 0, 1)", "np.exp(s)", "np.add.reduce(s)",
    "np.multiply.reduce(s)", "np.maximum.reduce(s)", "np.logaddexp.reduce(s)",
    "np.add.accumulate(s)", "np.maximum.accumulate(s)", "np.add.outer(s, s)",
    "np.add.reduceat(s, [0])", "np.minimum.reduce(s, initial=3.0)", "np.max(s, initial=2.0)",
    "np.sum(s, initial=2.0)", "np.cumulative_sum(s)", "np.vecdot(s, s)", "np.linalg.vector_norm(s)",
    "sum(s)", "max(s)", "min(s)", "len(s)", "list(s)", "sorted(s)", "s.size", "s.shape",
    "s.tolist()", "any(s)", "all(s)", "tuple(s)", "[2*v for v in s]", "max(s, default=1.0)",
    "sum(v*v for v in s)", "max([v for v in s], default=0.0)", "np.array([v for v in s])",
    "np.array(list(s))", "np.mean([v for v in s])", "np.asarray([v*2 for v in s]).sum()",
    "s.max(initial=0.0)", "s.mean()", "s.std(ddof=1)", "np.var(s, ddof=1)", "np.sum(s)/len(s)",
    "np.sum(s)/max(len(s), 1)", "s.sum()/s.size", "np.linalg.det(np.outer(s, s))",
    "np.linalg.inv(np.outer(s, s))", "np.linalg.solve(np.outer(s, s), s)",
    "np.linalg.eigvalsh(np.outer(s, s))", "np.linalg.svd(np.outer(s, s))[1]",
    "np.linalg.cholesky(np.outer(s, s))", "np.linalg.qr(np.outer(s, s))[1]",
    "np.linalg.lstsq(np.outer(s, s), s, rcond=None)[0]", "np.linalg.matrix_rank(np.outer(s, s))",
    "np.linalg.cond(np.outer(s, s))", "np.linalg.pinv(np.outer(s, s))",
    "np.linalg.slogdet(np.outer(s, s))", "np.linalg.matrix_power(np.outer(s, s), 2)",
    "np.linalg.norm(np.outer(s, s))", "np.linalg.norm(np.outer(s, s), 2)",
    "np.outer(s, s).mean(axis=0)", "np.outer(s, s).sum(axis=1)", "np.outer(s, s).max(axis=0)",
    "np.outer(s, s).T", "np.fft.fft(s)", "np.fft.rfft(s)", "np.fft.fftshift(s)",
    "np.lexsort((s, ))", "np.partition(s, 0)", "np.argpartition(s, 0)", "np.isin(s, [1.0])",
    "np.intersect1d(s, s)", "np.union1d(s, [1.])", "np.setdiff1d(s, s)", "np.meshgrid(s, s)[0]",
    "np.ix_(s>0)[0]", "np.apply_along_axis(np.sum, 0, s)", "np.nan_to_num(s)", "np.round(s)",
    "np.mod(s, 2)", "np.unwrap(s)", "np.angle(s)", "np.real(s)", "np.sinc(s)", "np.i0(s)",
    "np.heaviside(s, 0.5)", "np.linspace(0, 1, len(s))", "np.zeros(len(s))", "np.arange(len(s))",
    "np.ones_like(s)", "np.full_like(s, 2.0)", "np.eye(len(s))", "np.triu_indices(len(s))[0]",
    "np.rot90(np.outer(s, s))", "scipy.special.logsumexp(s)", "scipy.special.softmax(s)",
    "scipy.special.log_softmax(s)", "scipy.special.expit(s)", "scipy.stats.norm.logpdf(s)",
    "scipy.stats.norm.logpdf(s).sum()", "scipy.stats.skew(s)", "scipy.stats.kurtosis(s)",
    "scipy.stats.zscore(s)", "scipy.stats.gmean(s)", "scipy.stats.hmean(s)", "scipy.stats.sem(s)",
    "scipy.stats.pearsonr(s, s)[0]", "scipy.stats.trim_mean(s, 0.1)", "scipy.stats.iqr(s)",
    "scipy.signal.detrend(s)", "scipy.signal.lfilter([1.], [1., .5], s)",
    "scipy.signal.convolve(s, s)", "scipy.integrate.trapezoid(s)", "scipy.integrate.simpson(s)",
    "scipy.integrate.cumulative_trapezoid(s)",
    "scipy.spatial.distance.cdist(s[:, None], s[:, None])",
)  # fmt: skip
OF_ROWS = (
    "np.sum(s, axis=0)", "np.mean(s, axis=0)", "np.mean(s, axis=1)", "np.max(s, axis=1)",
    "np.max(s, axis=0)", "np.median(s, axis=0)", "np.median(s, axis=1)", "np.nanmedian(s, axis=0)",
    "np.std(s, axis=0)", "np.var(s, axis=0, ddof=1)", "np.argmax(s, axis=1)", "np.sort(s, axis=0)",
    "np.cumsum(s, axis=0)", "np.linalg.norm(s, axis=1)", "np.linalg.norm(s)", "s.T @ s", "s @ s.T",
    "s @ w[0]", "s.sum()", "s.T", "s.reshape(-1)", "s[0]", "s[-1]", "s[:, 0]", "len(s)", "s.shape",
    "np.cov(s.T)", "np.concatenate([s, w])", "np.vstack([s, w[:1]])", "np.diff(s, axis=0)",
    "np.average(s, axis=0)", "np.quantile(s, 0.5, axis=0)", "np.nanquantile(s, 0.5, axis=0)",
    "scipy.special.logsumexp(s, axis=1)", "scipy.special.softmax(s, axis=1)", "np.prod(s, axis=0)",
    "np.linalg.lstsq(s, s[:, 0], rcond=None)[0]", "np.linalg.svd(s)[1]", "np.linalg.qr(s)[1]",
    "np.einsum('ij,ij->i', s, s)", "np.tensordot(s, s, 2)", "np.unique(s)", "sum(s)",
    "np.apply_along_axis(np.sum, 1, s)", "np.interp(s, [0.0, 9.0], [0.0, 1.0])", "s.mean()",
    "sum([v.sum() for v in s])", "np.split(s, 1)[0]", "np.trace(s)", "np.outer(s, s).sum()",
)  # fmt: skip
SELECTIONS = ("w[w > 1.0]", "w[np.nonzero(w > 1.0)]", "np.compress(w > 1.0, w)")
OF_MATRICES = ("w[w[:, 0] > 1.0]", "w[np.flatnonzero(w[:, 0] > 1.0)]")
COUNTS = ((0, 2), (1, 0), (2, 3), (3, 1))


def _array(count: int, columns: int) -> np.ndarray:
    """`count` of three entries, or rows, are selected."""
    first = np.where(np.arange(3) < count, 1.5, 0.5) + np.arange(3) / 8
    return first if not columns else first[:, None] + np.arange(columns) / 4


def cases() -> Iterator[Case]:
    """A program made for one number of entries is called with another."""
    for columns, expressions, selections in (
        (0, OF_ENTRIES, SELECTIONS),
        (2, OF_ROWS, OF_MATRICES),
    ):
        for expression, selection, (here, there) in product(expressions, selections, COUNTS):
            kind = Kind(
                f"{here} of 3, then {there}", partial(_array, here, columns),
                partial(_array, there, columns),
            )  # fmt: skip
            body = f"s = {selection}\nreturn {expression}"
            yield Case(body, {"w": kind}, scope={"scipy": scipy})
