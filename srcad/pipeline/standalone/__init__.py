"""Programs as modules that stand alone."""
