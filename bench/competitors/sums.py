"""The competitors' queries for sums and balances: hand-tuned SQL that reads only indexes."""

from typing import NamedTuple


class _Sql(NamedTuple):
    """SQL that differs between databases. records: the table, with its index if possible."""

    month: str
    last_day: str
    records: str


_SQLITE = _Sql(
    "substr(record_date, 1, 7)",
    "date(month || '-01', '+1 month', '-1 day')",
    "records INDEXED BY {index}",
)
_POSTGRESQL = _Sql(
    "to_char(record_date, 'YYYY-MM')",
    "(to_date(month, 'YYYY-MM') + interval '1 month' - interval '1 day')::date",
    "records",
)


def summary_sql(database: str, *, by_payee: bool) -> str:
    """Return SQL for sums by category and month.

    Its parameters: user_id, since, limit, offset, and payee if ``by_payee``.
    """
    sql = _SQLITE if database == "sqlite" else _POSTGRESQL
    index = "ix_records_payee_sums" if by_payee else "ix_records_sums"
    return f"""
        SELECT a.currency_code AS "currencyCode", c.name AS category,
               g.category_id AS "categoryId", g.month, g.month || '-01' AS "periodStart",
               CAST(sum(g.n) AS INTEGER) AS count, sum(g.income) / 10000.0 AS income,
               sum(g.expense) / 10000.0 AS expense, sum(g.net) / 10000.0 AS net,
               substr(CAST(min(g.first) AS TEXT), 1, 10) AS "firstDate",
               substr(CAST(max(g.last) AS TEXT), 1, 10) AS "lastDate"
        FROM (
            SELECT account_id, category_id, {sql.month} AS month, count(*) AS n,
                   sum(CASE WHEN amount >= 0 THEN amount ELSE 0 END) AS income,
                   sum(CASE WHEN amount < 0 THEN amount ELSE 0 END) AS expense,
                   sum(amount) AS net, min(record_date) AS first, max(record_date) AS last
            FROM {sql.records.format(index=index)}
            WHERE user_id = CAST(:user_id AS INTEGER) AND record_date >= :since
                  {"AND payee = :payee" if by_payee else ""}
                  AND transfer_id IS NULL AND record_state <> 'void'
            GROUP BY 1, 2, 3
        ) g
        JOIN accounts a ON a.id = g.account_id LEFT JOIN categories c ON c.id = g.category_id
        GROUP BY a.currency_code, c.name, g.category_id, g.month
        ORDER BY a.currency_code, c.name, g.category_id, g.month
        LIMIT CAST(:limit AS INTEGER) OFFSET CAST(:offset AS INTEGER)
    """


def balances_sql(database: str) -> str:
    """Return SQL for balances at the end of each month. Parameters: user_id, since (a month)."""
    sql = _SQLITE if database == "sqlite" else _POSTGRESQL
    return f"""
        WITH monthly AS (
            SELECT account_id, {sql.month} AS month, sum(amount) AS total,
                   min(record_date) AS first
            FROM {sql.records.format(index="ix_records_sums")}
            WHERE user_id = CAST(:user_id AS INTEGER) AND record_state <> 'void'
            GROUP BY 1, 2
        ), running AS (
            SELECT account_id, month,
                   sum(total) OVER (PARTITION BY account_id ORDER BY month) AS total,
                   min(first) OVER (PARTITION BY account_id) AS first
            FROM monthly
        )
        SELECT month AS period, month || '-01' AS "periodStart", {sql.last_day} AS date,
               a.name AS account, a.id AS "accountId", a.currency_code AS "currencyCode",
               (a.initial_balance + r.total) / 10000.0 AS balance,
               substr(CAST(r.first AS TEXT), 1, 10) AS "firstRecordDate"
        FROM running r JOIN accounts a ON a.id = r.account_id
        WHERE month >= :since ORDER BY month, a.name, a.id
    """
