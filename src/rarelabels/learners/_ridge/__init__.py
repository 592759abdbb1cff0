"""Ridge regression on kernels for all labels at once, with exact leave-one-out scores.

`samples` reads the training samples, in memory or block by block on other machines. `indicators`
turns features into numbers and `scalings` puts the numbers on comparable scales; both learn from
the statistics of `column_summary`. `kernels` compares samples, and `landmarks` makes features for
many samples. `exact` solves the regression on a kernel matrix, `primal` on `feature_blocks`.
`penalties` chooses among penalties, `parts` puts these together, and `calibration` turns scores
into probabilities.
"""
