import numpy as np
from transform.programs import INT, array, program

from srcad.analysis.liveness import find_later
from srcad.ir import For, Op
from srcad.ir.walk import statements
from srcad.runtime import index_update

VECTOR = array("n")


def stores(fn):
    return [s for s in statements(fn.body) if isinstance(s, Op) and s.fn is index_update]


def test_what_is_read_after_a_store_is_live():
    def written(b, u, x):
        a = b.call(index_update, u, 0, 1.0)
        return a * x, np.sum(u), np.shape(a)

    fn = program(written, u=VECTOR, x=VECTOR)
    found, (store,) = find_later(fn), stores(fn)
    u, x = fn.params
    assert found.bits.values(found.later[store]) == [u, x]
    assert found.is_read([u], store)
    assert not found.is_read([store.out], store)


def test_the_next_iteration_reads_what_any_iteration_reads():
    def written(b, u, x, n):
        return b.loop((0, n, 1), [u], lambda i, h: b.call(index_update, h * np.sum(x), 0, 1.0))

    fn = program(written, u=VECTOR, x=VECTOR, n=INT)
    found, (store,) = find_later(fn), stores(fn)
    (loop,) = (s for s in fn.body.body if isinstance(s, For))
    assert found.is_read([fn.params[1]], store)
    assert found.is_read([fn.params[1]], loop)
    assert not found.is_read([fn.params[0]], loop)
