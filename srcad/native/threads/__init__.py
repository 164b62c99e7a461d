"""Loops that threads share: dependence of iterations, work estimates, barriers."""
