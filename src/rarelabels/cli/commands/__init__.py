"""The commands, one file each: ``NAME.py`` has the function ``NAME_command``.

They share options, data, files and views with each other through the modules above them, and do not
import each other.
"""

# In the order in which the help lists them.
COMMANDS = (
    "demo",
    "describe",
    "resample",
    "compare",
    "predict",
    "run",
    "retry",
    "tables",
    "pack",
    "unpack",
    "datasets",
    "fetch",
)
