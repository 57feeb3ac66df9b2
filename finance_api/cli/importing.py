"""finance-api import"""

import json
import os
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

import click
from click.core import ParameterSource

from finance_api.cli.book_programs import printed_book
from finance_api.cli.context import CliContext, get_user, pass_cli_context
from finance_api.cli.import_texts import PLACEHOLDERS, effect_texts, refusal_text, text
from finance_api.cli.input_files import STANDARD_INPUT, expanded, move_done, opened, path_of
from finance_api.cli.output import json_report_option, say
from finance_api.cli.waiting_books import forget_waiting
from finance_api.importers.answers import Answers, parse_answers, questions_json
from finance_api.importers.formats import FORMAT_NAMES
from finance_api.importers.interface import Choice, Command, ImportRefused, currency_code
from finance_api.importers.options import FILE_OPTIONS, FileOption, OptionKind, add_to_map, without
from finance_api.importers.options import words as option_words
from finance_api.ledger.orders import ImportOrder, ImportReport, make_order
from finance_api.ledger.trying import import_answered
from finance_api.resources import RECORDS
from finance_api.runtime.limited_process import LimitedProcess, LimitExceeded, Limits, ProcessDied
from finance_api.runtime.settings import Settings
from finance_api.serialization.values import text_writer
from finance_api.storage.errors import StorageError
from finance_api.storage.interface import StorageBackend, open_backend
from finance_api.values.number import decimal_text
from finance_api.values.text import normal_email, shown


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
        declared.flag,
        *declared.aliases,
        declared.name,
        metavar=declared.metavar,
        help=declared.help,
        **more,
    )


def file_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for declared in reversed(FILE_OPTIONS):
        command = _option(declared)(command)
    return command


#: For each limit: its lowest value, and how its help describes files beyond the limit.
_LIMITS = {
    "memory_mb": (128, "more memory"),
    "cpu_seconds": (1, "more processor time"),
    "seconds": (1, "longer"),
}


def _limit_options(command: Callable[..., None]) -> Callable[..., None]:
    for name, (least, more) in reversed(_LIMITS.items()):
        command = click.option(
            f"--max-{name.replace('_', '-')}",
            name,
            type=click.IntRange(min=least),
            help=f"Refuse a file that takes {more} to read. Default: no limit.",
        )(command)
    return command


@click.command("import", epilog="Example: finance-api import me@example.com statement.ofx")
@click.argument("email")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(FORMAT_NAMES),
    help="Default: detected from the file.",
)
@click.option("--dry-run", is_flag=True, help="Check the files and report; nothing is changed.")
@json_report_option
@click.option(
    "--move-done",
    "done",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, writable=True, path_type=Path),
    help="Move imported files to DIR. FILE may then be a folder; refused files stay there.",
)
@click.option(
    "--answers",
    "answers_file",
    metavar="FILE",
    type=click.File("rb"),
    help="Answers to the questions that --json shows; - for standard input. For a single FILE.",
)
@_limit_options
@file_options
@pass_cli_context
def import_command(
    cli: CliContext,
    /,
    email: str,
    files: tuple[str, ...],
    format_name: str | None,
    dry_run: bool,
    as_json: bool,
    done: Path | None,
    answers_file: BinaryIO | None,
    **given: Any,
) -> None:
    """Import files into a user's data; FILE may be - for standard input.

    Each file is imported completely or not at all. The first file that is refused ends the command;
    files before it stay imported. With --move-done the remaining files are still imported.
    """
    limits = Limits(**{name: given.pop(name) for name in _LIMITS})
    cli.require_persistence()
    _check_currency(given["currency"])
    answers = None if answers_file is None else _answers_text(answers_file, files, done)
    reports: list[dict[str, Any]] = []
    total = Counter(ImportReport().counts)
    failure: Exception | None = None
    chosen = _files_to_import(files, done, cli.clock.now(), dry_run=dry_run)
    for file in chosen:
        try:
            before = None if done is None else os.stat(file)
            how = {"given": given, "format_name": format_name, "dry_run": dry_run}
            how |= _place_of(file) if given["follow"] and done is None else {}
            report = _import_one(cli, normal_email(email), file, limits, answers, **how)
            if done is not None and before is not None:
                move_done(file, done, before)
        except (ImportRefused, StorageError, OSError) as error:
            if failure is not None and not as_json:
                say(f"finance-api: {failure}", err=True)
            failure = error
            if done is None or not isinstance(error, ImportRefused):
                break
            continue
        if given["follow"] and not dry_run:
            with cli.reading() as storage:
                user = get_user(storage, email)
            forget_waiting(cli, user, report.details["book"])
        total.update(report.counts)
        remarks = [text(remark) for remark in report.remarks]
        reports.append({"file": file, **report.as_json(), "remarks": remarks})
        if not dry_run:
            cli.done.append(f"{file} is imported")
        if not as_json:
            say_report(file, report, dry_run=dry_run)
    if as_json:
        fault = {} if failure is None else {"error": _error(failure)}
        say(json.dumps({**total, "files": reports, **fault}))
    elif failure is not None and len(chosen) > 1:
        say(f"imported before: {', '.join(a['file'] for a in reports) or 'none'}", err=True)
    if failure is not None:
        raise failure


