"""Hints about an answer without rows: names and ids in its conditions that nothing has."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from finance_api.query.errors import shortened
from finance_api.query.evaluate import matches
from finance_api.query.model import Condition, Operator
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORDS, referred_by
from finance_api.resources.field import Resource
from finance_api.storage.interface import Storage
from finance_api.values.likeness import near_names
from finance_api.values.text import fold

MAX_HINTS = 5
#: A name is compared with this many names, so that a hint takes milliseconds.
_COMPARED = 2_000
#: Fields of records with names of other objects.
_NAMES = {"accountName": ACCOUNTS, "category": CATEGORIES, "labels": LABELS}
#: What no object does, by the operator of a condition on its name.
_SENTENCES = {
    Operator.EQ: "is called {}",
    Operator.ANY_OF: "is called {}",
    Operator.CONTAINS: "has {} in its name",
    Operator.CONTAINS_I: "has {} in its name",
    Operator.STARTS_WITH_I: "has a name that begins with {}",
}


def find_hints(
    storage: Storage, user_id: int, resource: Resource, conditions: Iterable[Condition]
) -> list[str]:
    """Return a sentence for each name and id that no object of the user has, up to `MAX_HINTS`."""
    found = (
        sentence
        for condition in conditions
        for sentence in _hints(storage, user_id, resource, condition)
    )
    return list(islice(dict.fromkeys(found), MAX_HINTS))


def _hints(
    storage: Storage, user_id: int, resource: Resource, condition: Condition
) -> Iterator[str]:
    field = condition.field
    if field.references or field.name == "id":
        named = referred_by(field) if field.references else resource
        if condition.operator is Operator.ANY_OF:
            yield from _unknown_ids(storage, user_id, named, condition)
    elif condition.operator in _SENTENCES:
        if field.name == "name":
            yield from _unknown_names(storage, user_id, resource, condition)
        elif resource is RECORDS and field.name in _NAMES:
            yield from _unknown_names(storage, user_id, _NAMES[field.name], condition)


def _unknown_ids(
    storage: Storage, user_id: int, resource: Resource, condition: Condition
) -> Iterator[str]:
    assert isinstance(condition.operand, tuple)
    ids = [str(row_id) for row_id in condition.operand]
    existing = storage.data.get_rows(user_id, resource, ids)
    for row_id in ids:
        if row_id not in existing:
            yield f"There is no {resource.word} with the id {row_id}."


def _unknown_names(
    storage: Storage, user_id: int, resource: Resource, condition: Condition
) -> Iterator[str]:
    rows = storage.data.scan_rows(user_id, resource)
    names = [row["name"] for row in rows if row["name"] is not None]
    operand = condition.operand
    texts = operand if isinstance(operand, tuple) else (operand,)
    operator = Operator.EQ if condition.operator is Operator.ANY_OF else condition.operator
    for text in map(str, texts):
        one = replace(condition, field=resource["name"], operator=operator, operand=text)
        if not any(matches({"name": name}, [one]) for name in names):
            verb = _SENTENCES[operator].format(shortened(text) or '""')
            yield f"No {resource.word} {verb}.{_suggestion(text, names)}"


def _suggestion(text: str, names: list[str]) -> str:
    """Return a question with up to three similar names, or "" if there are none."""
    folded = fold(text)
    meant = [name for name in names if fold(name) == folded]
    meant = meant or near_names(text, names[:_COMPARED])
    meant = meant or [name for name in names if folded and folded in fold(name)]
    return f" Did you mean {' or '.join(map(shortened, meant[:3]))}?" if meant else ""
