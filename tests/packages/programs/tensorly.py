"""Tensors: unfolding, products and decompositions put together."""

import numpy as np
import tensorly as tl
from tensorly import metrics, tenalg

rng = np.random.default_rng(0)
x = rng.standard_normal((2, 3, 4))
y = rng.standard_normal((2, 3, 4))
a = rng.standard_normal((2, 2))
b = rng.standard_normal((3, 2))
c = rng.standard_normal((4, 2))
w = np.array([1.2, 0.7])
g = rng.standard_normal((2, 2, 2))

tl.unfold(x, 1)
tl.fold(tl.unfold(x, 1), 1, (2, 3, 4))
tl.tensor_to_vec(x)
tl.partial_unfold(x)
tl.cp_to_tensor((w, [a, b, c]))
tl.cp_to_unfolded((w, [a, b, c]), 1)
tl.cp_norm((w, [a, b, c]))
tl.tucker_to_tensor((g, [a, b, c]))
tl.tucker_to_vec((g, [a, b, c]))
tl.norm(x)
tl.norm(x, 1)
tl.clip(x, -0.5, 0.5)
tl.kron(a, b)
tl.truncated_svd(b)[1]
tenalg.khatri_rao([a, b])
tenalg.kronecker([a, b])
tenalg.mode_dot(x, b.T, 1)
tenalg.multi_mode_dot(x, [a, b.T, c.T])
tenalg.inner(x, y)
tenalg.outer([w, w])
tenalg.unfolding_dot_khatri_rao(x, (w, [a, b, c]), 1)
tenalg.proximal.soft_thresholding(x, 0.2)
tenalg.proximal.simplex_prox(b, 1.0)
metrics.MSE(x, y)
metrics.RMSE(x, y)
