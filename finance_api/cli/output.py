"""Output of the commands: lines, and lists as plain tables or JSON.

Unprintable characters are escaped, so that any file name and input can be printed.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import click

from finance_api.values.text import shown
from finance_api.values.time import instant_text


def say(text: str, *, err: bool = False) -> None:
    """Print one line to standard output, or to standard error."""
    click.echo(shown(text), err=err)


json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print an array of JSON objects."
)

json_report_option = click.option(
    "--json", "as_json", is_flag=True, help="Report as one JSON object."
)

JsonObject = dict[str, Any]


def show_list(
    rows: Sequence[JsonObject],
    headings: Sequence[str],
    *,
    as_json: bool,
    cells: Mapping[str, Callable[[Any], str]] = MappingProxyType({}),
) -> None:
    """Print the rows as JSON, or as a table with a column for each member.

    headings: the headings of the members, in their order. cells: for some members, functions that
    write their values in the table.
    """
    if as_json:
        click.echo(json.dumps(rows))
        return
    lines = [[shown(cells.get(name, _text)(value)) for name, value in row.items()] for row in rows]
    widths = [max(map(len, column)) for column in zip(headings, *lines, strict=True)]
    for line in (headings, *lines):
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(padded).rstrip())


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        value = ", ".join(value)
    return "-" if value in (None, "") else str(value)


def instant(seconds: int | None) -> str | None:
    """Return an ISO 8601 date-time, in UTC."""
    return None if seconds is None else instant_text(seconds)
