"""Calls that hand a function of the user's to a solver of equations."""
