"""Programs as explicit loops over numbers, which a compiler turns into machine code.

outline     statements that can be compiled become functions of their own    IR -> IR
scalarise   their array operations become loops over entries                 IR -> IR

    y = tanh(x + b)                          y = np.empty(n)
    s = sum(y * y)                           s = 0.0
                                             for i in range(n):
                                                 y[i] = np.tanh(x[i] + b)
                                                 s += y[i] * y[i]

What no loop is made of (products of matrices, factorisations, transforms) stays NumPy in between.
"""
