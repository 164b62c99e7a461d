"""Jacobians: linear programs run along several directions."""
