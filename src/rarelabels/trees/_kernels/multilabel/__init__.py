"""Kernels of trees for all labels at once.

Parameters
----------
labels : SampleLabels
    The labels of each sample.
workspace : LabelWorkspace
    What a tree needs while it grows.
rules : LabelRules
    How to grow.
weight : float64, or (n_samples,) float64
    The weight of the listed side, or of each sample.
squares, cross : float64
    The sums over labels of the listed side's squared weights, and of these weights times the
    node's.
listed : (n,) int32
    The samples of one side of a split.
n_listed : int64
    Their number.
lists_first : bool
    Whether this side is the first child.
n_active : int64
    How many labels are on some of the node's samples, but not on all; only counted for the entropy.
n_missing, n_base : int64
    How many of the node's samples have a missing value, and how many have the base code.
missing_first : bool
    Whether missing values go to the first child.
cut : int64
    The last code that goes to the first child.
salt : float64
    What the hash of categories starts from.
n_touched : int64
    How many labels the listed side has.
keys : (n_known,) int64
    The known codes and their samples, sorted.
n_low : int64
    How many of the keys are below the base.
key : int64
    One of them.
random : (1,) uint64
    The state of the random numbers.
nodes : (n_nodes,) TREE_NODE
    The nodes of a tree.
cuts : (n_nodes,) int32
    The last code that goes to the first child, for each node.
trees : LabelTrees
    The finished trees.
leaf_starts, leaf_labels, leaf_shares : arrays
    The leaves of a tree, as in `LabelTrees`.
leaf : int64
    The number of a leaf.
root : int64
    The first node of the tree.
seed : uint64
    The seed of the tree.
"""
