"""Finds a file's table and mapping: from options, saved answers, a profile, or the file itself."""

from collections import abc, deque
from dataclasses import replace
from typing import Any

from finance_api.importers.clauses import Clause, Says, Topic, clause, options_in
from finance_api.importers.csv.dates import is_of_other_era
from finance_api.importers.csv.guess.column import OpenColumns, field_in
from finance_api.importers.csv.guess.columns import infer_columns
from finance_api.importers.csv.headings import bind
from finance_api.importers.csv.index import Profiles
from finance_api.importers.csv.legs import ProfileRows
from finance_api.importers.csv.mapping import Mapping
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.profile import CODE, Match, Profile, shown
from finance_api.importers.csv.sniff import data_tables, refuse_headings, tables, without_odd_first
from finance_api.importers.csv.table import (
    Table,
    are_continued,
    filled,
    is_amount,
    is_date,
    looks_like_data,
    looks_like_headings,
)
from finance_api.importers.csv.vocabulary import known_headings
from finance_api.importers.decoding import TextFile
from finance_api.importers.interface import Choice, ImportRefused, Questions, Remembered, quoted
from finance_api.importers.options import ImportOptions
from finance_api.resources import RECORDS

#: At most this many columns are offered for a date or an amount that no column seems to have.
_OFFERED_COLUMNS = 6
#: Headings of this service's exports of records. No other file has one of them beside `recordDate`.
_OWN_HEADINGS = {f.name for f in RECORDS.fields} - {"id", "recordDate", "amount", "reference"}


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
    refuse_headings(places)
    recognised = _recognised(places, given, saved, profiles)
    profile = None if recognised is None else recognised[1].profile
    if saved.get("profile") != (profile and profile.name):
        saved = {}
    user_mapping, taken = given.over(saved)
    mapping = user_mapping
    if recognised is not None:
        table, match = recognised
        places, mapping = [table], user_mapping.over(match.stated(table.names))[0]
    if profile is not None and not profile.partial:
        plan = _profiled(table, match, user_mapping, mapping)
    else:
        plan = _decided(text, places, mapping.checked())
        questions.add(plan.inferred.questions)
    headings, is_known = {*(plan.table.headings or ())}, given.columns or taken or profile
    if not is_known and "recordDate" in headings and headings & _OWN_HEADINGS:
        raise ImportRefused(clause(Topic.OWN_EXPORT))
    if plan.mapping.mixed_signs and not {"debit", "sign"} & plan.columns.keys():
        raise ImportRefused(clause(Topic.ONLY_FOR_SIDES), choices=(Choice({"mixed_signs": None}),))
    return replace(
        plan,
        remembered=saved,
        taken=taken,
        user_mapping=user_mapping,
        profile=profile,
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
    profile = None if name is None else profiles.get(name)
    for table in places if given.header else ():
        names = table.names
        match = profiles.recognise(names) if profile is None else profile.match(names)
        if match is not None and (profile is not None or _may_have(match, given.currency)):
            return table, match
    for table in (replace(each, has_header=False) for each in places):
        match = None if profile is None else profile.match_width(table.width)
        if match is not None and looks_like_data(table.cells):
            return table, match
    if not given.header:
        return None
    if profile is not None:
        fact = clause(Topic.PROFILE_DOES_NOT_FIT, profile=shown(profile), name=profile.name)
        raise ImportRefused(fact, choices=(Choice({"profile": None}),))
    return None


def _may_have(match: Match, currency: str | None) -> bool:
    """Return whether a profile's bank may have accounts in a currency; None: it is not given.

    Banks of several countries can have the same headings, with days and signs of their own.
    """
    return currency is None or match.profile.mapping.currency in (None, CODE, currency)


def _profiled(table: Table, match: Match, user_mapping: Mapping, mapping: Mapping) -> Plan:
    """Return the plan for a table whose profile says what each row means.

    mapping: the user's options and the profile's.
    """
    profile = match.profile
    _refuse_displacing(user_mapping, profile)
    mapping = mapping.checked()
    bound = bind(mapping, table.names, by_itself=False)
    rows = ProfileRows(match, table, bound.only)
    of_rows = {n: i for n, i in rows.columns.items() if n not in user_mapping.columns}
    columns = bound.columns | of_rows
    if profile.says_direction:
        columns.pop("amount", None)
    group = match.indexes(profile.fill_down)
    table = replace(
        table,
        fill_down=(*([group] if group else []), *((index,) for index in bound.fill_down)),
        missing_cells=profile.missing_cells,
        extra_cells=profile.extra_cells,
        nameless=True,
    )
    if not bound.ignored.isdisjoint(columns.get("balance", ())):
        del columns["balance"]
    return Plan(table, columns, mapping, bound, rows=rows)


def _refuse_displacing(user_mapping: Mapping, profile: Profile) -> None:
    """Refuse options for fields that the profile decides row by row."""
    by_row = {name for leg in profile.legs for name in (*leg.map, leg.currency and "currency")}
    if dropped := user_mapping.about_amounts(by_row):
        named = options_in(dropped)[0]
        without: ImportOptions = {"no_profile": True, "profile": None}
        with_it = Choice(dropped, clause(Says.PROFILE_RIGHT))
        without_it = Choice(without, clause(Says.OPTION_RIGHT, named=named))
        fact = clause(Topic.PROFILE_DECIDES, named=named, profile=shown(profile))
        raise ImportRefused(fact, choices=(with_it, without_it))


def _decided(text: TextFile, places: list[Table], user_mapping: Mapping) -> Plan:
    if not user_mapping.header:
        places = [without_odd_first(table, user_mapping) for table in places]
    possible, refusal = _possible(text, places, user_mapping)
    # If several lines may be the headings: the one with the most known headings, or the last such.
    fits = [(known_headings(plan.table.headings or ()), plan.table.first_line) for plan in possible]
    possible = [plan for plan in possible if plan.table.first_line == max(fits)[1]]
    if not possible:
        data = data_tables(text, user_mapping, places)
        possible, _ = _possible(text, data, user_mapping)
        remark = "the first row has a date and an amount, so the file has no headings"
        for plan in possible:
            plan.inferred.questions.remarks.append(remark)
    if not possible:
        raise refusal or ImportRefused(clause(Topic.UNDIVIDED))
    plan = possible[0] if len(possible) == 1 else _consistent(possible)
    plan.inferred.questions.asked += filter(None, [plan.table.question])
    return plan


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
            own = (*plan.amounts, *plan.indexes("recordDate", "balance"))
            if plan.is_complete and are_continued(plan.table.sample, own):
                plan = _read_columns(replace(plan.table, own=own), user_mapping)
            if not plan.is_complete:
                raise _incomplete(plan)
            possible.append(plan)
        except ImportRefused as refused:
            if table.text.skip_rows == text.skip_rows and table.width > widest:
                refusal, widest = refused, table.width
    return possible, refusal


def _incomplete(plan: Plan) -> ImportRefused:
    """Return the refusal of a table without a column of dates, or of amounts. It offers columns
    that have some, if any row looks like a statement's.
    """
    line, rows, is_dated = plan.table.first_line, plan.table.sample, "recordDate" in plan.columns
    days = [text for cells in rows for text in cells if is_of_other_era(text.strip())]
    if days and not is_dated:
        fault = f"{quoted(days[0])} seems to be a day of the Persian or Islamic calendar, "
        fault += "which is not read: export the file with days such as 2026-01-31"
        return ImportRefused(fault, line)
    fact = clause(Topic.NO_AMOUNT if is_dated else Topic.NO_DATE, headings=plan.headings.found())
    if not any(filled(cells) > 1 and any(text[:1].isdigit() for text in cells) for cells in rows):
        return ImportRefused(clause(Topic.NO_TABLE, first=fact), line)
    field, fits = ("amount", is_amount) if is_dated else ("recordDate", is_date)
    taken = plan.bound.ignored.union(*plan.columns.values())
    free = [index for index in range(plan.table.width) if index not in taken]
    found = [index for index in free if any(fits(cells[index].strip()) for cells in rows)]
    choices = [field_in(field, plan.headings.named(index)) for index in found[:_OFFERED_COLUMNS]]
    return ImportRefused(fact, line, tuple(choices), needs=("columns",))


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
    fact = clause(Topic.DELIMITERS, delimiters=tuple(map(quoted, fitting)))
    divides = ((each, clause(Says.DIVIDES, delimiter=each)) for each in fitting)
    raise ImportRefused(fact, choices=tuple(Choice({"delimiter": d}, says) for d, says in divides))


def _read_columns(table: Table, user_mapping: Mapping) -> Plan:
    """Return a plan with the columns that options name or the file reveals.

    Raises ImportRefused.
    """
    bound = bind(user_mapping, table.names)
    table = replace(table, fill_down=tuple((index,) for index in bound.fill_down))
    count = filled(table.cells)
    if any(index >= count for indexes in bound.columns.values() for index in indexes):
        table = replace(table, nameless=True)
    if table.has_header and not looks_like_headings(table.headings or ()):
        return Plan(table, bound.columns, user_mapping, bound)
    inferred = OpenColumns(table, bound, user_mapping)
    inferred.check_names()
    infer_columns(inferred)
    if "fee" in inferred.columns:
        (fee,) = inferred.of("fee")
        bound = replace(bound, fees={table.names.named(fee.index): (fee.index, fee.is_signed)})
    mapping = replace(
        user_mapping,
        positive=user_mapping.positive or inferred.positive,
        date_format=user_mapping.date_format or inferred.date_format,
    )
    found = {n: i for n, i in inferred.columns.items() if n not in user_mapping.unmapped}
    columns = {name: indexes for name, indexes in (inferred.known | found).items() if indexes}
    return Plan(table, columns, mapping, bound, inferred=inferred)