def _files_to_import(
    files: tuple[str, ...], done: Path | None, now: int, *, dry_run: bool
) -> list[str]:
    """Return the files to import. done: the folder of --move-done."""
    if done is None:
        return list(files)
    if dry_run or STANDARD_INPUT in files:
        raise click.UsageError("--move-done needs files, and cannot be combined with --dry-run")
    return expanded(files, done, now)


def _answers_text(answers: BinaryIO, files: Sequence[str], done: Path | None) -> bytes:
    if len(files) > 1 or done is not None:
        raise click.UsageError("--answers needs a single FILE, without --move-done")
    if files[0] == STANDARD_INPUT == answers.name.replace("<stdin>", STANDARD_INPUT):
        raise click.UsageError("the file and its answers cannot both be standard input")
    return answers.read()


def _place_of(file: str) -> dict[str, Any]:
    """Return where a followed file is looked for again. Raises ImportRefused."""
    if file == STANDARD_INPUT or not os.path.isfile(file):
        return {}
    path = os.path.abspath(file)
    try:
        path.encode()
    except UnicodeEncodeError:
        raise ImportRefused(
            f"the file cannot be followed, because its path is not UTF-8: rename {shown(path)}"
        ) from None
    return {"path": path, "changed_at": int(os.stat(file).st_mtime)}


def _import_one(
    cli: CliContext, email: str, file: str, limits: Limits, answers: bytes | None, **how: Any
) -> ImportReport:
    how["name"] = "standard input" if file == STANDARD_INPUT else shown(os.path.basename(file))
    how |= {"email": email, "now": cli.clock.now()}
    try:
        how["answers"] = None if answers is None else parse_answers(answers)
        if limits == Limits():
            return _import(cli.settings, cli.backend, file, **how)
        with path_of(file) as path:
            process = LimitedProcess(limits, _import_in_child, cli.settings, path, how)
            report: ImportReport = process.result()
            return report
    except (ImportRefused, LimitExceeded, ProcessDied) as error:
        refused = error if isinstance(error, ImportRefused) else _ended(error)
        refused.file, refused.written = file, refusal_text(refused)
        if answers is None:
            context = click.get_current_context()
            refused.commands = commands_to_copy(context, email, file, refused.answers)
        raise refused from None


def _ended(error: LimitExceeded | ProcessDied) -> ImportRefused:
    if isinstance(error, LimitExceeded):
        return ImportRefused(
            f"reading it takes {error}: raise that limit, or import a shorter period"
        )
    return ImportRefused(
        f"the process that read it ended unexpectedly ({error}); the file may be damaged"
    )


def _import_in_child(settings: Settings, path: str, how: Mapping[str, Any]) -> ImportReport:
    """Run `_import` in another process, which opens the storage itself."""
    backend = open_backend(settings)
    try:
        return _import(settings, backend, path, **how)
    finally:
        backend.close()


def _import(
    settings: Settings,
    backend: StorageBackend,
    file: str,
    *,
    given: Mapping[str, Any],
    answers: Answers | None,
    format_name: str | None,
    **how: Any,
) -> ImportReport:
    with printed_book(file, format_name) as path, opened(path) as stream:
        if path != file:
            # 'finance-api follow' runs no program, so it does not look at such a book.
            how["path"] = None

        def make(options: Mapping[str, Any]) -> ImportOrder:
            return make_order(stream, options, settings, format_name, **how)

        return import_answered(backend, stream, make, given, answers)


def _check_currency(text: str | None) -> None:
    try:
        if text is not None:
            currency_code(text)
    except ImportRefused as error:
        raise click.BadParameter(str(error), param_hint="--currency") from None


