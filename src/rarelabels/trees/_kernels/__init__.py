"""Kernels of trees, compiled by numba, in folders by phase: grow, split, prune and predict.

``multilabel`` has the kernels of trees for all labels. The page on trees in the contributor guide
draws the order in which kernels run.

Kernels share the names of their arguments. An argument that a kernel does not describe itself is
described in the docstring of its module, else of its package, else here.

Parameters
----------
codes : Codes
    The features as codes.
positions : Positions
    The sample of each position, and the decisions of links before it in a chain.
rules : Rules
    How to grow and prune.
workspace : Workspace
    Scratch arrays, and the score tables of the current node.
nodes : Nodes
    The tree that grows.
node : int64
    The number of a node.
n_nodes : int64
    The number of nodes that the tree has.
trees : Trees
    The finished trees.
rows : (n,) int32
    The positions of a task, ordered so that those of a node are ``rows[start:end]``.
classes : (n,) int32
    The class at each of these positions, in the same order.
start, end : int64
    The range of a node in an array that is ordered by node.
feature : int64
    The number of a feature; the links of a chain come after the features of the samples.
code : int64
    A code of that feature.
low, high : int64
    Two codes of that feature, the lower one first.
sample : (n_positions,) int32, or int64
    The sample of each position, or one sample.
n : int64
    The number of samples of the node, or of children of a split.
n_samples, n_features, n_classes : int64
    Numbers of samples, features and classes.
n_present : int64
    How many of the classes the task has.
n_categories : (n_features,) int32, or int64
    The number of categories of each feature, or of one; 0 for a numeric feature.
n_links : int64
    How many links of a chain come before the task.
counts : (n_classes,) float64 or int64
    The weight or number of samples of each class.
weight : float64
    The weight of the node's samples.
state : (2,) uint64
    The state of the random numbers, and the seed of the tree.
candidates : (n_features + n_links,) CANDIDATE
    The best split of each feature that can split the node.
n_candidates : int64
    How many of them are filled in; kernels that add candidates return the new number.
first : int64
    The first child of the node; the others follow.
column : (n_samples,) array
    The values or codes of one feature.
threshold : float64
    The value up to which samples go to the first child.
most : int64
    The largest number of samples of a task.
bits : (n_words,) uint64
    A set of samples.
i : int64
    The number of a sample or bit.
k : int64
    A class.
out : array
    What the kernel fills in.
capacity, needed, used : int64
    The size of arrays that are made, the size that is needed, and how much of it is used.
"""
