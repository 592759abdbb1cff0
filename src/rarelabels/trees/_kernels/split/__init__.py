"""Find and carry out the split of a node.

Parameters
----------
limits : tuple
    What `node_limits` returns: the node's entropy × size, the least size of a side, and the score
    that a threshold must exceed.
bounds : tuple
    The score to exceed, by how much, and the least size of a side.
lists : DenseLists, SparseLists or None
    The sorted codes of features; None if none has more than two values.
code_counts : CodeCounts
    The stored codes of some nodes, counted by feature and class.
level : int64
    Where the counts of the node are in `code_counts` and `lists`.
weighted : WeightedSamples
    The weighted samples of all nodes.
packed : (n,) int64
    Sorted items of a list: the code above `shift` bits, the class in those of `mask`, and in the
    bit above the class whether the next value may be too close.
row : (n,) int64
    The same, one list of all.
shift, mask : int64
    The lowest bit of the code of a packed item, and the bits of its class or number.
items : (n,) int64
    Scratch for packed items.
n_stored : int64
    The number of the node's samples with a stored code of the feature.
by_class : (n_classes,) or (n_features, n_classes) int32
    The same by class, for one feature or for all.
base : int64
    The code of a sparse feature that is not stored.
branch : (n,) int32
    The branch that each position of the node takes, -1 if the value is missing.
branch_of : (n,) int32
    The branch of each position or sample, by its number.
code_of : (n_samples,) int32
    Scratch for the code of each sample; -1 between uses.
item_codes : (n,) int32
    The code of each of the node's samples.
order : (n,) int64
    Scratch for sorting these codes.
starts, samples, is_shared : arrays and bool
    The samples of all tasks, as in ``grow``.
number : (n,) int64
    The number in the task of each position.
chosen : int64
    The place of the chosen candidate.
entropy, score, parts : float64
    The node's entropy, minus that of the two sides, and the entropy of the split itself, all times
    the weight.
many_categories : None or 1
    None if no feature has more than two categories.
"""
