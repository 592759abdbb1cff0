"""Grow trees for one target each.

Parameters
----------
task : int64
    The number of the task, or of the link in a chain.
starts : (n_tasks + 1,) int64
    Where the samples of each task begin.
samples : (starts[-1],) int32
    The position of each sample of the tasks; once for all tasks if `is_shared`.
is_shared : bool
    Whether all tasks have the same samples.
weights : (n_samples,) float64
    The weight of each sample; empty if all are 1.
chain : None or int
    None for a forest. 1 if later links see the decisions of earlier ones, 2 if they see
    ``positions.fed``.
mark : (n_samples,) int32
    The last task that has the sample.
root : int64
    The first node of a tree in `trees`.
roots : (n_tasks + 1,) int64
    Where each tree begins.
decisions : (n_links, n_words) uint64
    The samples for which each link decides 1, as bits.
link : int64
    The number of a link.
pending : int64
    The node that is split next; its `code` is the one after it, -1 for none.
lists : DenseLists, SparseLists or None
    The sorted codes of features; None if none has more than two values.
code_counts : CodeCounts
    The stored codes of some nodes, counted by feature and class.
level : int64
    Where the counts of the node are in `code_counts` and `lists`.
code_of : (n_samples,) int32
    Scratch for the code of each sample; -1 between uses.
many_categories : None or 1
    None if no feature has more than two categories.
"""
