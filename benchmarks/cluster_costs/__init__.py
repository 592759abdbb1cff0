"""A cost model of the library on Dask clusters.

`formulas` counts flops, bytes, tasks and memory of each step. `measuring` runs the steps on a
cluster of local processes. `fitting` turns these runs into seconds for each unit of work.
`predictions` applies the seconds to larger sizes, and `simulation` adds slow workers and workers
that die. Results are kept in ``benchmarks/cluster_costs.json``.
"""
