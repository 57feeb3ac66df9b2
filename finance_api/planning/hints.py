"""Hints about an answer: unknown names and ids in its conditions; rows that ``ne.`` leaves out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice, zip_longest

from finance_api.query.errors import shortened
from finance_api.query.evaluate import matches
from finance_api.query.model import Condition
from finance_api.query.operators import Operator
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORDS, referred_by
from finance_api.resources.field import Resource
from finance_api.storage.interface import Storage
from finance_api.values.text import counted, fold, near_names

MAX_HINTS = 5
#: Rows without a value are counted for up to this many fields, and each of their combinations.
_MOST_NEGATIVE = 2
#: An unknown name is compared with at most this many names, so that a hint takes milliseconds.
#: Names with the same first letter come first.
_COMPARED = 200
#: Fields of records that contain names of other objects.
_NAMES = {"accountName": ACCOUNTS, "category": CATEGORIES, "labels": LABELS}


def find_hints(
    storage: Storage,
    user_id: int,
    resource: Resource,
    conditions: Sequence[Condition],
    *,
    may_suggest: bool = True,
) -> list[str]:
    """Return up to `MAX_HINTS` sentences, one for each unknown name or id in the conditions.

    may_suggest: whether the sentences may name similar objects.
    """
    found = (
        sentence + suggestion * may_suggest
        for condition in conditions
        for sentence, suggestion in _hints(storage, user_id, resource, condition)
    )
    return list(islice(dict.fromkeys(found), MAX_HINTS))


def find_left_out(
    nouns: tuple[str, str],
    given: Sequence[Condition],
    resolved: Sequence[Condition],
    count: Callable[[tuple[Condition, ...]], int],
    form: str = "{}=is.null",
) -> Iterator[str]:
    """Yield sentences about the rows that ``ne.`` left out because they have no value.

    nouns: words for one row and for several. given: the client's conditions. resolved: the same
    after resolving, then perhaps others. count: returns the number of rows that meet conditions.
    form: the parameter that asks for rows without a value of a field.
    """
    negative = (each.field for each in given if each.operator is Operator.NE)
    fields = list(dict.fromkeys(field for field in negative if field.can_be_missing))
    fields = fields[:_MOST_NEGATIVE]
    for some in (each for n in range(len(fields)) for each in combinations(fields, n + 1)):
        pairs = zip_longest(given, resolved)
        kept = (
            used
            for asked, used in pairs
            if not (asked and asked.operator is Operator.NE and asked.field in some)
        )
        missing = (Condition(field, Operator.IS_NULL) for field in some)
        number = count((*kept, *missing))
        if number:
            names = [field.name for field in some]
            rows = counted(number, *nouns)
            was, them = ("was", "it") if number == 1 else ("were", "them")
            yield (
                f"{rows} without {' and '.join(names)} {was} left out, because ne. matches only "
                f"values that are present. To get {them}, ask again with "
                f"{'&'.join(map(form.format, names))} instead; to get {them} as well, write "
                f"{Operator.NE_OR_NULL.value.word} in place of ne."
            )


def _hints(
    storage: Storage, user_id: int, resource: Resource, condition: Condition
) -> Iterator[tuple[str, str]]:
    """Yield sentences, each with a suggestion, which may be empty."""
    field = condition.field
    if field.references or field.name == "id":
        named = referred_by(field) if field.references else resource
        if isinstance(condition.operand, tuple):
            yield from _unknown_ids(storage, user_id, named, condition)
    elif condition.operator.value.hint:
        if field.name == "name":
            yield from _unknown_names(storage, user_id, resource, condition)
        elif resource is RECORDS and field.name in _NAMES:
            yield from _unknown_names(storage, user_id, _NAMES[field.name], condition)


def _unknown_ids(
    storage: Storage, user_id: int, resource: Resource, condition: Condition
) -> Iterator[tuple[str, str]]:
    assert isinstance(condition.operand, tuple)
    ids = [str(row_id) for row_id in condition.operand]
    existing = storage.data.get_rows(user_id, resource, ids)
    for row_id in ids:
        if row_id not in existing:
            yield f"There is no {resource.word} with the id {row_id}.", ""


def _unknown_names(
    storage: Storage, user_id: int, resource: Resource, condition: Condition
) -> Iterator[tuple[str, str]]:
    rows = storage.data.scan_rows(user_id, resource)
    names = list(dict.fromkeys(row["name"] for row in rows if row["name"] is not None))
    operand = condition.operand
    if isinstance(operand, tuple) or condition.positive().operator is Operator.EQ:
        known = set(names)
        asked = operand if isinstance(operand, tuple) else (operand,)
        unknown = [str(text) for text in asked if text not in known]
    else:
        on_name = replace(condition, field=resource["name"])
        is_known = any(matches({"name": name}, [on_name]) for name in names)
        unknown = [] if is_known else [str(operand)]
    for text in unknown:
        verb = condition.operator.value.hint.format(shortened(text) or '""')
        yield f"No {resource.word} {verb}.", _suggestion(text, names)


def _suggestion(text: str, names: list[str]) -> str:
    """Return a question with up to three similar names, or "" if no name is similar."""
    folded = fold(text)
    meant = [name for name in names if fold(name) == folded]
    if not meant:
        likely = sorted(names, key=lambda name: fold(name[:1]) != folded[:1])
        meant = near_names(text, likely[:_COMPARED])
    meant = meant or [name for name in names if folded and folded in fold(name)]
    return f" Did you mean {' or '.join(map(shortened, meant[:3]))}?" if meant else ""
