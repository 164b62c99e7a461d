import numpy as np

import srcad


def doubled_often(k):
    k = k + k
    k = k + k
    k = k + k
    k = k + k
    return k + k


def test_a_constant_made_of_many_sums_of_an_argument_is_found_in_time():
    def total(x, k):  # 2**40 paths lead from the axis to `k`
        k = doubled_often(doubled_often(doubled_often(doubled_often(k))))
        k = doubled_often(doubled_often(doubled_often(doubled_often(k))))
        return np.sum(np.sum(x, axis=k) ** 2)

    x = np.ones((3, 2))
    assert srcad.grad(total, backend="numpy")(x, 0).tolist() == (6 * x).tolist()
