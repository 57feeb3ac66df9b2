"""Lists, as plain tables or JSON."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from finance_api.values.text import shown
from finance_api.values.time import instant_text

json_option = click.option("--json", "as_json", is_flag=True, help="As an array of JSON objects.")

JsonObject = dict[str, Any]


def show_list(
    rows: Sequence[JsonObject],
    columns: Mapping[str, str | Callable[[JsonObject], str]],
    *,
    as_json: bool,
) -> None:
    """columns: heading -> a member of the rows (null as a dash), or a function of a row.

    as_json: the rows themselves are printed.
    """
    if as_json:
        click.echo(json.dumps(rows))
        return
    cells = [
        [shown(row[c] or "-" if isinstance(c, str) else c(row)) for c in columns.values()]
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    for line in (list(columns), *cells):
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(padded).rstrip())


def instant(seconds: int | None) -> str | None:
    """An ISO 8601 date-time, in UTC."""
    return None if seconds is None else instant_text(seconds)
