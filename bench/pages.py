"""Pages of 50 records with their total, of one user with very many records: `make bench-pages`.

First pages of the API, then the whole pages that people see, with the sums above the list.

What counts is processor time, the median of a few calls: other work on the machine changes it less
than elapsed time. On PostgreSQL it includes the processor time of the server.

python -m bench.pages --only "letter" --only "without labels"    only pages with these words
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

from bench import data
from bench.ini import write_ini
from bench.micro.application import Application, opened
from bench.postgresql import Postgresql, running
from bench.prepare import DATABASES, prepare, run_program, url_of
from bench.sizes import ONE_USER
from bench.vocabulary import COMMON_WORD, RARE_WORD
from bench.workspace import Workspace, exclusive
from finance_api.auth import sessions
from finance_api.ledger.exchange_rates import import_rates
from finance_api.resources.currencies import DayRates
from finance_api.storage.interface import unit_of_work
from finance_api.values.time import parse_date

_CALLS = 5
_PAGE = 50
_DEEP = f"offset={(3_000 - 1) * _PAGE}"
#: Description of each page -> its parameters.
PAGES = {
    "first page": "",
    "page 3,000": _DEEP,
    "a word in 2 % of the notes": f"q={COMMON_WORD}",
    "a word in 0.03 %": f"q={RARE_WORD}",
    "a word that no record has": "q=nowhere",
    "two words": f"q={COMMON_WORD}+holiday",
    "a word, by amount": f"q={COMMON_WORD}&sortBy=amount",
    "a number": "q=17.07",
    "a large amount": "q=%3E100",
    "a range of amounts": "amount=abs.gte.17,abs.lt.18",
    "by amount": "sortBy=amount",
    "by amount, the largest first": "sortBy=-amount",
    "by amount, page 3,000": f"sortBy=amount&{_DEEP}",
    "the largest first, page 3,000": f"sortBy=-amount&{_DEEP}",
    "by payee": "sortBy=payee",
    "by payee, from the end": "sortBy=-payee",
    "by payee, page 3,000": f"sortBy=payee&{_DEEP}",
    "by payee, from the end, page 3,000": f"sortBy=-payee&{_DEEP}",
    "a category by amount": "category=eq.Rent&sortBy=amount",
    "a month by payee": "recordDate=eq.2026-05&sortBy=payee",
    "without category": "categoryId=is.null",
    "without labels": "labelIds=is.null",
    "with labels": "labelIds=is.not_null",
    "without note": "note=is.null",
    "transfers": "transferId=is.not_null",
    "income but transfers": "recordType=income&transferId=is.null",
    "spent": "flow=spent&counted=true",
}
#: The parameters of whole pages of records. {label}, {category}, {account} and {record} are ids.
WHOLE_PAGES = {
    "first page": "",
    "page 3,000": _DEEP,
    "a word in 2 % of the notes": f"q={COMMON_WORD}",
    "a word in 0.03 %": f"q={RARE_WORD}",
    "a word that no record has": "q=nowhere",
    "two words": f"q={COMMON_WORD}+holiday",
    "a word, by amount": f"q={COMMON_WORD}&sort=amount",
    "a letter in nearly all records": "q=a",
    "that letter, by amount": "q=a&sort=amount",
    "a number": "q=17.07",
    "a large amount": "q=%3E100",
    "a range of amounts": "min=17&max=18",
    "by amount": "sort=amount",
    "by amount, page 3,000": f"sort=amount&{_DEEP}",
    "by payee": "sort=payee",
    "by payee, page 3,000": f"sort=payee&{_DEEP}",
    "a month": "period=2026-05",
    "some years": "from=2018-01-07&to=2025-01-22",
    "of an account": "account={account}",
    "of a category": "category={category}",
    "without category": "category=none",
    "of a label": "label={label}",
    "with labels": "label=any",
    "without labels": "label=none",
    "without labels, by amount": "label=none&sort=amount",
    "with note": "note=any",
    "with note, by amount": "note=any&sort=amount",
    "without note": "note=none",
    "of a payee": "payee=Corner+Shop",
    "in a currency": "currency=EUR",
    "expenses": "type=expense",
    "transfers": "type=transfer",
    "spent": "flow=spent&counted=true",
    "void": "state=void",
    "cleared": "state=cleared",
    "any amount": "min=0",
    "spent, in a currency": "flow=spent&counted=true&convertTo=CHF",
    "any amount, in a currency": "min=0&convertTo=CHF",
    "expenses, in a currency": "type=expense&convertTo=CHF",
    "any amount, all in euros": "min=0&convertTo=EUR",
    "a letter, all in euros": "q=a&convertTo=EUR",
    "of an import": "import=1",
    "of an edit": "import=2",
}
#: Further whole pages, with ids likewise.
OTHER_PAGES = {
    "overview": "/overview",
    "overview of a month": "/overview?period=2026-05",
    "overview of ten years": "/overview?from=2016-07-01&to=2026-06-30",
    "overview of a year in a currency": "/overview?convertTo=CHF&period=2025",
    "overview of a year, all in euros": "/overview?convertTo=EUR&period=2025",
    "accounts": "/accounts",
    "an account": "/accounts/{account}",
    "removing an account": "/accounts/{account}/remove",
    "categories": "/categories",
    "a category": "/categories/{category}",
    "removing a category": "/categories/{category}/remove",
    "labels": "/labels",
    "a label": "/labels/{label}",
    "budgets": "/budgets",
    "goals": "/goals",
    "standing orders": "/standing-orders",
    "rules": "/rules",
    "a record": "/records/{record}",
    "a new record": "/records/new",
    "a rule of a record": "/records/{record}/rule",
    "splitting a record": "/records/{record}/split",
    "linking a record": "/records/{record}/link",
    "deleting a record": "/records/{record}/remove",
    "a payee": "/payee?name=Corner+Shop",
    "payees": "/payees",
    "payees with a word": "/payees?q=co",
    "the largest payees": "/payees/categories",
    "transfers to confirm": "/transfers",
    "likely duplicates": "/duplicates",
    "the question: spent by month": "/questions/new?what=spent&by=month",
    "the question: spent by payee": "/questions/new?what=spent&by=payee",
    "the question: without labels by payee": "/questions/new?what=spent&label=none&by=payee",
    "the question: net worth": "/questions/new?what=balance&by=month",
    "the history": "/imports",
    "an entry": "/imports/1",
    "undo of the import": "/imports/1/undo",
    "undo of an edit": "/imports/2/undo",
    "a form to import": "/import",
}


def _ids(application: Application) -> dict[str, str]:
    """Return an id of each kind that pages need."""
    found = {}
    for one, many in (
        ("label", "labels"),
        ("category", "categories"),
        ("account", "accounts"),
        ("record", "records"),
    ):
        _, _, body = application.respond(application.environ(f"/v1/api/{many}?limit=1"))
        found[one] = json.loads(body)[many][0]["id"]
    return found


def _signed_in(application: Application) -> str:
    """Return the cookie of a new session of the first user."""
    with unit_of_work(application.registry.services.storage) as storage:
        (user, *_) = storage.users.list_all()
        now = int(time.time())
        secret = sessions.start_session(storage, user, now=now, user_agent="bench")
    return f"finance_session={secret}"


def _edit_once(ini: Path, application: Application, record: str) -> None:
    """Edit a record, so that the history has an entry after the import to undo."""
    with unit_of_work(application.registry.services.storage) as storage:
        (user, *_) = storage.users.list_all()
        entries = storage.ledger.list_entries(user.id)
    if len(entries) == 1:
        run_program(ini, "records", "set", user.email, record, "note=edited")


def _import_rates(application: Application) -> None:
    """Import a rate for each day of the records, so that amounts can be converted."""
    rates = [
        DayRates(parse_date(day), "EUR", {"CHF": Decimal(9_000 + number % 2_000) / 10_000})
        for number, day in enumerate(data.DAY_TEXTS)
    ]
    import_rates(application.registry.services.storage, rates, int(time.time()))


def _measured(
    application: Application, call: Callable[[], float], path: str, **headers: str
) -> float:
    """Return the median milliseconds of a request."""
    found = []
    for _ in range(_CALLS):
        environ = application.environ(path, token=not headers, **headers)
        begin = call()
        status, _, body = application.respond(environ)
        found.append(call() - begin)
        assert status.startswith("200"), (status, body)
    return statistics.median(found) * 1_000


def _print_pages(
    workspace: Workspace, database: str, postgresql: Postgresql | None, only: list[str]
) -> None:
    url = url_of(workspace, database, postgresql)
    path = workspace.scratch("pages.ini")
    ini = write_ini(path, url=url, cached=False, statement_seconds=60)

    def is_asked(name: str) -> bool:
        return not only or any(words in name for words in only)

    def processor_seconds() -> float:
        served = 0.0 if database == "sqlite" or postgresql is None else postgresql.busy_seconds()
        return time.process_time() + served

    print(f"{database}, {ONE_USER.large_records:,} records, milliseconds a page")
    with opened(ini, data.prepare(workspace)[:1]) as application:
        _import_rates(application)
        for name, parameters in PAGES.items():
            if not is_asked(name):
                continue
            path = f"/v1/api/records?{parameters}&limit={_PAGE}&withTotal=true".replace("?&", "?")
            milliseconds = _measured(application, processor_seconds, path)
            print(f"  {name:40}{milliseconds:10,.1f}", flush=True)
        cookie, ids = _signed_in(application), _ids(application)
        _edit_once(ini, application, ids["record"])
        records = {name: f"/records?{asked}" for name, asked in WHOLE_PAGES.items()}
        for name, path in [*records.items(), *OTHER_PAGES.items()]:
            if not is_asked(f"whole: {name}"):
                continue
            milliseconds = _measured(
                application, processor_seconds, path.format(**ids), HTTP_COOKIE=cookie
            )
            print(f"  {f'whole: {name}':40}{milliseconds:10,.1f}", flush=True)


def _main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=DATABASES, action="append")
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    workspace = Workspace(ONE_USER)
    databases = options.database or DATABASES
    with exclusive(), running(workspace) as postgresql:
        prepare(workspace, postgresql, databases=databases, with_competitors=False)
        for database in databases:
            if database == "sqlite" or postgresql is not None:
                _print_pages(workspace, database, postgresql, options.only)


if __name__ == "__main__":
    _main()
