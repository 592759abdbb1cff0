"""Checks of the samplers' contract, for anybody's sampler."""
