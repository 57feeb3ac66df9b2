"""Output of the commands: every file name and input can be printed."""

import click


def printable(text: str) -> str:
    """The text without control characters but tab and newline, and without lone surrogates."""
    shown = "".join(c if c.isprintable() or c in "\t\n" else "\ufffd" for c in text)
    return shown.encode("utf-8", "replace").decode("utf-8")


def say(text: str, *, err: bool = False) -> None:
    """Prints a line to standard output, or to standard error."""
    click.echo(printable(text), err=err)
