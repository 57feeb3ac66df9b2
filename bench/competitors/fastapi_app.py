"""The first competitor: a typical application of FastAPI, SQLAlchemy Core and orjson.

``COMPETITOR_URL`` names the database. Each request looks up its token. There is no rate limit, no
ETag, no revision and no log line.

The endpoints are ``async`` and query the database in the event loop. On a single core that was
about 1.3 times (SQLite) to 1.5 times (PostgreSQL) as fast as the thread pool.
"""

import hashlib
import os
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any

import orjson
from fastapi import Depends, FastAPI, Header, HTTPException, Query, Response
from sqlalchemy import Connection, Select, create_engine, event, select, text
from sqlalchemy.pool import QueuePool

from bench.competitors.sums import balances_sql, summary_sql
from bench.competitors.tables import accounts, api_tokens, categories, records

MAX_IDS = 100
_UNITS = 10_000

engine = create_engine(os.environ["COMPETITOR_URL"], pool_size=10, poolclass=QueuePool)
app = FastAPI(openapi_url=None)

if engine.dialect.name == "sqlite":

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, record: Any) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA cache_size = -65536")
        connection.execute("PRAGMA mmap_size = 1073741824")


async def connection() -> Any:
    with engine.connect() as opened:
        yield opened


Database = Annotated[Connection, Depends(connection)]


async def authenticated(
    database: Database, authorization: Annotated[str | None, Header()] = None
) -> int:
    """Return the user whose bearer token the request has."""
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() == "bearer":
        sha256 = hashlib.sha256(token.encode()).hexdigest()
        found = database.execute(
            select(api_tokens.c.user_id).where(api_tokens.c.sha256 == sha256, api_tokens.c.active)
        ).first()
        if found is not None:
            return int(found.user_id)
    raise HTTPException(401, headers={"WWW-Authenticate": "Bearer"})


User = Annotated[int, Depends(authenticated)]

_RECORDS = (
    select(
        records.c.id,
        records.c.account_id,
        accounts.c.name,
        records.c.amount,
        accounts.c.currency_code,
        records.c.record_date,
        categories.c.name,
        records.c.category_id,
        records.c.payee,
        records.c.note,
        records.c.labels,
        records.c.label_ids,
        records.c.payment_type,
        records.c.record_state,
        records.c.transfer_id,
        records.c.created_at,
        records.c.updated_at,
    )
    .join(accounts, accounts.c.id == records.c.account_id)
    .outerjoin(categories, categories.c.id == records.c.category_id)
)


