"""Library expansion: calls of NumPy's functions become the loops that they are, inside of loops.

for i in range(n):                    for i in range(n):
    j = searchsorted(grid, x[i])          low, high = 0, 10
    ...                                   while low < high: ...
                                          j = int64(low)
                                          ...

A loop over numbers calls nothing of NumPy's, so one call without a form would leave the whole loop
to Python. Large matrices are LAPACK's, and so is what stands outside of loops: where the program
does not tell how large they are, the loop refuses them. Where it has no form for another reason it
stays as it was.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from srcad import runtime
from srcad.ir import ArrayType, Block, Closure, For, Function, NumberType, Op, Stmt, Value, While
from srcad.ir.types import TupleType, dtype_of, shape_of
from srcad.ir.walk import blocks, copy_statements, count_reads, outputs, reads, statements
from srcad.native.scalarize import loop_forms as forms
from srcad.native.scalarize.forms.algebra import ALGEBRA
from srcad.native.scalarize.forms.along_axes import ALONG_AXES
from srcad.native.scalarize.forms.arranging import ARRANGING
from srcad.native.scalarize.forms.averages import AVERAGES
from srcad.native.scalarize.forms.axes import OTHER_AXES
from srcad.native.scalarize.forms.calls import Choice, Chosen, Form, Formula, NoFormError
from srcad.native.scalarize.forms.compositions import COMPOSITIONS
from srcad.native.scalarize.forms.contractions import CONTRACTIONS
from srcad.native.scalarize.forms.diagonals import DIAGONALS
from srcad.native.scalarize.forms.groups import GROUPS, bincount_of_all
from srcad.native.scalarize.forms.made import MADE
from srcad.native.scalarize.forms.matrices import MATRICES
from srcad.native.scalarize.forms.missing import MISSING
from srcad.native.scalarize.forms.norms import NORMS
from srcad.native.scalarize.forms.orthogonal import ORTHOGONAL
from srcad.native.scalarize.forms.pointwise import POINTWISE
from srcad.native.scalarize.forms.python_numbers import PYTHON_NUMBERS
from srcad.native.scalarize.forms.sorting import SORTING
from srcad.native.scalarize.forms.spaced import SPACED
from srcad.native.scalarize.forms.spectra import SPECTRA
from srcad.native.scalarize.forms.transforms import TRANSFORMS
from srcad.native.scalarize.forms.windows import WINDOWS
from srcad.native.scalarize.lowered_forms import Read, is_known, lowered
from srcad.optimize.rewriter import Rewriter
from srcad.rules.core.facts import unknown_extent
from srcad.rules.core.staged import Builder, type_of, unwrap


def expand_library_calls(fn: Function, *, read: Read, everywhere: bool = False) -> Function:
    """The function with loops in the place of calls inside of its loops.

    Args:
        read: makes a program of a plain function.
        everywhere: outside of loops as well, where there is no NumPy to call.
    """
    return _Expansion(read, everywhere).run(fn)


class _Expansion(Rewriter):
    def __init__(self, read: Read, everywhere: bool) -> None:
        super().__init__()
        self.read, self.depth = read, int(everywhere)
        self.is_whole = everywhere
        self.reads: Counter[Value] = Counter()

    def run(self, fn: Function) -> Function:
        """The function with loops in the place of calls."""
        self.reads = count_reads(fn)
        return super().run(fn)

    def structure(self, stmt: Stmt) -> None:
        """Count the loops around."""
        is_loop = isinstance(stmt, For | While)
        self.depth += is_loop
        super().structure(stmt)
        self.depth -= is_loop

    def op(self, op: Op) -> None:
        if _is_same(op):
            return self.replace(op.out, op.args[0])
        # A whole program has a routine for equations, of any number.
        is_routine = self.is_whole and op.key is np.linalg.solve
        chosen = _chosen(op) if self.depth and not is_routine else None
        if chosen is None:
            return super().op(op)
        form, args = chosen
        if isinstance(form, Formula):
            return self.formula(op, form, args)
        args = tuple(item for arg in args for item in self.items(arg))
        program = lowered(form, args, self.read)
        count = len(program.body.results)
        if any(self.reads[out] for out in op.outs[count:]):
            return super().op(op)  # the form tells the first of several results
        given = [arg for arg in args if not is_known(arg)]
        env: dict[Value, Any] = dict(zip(program.params, given, strict=True))
        body = copy_statements(program.body.body, env)
        _forget_extents(body)
        if self.is_whole:  # the text is read beside the user's
            for stmt in statements(Block([], body, [])):
                if not isinstance(stmt, Closure):
                    stmt.loc = op.loc
        self.body += body
        for out, result in zip(op.outs[:count], program.body.results, strict=True):
            self.replace(out, env[result])

    def items(self, arg: Any) -> tuple[Any, ...]:
        """The integers of a tuple, such as a shape, one by one."""
        kind = arg.type if isinstance(arg, Value) else None
        if not isinstance(kind, TupleType):
            return (arg,)
        builder = Builder(self.body)
        return tuple(builder.emit(operator.getitem, (arg, k)) for k in range(len(kind.items)))

    def formula(self, op: Op, form: Formula, args: tuple[Any, ...]) -> None:
        """The operations of a form without loops, which may have forms themselves."""
        builder = Builder([], op.loc)
        try:
            found = unwrap(form.fn(*builder.wrap(args)))
        except NoFormError:
            return super().op(op)
        for stmt in builder.body:
            self.reads.update(reads(stmt))
        self.statements(builder.body)
        results = found if len(op.outs) > 1 else (found,)
        for out, result in zip(op.outs, results, strict=True):
            self.replace(out, result)


def _is_same(op: Op) -> bool:
    """Whether an operation makes an array of what is one already, of that dtype: the same one."""
    if op.fn is not np.asarray or not op.kwargs.keys() <= {"dtype"} or len(op.args) != 1:
        return False
    given, made = (type_of(x) for x in (op.args[0], op.out))
    is_array = isinstance(given, ArrayType) and not given.scalar and bool(given.shape)
    return is_array and dtype_of(given) == dtype_of(made)


def _forget_extents(body: Sequence[Stmt]) -> None:
    """Extents have the names of another program: they say nothing here."""
    for stmt in body:
        for out in outputs(stmt):
            out.type = _unknown(out.type)
        for inner in blocks(stmt):
            for param in inner.params:
                param.type = _unknown(param.type)
            _forget_extents(inner.body)


def _unknown(t: Any) -> Any:
    if isinstance(t, ArrayType) and t.shape:
        shape = tuple(n if isinstance(n, int) else unknown_extent() for n in t.shape)
        return replace(t, shape=shape)
    return NumberType(t.kind) if isinstance(t, NumberType) else t


# Which form a call has ---------------------------------------------------------------------------


def _chosen(op: Op) -> Chosen | None:
    """The form of a call, and what it is called with."""
    if op.effect and not op.raises:
        return None
    for choose in _CHOICES.get(op.key, ()):
        chosen = choose(op)
        if chosen is not None:
            return chosen
    return None


def _cross(op: Op) -> Chosen | None:
    by_ranks = (
        ((1, 1), forms.cross), ((2, 2), forms.cross_of_rows),
        ((2, 1), forms.cross_of_rows_and_one), ((1, 2), forms.cross_of_one_and_rows),
    )  # fmt: skip
    if op.kwargs or len(op.args) != 2:
        return None
    return next(((form, op.args) for ranks, form in by_ranks if _are_floats(op, *ranks)), None)


def _bincount(op: Op) -> Chosen | None:
    options = dict(zip(("weights", "minlength"), op.args[1:], strict=False)) | op.kwargs
    weights, length = options.pop("weights", None), options.pop("minlength", None)
    if not length:
        return bincount_of_all(op)
    if options or type(length) is not int or not _is(op.args[0], np.dtype(np.int64), 1):
        return None
    if weights is None:
        return forms.counts, (op.args[0], length)
    is_fit = _is(weights, np.dtype(np.float64), 1)
    return (forms.sums, (op.args[0], weights, length)) if is_fit else None


def _solve(op: Op) -> Chosen | None:
    if op.kwargs or _is_large(op.args[0]):
        return None
    if _are_floats(op, 2, 1):
        return forms.solve_vector, (*op.args, forms.most_by_loops())
    is_fit = _are_floats(op, 2, 2)
    return (forms.solve_matrix, (*op.args, forms.most_by_loops())) if is_fit else None


def _inverse(op: Op) -> Chosen | None:
    most = forms.most_by_loops()
    is_fit = _are_floats(op, 2) and not op.kwargs
    is_fit = is_fit and (most is not None or not _is_large(op.args[0]))
    return (forms.inverse, (*op.args, most)) if is_fit else None


def _of_matrix(form: Form) -> Callable[[Op], Chosen | None]:
    def choose(op: Op) -> Chosen | None:
        is_fit = _are_floats(op, 2) and not _is_large(op.args[0]) and not op.kwargs
        return (form, op.args) if is_fit else None

    return choose


def _is_large(matrix: Any) -> bool:
    """Whether a matrix is of a known size that elimination in loops is slower for than LAPACK."""
    shape = shape_of(type_of(matrix)) or ()
    return any(isinstance(n, int) and n > forms.LARGEST for n in shape)


def _ptp(op: Op) -> Chosen | None:
    is_float = any(_is(op.args[0], np.dtype(np.float64), rank) for rank in (1, 2, 3))
    return (forms.range_of, op.args) if is_float and len(op.args) == 1 and not op.kwargs else None


def _are_floats(op: Op, *ranks: int) -> bool:
    """Whether the arguments are arrays in double precision of so many axes, or numbers."""
    fits = [_is(x, np.dtype(np.float64), rank) for x, rank in zip(op.args, ranks, strict=False)]
    return len(op.args) >= len(ranks) and all(fits)


def _is(x: Any, dtype: np.dtype, rank: int) -> bool:
    t = type_of(x)
    shape: Sequence[Any] | None = shape_of(t)
    is_known = shape is not None and len(shape) == rank and dtype_of(t) == dtype
    return is_known and (isinstance(x, Value) or type(x) is float)


_OTHERS: Final[dict[Any, Choice]] = {
    np.cross: _cross,
    np.bincount: _bincount,
    np.linalg.solve: _solve,
    np.linalg.inv: _inverse,
    np.linalg.det: _of_matrix(forms.determinant),
    np.linalg.slogdet: _of_matrix(forms.sign_and_logarithm),
    np.ptp: _ptp,
    runtime.cofactors: _of_matrix(forms.cofactors),
}
# By the function, those that are tried first ahead.
_CHOICES: Final[dict[Any, list[Choice]]] = {}
for _table in (
    *(ALONG_AXES, ARRANGING, CONTRACTIONS, GROUPS, MATRICES, MISSING, ORTHOGONAL, POINTWISE),
    *(SPACED, SORTING, SPECTRA, TRANSFORMS, _OTHERS, COMPOSITIONS, OTHER_AXES),
    *(AVERAGES, DIAGONALS, MADE, NORMS, ALGEBRA, WINDOWS, PYTHON_NUMBERS),
):
    for _fn, _choice in _table.items():
        _CHOICES.setdefault(_fn, []).append(_choice)
