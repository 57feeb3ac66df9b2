"""The reader of CSV statements: from the bytes of a file to its entries, all or nothing."""

import dataclasses
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any, BinaryIO
from zoneinfo import ZoneInfo

from finance_api.importers.csv.amounts import AmountReader
from finance_api.importers.csv.columns import Headings
from finance_api.importers.csv.currencies import decide_currencies
from finance_api.importers.csv.dates import DateReader
from finance_api.importers.csv.decoding import TextFile, open_text
from finance_api.importers.csv.known_profiles import Profiles, load_profiles
from finance_api.importers.csv.layout import Layout, find_layout, refuse_data_as_headings
from finance_api.importers.csv.marks import CODES
from finance_api.importers.csv.memory import to_remember, words
from finance_api.importers.csv.options import CsvOptions, account_of
from finance_api.importers.csv.profile import shown
from finance_api.importers.csv.proposals import is_fee, propose_text
from finance_api.importers.csv.selection import Selection
from finance_api.importers.csv.signs import Signs, ask_for_money, decide_signs
from finance_api.importers.csv.statements import RowReader, StatementBuilder, texts_digest
from finance_api.importers.csv.survey import SignWords, Survey
from finance_api.importers.csv.table import Row
from finance_api.importers.csv.vocabulary import DIRECTIONS, folded
from finance_api.importers.interface import (
    Answer,
    Entry,
    ImportRefused,
    Remembered,
    Statement,
    nothing_remembered,
)
from finance_api.importers.questions import NAME, Questions
from finance_api.importers.texts import listed, quoted


class CsvImporter:
    """Reads one file under the options that were given for it.

    profiles: those that its headings may select; by default, those of this package.
    headings: of the file, once it is being read.
    """

    source = "csv"

    def __init__(self, options: CsvOptions, profiles: Profiles | None = None) -> None:
        self._options = options
        self._profiles = profiles
        self.headings: tuple[str, ...] = ()

    def read(
        self, stream: BinaryIO, remembered: Remembered = nothing_remembered
    ) -> Iterator[tuple[Statement, Entry | None]]:
        """The entries of the file in its order, each with its statement; or ImportRefused.

        The rows are passed over twice: what the dates and amounts mean is decided from whole
        columns before any entry is made. All that is open is asked for in one refusal.
        """
        yield from self._read(*_layout(stream, self._options, remembered, self._known()))

    def read_table(
        self, text: TextFile, remembered: Remembered
    ) -> Iterator[tuple[Statement, Entry | None]]:
        """As `read`, of a text that is decoded."""
        questions = Questions()
        layout = find_layout(text, self._options, remembered, self._known(), questions)
        yield from self._read(layout, questions)

    def _read(
        self, layout: Layout, questions: Questions
    ) -> Iterator[tuple[Statement, Entry | None]]:
        self.headings = tuple(layout.table.headings or ())
        yield from _read(layout, questions)

    def _known(self) -> Profiles:
        return self._profiles or load_profiles()

    def fits(self, text: TextFile, remembered: Remembered) -> bool | None:
        """Whether the columns are known; None if none can be proposed either."""
        questions = Questions()
        try:
            find_layout(text, self._options, remembered, self._known(), questions)
        except ImportRefused:
            return None
        return not questions.asked


def _read(layout: Layout, questions: Questions) -> Iterator[tuple[Statement, Entry | None]]:
    try:
        yield from _entries(layout, questions)
    except ImportRefused as refused:
        if layout.profile is not None:
            refused.reason += (
                f" (read with the profile {shown(layout.profile)}; --no-profile reads the file "
                "without it)"
            )
        if layout.taken:
            refused.reason += f" (with what was given before: {_said(layout)})"
        raise


def _layout(
    stream: BinaryIO, options: CsvOptions, remembered: Remembered, profiles: Profiles
) -> tuple[Layout, Questions]:
    def found(encoding: str | None, force: bool) -> tuple[Layout, Questions]:
        questions = Questions()
        text = open_text(stream, encoding, force=force, questions=questions)
        return find_layout(text, options, remembered, profiles, questions), questions

    layout, questions = found(options.encoding, options.force_encoding)
    if not questions.asks_for("--encoding"):
        return layout, questions
    # The file is not UTF-8; what it is, was given before, or is known of its layout.
    if layout.options.encoding is not None:
        return found(layout.options.encoding, True)
    for encoding in profiles.encodings:
        try:
            other, answers = found(encoding, True)
        except ImportRefused:
            continue
        if other.options.encoding == encoding:
            return other, answers
    return layout, questions


