"""Ridge regression on kernels for all labels at once, with exact leave-one-out scores.

`samples` reads the training samples, in memory or block by block on other machines. `indicators`
turns features into numbers, and `scalings` scales these numbers; both use the statistics of
`column_summary`. `kernels` compares samples, and `landmarks` computes features if there are many
samples. `exact` solves the regression on a kernel matrix, and `primal` on `feature_blocks`.
`penalties` chooses penalties, `parts` combines these steps, and `calibration` turns scores into
probabilities.
"""
