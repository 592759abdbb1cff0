"""Run the Python of a README: `python readme.py README.md`.

A block with data in pandas is left out where pandas, which the package does not ask for, is not
installed.
"""

import re
import sys
from importlib.util import find_spec
from pathlib import Path


def main(path: str) -> None:
    text = Path(path).read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        if "import pandas" in block and find_spec("pandas") is None:
            print("left out, as pandas is not installed:", block.splitlines()[-2])
            continue
        # Our own examples.
        exec(compile(block, path, "exec"), {})  # noqa: S102


if __name__ == "__main__":
    main(sys.argv[1])
