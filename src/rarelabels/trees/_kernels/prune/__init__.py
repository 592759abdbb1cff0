"""Simplify grown trees."""
