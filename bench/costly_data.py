"""One user with a lot of everything: 200,000 records of 200 years, 10,000 daily standing orders.

Half of the payees occur once, a tenth of the records have up to ten of 500 labels.
"""

import json
import random
import re
import time
import uuid
from collections.abc import Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from bench import data
from bench.ini import context_of, sqlite_url, write_ini
from bench.postgresql import Postgresql
from bench.prepare import remove_sqlite, run_program
from bench.workspace import Workspace
from finance_api.ledger.importing import ImportOrder, import_file
from finance_api.storage.interface import RatesState, unit_of_work
from finance_api.values.rates import DayRates
from finance_api.values.time import DAY_SECONDS, from_date

EMAIL = "costs@bench.example"
RECORDS = 200_000
STANDING_ORDERS = 10_000
BUDGETS = 200
LABELS = 500

_LABEL_IDS = re.compile(rb'"labelIds":\[[^\]]*\]')
_PAYEE = re.compile(rb'("payee":"[^"]*)"')
_YEAR = re.compile(rb'"recordDate":"\d{4}')
#: How many records get other labels, payees and years.
_LABELLED, _PAID, _OLD = 10, 2, 1_000


def prepare(workspace: Workspace, database: str, postgresql: Postgresql | None) -> Path:
    """The ini file of a database with the user's data, which is imported unless it is there."""
    data.prepare_bulk(workspace, RECORDS)
    sqlite = workspace.directory / "costs.sqlite"
    url = sqlite_url(sqlite) if postgresql is None else postgresql.url("costs")
    keys = workspace.scratch("costs-keys.json")
    ini = write_ini(workspace.scratch(f"costs-{database}.ini"), url=url, cached=False)
    text = ini.read_text("utf-8")
    for name, value in (
        ("finance_api.jwt.keys", str(keys)),
        ("finance_api.ratelimit.internal", "1000000000/hour"),
        ("sqlalchemy.statement_seconds", "60"),
    ):
        text = re.sub(rf"^{re.escape(name)} =.*$", f"{name} = {value}", text, flags=re.M)
    ini.write_text(text, "utf-8")
    note = workspace.directory / f"costs-{database}.done"
    if not note.exists():
        if postgresql is None:
            remove_sqlite(sqlite)
        else:
            postgresql.recreate("costs")
    run_program(ini, "db", "upgrade")
    if not note.exists():
        if not keys.exists():
            run_program(ini, "jwt", "new-key")
        run_program(ini, "user", "add", EMAIL, "--premium")
        _import(ini, workspace)
        if postgresql is not None:
            postgresql.run_sql("costs", "VACUUM ANALYZE")
        note.touch()
    return ini


def _import(ini: Path, workspace: Workspace) -> None:
    path = workspace.directory / "costs.ndjson"
    with open(path, "wb") as file:
        file.writelines(_lines(workspace.bulk))
    cli = context_of(ini)
    now = int(time.time())
    try:
        with open(path, "rb") as stream:
            import_file(cli.backend, ImportOrder(EMAIL, stream, now=now))
        last = from_date(data.LAST_DAY)
        quoted = {"CHF": Decimal("0.9731"), "USD": Decimal("1.0823"), "GBP": Decimal("0.8562")}
        days = [DayRates(last - n * DAY_SECONDS, "EUR", quoted) for n in range(data.DAYS)]
        with unit_of_work(cli.backend) as storage:
            storage.rates.lock()
            storage.rates.put(days)
            storage.rates.set_state(RatesState(1, now, frozenset({"EUR", *quoted})))
    finally:
        cli.close()


def _lines(bulk: Path) -> Iterator[bytes]:
    draw = random.Random("costs")
    labels = [_new_id(draw) for _ in range(LABELS)]
    ids: dict[str, list[str]] = {"Account": [], "Category": []}
    number = 0
    with open(bulk, "rb") as file:
        for line in file:
            if line.startswith(b'{"reserved_model_type":"Record"'):
                if number == 0:
                    yield from _objects(labels, ids, draw)
                number += 1
                yield _changed(line, number, labels, draw)
                continue
            document = json.loads(line)
            ids.setdefault(document["reserved_model_type"], []).append(document["id"])
            yield line


def _new_id(draw: random.Random) -> str:
    return str(uuid.UUID(int=draw.getrandbits(128), version=4))


def _objects(
    labels: list[str], ids: Mapping[str, list[str]], draw: random.Random
) -> Iterator[bytes]:
    made_at = {"createdAt": "2020-01-01T00:00:00Z", "updatedAt": "2020-01-01T00:00:00Z"}

    def line(model_type: str, row_id: str, **values: Any) -> bytes:
        document = {"reserved_model_type": model_type, "id": row_id, **values, **made_at}
        return json.dumps(document).encode() + b"\n"

    for number, label in enumerate(labels):
        yield line("Label", label, name=f"label {number:03}", color="#9a031e")
    for number in range(BUDGETS):
        kind = ("WEEK", "MONTH", "YEAR")[number % 3]
        begin = data.LAST_DAY - timedelta(days=3 * number)
        dates = {"startDate": begin.isoformat()} if number % 4 == 0 else {}
        yield line(
            "Budget", _new_id(draw), name=f"budget {number}", **dates,
            type="BUDGET_CUSTOM" if dates else f"BUDGET_INTERVAL_{kind}",
            currencyCode="EUR", limitAmount=450, labelIds=draw.sample(labels, number % 4),
            categoryIds=draw.sample(ids["Category"], number % 5),
        )  # fmt: skip
    for number in range(STANDING_ORDERS):
        start = data.LAST_DAY - timedelta(days=draw.randrange(3_000))
        yield line(
            "StandingOrder", _new_id(draw), name=f"order {number}", amount=-1 - number,
            accountId=ids["Account"][0], currencyCode="EUR",
            recurrenceRule="FREQ=DAILY", startDate=start.isoformat(), paymentType="transfer",
        )  # fmt: skip


def _changed(line: bytes, number: int, labels: list[str], draw: random.Random) -> bytes:
    if number % _PAID == 0:
        line = _PAYEE.sub(rb'\g<1> %d"' % number, line)
    if number % _LABELLED == 0:
        chosen = json.dumps(draw.sample(labels, draw.randint(1, 10))).encode()
        line = _LABEL_IDS.sub(b'"labelIds":' + chosen, line)
    if number % _OLD == 0:
        line = _YEAR.sub(b'"recordDate":"%d' % draw.randrange(1826, 2026), line)
    return line
