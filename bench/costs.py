"""What requests cost: CPU time and memory of the dearest ones, and a random search for others.

python -m bench.costs                     the list, on both databases
python -m bench.costs --random 5000       this many random requests, the most expensive first
python -m bench.costs --only upcoming     those of the list whose path has this text
"""

import argparse
import ctypes
import json
import os
import random
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from bench import data
from bench.costly_data import EMAIL, RECORDS, prepare
from bench.ini import context_of
from bench.micro.application import Application, opened
from bench.postgresql import Postgresql, running
from bench.prepare import DATABASES
from bench.sizes import QUICK
from bench.workspace import Workspace, exclusive
from finance_api.auth.issuing import issue_token
from finance_api.auth.jwt_issuing import issue_jwt
from finance_api.auth.jwt_keys import open_key_ring
from finance_api.auth.jwts import jwt_rules
from finance_api.auth.sessions import start_session
from finance_api.cli.context import get_user
from finance_api.storage.interface import unit_of_work

_LIBC = ctypes.CDLL(None)
#: A request that takes longer is ended.
_MOST_SECONDS = 20
_V1, _WALLET = "/v1/api", "/wallet/v1/api"
#: Columns of every summary.
_SUMS = ("currencyCode", "count", "income", "expense", "net", "firstDate", "lastDate")
_SUMMARY, _DAYS = f"{_V1}/records/summary", "originalDate=gte.2020-01-01,lt.2030-01-01"
_ALL = "from=1826-01-01&to=2026-12-31"
#: The dearest requests that are known.
REQUESTS = (
    f"{_WALLET}/standing-orders/items?limit=200&withTotal=true",
    f"{_WALLET}/standing-orders/items?limit=200&withTotal=true&{_DAYS}",
    f"{_V1}/standing-orders/upcoming?days=366&limit=1",
    f"{_V1}/standing-orders/upcoming?days=366&limit=1000&offset=100000",
    f"{_V1}/standing-orders?sortBy=nextDueDate&limit=100",
    f"{_SUMMARY}?groupBy=payee,category,day&sortBy=net&limit=1000&offset=100000",
    f"{_SUMMARY}.csv?groupBy=payee,category,day&sortBy=net&limit=1000",
    f"{_SUMMARY}.xlsx?groupBy=payee,category,day&sortBy=net&limit=1000",
    f"{_SUMMARY}?groupBy=label,payee,day",
    f"{_SUMMARY}?groupBy=label,payee,day&include=void,transfers,excluded&fill=true",
    f"{_SUMMARY}?groupBy=label,day",
    f"{_SUMMARY}?groupBy=label,day&sortBy=net",
    f"{_SUMMARY}?groupBy=payee,day",
    f"{_SUMMARY}?groupBy=payee&sortBy=net",
    f"{_SUMMARY}?groupBy=account,category,day",
    f"{_SUMMARY}?groupBy=day&fill=true&limit=1000",
    f"{_SUMMARY}?groupBy=category,month&convertTo=USD",
    f"{_SUMMARY}?groupBy=payee,label,day&convertTo=USD",
    f"{_WALLET}/budgets?spending=current%2B25&limit=200",
    f"{_V1}/budgets?limit=100",
    f"{_V1}/accounts/balances?interval=quarter&{_ALL}",
    f"{_V1}/accounts/balances?interval=day&from=2025-01-01&convertTo=USD",
    "/overview?from=1826-01-01&to=2026-12-31",
    f"{_V1}/records?note=contains-i.nowhere",
    f"{_V1}/records?payee=contains-i.nowhere",
    f"{_V1}/records?q=no+where+at+all",
    f"{_V1}/records?sortBy=note&limit=100&offset=199000&withTotal=true",
    f"{_V1}/records?convertTo=USD&limit=100&sortBy=payee",
    f"{_V1}/changes?since=0&limit=1000",
    f"{_WALLET}/records?limit=200&offset=150000&recordDate=gte.1826-01-01&withTotal=true",
    f"{_WALLET}/accounts?limit=200",
    "/internal/v1/get-records?sort_by=amount&limit=300&offset=150000",
    "/internal/v1/get-docs?document_type=all&limit=200&convert_to=USD",
    f"{_V1}/export/records.ndjson",
    f"{_V1}/export/records.csv",
    f"{_V1}/export/records.xlsx",
    f"{_V1}/export/all.ndjson",
)  # fmt: skip


