"""Reverse mode: cotangents of inputs from cotangents of results."""
