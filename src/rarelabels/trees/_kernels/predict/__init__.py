"""Send new samples down finished trees.

Parameters
----------
roots : (n_trees + 1,) int64
    Where each tree begins in `trees`.
root, end : int64
    Where one tree begins and ends.
samples : Samples
    The new samples.
columns : (n_features, n_samples) float64
    Their values, or the indices of categories.
threshold_sets : ThresholdSets
    For each feature, the samples above the last threshold that was needed.
sets : (n_nodes, n_words) uint64
    The samples of each node of a tree.
node_set : (n_words,) uint64
    The samples of one node.
leaf : (n_samples,) int64
    The leaf of each sample.
search : LeafSearch
    Scratch arrays, and the leaves and probabilities of the samples.
"""
