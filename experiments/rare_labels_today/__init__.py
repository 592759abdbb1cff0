"""A benchmark of what helps rare labels today.

DESIGN.md says what is asked and how it is judged.

Run it with ``python -m rare_labels_today`` from the folder ``experiments``.
"""
