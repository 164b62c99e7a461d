"""Store or recompute: what the reverse sweep reads of the forward sweep, and from where."""
