"""What programs tell of themselves: docstrings, explanations, saved values, sizes."""
