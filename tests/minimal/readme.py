"""Run the Python of a README: `python readme.py README.md`."""

import re
import sys
from pathlib import Path


def main(path: str) -> None:
    text = Path(path).read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        # Our own examples.
        exec(compile(block, path, "exec"), {})  # noqa: S102


if __name__ == "__main__":
    main(sys.argv[1])
