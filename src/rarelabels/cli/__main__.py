"""Let ``python -m rarelabels.cli`` be the command."""

from rarelabels.cli import main

main()
