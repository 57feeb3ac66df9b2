"""The form for options that a file leaves open, made from the file options and the refusal.

Messages name command-line options; the pages replace these with the labels of the form.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from finance_api.importers.csv.columns import FIELDS, JOINED
from finance_api.importers.formats import format_named
from finance_api.importers.options import (
    FILE_OPTIONS,
    FileOption,
    OptionKind,
    answered,
    option_named,
)
from finance_api.importers.questions import CODE, NAME
from finance_api.storage.interface import Upload

#: Never filled in, even if a refusal proposes a value: it is too easy to confirm a wrong one.
_NEVER_FILLED = frozenset({"account", "currency", "date_format"})
_LONGEST = 500
#: Options whose value can be a blank.
_MAY_BE_BLANK = frozenset({"thousands", "label_separator", "delimiter"})
#: (Option, placeholder) in answers, for a value that only the person knows -> key of the option.
_PLACEHOLDERS = {("--account", NAME): "account", ("--currency", CODE): "currency"}

_SUGGESTED = {
    "date_format": ("DD/MM/YYYY", "MM/DD/YYYY", "YYYY-MM-DD", "DD.MM.YYYY", "DD-MM-YYYY"),
    "encoding": ("utf-8", "cp1252", "iso-8859-1", "utf-16"),
    "delimiter": (",", ";", "tab", "|"),
    "currency": ("EUR", "USD", "GBP", "CHF", "SEK", "PLN", "CZK"),
}
#: The options of each group; the last group has the rest.
_GROUPS = {
    "Account": "account currency new_account",
    "Columns": "columns debit credit sign balance fee fee_category ignore no_text",
    "Dates and amounts": "date_format timezone decimal thousands units positive mixed_signs invert",
    "Layout of the file": "profile no_profile sheet delimiter encoding force_encoding no_header "
    "skip_rows skip_last only leave_out label_separator",
    "Records already stored": "",
}
_TITLES = {name: title for title, names in _GROUPS.items() for name in names.split()}


@dataclass(frozen=True)
class FormField:
    """A control. kind: see `import_options.jinja2`.

    values: its current values; choices: (value, label). syntax: how to write a value.
    """

    key: str
    label: str
    kind: str
    help: str = ""
    syntax: str = ""
    values: tuple[str, ...] = ()
    choices: tuple[tuple[str, str], ...] = ()
    suggested: tuple[str, ...] = ()


@dataclass(frozen=True)
class FormQuestion:
    """answers: dicts with meaning and text, to choose from. fields: for other missing values."""

    number: int
    reason: str
    line: int | None
    answers: list[dict[str, str]]
    fields: list[FormField]


@dataclass(frozen=True)
class FormGroup:
    """is_open: whether its fields are shown at first."""

    title: str
    fields: list[FormField]
    is_open: bool


@dataclass(frozen=True)
class UploadForm:
    """sentence: the refusal, if the questions do not say all of it. others: the format's other
    fields. is_asked: whether the questions ask for a value in this form.
    """

    sentence: str | None
    questions: list[FormQuestion]
    others: list[FormGroup]
    is_asked: bool


def upload_form(upload: Upload, accounts: Sequence[str], profiles: Sequence[str]) -> UploadForm:
    """accounts, profiles: all names to choose from."""
    outcome, given = upload.outcome, dict(upload.options)
    asked: list[tuple[dict[str, Any], list[str]]] = []
    for question in outcome.get("questions", ()):
        keys: list[str] = []
        for answer in question["answers"]:
            words, placeholders = _divided(answer["words"])
            # A new account needs a currency.
            keys += [*placeholders, *(["currency"] if "account" in placeholders else [])]
            if len(question["answers"]) == 1:
                proposed = answered({}, words)
                keys += _keys(proposed)
                given = _filled(answered(given, (), answer["instead_of"]), proposed)
        asked.append((question, keys))
    name = outcome.get("format")
    known = format_named(name).options if name else ()
    fields = {
        each.key: each
        for option in FILE_OPTIONS
        if option.name in known
        for each in _fields(option, given, outcome, accounts, profiles)
    }
    questions = [
        FormQuestion(
            number,
            in_labels(question["reason"]),
            question["line"],
            _choices(question["answers"]),
            [fields.pop(key) for key in dict.fromkeys(keys) if key in fields],
        )
        for number, (question, keys) in enumerate(asked)
    ]
    is_asked = any(question.answers or question.fields for question in questions)
    reason = in_labels(outcome.get("reason", ""))
    joined = "; and ".join(question.reason for question in questions)
    sentence = None if is_asked and len(reason) <= len(joined) else reason
    return UploadForm(sentence, questions, _grouped(fields.values()), is_asked=is_asked)


def _choices(answers: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The answers to choose from; none if there is only one."""
    return [
        {
            "meaning": in_labels(answer["meaning"]),
            "text": answer_in_labels(answer["words"], answer["instead_of"]),
        }
        for answer in answers
        if len(answers) > 1
    ]


