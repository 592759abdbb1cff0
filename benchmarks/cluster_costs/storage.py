"""The file with measurements, seconds for each unit of work, and simulations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PLACE = Path(__file__).parents[1] / "cluster_costs.json"


def load(place: Path = PLACE) -> dict[str, Any]:
    """Return what is stored, without entries if nothing was measured yet."""
    if place.is_file():
        return json.loads(place.read_text(encoding="utf-8"))
    return {"measured": {}, "runs": {}, "constants": {}, "checks": [], "simulation": {}}


def store(kept: dict[str, Any], place: Path = PLACE) -> None:
    """Write the file. It is replaced as a whole, so an interrupted program does not damage it."""
    text = json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    part = place.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(place)
