"""The same training step on several systems: models, by hand, other systems, figures, report."""
