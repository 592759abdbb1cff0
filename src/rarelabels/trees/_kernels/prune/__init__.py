"""Simplify grown trees.

Parameters
----------
samples : CountedSamples or UsedSamples
    The samples of the tree.
branch : int64
    A child of the node.
estimates : (n_nodes,) float64
    The estimated errors of the subtree below each node that has been pruned.
weighted : WeightedSamples
    The weighted samples of all nodes.
errors : float64
    Training errors.
z : float64
    The normal quantile of the confidence.
"""
