"""Programs over samples, in parts: what each part adds to the result."""
