"""Calls of functions with a rule, and of the user's: read in place, lowered once, or kept."""
