"""The options of ``finance-api import`` about files, and the command lines that a file needs."""

import shlex
from collections.abc import Callable, Iterable
from typing import Any

import click
from click.core import ParameterSource

from finance_api.importers.interface import Answer, Command
from finance_api.importers.options import FILE_OPTIONS, FileOption, OptionKind, add_to_map


def _column_map(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, tuple[str, ...]]:
    columns: dict[str, tuple[str, ...]] = {}
    for value in values:
        try:
            columns = add_to_map(columns, value)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
    return columns


def _option(declared: FileOption) -> Callable[..., Any]:
    more: dict[str, Any] = {}
    match declared.kind:
        case OptionKind.FLAG:
            more = {"is_flag": True}
        case OptionKind.CHOICE:
            more = {"type": click.Choice(declared.choices)}
        case OptionKind.NUMBER:
            more = {"type": click.IntRange(0, declared.most)}
        case OptionKind.LIST:
            more = {"multiple": True}
        case OptionKind.MAP:
            more = {"multiple": True, "callback": _column_map}
    return click.option(
        declared.flag, declared.name, metavar=declared.metavar, help=declared.help, **more
    )


def file_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for declared in reversed(FILE_OPTIONS):
        command = _option(declared)(command)
    return command


def commands_to_copy(
    context: click.Context, email: str, file: str, answers: Iterable[Answer]
) -> list[Command]:
    """The command as it was given, for this file, with the options of each answer."""
    words = ["finance-api"]
    if context.parent is not None:
        words += _given(context.parent, ())
    # A name that begins with a hyphen would be an option; by itself it is standard input.
    words += ["import", email, f"./{file}" if len(file) > 1 and file[0] == "-" else file]
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