def _entries(layout: Layout, questions: Questions) -> Iterator[tuple[Statement, Entry | None]]:
    refuse_data_as_headings(layout)
    selection = Selection(layout.options.only, layout.headings)
    remarks: list[str] = []
    builder, layout = _decided(layout, selection, questions, remarks)
    questions.put()
    skipped: Counter[str] = Counter()
    for line, cells in _movements(layout, selection, skipped):
        yield from builder.add(line, cells)
    empty = builder.without_rows()
    if empty is not None:
        yield empty, None
    statements = builder.finish()
    if statements:
        statements[0].skipped += skipped
        statements[0].remarks += _about_layout(layout) + remarks
        if not layout.table.text.is_sheet:
            statements[0].encoding = layout.table.text.codec


def _movements(
    layout: Layout, selection: Selection, skipped: Counter[str] | None = None
) -> Iterator[Row]:
    """The rows that are money, and under a profile what they become; what is not is counted."""
    select = bool(selection.columns)
    rows = (
        row for row in layout.table.rows(skipped) if not select or selection.keeps(row[1], skipped)
    )
    if layout.rows is None:
        return rows
    expand = layout.rows.begin()
    return ((line, found) for line, cells in rows for found in expand(line, cells, skipped))


def _decided(
    layout: Layout, selection: Selection, questions: Questions, remarks: list[str]
) -> tuple[StatementBuilder, Layout]:
    """What the columns mean; asks for all that they leave open.

    The layout comes back without the rows at the end that its profile knows.
    """
    options, columns, headings = layout.options, layout.columns, layout.headings
    zone = _zone(options)
    fees_signed = _fees_are_signed(options, headings, questions)
    words = _sign_words(options, headings)
    survey = Survey(layout, selection, words)
    try:
        survey.run()
    except ImportRefused as refused:
        if {"recordDate", "amount"} & questions.fields:
            # Another column may be meant.
            questions.put()
        if layout.is_proposed:
            refused.reason += "; and " + "; and ".join(each.reason for each in questions.asked)
            refused.questions += tuple(questions.asked)
        raise
    _ask_for_account(layout, questions)
    layout = _without_trailer(layout, survey)
    # What is in a column is asked about when it is known which one is meant.
    of_dates = Questions() if "recordDate" in questions.fields else questions
    of_amounts = Questions() if "amount" in questions.fields else questions
    form = survey.dates.decide(of_dates)
    value_form = survey.value_dates.decide(questions, form)
    reading = survey.amounts.decide(of_amounts)
    ask_for_money(survey, headings, questions)

    @cache
    def new_accounts() -> list[str] | None:
        return _new_accounts(layout, survey)

    currencies = decide_currencies(
        survey,
        options,
        columns,
        headings,
        layout.remembered,
        questions,
        needs_one=lambda: new_accounts() != [],
    )

    def builder(signs: Signs) -> StatementBuilder:
        return StatementBuilder(
            options,
            RowReader(
                columns,
                signs,
                words,
                DateReader(form, zone),
                DateReader(value_form),
                AmountReader(reading),
                fees_signed,
            ),
            currencies,
            texts_digest(columns, headings.texts, layout.profile),
            _to_remember(layout),
            None if layout.profile is None else layout.profile.name,
        )

    def fits(signs: Signs) -> bool:
        """Whether the balances agree."""
        trial = builder(signs)
        try:
            for line, cells in _movements(layout, selection):
                for _ in trial.add(line, cells):
                    pass
        except ImportRefused:
            return False
        return True

    may_try = "balance" in columns and not questions.asked and survey.footer is None
    signs = decide_signs(
        survey,
        options,
        headings,
        of_amounts,
        fits if may_try else None,
        remarks,
        None if layout.profile is None else shown(layout.profile),
    )
    _ask_about_footer(survey, options, questions)
    _look_at_text(layout, survey, questions, remarks)
    is_open = currencies.option is None and "currency" not in columns and not layout.remembered
    if questions.asked and is_open:
        marked = (mark.possible for mark in survey.amounts.marks if mark.possible)
        questions.ask_for_currency(new_accounts(), next(marked, ()))
    return builder(signs), layout


def _without_trailer(layout: Layout, survey: Survey) -> Layout:
    """Without the rows at the end that the profile knows to be no data."""
    if layout.profile is None or survey.footer is None or not survey.footer_cells:
        return layout
    first = next(cell for cell in survey.footer_cells if cell.strip())
    if first not in layout.profile.trailer:
        return layout
    last = layout.table.skip_last + survey.footer[0]
    survey.footer = None
    return dataclasses.replace(layout, table=dataclasses.replace(layout.table, skip_last=last))


def _to_remember(layout: Layout) -> dict[str, Any]:
    assert layout.told is not None
    kept = to_remember(layout.told) | {"heading": layout.digest}
    return kept if layout.profile is None else kept | {"profile": layout.profile.name}


