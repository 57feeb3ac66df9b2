"""The options of ``finance-api import`` for CSV files, and the command lines that a file needs."""

import shlex
from collections.abc import Callable, Iterable
from typing import Any

import click
from click.core import ParameterSource

from finance_api.importers.interface import Answer, Command


def _column_map(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, tuple[str, ...]]:
    columns: dict[str, tuple[str, ...]] = {}
    for value in values:
        field, equals, column = value.partition("=")
        if not equals:
            raise click.BadParameter(f"{value!r} is not FIELD=COLUMN")
        columns[field.strip()] = (*columns.get(field.strip(), ()), column)
    return columns


_OPTIONS = (
    click.option("--profile", metavar="NAME", help="CSV: the profile of the file's layout."),
    click.option(
        "--no-profile", is_flag=True, help="CSV: no profile, though the headings fit one."
    ),
    click.option(
        "--map",
        "columns",
        multiple=True,
        callback=_column_map,
        metavar="FIELD=COLUMN",
        help="CSV: the column of a field, by heading or number; may be given several times.",
    ),
    click.option("--delimiter", help="CSV: what separates cells; a character, or tab."),
    click.option("--decimal", type=click.Choice([".", ","]), help="CSV, QIF: the decimal sign."),
    click.option("--thousands", help="CSV, QIF: what groups the digits."),
    click.option("--date-format", help="CSV, QIF: such as %d/%m/%Y or DD/MM/YYYY."),
    click.option(
        "--timezone", metavar="ZONE", help="CSV: whose days and times are meant, for UTC."
    ),
    click.option("--encoding", help="CSV, QIF: such as cp1252; default UTF-8."),
    click.option(
        "--force-encoding", is_flag=True, help="CSV, QIF: --encoding, though it is UTF-8."
    ),
    click.option("--debit", metavar="COL", help="CSV: the column of money going out."),
    click.option("--credit", metavar="COL", help="CSV: the column of money coming in."),
    click.option(
        "--mixed-signs",
        type=click.Choice(["plus", "minus", "ignore"]),
        help="CSV: what the sign means in a debit or credit column that has both.",
    ),
    click.option(
        "--sign",
        metavar="COL[=OUT,…]",
        help="CSV: the column that says which way money goes, and its words for out.",
    ),
    click.option(
        "--positive",
        type=click.Choice(["in", "out"]),
        help="CSV: what a positive number of the amount column means.",
    ),
    click.option("--invert", is_flag=True, help="CSV: the same as --positive out."),
    click.option(
        "--only",
        multiple=True,
        metavar="COL=VALUE",
        help="CSV: which rows are money; may be given several times.",
    ),
    click.option("--balance", metavar="COL", help="CSV: the column of the balance after each row."),
    click.option(
        "--fee",
        multiple=True,
        metavar="COL=KIND",
        help="CSV: the column of fees, and whether its numbers are signed or unsigned.",
    ),
    click.option("--fee-category", metavar="NAME", help="CSV: of the records of fees."),
    click.option("--no-text", is_flag=True, help="CSV: records without payee and note are meant."),
    click.option(
        "--label-separator", metavar="CHARS", help="CSV: what separates labels; default ;"
    ),
    click.option(
        "--skip-rows", type=click.IntRange(0), default=0, help="CSV: lines before the headings."
    ),
    click.option(
        "--skip-last", type=click.IntRange(0), default=0, help="CSV: rows at the end to leave out."
    ),
    click.option("--no-header", is_flag=True, help="CSV: the first row is data, not headings."),
)


def csv_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def commands_to_copy(
    context: click.Context, email: str, file: str, answers: Iterable[Answer]
) -> list[Command]:
    """The command as it was given, for this file, with what it lacks: by each answer."""
    words = ["finance-api"]
    if context.parent is not None:
        words += _given(context.parent, ())
    words += ["import", email, file]
    as_given = [*words, *_given(context, ())]
    found = [
        ([*words, *_given(context, answer.instead_of), *answer.words], answer.meaning)
        for answer in answers
    ]
    return [Command(shlex.join(line), meaning) for line, meaning in found if line != as_given]


def _given(context: click.Context, left_out: Iterable[str]) -> list[str]:
    """The options of the command line, as words."""
    words: list[str] = []
    for parameter in context.command.params:
        name = parameter.name or ""
        option = parameter.opts[0] if len(parameter.opts) == 1 else parameter.opts[-1]
        if (
            not isinstance(parameter, click.Option)
            or context.get_parameter_source(name) is not ParameterSource.COMMANDLINE
            or option in left_out
        ):
            continue
        value = context.params[name]
        if parameter.is_flag:
            words.append(option)
        elif isinstance(value, dict):
            for field, columns in value.items():
                for column in columns if f"{option} {field}" not in left_out else ():
                    words += [option, f"{field}={column}"]
        else:
            for part in value if parameter.multiple else (value,):
                words += [option, str(part)] if f"{option} {part}" not in left_out else []
    return words
