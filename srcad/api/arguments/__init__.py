"""The arguments and options of the transformations: which, in what order, of what structure."""