def _ask_about_footer(survey: Survey, options: CsvOptions, questions: Questions) -> None:
    if survey.footer is not None:
        count, first = survey.footer
        questions.ask(
            f"{first.reason}; if the rows from there on are no data, leave them out with "
            "--skip-last",
            Answer(("--skip-last", str(options.skip_last + count)), ("--skip-last",)),
            line=first.line,
        )


def _zone(options: CsvOptions) -> ZoneInfo | None:
    if options.timezone is None:
        return None
    try:
        return ZoneInfo(options.timezone)
    except (OSError, ValueError, LookupError):
        raise ImportRefused(
            f"--timezone {quoted(options.timezone)} is not a zone such as Europe/Berlin"
        ) from None


def _sign_words(options: CsvOptions, headings: Headings) -> SignWords | None:
    if options.sign is None:
        return None
    return SignWords(*headings.position_and_rest("--sign", options.sign))


def _fees_are_signed(options: CsvOptions, headings: Headings, questions: Questions) -> list[bool]:
    if not options.fee and options.fee_category is not None:
        raise ImportRefused(
            "--fee-category is for --fee", answers=(Answer(instead_of=("--fee-category",)),)
        )
    return [_fee_is_signed(fee, headings, questions) for fee in options.fee]


def _fee_is_signed(fee: str, headings: Headings, questions: Questions) -> bool:
    column, kind = headings.position_and_rest("--fee", fee)
    if kind not in ("signed", "unsigned"):
        name = headings.named(column)
        questions.ask(
            f"--fee {quoted(fee)}: say whether its numbers have signs, --fee "
            f"{name}=signed (minus is money going out) or --fee {name}=unsigned",
            *(
                Answer(("--fee", f"{name}={each}"), (f"--fee {fee}",), f"a fee of 1 goes {way}")
                for each, way in (("unsigned", "out"), ("signed", "in"))
            ),
        )
    return kind == "signed"


def _ask_for_account(layout: Layout, questions: Questions) -> None:
    if account_of(layout.options) is not None:
        return
    if "account" not in layout.columns and "accountNumber" not in layout.columns:
        # The columns are listed once.
        found = "" if questions.asked else f"; {layout.headings.found()}"
        questions.ask(
            "the file does not say which account it is about; name it with --account, or its "
            f"column with --map account=…{found}",
            Answer(("--account", NAME)),
        )


def _new_accounts(layout: Layout, survey: Survey) -> list[str] | None:
    """The names of the file's accounts that would be new; None if it does not say any."""
    accounts, given = [*survey.accounts], account_of(layout.options)
    if given is not None:
        # Several numbers are refused.
        accounts = [(given, accounts[0][1] if accounts else None)]
    return layout.new_accounts(accounts) if accounts else None


def _look_at_text(layout: Layout, survey: Survey, questions: Questions, remarks: list[str]) -> None:
    """Names the columns of text that become nothing; refuses a file that would lose all of it."""
    texts = [
        column
        for column in survey.unmapped
        if column.is_text and column.index not in questions.columns
    ]
    headings = layout.headings
    names = [headings.named(column.index) for column in texts]
    fees = [
        headings.named(column.index)
        for column in survey.unmapped
        if column.has_money and is_fee(headings, column.index)
    ]
    if names or fees:
        remarks.append("not imported: " + ", ".join(names + fees))
    telling = [column.index for column in texts if not _is_vocabulary(column.values)]
    columns = layout.columns
    if telling and not layout.options.no_text and not {"payee", "note"} & set(columns):
        questions.ask(
            f"no column is mapped to payee or note, and there is text in {listed(names)}: map it "
            "with --map payee=… or --map note=…, or say --no-text",
            Answer(propose_text(headings, telling)),
        )


def _is_vocabulary(values: dict[str, Any]) -> bool:
    """Nothing but currency codes, directions, or yes and no."""
    texts = [text.strip() for text in values if text.strip()]
    return bool(texts) and (
        all(text in CODES for text in texts)
        or all(folded(text) in DIRECTIONS for text in texts)
        or all(folded(text) in ("true", "false", "yes", "no") for text in texts)
    )


def _about_layout(layout: Layout) -> list[str]:
    remarks = []
    if layout.profile is not None:
        lost = f": {layout.profile.lost}" if layout.profile.lost else ""
        remarks.append(f"read with the profile {shown(layout.profile)}{lost}")
    elif layout.table.text.skip_rows > layout.options.skip_rows:
        remarks.append(
            f"lines before the headings were passed over: --skip-rows {layout.table.text.skip_rows}"
        )
    if layout.taken:
        remarks.append(f"as given before for this account: {_said(layout)}")
    return remarks


def _said(layout: Layout) -> str:
    return " ".join(quoted(w) if " " in w or not w else w for w in words(layout.taken))
