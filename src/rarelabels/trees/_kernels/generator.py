"""Random numbers: a xorshift generator for ties, and a counter for trees of all labels.

Parameters
----------
seed : uint64
    The seed of the tree.
x : uint64
    Any number.
"""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import compiled, inlined


@compiled
def mixed(x):
    """Return a number each of whose bits depends on all bits of `x`: the last step of splitmix."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@compiled
def next_random(state):
    """Return the next number of a xorshift generator."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return x


@compiled
def start_generator(state, seed, counts):
    """Start the generator of a node: its ties do not depend on which nodes came before."""
    x = mixed(np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15))
    for k in range(counts.size):
        x = mixed(x + np.uint64(counts[k] * 1024.0))
    state[0] = x if x != np.uint64(0) else np.uint64(88172645463325252)


@inlined
def next_word(state):
    """Return 64 random bits, and move the state on."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    return mixed(state[0])


@inlined
def random_below(state, n):
    """Return a random whole number from 0 to n - 1, for n below 2**32."""
    return np.int64(((next_word(state) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@inlined
def random_share(state):
    """Return a random number from 0 on, below 1."""
    return np.float64(next_word(state) >> np.uint64(11)) * 2.0**-53


@inlined
def random_salt(state):
    """Return a random whole number as a float that holds it exactly."""
    return np.float64(next_word(state) >> np.uint64(12))
