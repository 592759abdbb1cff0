"""Generators that give what another program's random numbers were, in the order it drew them."""

import numpy as np


class JavaRandom:
    """java.util.Random, from the description in its documentation."""

    def __init__(self, seed):
        self.state = (seed ^ 0x5DEECE66D) % 2**48

    def bits(self, n):
        self.state = (self.state * 0x5DEECE66D + 0xB) % 2**48
        return self.state >> (48 - n)

    def next_int(self):
        value = self.bits(32)
        return value - 2**32 if value >= 2**31 else value

    def next_double(self):
        return ((self.bits(26) << 27) + self.bits(27)) * 2.0**-53


class MulanDraws(np.random.Generator):
    """Draws all references of a label, then all numbers, where Mulan takes sample after sample."""

    def __init__(self, seed, n_features, categorical):
        super().__init__(np.random.PCG64(0))
        self.java, self.n_features, self.categorical = JavaRandom(seed), n_features, categorical

    def integers(self, high):
        places, self.shares = [], []
        for size in high:
            places.append(abs(self.java.next_int()) % size if size > 1 else 0)
            self.shares.append(
                [
                    0.0 if f in self.categorical else self.java.next_double()
                    for f in range(self.n_features)
                ]
            )
        return np.array(places)

    def random(self, shape):
        assert np.shape(self.shares) == shape
        return np.array(self.shares)


class Fixed(np.random.Generator):
    """Gives prepared numbers to whoever asks for uniform ones."""

    def __init__(self, shares):
        super().__init__(np.random.PCG64(0))
        self.shares = np.array(shares, dtype=float)

    def random(self, shape):
        assert self.shares.shape == tuple(shape)
        return self.shares
