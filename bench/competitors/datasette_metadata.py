"""The second competitor: Datasette on the competitors' SQLite file, a tuned query for each load.

Datasette has no users here: the user is a parameter, and no token is looked up.
"""

import json
from pathlib import Path
from typing import Any

from bench.competitors.sums import balances_sql, summary_sql

SETTINGS = {
    "sql_time_limit_ms": "20000",
    "max_returned_rows": "1000",
    "suggest_facets": "off",
    "allow_download": "off",
    # Run queries in the event loop: on one core that is faster than using threads.
    "num_sql_threads": "0",
}

_COLUMNS = """
    r.id, r.account_id AS accountId, a.name AS accountName, r.amount / 10000.0 AS amount,
    a.currency_code AS currencyCode, date(r.record_date) AS recordDate, c.name AS category,
    r.category_id AS categoryId, r.payee, r.note, r.labels, r.label_ids AS labelIds,
    iif(r.amount < 0, 'expense', 'income') AS recordType, r.payment_type AS paymentType,
    r.record_state AS recordState, r.transfer_id AS transferId, r.created_at AS createdAt,
    r.updated_at AS updatedAt
"""
_JOINED = """
    FROM chosen JOIN records r ON r.id = chosen.id
    JOIN accounts a ON a.id = r.account_id LEFT JOIN categories c ON c.id = r.category_id
"""

#: Each query selects its page by the index of (user, date, id) before it joins other tables.
QUERIES = {
    "page": f"""
        WITH chosen AS MATERIALIZED (
            SELECT id, record_date FROM records
            WHERE user_id = CAST(:user_id AS INTEGER) AND record_date >= :since
            ORDER BY record_date DESC, id LIMIT CAST(:limit AS INTEGER)
            OFFSET CAST(:offset AS INTEGER)
        ) SELECT {_COLUMNS} {_JOINED} ORDER BY r.record_date DESC, r.id
    """,
    "search": f"""
        WITH chosen AS MATERIALIZED (
            SELECT id, record_date FROM records INDEXED BY ix_records_user_date
            WHERE user_id = CAST(:user_id AS INTEGER) AND note LIKE '%' || :word || '%'
            ORDER BY record_date DESC, id LIMIT CAST(:limit AS INTEGER)
        ) SELECT {_COLUMNS} {_JOINED} ORDER BY r.record_date DESC, r.id
    """,
    "by_id": f"""
        WITH chosen AS MATERIALIZED (SELECT value AS id FROM json_each(:ids))
        SELECT {_COLUMNS} {_JOINED} WHERE r.user_id = CAST(:user_id AS INTEGER)
    """,
    "categories": """
        SELECT id, name, parent_id AS parentId, group_name AS "group", color, archived,
               custom_category AS customCategory, created_at AS createdAt, updated_at AS updatedAt
        FROM categories WHERE user_id = CAST(:user_id AS INTEGER)
        ORDER BY name, id LIMIT CAST(:limit AS INTEGER)
    """,
    "sums": summary_sql("sqlite", by_payee=False),
    "payee_sums": summary_sql("sqlite", by_payee=True),
    "balances": balances_sql("sqlite"),
}


def write_metadata(path: Path, database: str) -> Path:
    """Write the file with Datasette's queries. database: the name of the database file."""
    queries: dict[str, Any] = {name: {"sql": sql} for name, sql in QUERIES.items()}
    path.write_text(json.dumps({"databases": {database: {"queries": queries}}}))
    return path
