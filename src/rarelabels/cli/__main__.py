"""Run the command line as ``python -m rarelabels.cli``."""

from rarelabels.cli import main

main()
