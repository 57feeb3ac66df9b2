"""Loads the users' native files into the competitors' tables. This is not measured."""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import Connection, Table, create_engine, insert

from bench import data
from bench.competitors.tables import (
    TRIGRAM_INDEX,
    accounts,
    api_tokens,
    categories,
    metadata,
    records,
)
from bench.workspace import Workspace

_DOCUMENT_TABLES = {"Account": accounts, "Category": categories}
_LATER_INDEXES = (*records.indexes, *categories.indexes)


def fill(url: str, workspace: Workspace) -> None:
    """Create and fill the tables in an empty database."""
    engine = create_engine(url)
    with engine.begin() as connection:
        tables = (api_tokens, accounts, categories, records)
        for table in tables:
            table.indexes.difference_update(_LATER_INDEXES)
        metadata.create_all(connection, tables=tables)
        for person in data.prepare(workspace):
            _fill_user(connection, workspace, person)
        for index in _LATER_INDEXES:
            index.create(connection)
        if connection.dialect.name == "postgresql":
            for statement in TRIGRAM_INDEX:
                connection.exec_driver_sql(statement)
        connection.exec_driver_sql("ANALYZE")
    engine.dispose()


def _fill_user(connection: Connection, workspace: Workspace, person: data.Person) -> None:
    lines = _lines(workspace, person.number)
    token = {
        "sha256": hashlib.sha256(person.token.encode()).hexdigest(),
        "user_id": person.number,
        "active": True,
    }
    connection.execute(insert(api_tokens), [token])
    documents: dict[str, list[dict[str, Any]]] = {"Account": [], "Category": []}
    labels: dict[str, str] = {}
    found: list[dict[str, Any]] = []
    for line in lines:
        kind = line["reserved_model_type"]
        if kind == "Record":
            found.append(_record(person.number, line, labels))
        elif kind == "Label":
            labels[line["id"]] = line["name"]
        elif kind in documents:
            documents[kind].append(_document(person.number, line))
    for kind, rows in documents.items():
        connection.execute(insert(_DOCUMENT_TABLES[kind]), rows)
    _insert_many(connection, records, found)


def _lines(workspace: Workspace, number: int) -> Iterator[dict[str, Any]]:
    with open(data.file_of(workspace, number), "rb") as file:
        for line in file:
            yield orjson.loads(line)


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text[:19])


def _document(user_id: int, line: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": line["id"],
        "user_id": user_id,
        "name": line["name"],
        "currency_code": line.get("currencyCode"),
        "initial_balance": round(line.get("initialBalance", 0) * 10_000),
        "parent_id": line.get("parentId"),
        "group_name": line.get("group"),
        "color": line.get("color"),
        "archived": False,
        "custom_category": line.get("customCategory", False),
        "created_at": _time(line["createdAt"]),
        "updated_at": _time(line["updatedAt"]),
    }


def _record(user_id: int, line: dict[str, Any], labels: dict[str, str]) -> dict[str, Any]:
    return {
        "id": line["id"],
        "user_id": user_id,
        "account_id": line["accountId"],
        "category_id": line.get("categoryId"),
        "amount": round(line["amount"] * 10_000),
        "record_date": _time(line["recordDate"]),
        "payee": line.get("payee"),
        "note": line.get("note"),
        "labels": ",".join(labels[label] for label in line["labelIds"]),
        "label_ids": ",".join(line["labelIds"]),
        "payment_type": line.get("paymentType"),
        "record_state": line.get("recordState"),
        "transfer_id": line.get("transferId"),
        "created_at": _time(line["createdAt"]),
        "updated_at": _time(line["updatedAt"]),
    }


def _insert_many(connection: Connection, table: Table, rows: Iterable[dict[str, Any]]) -> None:
    if connection.dialect.name != "postgresql":
        connection.execute(insert(table), list(rows))
        return
    names = [column.name for column in table.c]
    raw: Any = connection.connection.driver_connection
    with (
        raw.cursor() as cursor,
        cursor.copy(f"COPY {table.name} ({', '.join(names)}) FROM STDIN") as copy,
    ):
        for row in rows:
            copy.write_row([row[name] for name in names])
