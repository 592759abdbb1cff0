"""Read, write, fetch and generate multi-label data sets."""
