"""Kernels of trees for all labels at once."""