@app.get("/records")
async def list_records(
    user: User,
    database: Database,
    date_from: date | None = None,
    date_to: date | None = None,
    min_amount: float | None = None,
    max_amount: float | None = None,
    account_id: str | None = None,
    category_id: str | None = None,
    note_contains: Annotated[str | None, Query(min_length=1)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 30,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    """Return a page of records, newest first."""
    statement = _RECORDS.where(records.c.user_id == user)
    if date_from is not None:
        start = datetime.combine(date_from, datetime.min.time())
        statement = statement.where(records.c.record_date >= start)
    if date_to is not None:
        end = datetime.combine(date_to, datetime.max.time())
        statement = statement.where(records.c.record_date <= end)
    if min_amount is not None:
        statement = statement.where(records.c.amount >= round(min_amount * _UNITS))
    if max_amount is not None:
        statement = statement.where(records.c.amount <= round(max_amount * _UNITS))
    if account_id is not None:
        statement = statement.where(records.c.account_id == account_id)
    if category_id is not None:
        statement = statement.where(records.c.category_id == category_id)
    if note_contains is not None:
        statement = statement.where(_contains(note_contains))
    found = _page(
        database, statement.order_by(records.c.record_date.desc(), records.c.id), limit, offset
    )
    return _page_response("records", [_record(row) for row in found], limit, offset)


@app.get("/records/by-id")
async def get_records(user: User, database: Database, ids: str) -> Response:
    """Return records by id, in the requested order."""
    wanted = ids.split(",")
    if len(wanted) > MAX_IDS:
        raise HTTPException(400, f"at most {MAX_IDS} ids")
    statement = _RECORDS.where(records.c.user_id == user, records.c.id.in_(wanted))
    found = {row[0]: _record(row) for row in database.execute(statement)}
    records_found = [found[record_id] for record_id in wanted if record_id in found]
    missing = [record_id for record_id in wanted if record_id not in found]
    return _json({"records": records_found, "count": len(records_found), "missingIds": missing})


@app.get("/categories")
async def list_categories(
    user: User,
    database: Database,
    limit: Annotated[int, Query(ge=1, le=100)] = 30,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    """Return a page of categories, sorted by name."""
    statement = (
        select(
            categories.c.id,
            categories.c.name,
            categories.c.parent_id,
            categories.c.group_name,
            categories.c.color,
            categories.c.archived,
            categories.c.custom_category,
            categories.c.created_at,
            categories.c.updated_at,
        )
        .where(categories.c.user_id == user)
        .order_by(categories.c.name, categories.c.id)
    )
    found = _page(database, statement, limit, offset)
    return _page_response("categories", [_category(row) for row in found], limit, offset)


_SUMS = text(summary_sql(engine.dialect.name, by_payee=False))
_PAYEE_SUMS = text(summary_sql(engine.dialect.name, by_payee=True))
_BALANCES = text(balances_sql(engine.dialect.name))


@app.get("/records/summary")
async def sum_records(
    user: User,
    database: Database,
    date_from: date,
    payee: str | None = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    """Return sums by category and month."""
    values = {"user_id": user, "since": _moment(date_from), "limit": limit + 1, "offset": offset}
    if payee is None:
        found = database.execute(_SUMS, values)
    else:
        found = database.execute(_PAYEE_SUMS, {**values, "payee": payee})
    groups = [_numbers(row) for row in found.mappings()]
    return _page_response("groups", groups, limit, offset)


@app.get("/accounts/balances")
async def list_balances(user: User, database: Database, date_from: date) -> Response:
    """Return the balances at the end of each month."""
    values = {"user_id": user, "since": f"{date_from:%Y-%m}"}
    found = database.execute(_BALANCES, values).mappings()
    return _json({"balances": [_numbers(row) for row in found]})


def _moment(day: date) -> Any:
    """Return a day in the driver's own type, because no column defines the type."""
    return (
        f"{day}" if engine.dialect.name == "sqlite" else datetime.combine(day, datetime.min.time())
    )


def _numbers(row: Any) -> dict[str, Any]:
    """Return a row with PostgreSQL's decimals as numbers."""
    return {name: float(v) if isinstance(v, Decimal) else v for name, v in row.items()}


def _contains(word: str) -> Any:
    """Match a word in any case: SQLite's LIKE ignores ASCII case; elsewhere use ILIKE."""
    if engine.dialect.name == "sqlite":
        return records.c.note.contains(word, autoescape=True)
    return records.c.note.icontains(word, autoescape=True)


def _page(database: Connection, statement: Select[Any], limit: int, offset: int) -> Any:
    return database.execute(statement.limit(limit + 1).offset(offset)).all()


def _record(row: Any) -> dict[str, Any]:
    (
        record_id, account_id, account_name, amount, currency_code, record_date, category,
        category_id, payee, note, labels, label_ids, payment_type, record_state, transfer_id,
        created_at, updated_at,
    ) = row  # fmt: skip
    return {
        "id": record_id,
        "accountId": account_id,
        "accountName": account_name,
        "amount": amount / _UNITS,
        "currencyCode": currency_code,
        "recordDate": record_date.date(),
        "category": category,
        "categoryId": category_id,
        "payee": payee,
        "note": note,
        "labels": labels.split(",") if labels else [],
        "labelIds": label_ids.split(",") if label_ids else [],
        "recordType": "expense" if amount < 0 else "income",
        "paymentType": payment_type,
        "recordState": record_state,
        "transferId": transfer_id,
        "createdAt": created_at,
        "updatedAt": updated_at,
    }


def _category(row: Any) -> dict[str, Any]:
    names = (
        "id", "name", "parentId", "group", "color", "archived", "customCategory", "createdAt",
        "updatedAt",
    )  # fmt: skip
    return dict(zip(names, row, strict=True))


def _page_response(name: str, rows: list[Any], limit: int, offset: int) -> Response:
    next_offset = offset + limit if len(rows) > limit else None
    shown = rows[:limit]
    return _json({name: shown, "limit": limit, "offset": offset, "nextOffset": next_offset})


def _json(document: Any) -> Response:
    body = orjson.dumps(document, option=orjson.OPT_NAIVE_UTC | orjson.OPT_UTC_Z)
    return Response(body, media_type="application/json")
