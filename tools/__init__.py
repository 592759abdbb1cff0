"""Checks of the house that `make lint` runs and no ready tool has."""
