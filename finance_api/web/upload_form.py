"""The form that asks what a file leaves open, made from the file options and the refusal."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from finance_api.importers.csv.layout import JOINED
from finance_api.importers.formats import format_named
from finance_api.importers.interface import CODE, NAME, ImportRefused, currency_code
from finance_api.importers.options import (
    FILE_OPTIONS,
    FileOption,
    OptionKind,
    answered,
    option_named,
)
from finance_api.resources.currencies import mark_of
from finance_api.storage.interface import Upload
from finance_api.web.column_form import (
    COLUMN_OPTIONS,
    ROLES,
    ColumnField,
    column_fields,
    given_columns,
)
from finance_api.web.option_labels import CHOICES, answer_in_labels, in_labels
from finance_api.web.page import capital

#: Never filled in, even if a refusal proposes a value: wrong values are too easily confirmed.
_NEVER_FILLED = frozenset({"account", "currency", "date_format"})
_LONGEST = 500
#: Options whose value can be a blank.
_MAY_BE_BLANK = frozenset({"thousands", "label_separator", "delimiter"})
#: (Option, placeholder) in an answer -> key of the option. Only the person knows such a value.
_PLACEHOLDERS = {("--account", NAME): "account", ("--currency", CODE): "currency"}

_SUGGESTED = {
    "date_format": ("DD/MM/YYYY", "MM/DD/YYYY", "YYYY-MM-DD", "DD.MM.YYYY", "DD-MM-YYYY"),
    "encoding": ("utf-8", "cp1252", "iso-8859-1", "utf-16"),
    "delimiter": (",", ";", "tab", "|"),
    "currency": ("EUR", "USD", "GBP", "CHF", "SEK", "PLN", "CZK"),
}
#: Help texts used in place of the options' own, which are for the command line.
_HELP = {
    "currency": "EUR, €, Euro. Leave it empty if the file states it.",
    "only": "One per line, the column and its value: Status=completed.",
    "leave_out": "One per line, the column and its value: Status=pending.",
    "encoding": "Choose cp1252 for most older files from Windows.",
    "force_encoding": "Use the encoding above even if the file is valid UTF-8.",
    "date_format": "Such as DD/MM/YYYY.",
}
#: The options of each group; the last group has the rest.
_GROUPS = {
    "Account": "account currency new_account",
    "Dates and amounts": "date_format timezone decimal thousands units positive card_balance "
    "mixed_signs fee_category no_text",
    "Layout of the file": "profile no_profile sheet delimiter encoding force_encoding no_header "
    "skip_rows skip_last only leave_out label_separator",
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
    line in question. row: that line as a row of a table, or None. text: the lines around it, each
    with its number. answers: texts to choose from, each with the values of its columns. chosen: the
    number of the chosen answer. fields: the controls for other missing values. has_columns: whether
    the question asks what the columns are.
    """

    number: int
    fact: str
    line: int | None
    row: list[str] | None
    text: list[list[Any]]
    answers: list[dict[str, str]]
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
    asks_columns: whether a question asks what the columns are.
    """

    questions: list[FormQuestion]
    columns: list[ColumnField]
    groups: list[FormGroup]

    @property
    def is_asked(self) -> bool:
        return any(question.is_asked for question in self.questions)

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
            chosen = upload.outcome["questions"][number]["answers"][answer]
            words, _ = _divided(chosen["words"])
            # An answer about a column replaces what was chosen for the same field.
            fields = [word.partition("=")[0] for word in _values_of("--map", words)]
            replaced = [f"--map {name}" for name in fields if name not in JOINED]
            options = answered(options, words, [*chosen["instead_of"], *replaced])
        return {name: value for name, value in options.items() if value not in ("", {}, [])}


def _values_of(flag: str, words: Sequence[str]) -> list[str]:
    return [value for word, value in zip(words[::2], words[1::2], strict=False) if word == flag]


def can_be_read(upload: Upload) -> bool:
    """Whether an option could help to read the upload."""
    name = upload.outcome.get("format")
    return name is not None and bool(format_named(name).options)


def upload_form(
    upload: Upload, accounts: Sequence[str], profiles: Sequence[str], given: Given | None = None
) -> UploadForm:
    """Make the form for an upload. accounts, profiles: all names to choose from.

    given: a form that was sent with errors, to show it again.
    """
    outcome = upload.outcome
    options = dict(upload.options) if given is None else dict(given.options)
    asked: list[tuple[dict[str, Any], list[str]]] = []
    for question in outcome.get("questions", ()):
        keys = list(question["needs"])
        for answer in question["answers"]:
            words, placeholders = _divided(answer["words"])
            # A new account needs a currency.
            keys += [*placeholders, *(["currency"] if "account" in placeholders else [])]
            if len(question["answers"]) == 1:
                proposed = answered({}, words)
                keys += [*proposed, *(_name_of(gone) for gone in answer["instead_of"])]
                if given is None:
                    options = _filled(answered(options, (), answer["instead_of"]), proposed)
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
        questions.append(
            FormQuestion(
                number,
                f"{capital(in_labels(question['fact']))}.",
                question["line"],
                question["row"],
                question["text"],
                _choices(question["answers"], outcome.get("columns", ())),
                None if given is None else given.answers.get(number),
                [fields.pop(key) for key in dict.fromkeys(keys) if key in fields],
                has_columns,
            )
        )
    return UploadForm(questions, columns, _grouped(fields.values()))


def _name_of(gone: str) -> str:
    """Return the name of an option in `Answer.instead_of`."""
    flag = gone.partition(" ")[0]
    return next(option.name for option in FILE_OPTIONS if option.flag == flag)


def _choices(
    answers: Sequence[Mapping[str, Any]], columns: Sequence[Mapping[str, Any]]
) -> list[dict[str, str]]:
    """Return the answers to choose from, each with the values of its columns.

    Returns nothing if there is only one answer.
    """
    if len(answers) < 2:
        return []
    values = {column["name"]: " · ".join(column["values"]) for column in columns}
    found = []
    for answer in answers:
        words = answer["words"]
        parts = _column_parts(words) if columns else []
        text = ", ".join(f"{label}: {name}" for label, name in parts)
        shown = [values[name] for _, name in parts if values.get(name)]
        found.append(
            {
                "text": text
                or capital(
                    in_labels(answer["meaning"]) or answer_in_labels(words, answer["instead_of"])
                ),
                "values": "; ".join(shown),
            }
        )
    return found


def _column_parts(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return the roles and columns in an answer; nothing if it contains anything else."""
    parts = []
    for flag, value in zip(words[::2], words[1::2], strict=False):
        role, _, name = value.partition("=") if flag == "--map" else (flag[2:], "", value)
        if (flag != "--map" and role not in COLUMN_OPTIONS) or role not in ROLES or not name:
            return []
        parts.append((ROLES[role], name))
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
        if numbers and numbers[0] in map(str, range(len(question["answers"]))):
            answers[number] = int(numbers[0])
    return Given(options, answers, errors)


def _proposed(upload: Upload) -> dict[str, Any]:
    """Return the options that the questions with only one answer propose."""
    found: dict[str, Any] = {}
    for question in upload.outcome.get("questions", ()):
        if len(question["answers"]) == 1:
            found = answered(found, _divided(question["answers"][0]["words"])[0])
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


def _filled(given: dict[str, Any], proposed: Mapping[str, Any]) -> dict[str, Any]:
    for name, value in proposed.items():
        option = option_named(name)
        if option.kind is OptionKind.MAP:
            given[name] = {**given.get(name, {}), **value}
        elif option.kind is not OptionKind.CHOICE and name not in _NEVER_FILLED:
            given.setdefault(name, value)
    return given


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
    return capital(in_labels(text))


def _with_given(known: Iterable[str], given: str) -> tuple[tuple[str, str], ...]:
    """Return the texts as choices; empty if no text is known, so that the person can type one."""
    names = dict.fromkeys(known)
    if names and given:
        names[given] = None
    return tuple((name, name) for name in names)
