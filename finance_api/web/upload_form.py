"""The form that asks what a file leaves open, made from the file options and the refusal."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from finance_api.importers.answers import effect_from_json
from finance_api.importers.formats import format_named
from finance_api.importers.interface import ImportRefused, currency_code
from finance_api.importers.options import (
    FILE_OPTIONS,
    FileOption,
    OptionKind,
    changed,
    option_named,
    without,
)
from finance_api.resources.currencies import mark_of
from finance_api.storage.interface import Upload
from finance_api.values.regions import Region
from finance_api.web.column_form import (
    COLUMN_OPTIONS,
    ROLES,
    ColumnField,
    column_fields,
    given_columns,
)
from finance_api.web.import_texts import PageWriter
from finance_api.web.option_labels import CHOICES, changes_in_labels
from finance_api.web.page import capital

#: Never filled in, even if a refusal proposes a value: wrong values are too easily confirmed.
_NEVER_FILLED = frozenset({"account", "currency", "date_format", "confirm_smaller"})
_LONGEST = 500
#: Options whose value can be a blank.
_MAY_BE_BLANK = frozenset({"thousands", "label_separator", "delimiter"})

_SUGGESTED = {
    "date_format": ("DD/MM/YYYY", "MM/DD/YYYY", "YYYY-MM-DD", "DD.MM.YYYY", "DD-MM-YYYY"),
    "encoding": ("utf-8", "cp1252", "iso-8859-1", "utf-16"),
    "delimiter": (",", ";", "tab", "|"),
    "currency": ("EUR", "USD", "GBP", "CHF", "SEK", "PLN", "CZK"),
}
#: Help texts used in place of the options' own, which are for the command line.
_HELP = {
    "currency": "EUR, €, Euro. Leave it empty if the file states it.",
    "into": "One per line, the account of the book and yours: Checking=Giro.",
    "follow": "What the book no longer has is removed here, too. What you changed here stays.",
    "confirm_smaller": "It is not an older copy: remove what it no longer has.",
    "only": "One per line, the column and its value: Status=completed.",
    "leave_out": "One per line, the column and its value: Status=pending.",
    "fill_down": "One per line: columns whose blank cells repeat the row above.",
    "encoding": "Choose cp1252 for most older files from Windows.",
    "force_encoding": "Use the encoding above even if the file is valid UTF-8.",
    "date_format": "Such as DD/MM/YYYY. If days have no year, add the file's first and last day: "
    "DD MMM 2026-01-01..2026-01-31.",
    "skip_rows": "How many lines come before the headings, or before the data.",
    "skip_last": "How many rows come after the data.",
}
#: The options of each group; the last group has the rest.
_GROUPS = {
    "Account": "account currency new_account into book",
    "Following the book": "follow confirm_smaller",
    "Dates and amounts": "date_format timezone decimal thousands units positive card_balance "
    "mixed_signs fee_category no_text",
    "Layout of the file": "profile no_profile sheet delimiter encoding force_encoding no_header "
    "skip_rows skip_last only leave_out fill_down label_separator",
    "Records already stored": "",
}
_TITLES = {name: title for title, names in _GROUPS.items() for name in names.split()}


@dataclass(frozen=True)
class FormField:
    """A control. kind: see `import_options.jinja2`. choices: pairs of value and label."""

    key: str
    label: str
    kind: str
    help: str = ""
    value: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    suggested: tuple[str, ...] = ()


@dataclass(frozen=True)
class FormQuestion:
    """A question about a file. fact: a sentence that says what is unclear. line: the number of the
    line in question. rows: that line or example lines as rows of a table, each with its number.
    text: the lines around it, each with its number. answers: texts to choose from, each with the
    values of its columns and what it does with each of the rows. chosen: the number of the chosen
    answer. fields: the controls for other missing values. has_columns: whether the question asks
    what the columns are.
    """

    number: int
    fact: str
    line: int | None
    rows: list[tuple[int, list[str]]]
    text: list[list[Any]]
    answers: list[dict[str, Any]]
    chosen: int | None
    fields: list[FormField]
    has_columns: bool

    @property
    def is_asked(self) -> bool:
        return bool(self.answers or self.fields or self.has_columns)


@dataclass(frozen=True)
class FormGroup:
    """A group of fields. is_open: whether the fields are shown at first."""

    title: str
    fields: list[FormField]
    is_open: bool


@dataclass(frozen=True)
class UploadForm:
    """The form. columns: the controls that say what each column of a table is. groups: the controls
    that belong to no question. is_asked: whether a question can be answered in this form.
    asks_columns: whether a question asks what the columns are. is_one_click: whether one choice is
    all that is asked.
    """

    questions: list[FormQuestion]
    columns: list[ColumnField]
    groups: list[FormGroup]

    @property
    def is_asked(self) -> bool:
        return any(question.is_asked for question in self.questions)

    @property
    def is_one_click(self) -> bool:
        asked = [question for question in self.questions if question.is_asked]
        return len(asked) == 1 and bool(asked[0].answers) and not asked[0].fields

    @property
    def asked(self) -> frozenset[str]:
        """The keys of the fields that are beside a question."""
        return frozenset(field.key for question in self.questions for field in question.fields)

    @property
    def asks_columns(self) -> bool:
        return any(question.has_columns for question in self.questions)


@dataclass(frozen=True)
class Given:
    """What a sent form says. options: values by option name, without the answers to questions.

    answers: number of a question -> number of the chosen answer. errors: sentences by the key of
    the field.
    """

    options: dict[str, Any]
    answers: dict[int, int] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    def answered(self, upload: Upload) -> dict[str, Any]:
        """Return the options, completed by the answers."""
        options = self.options
        for number, answer in self.answers.items():
            chosen = upload.outcome["questions"][number]["choices"][answer]
            options = changed(options, chosen["changes"])
        return {name: value for name, value in options.items() if value not in ("", {}, [])}


def can_be_read(upload: Upload) -> bool:
    """Whether an option could help to read the upload."""
    name = upload.outcome.get("format")
    return name is not None and bool(format_named(name).options)


def upload_form(
    upload: Upload,
    accounts: Sequence[str],
    profiles: Sequence[str],
    region: Region,
    given: Given | None = None,
) -> UploadForm:
    """Make the form for an upload. accounts, profiles: all names to choose from. region: how
    numbers and days are written.

    given: a form that was sent with errors, to show it again.
    """
    outcome, writer = upload.outcome, PageWriter(region)
    options = dict(upload.options) if given is None else dict(given.options)
    asked: list[tuple[dict[str, Any], list[str]]] = []
    for question in outcome.get("questions", ()):
        keys = list(question["needs"])
        for choice in question["choices"]:
            # A new account needs a currency.
            keys += [*choice["needs"], *(["currency"] if "account" in choice["needs"] else [])]
            if len(question["choices"]) == 1:
                keys += choice["changes"]
                if given is None:
                    options = _filled(options, choice["changes"])
        asked.append((question, keys))
    name = outcome.get("format")
    known = format_named(name).options if name else ()
    fields = {
        option.name: _field(option, options, accounts, profiles, given)
        for option in FILE_OPTIONS
        if option.name in known and option.name not in COLUMN_OPTIONS and option.name != "invert"
    }
    columns = column_fields(outcome.get("columns", ()), options)
    asks_columns = False
    questions = []
    for number, (question, keys) in enumerate(asked):
        has_columns = (
            bool(columns) and not asks_columns and not set(keys).isdisjoint(COLUMN_OPTIONS)
        )
        asks_columns |= has_columns
        choices = _choices(question, outcome.get("columns", ()), writer)
        questions.append(
            FormQuestion(
                number,
                f"{capital(question.get('sentence') or writer.of_json(question))}.",
                question["line"],
                _rows(question, choices),
                question["text"],
                choices,
                None if given is None else given.answers.get(number),
                [fields.pop(key) for key in dict.fromkeys(keys) if key in fields],
                has_columns,
            )
        )
    return UploadForm(questions, columns, _grouped(fields.values()))


def _rows(
    question: Mapping[str, Any], choices: Sequence[Mapping[str, Any]]
) -> list[tuple[int, list[str]]]:
    """Return the rows of a table on which the choices differ, or else the row in question."""
    examples = question["rows"] if any(choice["effect"] for choice in choices) else ()
    rows = [(row["line"], row["cells"]) for row in examples if row["cells"]]
    return rows or ([(question["line"], question["row"])] if question["row"] else [])


def _choices(
    question: Mapping[str, Any], columns: Sequence[Mapping[str, Any]], writer: PageWriter
) -> list[dict[str, Any]]:
    """Return the answers to choose from, see `FormQuestion`; nothing if there is only one."""
    choices = question["choices"]
    if len(choices) < 2:
        return []
    lines = [row["line"] for row in question["rows"]]
    effects = writer.effects([effect_from_json(each["effect"]) for each in choices], lines)
    values = {column["name"]: " · ".join(column["values"]) for column in columns}
    found = []
    for choice, effect in zip(choices, effects, strict=True):
        parts = _column_parts(choice["changes"], values)
        text = ", ".join(f"{label}: {name}" for label, name in parts)
        meaning = (choice["meaning"] and writer.of_json(choice["meaning"])) or changes_in_labels(
            choice["changes"]
        )
        shown = [values[name] for _, name in parts if values.get(name)]
        answer = {"text": text or capital(meaning), "values": "; ".join(shown)}
        found.append({**answer, "effect": list(zip_longest(lines, effect))[: len(effect)]})
    return found


def _column_parts(changes: Mapping[str, Any], known: Container[str]) -> list[tuple[str, str]]:
    """Return the roles and columns in an answer; nothing if it changes anything else, or says more
    than a column. known: the names of the file's columns.
    """
    parts: list[tuple[str, str]] = []
    for option, value in changes.items():
        named = value if option == "columns" else {option: value}
        for role, columns in (named or {}).items():
            names = [columns] if isinstance(columns, str) else columns
            if names is None:
                continue
            is_role = option == "columns" or option in COLUMN_OPTIONS
            if role not in ROLES or not (is_role and all(name in known for name in names)):
                return []
            parts += [(ROLES[role], name) for name in names]
    return parts


def _grouped(fields: Iterable[FormField]) -> list[FormGroup]:
    *_, last = _GROUPS
    groups: dict[str, list[FormField]] = {title: [] for title in _GROUPS}
    for each in fields:
        groups[_TITLES.get(each.key.partition("-")[0], last)].append(each)
    shown = [(title, members) for title, members in groups.items() if members]
    return [
        FormGroup(title, members, number == 0 or any(each.value for each in members))
        for number, (title, members) in enumerate(shown)
    ]


def read_form(upload: Upload, form: Mapping[str, Any]) -> Given:
    """Return what a sent form says. form: the values of each field, by the field's name."""
    errors: dict[str, str] = {}
    columns = upload.outcome.get("columns", ())
    if columns and "column-0" in form:
        options, error = given_columns(columns, upload.options, form)
        if error is not None:
            errors["columns"] = error
        left_out = upload.options.get("columns", {}) | _proposed(upload).get("columns", {})
        nothing = {name: texts for name, texts in left_out.items() if not any(texts)}
        options["columns"] = nothing | options["columns"]
    else:
        options = {name: upload.options[name] for name in COLUMN_OPTIONS if name in upload.options}
    for option in FILE_OPTIONS:
        if option.name not in COLUMN_OPTIONS:
            texts = _texts(form, option.name, strip=option.name not in _MAY_BE_BLANK)
            if option.name == "account":
                texts = _texts(form, "new-account-name") or texts
            if option.name == "currency":
                texts = _texts(form, "currency-choice") or texts
            if texts:
                try:
                    options[option.name] = _value(option, texts)
                except ValueError as error_:
                    options[option.name] = texts[0]
                    errors[option.name] = str(error_)
    answers = {}
    for number, question in enumerate(upload.outcome.get("questions", ())):
        numbers = _texts(form, f"answer-{number}")
        if numbers and numbers[0] in map(str, range(len(question["choices"]))):
            answers[number] = int(numbers[0])
    return Given(options, answers, errors)


