"""Multi-label data whose interesting labels are rare: measure it, resample it, learn it."""

__version__ = "0.1.0.dev0"

__all__ = ["__version__"]
