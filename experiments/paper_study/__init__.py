"""From a store of results to the paper's tables and figures, beside the paper's own.

Tables are computed first, as plain text cells, by `tables`, `measures` and `curves`; `formats` and
`figures` only show them.
"""