def _proposed(upload: Upload) -> dict[str, Any]:
    """Return the options that the questions with only one answer propose."""
    found: dict[str, Any] = {}
    for question in upload.outcome.get("questions", ()):
        if len(question["choices"]) == 1:
            found = changed(found, question["choices"][0]["changes"])
    return found


def _value(option: FileOption, texts: Sequence[str]) -> Any:
    """Return the value of an option. Raises ValueError with a sentence."""
    if option.kind is OptionKind.LIST:
        return [line for text in texts for line in text.splitlines() if line]
    if option.kind is OptionKind.NUMBER:
        return _number(option, texts[0])
    if option.name == "currency":
        try:
            return currency_code(texts[0])
        except ImportRefused as refused:
            mark = mark_of(texts[0])
            if mark is not None and mark.possible:
                raise ValueError(f"{texts[0]} can be several currencies; choose one.") from None
            raise ValueError(f"{capital(refused.reason)}.") from None
    return option.kind is OptionKind.FLAG or texts[0]


def _number(option: FileOption, text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 6:
        raise ValueError(f"{option.label}: {text} is not a whole number.")
    if option.most is not None and int(text) > option.most:
        raise ValueError(f"{option.label}: {text} is more than {option.most}.")
    return int(text)


def _texts(form: Mapping[str, Any], name: str, *, strip: bool = True) -> list[str]:
    texts = (str(each)[:_LONGEST] for each in form.get(name, ()))
    return [found for text in texts if (found := text.strip() if strip else text)]


def _filled(given: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with an answer's changes that people see before they send them."""
    certain = {
        name: value
        for name, value in changes.items()
        if option_named(name).kind is not OptionKind.CHOICE and name not in _NEVER_FILLED
    }
    return changed(without(given, changes), certain)


def _field(
    option: FileOption,
    options: Mapping[str, Any],
    accounts: Sequence[str],
    profiles: Sequence[str],
    given: Given | None,
) -> FormField:
    value = options.get(option.name)
    text = "\n".join(value) if isinstance(value, list | tuple) else _text(value)
    kind = option.kind.name.lower()
    choices: Iterable[tuple[str, str]] = CHOICES.get(option.name, {}).items()
    if option.name == "account":
        kind, choices = "account", _with_given(accounts, text)
    elif option.name == "profile":
        kind, choices = "choice", _with_given(profiles, text)
    elif option.name == "currency" and given is not None and "currency" in given.errors:
        mark = mark_of(text)
        choices = ((code, code) for code in (mark.possible if mark is not None else ()))
    return FormField(
        key=option.name,
        label=option.label,
        kind=kind,
        help=_help(option),
        value=text,
        choices=tuple(choices),
        suggested=_SUGGESTED.get(option.name, ()),
    )


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _help(option: FileOption) -> str:
    """Return the option's help text, without the names of the formats."""
    if option.name in _HELP:
        return _HELP[option.name]
    before, colon, rest = option.help.partition(": ")
    text = rest if colon and before in ("CSV", "CSV, QIF", "Spreadsheets") else option.help
    return capital(text)


def _with_given(known: Iterable[str], given: str) -> tuple[tuple[str, str], ...]:
    """Return the texts as choices; empty if no text is known, so that the person can type one."""
    names = dict.fromkeys(known)
    if names and given:
        names[given] = None
    return tuple((name, name) for name in names)
