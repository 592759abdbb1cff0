"""Show errors and warnings in one line; exit codes are 0, 1 (failed) and 2 (wrong usage)."""

from __future__ import annotations

import errno
import functools
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import typer

from rarelabels._stderr import write_line
from rarelabels.cli._printable import printable

Command = TypeVar("Command", bound=Callable[..., Any])

FAILED, MISUSED = 1, 2
FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
_settings = {"debug": False}


class Failure(Exception):
    """A correct command that failed."""


class Misuse(Exception):
    """A command with wrong arguments or options."""


def take_debug(arguments: list[str]) -> list[str]:
    """Remove ``--debug`` from the arguments before ``--``, and remember it.

    >>> take_debug(["describe", "a.arff", "--json"])
    ['describe', 'a.arff', '--json']
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    _settings["debug"] = "--debug" in arguments[:end]
    return [a for place, a in enumerate(arguments) if a != "--debug" or place > end]


def ends_with_message(command: Command) -> Command:
    """Make a command end with a message and an exit code instead of a traceback."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _show_warning
                command(*args, **kwargs)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader of the output, such as `head`, has closed it; nothing is left to flush.
            _close_output()
            raise typer.Exit(FAILED) from None
        except (KeyboardInterrupt, Exception) as error:
            if _settings["debug"] or isinstance(error, typer.Exit):
                raise
            say(f"error: {message(error)}{_of_output(error)}")
            raise typer.Exit(MISUSED if isinstance(error, Misuse) else FAILED) from None

    return run  # type: ignore[return-value]


def _close_output() -> None:
    """Discard what has not been written to standard output yet."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _of_output(error: BaseException) -> str:
    """Name standard output if it cannot be written.

    All other files are named by their errors. Python would report what is left with a traceback.
    """
    is_full = isinstance(error, OSError) and error.errno in FULL and error.filename is None
    if is_full:
        _close_output()
    return ": standard output" if is_full else ""


@contextmanager
def as_misuse(*kinds: type[Exception]) -> Iterator[None]:
    """Report errors of some kinds, by default ValueError and TypeError, as a wrong command.

    A more special kind, as of a file that is malformed, is none of them.
    """
    try:
        yield
    except Exception as error:
        if type(error) in (kinds or (ValueError, TypeError)):
            raise Misuse(message(error)) from error
        raise


def message(error: BaseException) -> str:
    """Put an error into words.

    >>> message(ValueError("no sampler is called 'x'")), message(KeyError("x"))
    ("no sampler is called 'x'", "KeyError: 'x' (--debug shows where)")
    """
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, OSError) and error.strerror:
        place = f": {error.filename}" if error.filename is not None else ""
        return f"{error.strerror}{place}"
    expected = (Failure, Misuse, ValueError, TypeError, OSError, ImportError, RuntimeError)
    if isinstance(error, expected) and str(error):
        return " ".join(str(error).split())
    return f"{type(error).__name__}: {error} (--debug shows where)"


def say(text: str) -> None:
    """Write a line to standard error."""
    write_line(printable(text))


def _show_warning(message: Any, *args: Any, **kwargs: Any) -> None:
    say(f"note: {' '.join(str(message).split())}")
