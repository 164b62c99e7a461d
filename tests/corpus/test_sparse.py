"""Sparse Jacobians of programs of the corpus against dense ones."""

import copy

import numpy as np
import pytest
from corpus.test_derivatives import NAMES, argnums, is_single, quietly

import srcad
from srcad.errors import SrcadError

pytest.importorskip("scipy")


@pytest.mark.parametrize("name", list(NAMES)[::9])
def test_sparse_against_dense(name):
    program = NAMES[name]
    for args in program.arguments():
        for at in argnums(args):
            if not isinstance(args[at], float | np.ndarray):
                continue
            try:
                dense = called(srcad.jacobian(program.fn, at, cache=False), args)
                found = called(srcad.jacobian(program.fn, at, sparse=True, cache=False), args)
            except SrcadError:
                continue
            wanted = np.reshape(dense, found.shape)
            tol = 1e-4 if program.single or is_single((args, dense)) else 1e-9
            np.testing.assert_allclose(found.toarray(), wanted, rtol=tol, atol=tol)


def called(jacobian, args):
    return quietly(lambda given: jacobian(*given), copy.deepcopy(args))
