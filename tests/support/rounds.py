"""Users whose data goes round four states, and a model that knows each response.

After the first import, another import, an edit, the undo of the edit, and the undo of the import,
the data is as it was at first. So the revision in a response says what its body must be.
"""

import hashlib
import re
import threading
from typing import Any, NamedTuple

from finance_api.values.time import DAY_SECONDS
from support.mirror import Mirror
from support.native_rows import household, record, uid
from support.service import Client, Service

#: The states, in the order of revisions. The third change undoes the second, so a state repeats.
STATES = ("first", "imported", "edited", "imported")
#: The id of the record that is edited.
EDITED = uid("Record", 7)
NOTE = "edited during the soak"
_NEW = uid("Record", 130)
_INTERNAL = "/internal/v1/"
_V1, _WALLET = "/v1/api/", "/wallet/v1/api/"
_DATES = "recordDate=gte.2025-01-01"
_COLUMNS = "fields=recordDate,amount,payee,category"
#: Requests that are sent more often than the others.
OFTEN = [
    _V1 + "records",
    _V1 + "records?limit=100&withTotal=true",
    _V1 + "records?limit=30&offset=90",
    _V1 + "accounts",
    _V1 + "records?amount=lt.-40&category=contains-i.food",
]
PATHS = [
    *OFTEN,
    *(_V1 + path for path in ("categories", "labels", "budgets", "goals", "standing-orders")),
    *(_V1 + path for path in ("record-rules", "categories.csv", "labels.xlsx")),
    _V1 + "records?limit=20&sortBy=-amount,payee",
    _V1 + "records?q=shop&withTotal=true",
    _V1 + "records?note=is.null&recordDate=gte.2026-03-10&recordDate=lt.2026-03-20",
    _V1 + f"records.csv?limit=100&{_COLUMNS}",
    _V1 + "records.ndjson?limit=50",
    _V1 + f"records/by-id?id={uid('Record', 1)},{EDITED},{_NEW}",
    _V1 + f"records/{EDITED}",
    _V1 + f"records/{_NEW}",
    _V1 + "records?amount=lots",
    _V1 + "records/summary?groupBy=category,month",
    _V1 + "records/summary?groupBy=payee&sortBy=-net&limit=5",
    _V1 + "accounts/balances?interval=month&from=2025-12-01&to=2026-04-30",
    _WALLET + f"records?limit=50&{_DATES}",
    _WALLET + f"records?limit=20&agentHints=true&{_DATES}",
    _WALLET + "accounts",
    _WALLET + "budgets",
    _INTERNAL + "get-records?limit=50",
    _INTERNAL + "get-docs?document_type=all",
    _V1 + "export/records.ndjson",
    _V1 + f"export/records.csv?{_COLUMNS}",
    _V1 + "export/all.ndjson",
]
_IMPORT = b'"importId":"00000000-0000-8000-8000-%012x"'
_REVISION = re.compile(rb'"revision":\d+')
_UPDATED = re.compile(rb'"(u|lastU)pdatedAt":"[^"]*"')
_TIMES = {"createdAt": "2026-01-05T10:00:00Z", "updatedAt": "2026-02-05T10:00:00Z"}


def is_internal(path: str) -> bool:
    return path.startswith(_INTERNAL)


class Place(NamedTuple):
    """state: of the data. number: of the second import in the user's history."""

    state: str
    number: int


def place_at(revision: int) -> Place:
    round_, step = divmod(revision - 1, len(STATES))
    return Place(STATES[step], 2 + 2 * round_)


def rows(name: str, state: str) -> list[dict[str, Any]]:
    """Return the rows of a user's first or second import, all of which name user and import.

    name: a letter and a number. All users have the same ids.
    """
    mark = f"{name} {state}"
    shift = int(name[1:]) * 3 + len(state)
    last = 120 if state == "first" else 140
    days = ((n, 1 + (n * 5 + shift) % 28) for n in range(5, last))
    made = [record(n, amount=-n - shift, recordDate=f"2026-03-{day:02}") for n, day in days]
    return [
        {**_TIMES, **row, "payee": f"{mark} Shop"}
        if row["reserved_model_type"] == "Record"
        else {**_TIMES, **row, "name": f"{mark} {position} food"}
        for position, row in enumerate([*household(), *made])
    ]


class Model:
    """What each response must be: what the memory storage responds for the same data."""

    def __init__(self) -> None:
        self._service = Service("memory", {"finance_api.storage": "memory"})
        self._users: dict[tuple[str, str], Client] = {}
        self._known: dict[tuple[str, str, str, int], tuple[int, bytes]] = {}
        self._lock = threading.Lock()

    def add(self, name: str) -> None:
        """Add a user once for each state."""
        for state in dict.fromkeys(STATES):
            client = self._users[name, state] = self._service.client()
            client.load(*rows(name, "first"))
            if state != "first":
                client.load(*rows(name, "imported"))
            if state == "edited":
                (row,) = (row for row in rows(name, "imported") if row["id"] == EDITED)
                client.load({**row, "note": NOTE, "setByHand": ["note"]})

    def expected(self, name: str, path: str, state: str, day: int) -> tuple[int, bytes]:
        """Return status and digest. day: since 1970; budgets depend on it."""
        key = name, path, state, day
        with self._lock:
            if key not in self._known:
                self._service.clock.seconds = day * DAY_SECONDS
                client = self._users[name, state]
                bearer = self._service.jwt(client.user) if is_internal(path) else client.token
                headers = {"Authorization": f"Bearer {bearer}"}
                answer = self._service.web.get(path, headers=headers, status="*")
                self._known[key] = answer.status_int, digest(answer.body, Place(state, 2))
            return self._known[key]

    def mirrored(self, name: str, state: str) -> dict[tuple[str, str], bytes]:
        with self._lock:
            mirror = Mirror(self._users[name, state])
            mirror.read_all()
        return mirror_rows(mirror, Place(state, 2))


def _normal(body: bytes, place: Place) -> bytes:
    """Remove what differs from the model: the revision, the import's number, the edit's time."""
    body = _REVISION.sub(b"", body)
    body = body.replace(_IMPORT % place.number, _IMPORT % 2)
    return _UPDATED.sub(b"", body) if place.state == "edited" else body


def digest(body: bytes, place: Place) -> bytes:
    return hashlib.blake2b(_normal(body, place), digest_size=16).digest()


def mirror_rows(mirror: Mirror, place: Place) -> dict[tuple[str, str], bytes]:
    return {key: _normal(text.encode(), place) for key, text in mirror.rows.items()}
