"""Format numbers, lists and names for readers."""

from __future__ import annotations

import math
from typing import Any


def short(value: Any) -> str:
    """Format a number for readers.

    >>> short(12345), short(0.12345), short(1234.5), short(float("nan"))
    ('12,345', '0.123', '1,234', '–')
    """
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    if isinstance(value, float) and abs(value) < 1000:
        return f"{value:.3g}" if abs(value) >= 0.001 or value == 0 else f"{value:.1g}"
    return f"{value:,.0f}"


def percent(share: float | None) -> str:
    """Format a fraction in percent.

    >>> percent(0.256), percent(0.004), percent(None)
    ('26 %', '0.4 %', '–')
    """
    if share is None or not math.isfinite(share):
        return "–"
    return f"{100 * share:.1f} %" if 0 < share < 0.01 else f"{100 * share:.0f} %"


def signed(value: float) -> str:
    """Format a difference with its sign.

    >>> signed(0.01234), signed(-0.5)
    ('+0.012', '−0.500')
    """
    return f"{'−' if value < 0 else '+'}{abs(value):.3f}"


def listed(names: list[str]) -> str:
    """Join names as in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def python_option(name: str, value: Any) -> str:
    """Return an option as Python writes it.

    >>> python_option("cv", "1x5"), python_option("max_samples", 2000)
    ('cv="1x5"', 'max_samples=2000')
    """
    return f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}"


def command_option(name: str, value: Any) -> str:
    """Return an option as a command has it.

    >>> command_option("max_samples", 2000)
    '--max-samples 2000'
    """
    return f"--{name.replace('_', '-')} {value}"
