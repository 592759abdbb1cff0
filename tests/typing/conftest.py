"""The programs are for a type checker: most of their lines would fail."""

collect_ignore = ["programs"]
