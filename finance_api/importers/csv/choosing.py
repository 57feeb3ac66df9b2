"""Finds a file's table and mapping: from options, saved answers, a profile, or the file itself."""

from collections import abc, deque
from dataclasses import replace
from typing import Any

from finance_api.importers.clauses import Clause, Option, Says, Topic, clause, options_in
from finance_api.importers.csv.guess.columns import find_open_columns
from finance_api.importers.csv.index import Profiles
from finance_api.importers.csv.legs import ProfileRows
from finance_api.importers.csv.mapping import Mapping
from finance_api.importers.csv.plan import Plan, find_columns
from finance_api.importers.csv.profile import Match, Profile, shown
from finance_api.importers.csv.sniff import (
    below_single_cells,
    labelled,
    period_above,
    refuse_headings,
    refuse_skipped_headings,
    tables,
    undivided,
)
from finance_api.importers.csv.table import Table, filled, looks_like_data, looks_like_headings
from finance_api.importers.csv.vocabulary import known_headings
from finance_api.importers.decoding import TextFile
from finance_api.importers.interface import Choice, ImportRefused, Questions, Remembered, quoted
from finance_api.importers.options import ImportOptions

#: A question about columns with the same heading names at most this many columns.
_NAMED_COLUMNS = 20


def find_plan(
    text: TextFile, given: Mapping, remembered: Remembered, profiles: Profiles, questions: Questions
) -> Plan:
    """Find the plan for a file from given and remembered options, or from a profile. The file's
    content decides the rest. `questions` collects questions about columns that are still open.

    Raises ImportRefused.
    """
    given = given.checked()
    text = replace(text, skip_rows=max(given.skip_rows, text.start))
    places, saved = _saved(list(tables(text, given)), given.account, remembered)
    recognised = _recognised(places, given, saved, profiles)
    if saved.get("profile") != (recognised and recognised[1].profile.name):
        saved = {}
    user_mapping, taken = given.over(saved)
    partial = None
    if recognised is not None and not recognised[1].profile.partial:
        plan = _profiled(*recognised, user_mapping)
    else:
        mapping = user_mapping
        if recognised is not None:
            table, match = recognised
            places, partial = [table], match.profile
            mapping = mapping.over(match.stated(table.names))[0]
        plan = _decided(text, places, mapping.checked())
        questions.add(plan.inferred.questions)
        _ask_about_doubled(plan, questions)
    if plan.mapping.mixed_signs and not {"debit", "sign"} & plan.columns.keys():
        raise ImportRefused(clause(Topic.ONLY_FOR_SIDES), choices=(Choice({"mixed_signs": None}),))
    return replace(
        plan,
        remembered=saved,
        taken=taken,
        user_mapping=user_mapping,
        partial=partial,
        last_year=remembered.last_year,
    )


def _saved(
    places: list[Table], account: str | None, remembered: Remembered
) -> tuple[list[Table], dict[str, Any]]:
    """Return the table for which the account has a saved mapping, and the mapping's values.

    If no mapping is saved, return all tables and no values.
    """
    for table in places:
        stated = remembered.options.get((table.digest, account))
        if stated is not None:
            return [table], dict(stated)
    return places, {}


def _recognised(
    places: list[Table], given: Mapping, saved: abc.Mapping[str, Any], profiles: Profiles
) -> tuple[Table, Match] | None:
    """Return the table with a profile's headings. The profile is given, remembered, or found by the
    headings. Raises ImportRefused if no table has the headings of the given or remembered profile.

    If the user's options describe the amounts, no profile is used.
    """
    name = given.profile
    if name is None:
        if given.no_profile or given.about_amounts() or (saved and "profile" not in saved):
            return None
        name = saved.get("profile")
    if not given.header:
        return None
    profile = None if name is None else profiles.get(name)
    for table in places:
        headings = table.headings or ()
        match = profiles.recognise(headings) if profile is None else profile.match(headings)
        if match is not None:
            return table, match
    if profile is not None:
        raise ImportRefused(
            clause(Topic.PROFILE_DOES_NOT_FIT, profile=shown(profile), name=profile.name),
            choices=(Choice({"profile": None}),),
        )
    return None


