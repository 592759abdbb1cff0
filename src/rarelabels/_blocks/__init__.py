"""Data in blocks that lie elsewhere: Dask arrays and dataframes.

`tasks` is the one door to Dask; `facts` says what a block knows of its columns, and puts what
several know together; `features` is X with its numbers in blocks; `assembly` puts samples of blocks
together to a collection; `labels` reads y, and returns it as it came, `sets` where it is made of
label sets.
"""