def _error(failure: Exception) -> dict[str, Any]:
    if isinstance(failure, ImportRefused):
        place = {"file": failure.file, "line": failure.line}
        commands = [command._asdict() for command in failure.commands]
        open_questions = questions_json(failure)
        return {**place, "message": failure.reason, "commands": commands, **open_questions}
    return {"file": None, "line": None, "message": str(failure), "commands": []}


#: At most this many updates and this many matches are printed; --json has more.
_MOST_PRINTED = 20


def say_report(file: str, report: ImportReport, *, dry_run: bool) -> None:
    say(f"{file}: {_sentence(report)}{' (dry run)' if dry_run else ''}")
    for total in report.totals:
        say(
            f"  {total.account}: {decimal_text(total.money_in)} in, "
            f"{decimal_text(-total.money_out)} out, balance {decimal_text(total.balance)} "
            f"{total.currency}"
        )
    for update in report.updates[:_MOST_PRINTED]:
        changes = ", ".join(
            f"{name} {_value(name, value)} -> {_value(name, update.after[name])}"
            for name, value in update.before.items()
        )
        say(f"  line {update.line} updates {update.id}: {changes}")
    for match in report.matches[:_MOST_PRINTED]:
        sides = (
            ", ".join(_value(n, v) for n, v in side.items() if v is not None)
            for side in (match.before, match.after)
        )
        say(f"  line {match.line} matches {match.id}: {' = '.join(sides)}")
    listed = min(len(report.updates), _MOST_PRINTED) + min(len(report.matches), _MOST_PRINTED)
    if report.updated + report.matched > listed and report.updates + report.matches:
        say(f"  and {report.updated + report.matched - listed} more updates and matches")
    for remark in report.remarks:
        say(f"  {text(remark)}")


def _value(name: str, value: Any) -> str:
    """Return a record's value as readable text."""
    if value is None:
        return "none"
    field = RECORDS.get_field(name)
    return repr(value) if field is None else text_writer(field)(value)


def _sentence(report: ImportReport) -> str:
    parts = [
        f"{report.created} created",
        f"{report.updated} updated",
        f"{report.unchanged} unchanged",
    ]
    if report.matched:
        parts.append(f"{report.matched} matched")
    if report.removed:
        parts.append(f"{report.removed} removed")
    if report.skipped:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(report.skipped.items()))
        parts.append(f"{report.skipped.total()} skipped ({kinds})")
    return ", ".join(parts)


def commands_to_copy(
    context: click.Context,
    email: str,
    file: str,
    answers: Iterable[Sequence[Choice]],
    remembered: Mapping[str, Any] = MappingProxyType({}),
) -> list[Command]:
    """Return the given command for this file, once for each answer, with the answer's options.

    remembered: options that hold although they were not given.
    """
    words = ["finance-api"]
    if context.parent is not None:
        words += _given(context.parent, ())
    # A name that begins with a hyphen would be read as an option; "-" is standard input.
    words += ["import", email, f"./{file}" if len(file) > 1 and file[0] == "-" else file]
    words += option_words(remembered)
    as_given = [*words, *_given(context, ())]
    answers = list(answers)
    effects = effect_texts([each.effect for choices in answers for each in choices[:1]])
    found = [
        (
            [
                *words,
                *_given(context, choices),
                *(word for each in choices for word in choice_words(each)),
            ],
            ", ".join(text(choice.meaning) for choice in choices if choice.meaning) + effect,
        )
        for choices, effect in zip(answers, effects, strict=True)
    ]
    return [Command(shlex.join(line), meaning) for line, meaning in found if line != as_given]


def choice_words(choice: Choice) -> list[str]:
    """Return the words that a choice adds to a command line."""
    return option_words({**choice.changes, **{name: PLACEHOLDERS[name] for name in choice.needs}})


def _given(context: click.Context, choices: Sequence[Choice]) -> list[str]:
    """Return the options of the command line, as words, except the ones that choices replace."""
    words: list[str] = []
    for parameter in context.command.params:
        name = parameter.name or ""
        if (
            not isinstance(parameter, click.Option)
            or context.get_parameter_source(name) is not ParameterSource.COMMANDLINE
        ):
            continue
        value = context.params[name]
        if name in _FILE_OPTIONS:
            left = {name: value}
            for choice in choices:
                left = without(left, choice.changes)
            words += option_words(left)
        elif parameter.is_flag:
            words.append(parameter.opts[-1])
        else:
            for part in value if parameter.multiple else (value,):
                words += [parameter.opts[-1], str(part)]
    return words


_FILE_OPTIONS = {option.name for option in FILE_OPTIONS}
