"""Statements, and how paths through them are joined."""