class Cost(NamedTuple):
    """seconds: of CPU, database included. more_bytes: of memory at its peak. status: 0: ended."""

    path: str
    seconds: float
    more_bytes: int
    status: int
    body_bytes: int

    def __str__(self) -> str:
        size = f"{self.more_bytes / 1e6:6.0f} MB {self.status:4} {self.body_bytes:10,} B"
        return f"{self.seconds:8.2f} s {size}  {self.path}"


class _TookTooLong(BaseException):
    """Past every handler of exceptions."""


def _end_it(number: int, frame: Any) -> None:
    raise _TookTooLong


class Client:
    """Asks the application in this process, with a credential for each surface."""

    def __init__(self, application: Application, ini: Path, postmaster: int | None) -> None:
        self._application, self._postmaster = application, postmaster
        cli = context_of(ini)
        now = int(time.time())
        try:
            keys = open_key_ring(cli.settings).keys()
            with unit_of_work(cli.backend) as storage:
                user = get_user(storage, EMAIL)
                self._token = issue_token(storage, user, name="costs", now=now, max_live=10_000)
                rules = jwt_rules(cli.settings)
                self._jwt, _ = issue_jwt(
                    storage, user, keys=keys, rules=rules, now=now, ttl_seconds=7_200
                )
                self._session = start_session(storage, user, now=now, user_agent="costs")
        finally:
            cli.close()

    def ask(self, path: str) -> tuple[int, bytes]:
        environ = self._application.environ(path, token=False)
        credential = self._jwt if path.startswith("/internal/") else self._token
        if path.startswith("/overview"):
            environ["HTTP_COOKIE"] = f"finance_session={self._session}"
        else:
            environ["HTTP_AUTHORIZATION"] = f"Bearer {credential}"
        status, _, body = self._application.respond(environ)
        return int(status[:3]), body

    def cost(self, path: str) -> Cost:
        _LIBC.malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")
        before, begin = _memory("VmRSS"), self._cpu_seconds()
        signal.signal(signal.SIGPROF, _end_it)
        signal.setitimer(signal.ITIMER_PROF, _MOST_SECONDS)
        try:
            status, body = self.ask(path)
        except _TookTooLong:
            status, body = 0, b""
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        seconds = self._cpu_seconds() - begin
        return Cost(path, seconds, _memory("VmHWM") - before, status, len(body))

    def _cpu_seconds(self) -> float:
        """Processor time of this process and of PostgreSQL."""
        if self._postmaster is None:
            return time.process_time()
        ticks = 0
        children = Path(f"/proc/{self._postmaster}/task/{self._postmaster}/children").read_text()
        for pid in (self._postmaster, *map(int, children.split())):
            values = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            # utime, stime, and cutime and cstime of those that have ended: see proc(5).
            ticks += sum(map(int, values[11 : 15 if pid == self._postmaster else 13]))
        return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def _memory(name: str) -> int:
    """In bytes."""
    found = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


@contextmanager
def client_of(
    workspace: Workspace, database: str, postgresql: Postgresql | None
) -> Iterator[Client]:
    server = postgresql if database == "postgresql" else None
    ini = prepare(workspace, database, server)
    person = data.Person(0, EMAIL, "", RECORDS, ())
    with opened(ini, [person]) as application:
        client = Client(application, ini, None if server is None else server.pid)
        client.ask(f"{_V1}/records?limit=1")
        yield client


