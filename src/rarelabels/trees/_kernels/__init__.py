"""Kernels that numba compiles: functions on arrays that call only each other."""
