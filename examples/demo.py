"""Describe an easy and a hard synthetic data set, compare methods, and show the results.

The same as the command ``rarelabels demo --force``.
"""

from pathlib import Path

from rarelabels.cli.commands.demo import run_demo

if __name__ == "__main__":
    run_demo(Path("demo-report.html"))
