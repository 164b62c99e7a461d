"""Lists that loops append to: arrays of their items."""
