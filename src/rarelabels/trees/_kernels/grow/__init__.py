"""Grow trees for one target each."""