def _profiled(table: Table, match: Match, user_mapping: Mapping) -> Plan:
    """Return the plan made from a profile and the user's other options."""
    profile = match.profile
    headings = table.names
    rows = ProfileRows(
        match,
        table.width,
        labelled(table.above, profile),
        frozenset(
            headings.position_and_rest(Option("only"), only)[0] for only in user_mapping.only
        ),
    )
    _refuse_displacing(user_mapping, profile)
    both = user_mapping.over(match.stated(headings))[0].checked()
    columns, _ = find_columns(both, headings, by_itself=False)
    columns |= {n: i for n, i in rows.columns.items() if n not in user_mapping.columns}
    if profile.says_direction:
        columns.pop("amount", None)
    ignored = {headings.position(Option("ignore"), name) for name in user_mapping.ignore}
    if not ignored.isdisjoint(columns.get("balance", ())):
        del columns["balance"]
    table = replace(
        table, missing_cells=profile.missing_cells, extra_cells=profile.extra_cells, nameless=True
    )
    return Plan(table, columns, both, profile=profile, rows=rows)


def _refuse_displacing(user_mapping: Mapping, profile: Profile) -> None:
    """Refuse options for fields that the profile decides row by row."""
    by_row = {name for leg in profile.legs for name in (*leg.map, leg.currency and "currency")}
    if dropped := user_mapping.about_amounts(by_row):
        named = options_in(dropped)[0]
        raise ImportRefused(
            clause(Topic.PROFILE_DECIDES, named=named, profile=shown(profile)),
            choices=(
                Choice(dropped, clause(Says.PROFILE_RIGHT)),
                Choice(
                    {"no_profile": True, "profile": None}, clause(Says.OPTION_RIGHT, named=named)
                ),
            ),
        )


def _decided(text: TextFile, places: list[Table], user_mapping: Mapping) -> Plan:
    if not user_mapping.header:
        refuse_headings(places)
    possible, refusal = _possible(text, places, user_mapping)
    possible = _of_one_line(possible)
    if not possible:
        refuse_skipped_headings(text, places)
        data = [replace(table, has_header=False) for table in places if table.has_header]
        data += below_single_cells(text, user_mapping)
        data = [table for table in data if looks_like_data(table.cells)]
        possible, _ = _possible(text, data, user_mapping)
        for plan in possible:
            plan.inferred.reasons.append(
                "the first row has a date and an amount, so the file has no headings"
            )
    if not possible:
        raise refusal or undivided(text)
    return possible[0] if len(possible) == 1 else _consistent(possible)


def _of_one_line(possible: list[Plan]) -> list[Plan]:
    """Return the plans of the line with the most known headings, or of the last such line."""
    fits = [(known_headings(plan.table.headings or ()), plan.table.first_line) for plan in possible]
    return [plan for plan in possible if fits and plan.table.first_line == max(fits)[1]]


def _ask_about_doubled(plan: Plan, questions: Questions) -> None:
    """Ask which column is meant if several have a heading that names the same field."""
    for name, others in plan.doubled.items():
        other: ImportOptions = {"currency": None} if name == "currency" else {}
        numbers = [index + 1 for index in (*plan.columns[name], *others)][:_NAMED_COLUMNS]
        questions.ask(
            clause(Topic.DOUBLED, numbers=tuple(numbers), field=name, first=numbers[0]),
            *(
                Choice(
                    {"columns": {name: (str(number),)}, **other},
                    clause(Says.IN_COLUMN, field=name, number=number),
                )
                for number in numbers
            ),
            line=plan.table.first_line,
            of=name,
        )
        questions.columns.update(others)