class RandomRequests:
    """Requests for everything that the descriptions name, with any of its parameters."""

    def __init__(self, client: Client, seed: int) -> None:
        self._draw = random.Random(seed)
        self._operations: list[tuple[str, list[Mapping[str, Any]]]] = []
        for path in ("/v1/openapi.json", "/wallet/openapi", "/internal/v1/openapi.json"):
            document = json.loads(client.ask(path)[1])
            shared = document["components"].get("parameters", {})
            for operation, methods in document["paths"].items():
                given = methods.get("get", {}).get("parameters", [])
                found = [shared[p["$ref"].rpartition("/")[2]] if "$ref" in p else p for p in given]
                if found:
                    self._operations.append((operation, found))
        self._ids = {
            name: [row["id"] for row in json.loads(client.ask(f"{_V1}/{name}?limit=40")[1])[key]]
            for name, key in (
                ("accounts", "accounts"), ("categories", "categories"), ("labels", "labels"),
                ("budgets", "budgets"), ("records", "records"),
                ("standing-orders", "standingOrders"),
            )
        }  # fmt: skip

    def __iter__(self) -> Iterator[str]:
        # Summaries have the most parameters: half of all.
        summaries = [each for each in self._operations if "summary" in each[0]]
        while True:
            path, parameters = self._draw.choice(self._draw.choice((summaries, self._operations)))
            yield self._request(path, parameters)

    def _request(self, path: str, parameters: Sequence[Mapping[str, Any]]) -> str:
        chance = self._draw.choice((0.03, 0.1, 0.3))
        given = []
        for parameter in parameters:
            name, where = parameter["name"], parameter["in"]
            if where == "path":
                path = path.replace(f"{{{name}}}", self._id(path))
                continue
            likely = name in ("groupBy", "sortBy", "limit", "interval", "from", "days", "last")
            if where == "query" and (
                parameter.get("required") or self._draw.random() < (0.7 if likely else chance)
            ):
                given.append(f"{name}={quote(self._value(path, parameter))}")
        return f"{path}?{'&'.join(given)}"

    def _id(self, path: str) -> str:
        kind = next((name for name in self._ids if f"/{name}" in path), "records")
        return self._draw.choice(self._ids[kind])

    def _value(self, path: str, parameter: Mapping[str, Any]) -> str:
        draw, name, schema = self._draw, parameter["name"], parameter["schema"]
        special: Mapping[str, Callable[[], str]] = {
            "recordDate": self._dates, "originalDate": self._dates,
            "amount": lambda: f"{draw.choice(('gte', 'lt'))}.{draw.randrange(-90, 90)}",
            "from": lambda: f"{draw.randrange(1826, 2026)}-01-01", "to": lambda: "2026-12-31",
            "convertTo": lambda: "USD", "convert_to": lambda: "USD",
            "since": lambda: "0", "q": lambda: draw.choice(("a", "no where", "zeppelin")),
            "id": lambda: self._id(path),
            "accountId": lambda: draw.choice(self._ids["accounts"]),
            "categoryId": lambda: draw.choice(self._ids["categories"]),
        }  # fmt: skip
        if name in special:
            return special[name]()
        match schema.get("type"):
            case "integer":
                low, high = schema.get("minimum", 0), schema.get("maximum", 1000)
                return str(draw.choice((low, high, draw.randint(low, min(high, 200_000)))))
            case "boolean":
                return draw.choice(("true", "true", "false"))
        items = schema.get("items", schema)
        if "enum" in items:
            most = min(schema.get("maxItems", 3), 3) if items is not schema else 1
            number = draw.randint(1, min(most, len(items["enum"])))
            return ",".join(map(str, draw.sample(items["enum"], number)))
        return self._text(path, parameter, items.get("pattern", ".*"))

    def _text(self, path: str, parameter: Mapping[str, Any], pattern: str) -> str:
        """An operand that the pattern allows."""
        example = parameter.get("example", "a")
        example = ",".join(map(str, example)) if isinstance(example, list) else str(example)
        known = re.findall(r"[A-Za-z]\w+", pattern) if parameter["name"] == "sortBy" else []
        if "summary" in path:
            known = [name for name in known if name in _SUMS]
        operators = ("", "ne.", "lt.", "gte.", "contains-i.", "startsWith-i.", "-")
        possible = ["is.null", "is.not_null", "contains-i.a", *known]
        possible += [operator + text for operator in operators for text in (example, *known)]
        return self._draw.choice([x for x in possible if re.fullmatch(pattern, x)] or [example])

    def _dates(self) -> str:
        year = self._draw.randrange(2016, 2027)
        return self._draw.choice((f"gte.{year}-01-01", "gte.1826-01-01", f"lt.{year}-07-01"))


def _main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=DATABASES, action="append")
    parser.add_argument("--only", default="", help="part of the paths of the list")
    parser.add_argument("--random", type=int, default=0, help="how many random requests")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shown", type=int, default=40, help="how many random ones are shown")
    options = parser.parse_args()
    workspace = Workspace(QUICK)
    with exclusive(), running(workspace) as postgresql:
        for database in options.database or DATABASES:
            if database == "postgresql" and postgresql is None:
                print("PostgreSQL is not installed: left out")
                continue
            print(database, flush=True)
            with client_of(workspace, database, postgresql) as client:
                if not options.random:
                    for path in REQUESTS:
                        if options.only in path:
                            print(client.cost(path), flush=True)
                    continue
                found = []
                for number, path in zip(
                    range(options.random), RandomRequests(client, options.seed), strict=False
                ):
                    cost = client.cost(path)
                    found.append(cost)
                    if cost.seconds > 1 or cost.status >= 500:
                        print(number, cost, file=sys.stderr, flush=True)
                found.sort(key=lambda cost: -cost.seconds)
                print(*found[: options.shown], sep="\n", flush=True)
                statuses = [cost.status for cost in found]
                print({status: statuses.count(status) for status in sorted(set(statuses))})


if __name__ == "__main__":
    _main()
