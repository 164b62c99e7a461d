"""Numbers with uncertainties."""

import numpy as np
from uncertainties import ufloat, umath, wrap

a = 1.3
s = 0.2

ufloat(a, s).n
ufloat(a, s).s
(ufloat(a, s) + 2.0).nominal_value
(ufloat(a, s) * ufloat(0.4, 0.1)).s
umath.sin(ufloat(a, s)).n
umath.exp(ufloat(a, s)).s
umath.sqrt(a)
umath.atan2(a, s)
umath.log(a)
umath.erf(a)
umath.gamma(a)
wrap(np.tanh)(a)
