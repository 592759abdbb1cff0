"""Everything Dask: arrays and dataframes that need not fit in memory, as X and y.

`backend` is what the registry in ``rarelabels._backends`` loads when it meets a Dask collection.

- `collection` wraps X: its columns, its blocks and where they begin;
- `sparse_blocks` reads sparse blocks as CSR arrays, and turns results back into their class;
- `column_statistics` computes ranges, missing values and categories block by block, and joins them;
- `features` has the numbers of each block, and `labels` gathers y;
- `scaling` scales and codes the samples, and `search` finds neighbors in their space: panel by
  panel, each pair of panels by `pair_search`, with the results so far in `nearest_so_far`;
- `approximate` finds most neighbors in less time, in the cells and `regions` of the space;
- `space` chooses one of these searches;
- `assembly` builds the collections that are returned, and `predictions` those of a model;
- `tasks` is the only module that schedules work, and `worker_watch` warns of missing workers.
"""
