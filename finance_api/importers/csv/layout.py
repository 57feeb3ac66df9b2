"""The layout of the table in the text: its delimiter, the row of its headings, its columns."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from finance_api.importers.csv.cells import (
    is_amount,
    is_date,
    looks_like_data,
    looks_like_headings,
)
from finance_api.importers.csv.columns import FIELDS, Columns, Headings, Wanted, find_columns
from finance_api.importers.csv.decoding import TextFile
from finance_api.importers.csv.heading_words import known_headings
from finance_api.importers.csv.index import Profiles
from finance_api.importers.csv.inference import Inferred, infer
from finance_api.importers.csv.memory import SIGNS, heading_digest, merged, to_remember
from finance_api.importers.csv.options import CsvOptions, account_of, delimiter_of
from finance_api.importers.csv.places import (
    first_rows,
    headings_of,
    refuse_headings,
    refuse_skipped_headings,
    sample,
    tables,
    undivided,
)
from finance_api.importers.csv.preamble import labelled, lines_above, period_above
from finance_api.importers.csv.profile import Match, Profile, shown
from finance_api.importers.csv.profile_rows import ProfileRows
from finance_api.importers.csv.table import Table, filled
from finance_api.importers.interface import (
    Answer,
    ImportRefused,
    Remembered,
    nothing_remembered,
)
from finance_api.importers.questions import Questions, excluding
from finance_api.importers.texts import quoted

#: So many columns with one heading are named.
_NAMED_COLUMNS = 20
#: Among so many columns the names of balances are looked for.
_TEXTS = 20


@dataclass(frozen=True)
class Layout:
    """A table, the columns of its fields, and the options that it is read under.

    inferred: what of it the file says by itself.
    doubled: fields that further columns map to by themselves, and the indexes of those.
    remembered: what is remembered for it; taken: which of these options were not given.
    told: the options that the user gave, now or before. profile: what else is known of the layout;
    rows: what that makes of the file's rows, of which some columns are derived.
    new_accounts, last_year: see `Remembered`.
    """

    table: Table
    columns: Columns
    options: CsvOptions
    doubled: dict[str, list[int]] = field(default_factory=dict)
    remembered: dict[str, Any] = field(default_factory=dict)
    taken: dict[str, Any] = field(default_factory=dict)
    told: CsvOptions | None = None
    profile: Profile | None = None
    rows: ProfileRows | None = None
    inferred: Inferred = field(default_factory=Inferred)
    new_accounts: Callable[..., list[str]] = nothing_remembered.new_accounts
    last_year: int = nothing_remembered.last_year

    @property
    def headings(self) -> Headings:
        """The derived columns have none."""
        texts, width = self.table.headings, self.table.width
        if self.rows is not None and texts is not None:
            texts = [*texts, *("" for _ in self.rows.columns)]
        return Headings(texts, width, self.table.first_line)

    @cached_property
    def known_headings(self) -> int:
        return known_headings(self.table.headings or ())

    @property
    def ignored(self) -> frozenset[int]:
        """The columns that are said to be of no use."""
        headings = self.headings
        return frozenset(headings.position("--ignore", name) for name in self.options.ignore)

    @property
    def texts(self) -> list[int]:
        """The columns that may name a balance: what is neither a date nor money."""
        of = self.profile
        if of is not None and (of.opening or of.leave_out or of.only):
            return []
        named = [index for name in ("payee", "note") for index in self.columns.get(name, ())]
        if named or of is not None:
            return [index for index in named if index < self.table.width]
        names = ("recordDate", "amount", "debit", "credit", "balance", "fee", "currency", "sign")
        taken = {index for name in names for index in self.columns.get(name, ())}
        return [index for index in range(min(self.table.width, _TEXTS)) if index not in taken]

    @property
    def digest(self) -> str:
        return heading_digest(self.table.headings, self.table.width)

    @property
    def is_complete(self) -> bool:
        columns = self.columns
        return "recordDate" in columns and ("amount" in columns or "debit" in columns)


def find_layout(
    text: TextFile,
    options: CsvOptions,
    remembered: Remembered,
    profiles: Profiles,
    questions: Questions,
) -> Layout:
    """The layout that the options name or the file alone decides.

    Columns that neither does are proposed and asked for. Raises ImportRefused.
    """
    if options.skip_rows < 0:
        raise ImportRefused(f"--skip-rows {options.skip_rows} is less than 0")
    if options.skip_last < 0:
        raise ImportRefused(f"--skip-last {options.skip_last} is less than 0")
    Wanted.of(options)
    delimiter_of(options)
    account = account_of(options)
    text = dataclasses.replace(text, skip_rows=options.skip_rows)
    known: dict[str, Any] = {}
    places = list(tables(text, options)) if options.header else list(first_rows(text, options))
    for table in places:
        found = remembered.options(heading_digest(table.headings, table.width), account)
        if found is not None:
            known = dict(found)
            places = [table]
            break
    recognised = _recognised(places, options, known, profiles)
    if recognised is not None:
        table, match = recognised
        if known.get("profile") != match.profile.name:
            known = {}
        layout = _profiled(table, match, options, known)
        return dataclasses.replace(
            layout, new_accounts=remembered.new_accounts, last_year=remembered.last_year
        )
    if "profile" in known:
        known = {}
    options, taken = merged(options, known)
    if not options.header:
        refuse_headings(places)
    possible, refusal = _possible(text, places, options)
    fits: dict[int, int] = {}
    for each in possible:
        line = each.table.first_line
        fits[line] = max(each.known_headings, fits.get(line, 0))
    possible = [each for each in possible if fits[each.table.first_line] == max(fits.values())]
    lines = sorted({layout.table.first_line for layout in possible})
    if len(lines) > 1:
        raise ImportRefused(
            f"lines {' and '.join(map(str, lines))} all have the headings: name how many lines "
            "come before the right one with --skip-rows",
            answers=tuple(
                Answer(
                    ("--skip-rows", str(line - 1)),
                    ("--skip-rows",),
                    f"the headings are in line {line}",
                )
                for line in lines
            ),
        )
    if not possible:
        refuse_skipped_headings(text, places)
        possible = _without_headings(places, options)
    if not possible:
        raise refusal or undivided(text)
    layout = possible[0] if len(possible) == 1 else _consistent(possible)
    questions.add(layout.inferred.questions)
    for name, others in layout.doubled.items():
        numbers = [index + 1 for index in (*layout.columns[name], *others)][:_NAMED_COLUMNS]
        questions.ask(
            f"columns {' and '.join(map(str, numbers))} all have a heading of {name}: name one by "
            f"its number, --map {name}={numbers[0]}, or none, --map {name}=",
            *(
                Answer(
                    ("--map", f"{name}={number}"),
                    ("--currency",) if name == "currency" else (),
                    f"{name} is in column {number}",
                )
                for number in numbers
            ),
            line=layout.table.first_line,
            of=name,
        )
        questions.columns.update(others)
    return dataclasses.replace(
        layout,
        remembered=known,
        taken=taken,
        told=options,
        new_accounts=remembered.new_accounts,
        last_year=remembered.last_year,
    )


def _recognised(
    places: list[Table], options: CsvOptions, known: Mapping[str, Any], profiles: Profiles
) -> tuple[Table, Match] | None:
    """The table with the headings of a profile: the one that is given, or remembered, or whose
    headings select it; ImportRefused if the one that is given has others.

    Whoever says what the amounts are needs none.
    """
    if options.no_profile and options.profile is not None:
        raise excluding(("--profile",), ("--no-profile",))
    name = options.profile
    if name is None:
        if options.no_profile or _about_amounts(options):
            return None
        if known and "profile" not in known:
            return None
        name = known.get("profile")
    if not options.header:
        return None
    profile = None if name is None else profiles.get(name)
    for table in places:
        headings = table.headings or ()
        match = profiles.recognise(headings) if profile is None else profile.match(headings)
        if match is not None:
            return table, match
    if profile is not None:
        raise ImportRefused(
            f"no line has the headings of the profile {shown(profile)}; 'finance-api profiles show "
            f"{profile.name}' has them",
            answers=(Answer(instead_of=("--profile",)),),
        )
    return None


def _profiled(table: Table, match: Match, options: CsvOptions, known: dict[str, Any]) -> Layout:
    """The layout of a profile, under what the user gave besides."""
    profile = match.profile
    told, taken = merged(options, known)
    headings = headings_of(table)
    rows = ProfileRows(
        match,
        table.width,
        labelled(lines_above(table), profile),
        frozenset(headings.position_and_rest("--only", only)[0] for only in told.only),
    )
    _refuse_displacing(told, profile)
    both, _ = merged(told, match.options(headings))
    wanted = dataclasses.replace(Wanted.of(both), unmapped=frozenset(FIELDS))
    columns, _ = find_columns(wanted, headings)
    columns |= {n: i for n, i in rows.columns.items() if n not in told.columns}
    if profile.says_direction:
        columns.pop("amount", None)
    ignored = {headings.position("--ignore", name) for name in told.ignore}
    if not ignored.isdisjoint(columns.get("balance", ())):
        del columns["balance"]
    table = dataclasses.replace(
        table,
        missing_cells=profile.missing_cells,
        extra_cells=profile.extra_cells,
        nameless=True,
    )
    return Layout(
        table,
        columns,
        both,
        remembered=known,
        taken=taken,
        told=told,
        profile=profile,
        rows=rows,
    )


def _about_amounts(options: CsvOptions) -> list[str]:
    """The options that say which columns are the amounts, and which way they go."""
    given = to_remember(options)
    names = ["--map amount"] if "amount" in given.get("columns", ()) else []
    return names + [f"--{name}" for name in ("debit", "credit", *SIGNS) if name in given]


def _refuse_displacing(told: CsvOptions, profile: Profile) -> None:
    """Options that say otherwise what the profile says by the row."""
    by_row = {name for leg in profile.legs for name in (*leg.map, leg.currency and "currency")}
    names = [f"--map {name}" for name in to_remember(told).get("columns", ()) if name in by_row]
    names += _about_amounts(told)
    if names:
        raise ImportRefused(
            f"{names[0]}: the profile {shown(profile)} says that; leave it out, or say "
            "--no-profile with the options of all columns",
            answers=(
                Answer(instead_of=tuple(names), meaning="the profile is right"),
                Answer(("--no-profile",), ("--profile",), f"{names[0]} is right"),
            ),
        )


def _possible(
    text: TextFile, places: list[Table], options: CsvOptions
) -> tuple[list[Layout], ImportRefused | None]:
    """The layouts in which every field has its column: those of the first row, if there are any.

    And the refusal to pass on if nothing fits: of the delimiter that divides the first row most.
    """
    wanted = Wanted.of(options)
    possible: list[Layout] = []
    refusal: ImportRefused | None = None
    widest = 0
    for table in places:
        is_first = table.text.skip_rows == text.skip_rows
        try:
            layout = _read_columns(table, wanted, options)
            if not layout.is_complete:
                raise ImportRefused(_missing(layout), table.first_line)
            possible.append(layout)
        except ImportRefused as refused:
            if is_first and table.width > widest:
                refusal, widest = refused, table.width
    return possible, refusal


def _missing(layout: Layout) -> str:
    found = layout.headings.found()
    if "recordDate" not in layout.columns:
        return f"no column is the date; name it with --map recordDate=…; {found}"
    return (
        "no column is the amount; name it with --map amount=…, or two with --debit … and "
        f"--credit …; {found}"
    )


def _consistent(possible: list[Layout]) -> Layout:
    """The only layout under which every row has its cells."""
    consistent: list[Layout] = []
    faults: list[str] = []
    for layout in possible:
        try:
            for _ in layout.table.rows():
                pass
            consistent.append(layout)
        except ImportRefused as refused:
            delimiter = quoted(layout.table.delimiter)
            faults.append(f"with {delimiter} line {refused.line} does not fit")
    if len(consistent) == 1:
        return consistent[0]
    if not consistent:
        raise ImportRefused(
            f"no delimiter divides all rows alike ({'; '.join(faults)}): name it with --delimiter"
        )
    fitting = [layout.table.delimiter for layout in consistent]
    raise ImportRefused(
        f"{' and '.join(map(quoted, fitting))} both divide the rows evenly: name one with "
        "--delimiter",
        answers=tuple(
            Answer(
                ("--delimiter", "tab" if delimiter == "\t" else delimiter),
                meaning=f"{quoted(delimiter)} divides the columns",
            )
            for delimiter in fitting
        ),
    )


def _read_columns(table: Table, wanted: Wanted, options: CsvOptions) -> Layout:
    """The columns that are named, and those that the file says by itself. ImportRefused."""
    headings = headings_of(table)
    columns, doubled = find_columns(wanted, headings)
    named = filled(table.cells)
    if any(index >= named for indexes in columns.values() for index in indexes):
        table = dataclasses.replace(table, nameless=True)
    if table.has_header and not looks_like_headings(table.headings or ()):
        return Layout(table, columns, options, doubled)
    chosen = (*wanted.only, *([wanted.sign] if wanted.sign else ()))
    ignored = [headings.position_and_rest("--only", text)[0] for text in chosen]
    ignored += [headings.position("--ignore", column) for column in options.ignore]
    ignored += [index for others in doubled.values() for index in others]
    inferred = infer(
        headings,
        sample(table),
        columns,
        currency=options.currency,
        has_direction=bool(options.sign or options.invert or options.positive),
        has_account=options.account is not None,
        has_texts=not {"payee", "note"}.isdisjoint(wanted.columns) or options.no_text,
        period=period_above(lines_above(table)),
        by_name=frozenset(columns.keys() - wanted.columns.keys()),
        ignored=frozenset(ignored),
    )
    if "sign" in inferred.columns:
        options = dataclasses.replace(options, sign=headings.named(inferred.columns["sign"][0]))
    options = dataclasses.replace(
        options,
        positive=options.positive or inferred.positive,
        date_format=options.date_format or inferred.date_format,
    )
    left_out = wanted.unmapped & inferred.columns.keys()
    both = columns | {n: i for n, i in inferred.columns.items() if n not in left_out}
    both = {name: indexes for name, indexes in both.items() if indexes}
    return Layout(table, both, options, doubled, inferred=inferred)


def _without_headings(places: list[Table], options: CsvOptions) -> list[Layout]:
    """The layouts of a file whose first row is data, and no headings."""
    if not options.header:
        return []
    wanted = Wanted.of(options)
    found = []
    for table in places:
        if looks_like_data(table.headings or ()):
            headless = dataclasses.replace(table, has_header=False)
            try:
                layout = _read_columns(headless, wanted, options)
            except ImportRefused:
                continue
            if layout.is_complete:
                layout.inferred.reasons.append(
                    "the first row has a date and an amount: no headings"
                )
                found.append(layout)
    return found


def refuse_data_as_headings(layout: Layout) -> None:
    """A first row of data that is taken for headings would be lost."""
    headings = layout.table.headings
    if headings is None or layout.profile is not None:
        return
    dates = [headings[index] for index in layout.columns["recordDate"]]
    amounts = [
        headings[index]
        for name in ("amount", "debit", "credit")
        for index in layout.columns.get(name, ())
    ]
    if is_date(" ".join(dates)) or any(is_amount(text) for text in amounts):
        raise ImportRefused(
            "the first row is taken for headings, and has a date or an amount: say --no-header",
            layout.table.first_line,
            answers=(Answer(("--no-header",)),),
        )
