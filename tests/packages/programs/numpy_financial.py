"""Annuities and cash flows."""

import numpy as np
import numpy_financial as npf

r = 0.05
n = 12.0
p = -100.0
v = 1000.0
rates = np.array([0.03, 0.05, 0.08])
flows = np.array([-100.0, 39.0, 59.0, 55.0, 20.0])

npf.fv(r, n, p, v)
npf.fv(rates, n, p, v)
npf.pmt(r, n, v)
npf.pmt(rates, n, v)
npf.nper(r, p, v)
npf.ipmt(r, 1, n, v)
npf.ppmt(r, 1, n, v)
npf.pv(r, n, p)
npf.pv(rates, n, p, when="begin")
npf.rate(n, p, v, 0.0)
npf.irr(flows)
npf.npv(r, flows)
npf.mirr(flows, r, 0.06)
