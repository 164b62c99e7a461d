"""Returns and risk."""

import empyrical as ep
import numpy as np

r = np.array([0.01, -0.02, 0.03, 0.015, -0.01, 0.02, 0.007, -0.003])
f = np.array([0.008, -0.015, 0.02, 0.01, -0.012, 0.018, 0.004, -0.001])
p = np.array([100.0, 101.5, 99.2, 104.0])

ep.alpha(r, f)
ep.alpha_beta(r, f)
ep.annual_return(r)
ep.annual_volatility(r)
ep.beta(r, f)
ep.calmar_ratio(r)
ep.capture(r, f)
ep.conditional_value_at_risk(r, 0.3)
ep.cum_returns(r)
ep.cum_returns_final(r)
ep.down_capture(r, f)
ep.downside_risk(r)
ep.excess_sharpe(r, f)
ep.max_drawdown(r)
ep.omega_ratio(r)
ep.sharpe_ratio(r)
ep.simple_returns(p)
ep.sortino_ratio(r)
ep.stability_of_timeseries(r)
ep.tail_ratio(r)
ep.value_at_risk(r, 0.3)
