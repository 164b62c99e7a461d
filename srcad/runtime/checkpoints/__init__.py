"""Checkpoints of loops: the states that are kept, and the schedule."""
