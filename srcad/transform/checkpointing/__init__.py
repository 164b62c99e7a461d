"""Loops of which some states are saved, from which the reverse sweep runs them again."""
