"""The page's charts, as SVG: dict in, markup out."""
