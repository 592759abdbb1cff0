"""Search among sparse samples with compiled code."""
