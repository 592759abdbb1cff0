"""Run the Python of a README: `python readme.py README.md`."""

import re
import sys
from pathlib import Path

for block in re.findall(r"```python\n(.*?)```", Path(sys.argv[1]).read_text("utf-8"), re.DOTALL):
    exec(compile(block, sys.argv[1], "exec"), {})
