"""Output of the commands: every file name and input can be printed."""

import click

from finance_api.values.text import shown


def say(text: str, *, err: bool = False) -> None:
    """Prints one line to standard output, or to standard error."""
    click.echo(shown(text), err=err)
