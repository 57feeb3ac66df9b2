"""Saved questions follow what they name: if it is renamed, or merged into something else."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from urllib.parse import quote, unquote_plus

from finance_api.ledger.edits.report import EditReport
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS
from finance_api.resources.field import Resource
from finance_api.storage.interface import Question
from finance_api.values import Row
from finance_api.values.text import counted

#: The filter by name in lists of other resources.
_FILTERS = {ACCOUNTS: "accountName", CATEGORIES: "category", LABELS: "labels"}
_CONDITION = re.compile(r"(eq|ne|ne-or-null|in)\.(.*)", re.DOTALL)
#: One of several names; a backslash keeps a comma or a backslash in a name.
_NAME = re.compile(r"(?:[^\\,]|\\.)+")
#: Saved question -> its address before and after a change.
_Renamed = dict[str, tuple[str, str]]


def follow(
    session: LedgerSession, resource: Resource, gone: Row, kept: Row, report: EditReport
) -> None:
    """Put ``kept`` in place of ``gone`` in the filters of saved questions, and note it.

    gone: the row before it got another name, or a row that is removed.
    """
    if resource in _FILTERS:
        _follow(session, _with_row(session, resource, gone, kept), report)


def follow_payees(
    session: LedgerSession, names: Iterable[str], payee: str, report: EditReport
) -> None:
    """Put one payee in place of several in the filters of saved questions, and note it."""

    def change(path: str, query: str) -> str:
        for name in names:
            query = _with_name(query, "payee", name, payee)
        return query

    _follow(session, _changed(session, change), report)


def asking_for(owned: UserRows, resource: Resource, row: Row) -> list[str]:
    """Return the names of the saved questions with a filter that names the row."""
    if resource not in _FILTERS:
        return []
    ids = _with_row(owned, resource, row, {"id": "", "name": ""})
    questions = owned.storage.users.list_owned(Question, owned.user.id)
    return [question.name for question in questions if question.id in ids]


def _follow(session: LedgerSession, renamed: _Renamed, report: EditReport) -> None:
    report.summary.questions |= renamed
    report.remarks += renamed_texts(set_addresses(session, report.summary.questions))


def _with_row(owned: UserRows, resource: Resource, gone: Row, kept: Row) -> _Renamed:
    """Put ``kept`` in place of ``gone`` in the filters of saved questions, by id and by name."""
    others = [r for r in owned.row_set(resource).named(gone["name"]) if r["id"] != gone["id"]]

    def change(path: str, query: str) -> str:
        for written in (gone["id"], gone["id"].upper()):
            query = query.replace(written, kept["id"])
        by_name = "name" if path.endswith(f"/{resource.path}") else _FILTERS[resource]
        return query if others else _with_name(query, by_name, gone["name"], kept["name"])

    return _changed(owned, change)


def _changed(owned: UserRows, change: Callable[[str, str], str]) -> _Renamed:
    """Change the queries of saved questions. change: returns a new query, given path and query."""
    renamed = {}
    for question in owned.storage.users.list_owned(Question, owned.user.id):
        path, mark, query = question.address.partition("?")
        address = f"{path}{mark}{change(path, query)}"
        if address != question.address:
            renamed[question.id] = question.address, address
    return renamed


def _with_name(query: str, by_name: str, gone: str, kept: str) -> str:
    """Return the query with another name in the filter ``by_name``."""
    return "&".join(_renamed(pair, by_name, gone, kept) for pair in query.split("&"))


def set_addresses(
    session: LedgerSession, renamed: Mapping[str, Sequence[str]], *, is_undo: bool = False
) -> int:
    """Store the addresses after a change, or those before it. Return the number of questions.

    renamed: question -> its address before and after the change. A question that has another
    address by now keeps it.
    """
    number = 0
    for question in session.storage.users.list_owned(Question, session.user.id):
        before, after = renamed.get(question.id, ("", ""))[:: -1 if is_undo else 1]
        if question.address == before:
            session.storage.set_address(session.user.id, question.id, after, session.now)
            number += 1
    return number


def renamed_texts(number: int) -> list[str]:
    """Say how many questions changed, if any did."""
    return [f"{counted(number, 'saved question')} changed as well"] if number else []


def _renamed(pair: str, by_name: str, gone: str, kept: str) -> str:
    """Return ``filter=condition`` of an address with the new name."""
    name, _, text = pair.partition("=")
    condition = _CONDITION.fullmatch(unquote_plus(text))
    if unquote_plus(name) != by_name or condition is None:
        return pair
    prefix, operand = condition.groups()
    if prefix == "in":
        gone, kept = _escaped(gone), _escaped(kept)
        names = _NAME.findall(operand)
        if gone not in names:
            return pair
        after = ",".join(dict.fromkeys(kept if name == gone else name for name in names))
    else:
        after = kept if operand == gone else operand
    return pair if after == operand else f"{name}={prefix}.{quote(after, safe=',')}"


def _escaped(name: str) -> str:
    return re.sub(r"([\\,])", r"\\\1", name)
