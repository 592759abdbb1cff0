"""Check texts for phrases that are hard to read, and suggest plain ones.

Usage: python -m tools.prose PATH ...

Reads the text of .rst and .md files without code, and the comments and docstrings of .py files.
Misspellings and British spellings are found by codespell, not here.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

# A pattern, and what to write instead.
PHRASES = {
    r"anew": "again",
    r"mend(s|ed|ing)?": "fix",
    r"(?<!there )(is|are|was|were) no (?!longer|more|fewer|better)[a-z]+": "is not",
    r"of (its|their|his|our|your) own": "separate, own, or nothing",
    r"to be had": "available",
    r"at hand": "available",
    r"told": "reported",
    r"as (it|they) (came|come|is|are)": "unchanged",
    r"by (itself|themselves)": "alone, automatically",
    r"go(es)? on": "continue",
    r"is there already": "already exists",
    r"stands? (behind|beside|for|in the way)": "is based on, next to, means",
    r"but for": "except",
    r"gives? (way|back)": "yields, returns",
    r"gaps": "missing values",
    r"made-up": "synthetic",
    r"times as fast": "times faster",
    r"beside": "next to, compared with",
    r"(?<!fill )in the mean": "on average",
}
RULES = [(re.compile(rf"\b{phrase}\b", re.IGNORECASE), plain) for phrase, plain in PHRASES.items()]
# Code in a sentence, expressions in f-strings, and addresses.
LITERAL = re.compile(r"``.*?``|`[^`]*`|\{[^}]*\}|<[^>]*>|https?://\S+")
# A directive with code, or a paragraph that introduces a literal block.
CODE = re.compile(r"\s*\.\. (run|run-shell|code-block|math)::|(?!\s*\.\. ).*::$")
SUFFIXES = {".md", ".py", ".rst"}
GENERATED = {"_build", "auto_examples", "gen_modules", "generated"}


def main(paths: list[str]) -> int:
    """Print each place with its suggestion; return 1 if there is one."""
    places = [place for path in files(paths) for place in stumbles(path)]
    print(*places, sep="\n", end="\n" if places else "")
    return min(len(places), 1)


def files(paths: list[str]) -> Iterator[Path]:
    """Return the texts in files and folders, without those that are generated."""
    for root in map(Path, paths):
        for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
            if path.suffix in SUFFIXES and not GENERATED & set(path.parts):
                yield path


def stumbles(path: Path) -> Iterator[str]:
    """Return the places of a file where a phrase occurs."""
    text = path.read_text(encoding="utf-8")
    for number, line in comments(text) if path.suffix == ".py" else sentences(text):
        for phrase, plain in RULES:
            if found := phrase.search(LITERAL.sub("", line)):
                yield f"{path}:{number}: '{found[0]}': write {plain}"


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Return the lines outside of blocks of code, with their numbers."""
    indent, is_fenced = None, False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            is_fenced = not is_fenced
        if indent is not None and line.strip() and len(line) - len(line.lstrip()) <= indent:
            indent = None
        if not is_fenced and indent is None:
            yield number, line
        if CODE.match(line):
            indent = len(line) - len(line.lstrip())


def comments(text: str) -> Iterator[tuple[int, str]]:
    """Return the lines of comments and strings, with their numbers."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            yield from enumerate(token.string.splitlines(), token.start[0])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