def _possible(
    text: TextFile, places: list[Table], user_mapping: Mapping
) -> tuple[list[Plan], ImportRefused | None]:
    """Return the plans that have columns for the date and the amount.

    Also return the refusal to raise if there is no plan: the refusal for the delimiter that splits
    the first row into the most cells.
    """
    possible: list[Plan] = []
    refusal: ImportRefused | None = None
    widest = 0
    for table in places:
        try:
            plan = _read_columns(table, user_mapping)
            if plan.is_complete:
                possible.append(plan)
                continue
            missing = Topic.NO_AMOUNT if "recordDate" in plan.columns else Topic.NO_DATE
            fact = clause(missing, headings=plan.headings.found())
            is_table = _has_data(table)
            raise ImportRefused(
                fact if is_table else clause(Topic.NO_TABLE, first=fact),
                table.first_line,
                needs=("columns",) if is_table else (),
            )
        except ImportRefused as refused:
            if table.text.skip_rows == text.skip_rows and table.width > widest:
                refusal, widest = refused, table.width
    return possible, refusal


def _has_data(table: Table) -> bool:
    """Return whether any row looks like a statement's: several cells, one starting with a digit."""
    return any(
        filled(cells) > 1 and any(text[:1].isdigit() for text in cells) for cells in table.sample
    )


def _consistent(possible: list[Plan]) -> Plan:
    """Return the only plan whose delimiter divides all rows into the same columns.

    Raises ImportRefused if no delimiter does, or several do.
    """
    fitting: dict[str, Plan] = {}
    faults: list[Clause] = []
    for plan in possible:
        delimiter = plan.table.delimiter
        try:
            deque(plan.table.rows(), maxlen=0)
            fitting[delimiter] = plan
        except ImportRefused as refused:
            faults.append(clause(Says.MISFITS, delimiter=delimiter, line=refused.line or 0))
    if len(fitting) == 1:
        return fitting.popitem()[1]
    if not fitting:
        raise ImportRefused(clause(Topic.NO_DELIMITER, faults=tuple(faults)))
    raise ImportRefused(
        clause(Topic.DELIMITERS, delimiters=tuple(map(quoted, fitting))),
        choices=tuple(
            Choice({"delimiter": delimiter}, clause(Says.DIVIDES, delimiter=delimiter))
            for delimiter in fitting
        ),
    )


def _read_columns(table: Table, user_mapping: Mapping) -> Plan:
    """Return a plan with the columns that options name or the file reveals.

    Raises ImportRefused.
    """
    headings = table.names
    columns, doubled = find_columns(user_mapping, headings)
    named = filled(table.cells)
    if any(index >= named for indexes in columns.values() for index in indexes):
        table = replace(table, nameless=True)
    if table.has_header and not looks_like_headings(table.headings or ()):
        return Plan(table, columns, user_mapping, doubled)
    chosen = (*user_mapping.only, *([user_mapping.sign] if user_mapping.sign else ()))
    ignored = [headings.position_and_rest(Option("only"), text)[0] for text in chosen]
    ignored += [headings.position(Option("ignore"), column) for column in user_mapping.ignore]
    ignored += [index for others in doubled.values() for index in others]
    inferred = find_open_columns(
        headings, table.sample, columns, user_mapping, frozenset(ignored), period_above(table.above)
    )
    if "sign" in inferred.columns:
        user_mapping = replace(user_mapping, sign=headings.named(inferred.columns["sign"][0]))
    user_mapping = replace(
        user_mapping,
        positive=user_mapping.positive or inferred.positive,
        date_format=user_mapping.date_format or inferred.date_format,
    )
    left_out = user_mapping.unmapped & inferred.columns.keys()
    both = columns | {n: i for n, i in inferred.columns.items() if n not in left_out}
    both = {name: indexes for name, indexes in both.items() if indexes}
    return Plan(table, both, user_mapping, doubled, inferred=inferred)
