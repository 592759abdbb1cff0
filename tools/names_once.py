"""Check that no function or class is defined in two places of the package.

A name that begins with an underscore is private to its file and may recur.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from pathlib import Path


def main(package: str) -> int:
    """Print the names with more than one definition; the number of them is the exit code."""
    repeated = {name: places for name, places in definitions(Path(package)).items() if places[1:]}
    for name, places in sorted(repeated.items()):
        print(f"{name} is defined in {', '.join(places)}")
    return min(len(repeated), 1)


def definitions(package: Path) -> dict[str, list[str]]:
    """Return the places of each public function and class at the top of a module."""
    found = defaultdict(list)
    for path in sorted(package.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            is_definition = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            if is_definition and not node.name.startswith("_"):
                found[node.name].append(f"{path}:{node.lineno}")
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
