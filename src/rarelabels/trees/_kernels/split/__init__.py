"""Find and carry out the split of a node."""
