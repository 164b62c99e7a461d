"""Products of matrices: what they are made of.

blas, gemm          the function of the BLAS that NumPy calls, and a call of it in compiled code
alone               OpenBLAS without threads of its own for a while
registers, tiles    instructions for vectors, and loops over a part of a result that they have
tiled_products      products by such loops, and which they are faster for

Compiled functions call both (`srcad.native.functions.matrices`), and so does the kernel
`srcad.kernels.compiled.product`. Only `blas` and `alone` can be had without Numba.
"""