def _grouped(fields: Iterable[FormField]) -> list[FormGroup]:
    *_, last = _GROUPS
    groups: dict[str, list[FormField]] = {title: [] for title in _GROUPS}
    for each in fields:
        groups[_TITLES.get(each.key.partition("-")[0], last)].append(each)
    shown = [(title, members) for title, members in groups.items() if members]
    return [
        FormGroup(title, members, number == 0 or any(any(each.values) for each in members))
        for number, (title, members) in enumerate(shown)
    ]


def _divided(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return an answer's words without placeholders, and the options of the placeholders."""
    kept: list[str] = []
    names: list[str] = []
    for word in words:
        if kept and (kept[-1], word) in _PLACEHOLDERS:
            names.append(_PLACEHOLDERS[kept.pop(), word])
        else:
            kept.append(word)
    return kept, names


def given_in(upload: Upload, form: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options in a form that was sent. form: all values of each name.

    Raises ValueError for text in place of a number.
    """
    given: dict[str, Any] = {}
    for option in FILE_OPTIONS:
        if option.kind is OptionKind.MAP:
            known = upload.options.get(option.name, {}) | _proposed(upload).get(option.name, {})
            left_out = {name: texts for name, texts in known.items() if not any(texts)}
            columns = {name: _texts(form, f"{option.name}-{name}") for name in FIELDS}
            chosen = {name: texts for name, texts in columns.items() if texts}
            given[option.name] = left_out | chosen
            continue
        texts = _texts(form, option.name, strip=option.name not in _MAY_BE_BLANK)
        if option.name == "account":
            texts = _texts(form, "new-account-name") or texts
        if not texts:
            continue
        if option.kind is OptionKind.LIST:
            given[option.name] = [line for text in texts for line in text.splitlines() if line]
        elif option.kind is OptionKind.NUMBER:
            given[option.name] = _number(option, texts[0])
        else:
            given[option.name] = option.kind is OptionKind.FLAG or texts[0]
    for number, question in enumerate(upload.outcome.get("questions", ())):
        numbers = _texts(form, f"answer-{number}")
        if numbers and numbers[0] in map(str, range(len(question["answers"]))):
            answer = question["answers"][int(numbers[0])]
            words, _ = _divided(answer["words"])
            given = answered(given, words, answer["instead_of"])
    return {name: value for name, value in given.items() if value not in ("", {}, [])}


def _proposed(upload: Upload) -> dict[str, Any]:
    """The options from questions with only one answer."""
    found: dict[str, Any] = {}
    for question in upload.outcome.get("questions", ()):
        if len(question["answers"]) == 1:
            found = answered(found, _divided(question["answers"][0]["words"])[0])
    return found


def _number(option: FileOption, text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 6:
        raise ValueError(f"{option.label}: {text} is not a whole number.")
    if option.most is not None and int(text) > option.most:
        raise ValueError(f"{option.label}: {text} is more than {option.most}.")
    return int(text)


def _texts(form: Mapping[str, Any], name: str, *, strip: bool = True) -> list[str]:
    texts = (str(each)[:_LONGEST] for each in form.get(name, ()))
    return [found for text in texts if (found := text.strip() if strip else text)]


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _keys(given: Mapping[str, Any]) -> list[str]:
    """The keys of the fields for options."""
    keys = []
    for name, value in given.items():
        columns = option_named(name).kind is OptionKind.MAP
        keys += [f"{name}-{each}" for each in value] if columns else [name]
    return keys


def _filled(given: dict[str, Any], proposed: Mapping[str, Any]) -> dict[str, Any]:
    for name, value in proposed.items():
        option = option_named(name)
        if option.kind is OptionKind.MAP:
            given[name] = {**given.get(name, {}), **value}
        elif option.kind is not OptionKind.CHOICE and name not in _NEVER_FILLED:
            given.setdefault(name, value)
    return given


def _fields(
    option: FileOption,
    given: Mapping[str, Any],
    outcome: Mapping[str, Any],
    accounts: Sequence[str],
    profiles: Sequence[str],
) -> Iterable[FormField]:
    value = given.get(option.name)
    values = tuple(map(str, value)) if isinstance(value, list | tuple) else (_text(value),)
    headings = outcome.get("headings") or ()
    kind = option.kind.name.lower()
    choices: Iterable[tuple[str, str]] = CHOICES.get(option.name, {}).items()
    if option.kind is OptionKind.MAP:
        for name, label in COLUMNS.items():
            columns = tuple((value or {}).get(name, ()))
            more = ("",) if name in JOINED or not columns else ()
            yield FormField(
                key=f"{option.name}-{name}",
                label=label,
                kind="column",
                values=(*columns, *more),
                choices=_with_given(headings, columns),
            )
        return
    if option.name == "account":
        kind, choices = "account", _with_given(accounts, values)
    elif option.name == "profile":
        kind, choices = "choice", _with_given(profiles, values)
    elif option.kind is OptionKind.COLUMN:
        choices = _with_given(headings, values)
    yield FormField(
        key=option.name,
        label=option.label,
        kind=kind,
        help=_help(option),
        syntax=option.metavar if option.metavar and "=" in option.metavar else "",
        values=values,
        choices=tuple(choices),
        suggested=_SUGGESTED.get(option.name, ()),
    )


def _help(option: FileOption) -> str:
    """Return the option's help text, without the formats that have the option."""
    before, colon, rest = option.help.partition(": ")
    text = rest if colon and before in ("CSV", "CSV, QIF", "Spreadsheets") else option.help
    return in_labels(f"{text[:1].upper()}{text[1:]}")


def _with_given(known: Iterable[str], given: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return choices of texts; empty if no text is known, so that the person can type one."""
    names = dict.fromkeys(known)
    if names:
        names |= dict.fromkeys(text for text in given if text)
    return tuple((name, name) for name in names)


#: Labels of choices, by option.
CHOICES = {
    "ids": {
        "stable": "Stable: an id is always one transaction",
        "reused": "Reused: an id can be another transaction later",
    },
    "first_day": {"same": "The same transactions", "new": "Other transactions"},
    "decimal": {".": "Point (1,234.50)", ",": "Comma (1.234,50)"},
    "mixed_signs": {
        "plus": "Positive: as the column says; negative: the opposite",
        "minus": "Negative: as the column says; positive: the opposite",
        "ignore": "Nothing: only the column counts",
    },
    "units": {"major": "Whole units", "minor": "Hundredths, such as cents"},
    "positive": {"in": "Money coming in", "out": "Money going out"},
}
#: Labels of the columns of fields.
COLUMNS = {
    "recordDate": "Date column",
    "amount": "Amount column",
    "payee": "Payee column",
    "note": "Note column",
    "category": "Category column",
    "labels": "Labels column",
    "id": "Bank id column",
    "account": "Account column",
    "accountNumber": "Account number column",
    "currency": "Currency column",
    "paymentType": "Payment type column",
    "valueDate": "Value date column",
    "counterpartyAccount": "Other account column",
    "reference": "Reference column",
    "originalAmount": "Original amount column",
    "originalCurrencyCode": "Original currency column",
}
#: Words of a command line -> their label on the pages.
_LABELS = {
    **{option.flag: option.label for option in FILE_OPTIONS},
    **{
        f"{option.flag} {choice}": f"{option.label}: {label}"
        for option in FILE_OPTIONS
        for choice, label in CHOICES.get(option.name, {}).items()
    },
    **{f"--map {field}": label for field, label in COLUMNS.items()},
    "--with-later": "Undo later changes as well",
    "--keep-changed": "Keep later manual edits",
    "'finance-api transfers find'": "Transfers",
}
#: After ``=`` comes a column, or nothing if the field has none. Quoted words are from the file.
_WORDS = re.compile(
    f"(?P<words>{'|'.join(map(re.escape, sorted(_LABELS, key=len, reverse=True)))})"
    r"(?![\w-])(?:=…|(?P<none>=)(?=[\s),;]|$)|(?P<column>=)"
    rf"| (?:{NAME}|{CODE}|N|…)(?![\w=]))?"
    r"|(?<!\w)'[^']*'(?!\w)"
)


def in_labels(message: str) -> str:
    """A message of an importer, with the labels of the form in place of options."""
    return _WORDS.sub(_label, message)


def answer_in_labels(words: Sequence[str], instead_of: Sequence[str]) -> str:
    """The text of an answer in the form."""
    if not words:
        return f"without {in_labels(', '.join(instead_of))}"
    return in_labels(" ".join(words).replace(" --", ", --"))


def _label(match: re.Match[str]) -> str:
    if match["words"] is None:
        return match[0]
    label = f"“{_LABELS[match['words']]}”"
    if match["none"]:
        return f"no {label}"
    return f"{label} " if match["column"] else label
