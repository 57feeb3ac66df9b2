"""Native files of synthetic users: the same at every run, on every machine, on every day.

Records are put together from prepared pieces of JSON: a million records in about ten seconds.
"""

import hashlib
import json
import random
import shutil
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from bench import vocabulary as words
from bench.sizes import Size
from bench.workspace import Workspace
from finance_api.auth.personal_tokens import new_token

SEED = "finance-api bench 1"
#: The day of the newest record, and the span of the dates.
LAST_DAY = date(2026, 6, 30)
DAYS = 3_650
#: The date of the loads "since a date": about half of the records.
SINCE = LAST_DAY - timedelta(days=DAYS // 2)
#: How many sets of 30 record ids of the large user are stored for the loads.
ID_SETS = 200
IDS_IN_SET = 30

_BYTES_OF_RECORD = 32
#: Out of 256 records, this many begin a transfer. The other record of the transfer follows.
_TRANSFERS = 3
_MINUTES_OF_DAY = [f"T{m // 60:02}:{m % 60:02}" for m in range(24 * 60)]
DAY_TEXTS = [(LAST_DAY - timedelta(days=n)).isoformat() for n in range(DAYS)]
_STATES = ("cleared", "cleared", "reconciled", "reconciled", "cleared", "cleared", "uncleared",
           "void")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Person:
    """A synthetic user. id_sets: lists of ids of some of the user's records."""

    number: int
    email: str
    token: str
    records: int
    id_sets: tuple[tuple[str, ...], ...]


def prepare(workspace: Workspace) -> list[Person]:
    """Return the users; write their files unless this version of the code has written them."""
    fingerprint = _fingerprint(workspace.size)
    if workspace.people.exists():
        stored = json.loads(workspace.people.read_text("utf-8"))
        if stored["fingerprint"] == fingerprint:
            return [_person(entry) for entry in stored["people"]]
    shutil.rmtree(workspace.users, ignore_errors=True)
    workspace.bulk.unlink(missing_ok=True)
    workspace.users.mkdir()
    people = [
        _write_user(file_of(workspace, number), number, records)
        for number, records in enumerate(record_counts(workspace.size))
    ]
    entries = {"fingerprint": fingerprint, "people": [asdict(person) for person in people]}
    workspace.people.write_text(json.dumps(entries), encoding="utf-8")
    return people


def prepare_bulk(workspace: Workspace, records: int) -> None:
    """Write the file for the import of one user, with this many records."""
    mark = workspace.bulk.with_suffix(".fingerprint")
    fingerprint = f"{_fingerprint(workspace.size)} {records}"
    if not workspace.bulk.exists() or not mark.exists() or mark.read_text() != fingerprint:
        _write_user(workspace.bulk, workspace.size.users, records)
        mark.write_text(fingerprint)


def file_of(workspace: Workspace, number: int) -> Path:
    """Return the native file of a user."""
    return workspace.users / f"{number:04}.ndjson"


def record_counts(size: Size) -> list[int]:
    """Return how many records each user has: first the large user, then the regular users."""
    rest = size.users - 1 - size.regular_users
    weights = [1 + n % 7 for n in range(rest)]
    shares = [size.shared_records * weight // sum(weights) for weight in weights]
    shares[-1] += size.shared_records - sum(shares)
    return [size.large_records, *[size.regular_records] * size.regular_users, *shares]


def _fingerprint(size: Size) -> str:
    """Return a hash that changes with the code that makes the data."""
    sources = (Path(__file__), Path(words.__file__))
    code = b"".join(path.read_bytes() for path in sources) + repr(record_counts(size)).encode()
    return hashlib.sha256(code).hexdigest()


def _person(entry: dict[str, Any]) -> Person:
    sets = tuple(tuple(ids) for ids in entry.pop("id_sets"))
    return Person(**entry, id_sets=sets)


def _write_user(path: Path, number: int, records: int) -> Person:
    user = _UserData(number, records)
    with open(path, "wb") as file:
        for document in user.documents():
            file.write(json.dumps(document, ensure_ascii=False).encode() + b"\n")
        file.writelines(user.records())
    return Person(
        number, f"user{number:04}@bench.example", new_token(), records, user.some_id_sets()
    )


def _id_of(digits: str) -> str:
    """Return an id made of 32 hexadecimal digits."""
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


class _UserData:
    """One user's objects. The records are not ordered by date."""

    def __init__(self, number: int, records: int) -> None:
        self._random = random.Random(f"{SEED} {number}")
        self._count = records
        self._ids: list[str] = []
        self._accounts = [self._new_id() for _ in words.ACCOUNTS]
        names = [name for group in words.CATEGORIES.values() for name in group]
        self._categories = {name: self._new_id() for name in names}
        self._labels = {name: self._new_id() for name in words.LABELS}

    def _new_id(self) -> str:
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))

    def some_id_sets(self) -> tuple[tuple[str, ...], ...]:
        """Return ids of records from all over the data. Call it after `records`."""
        many = ID_SETS if self._count > 10_000 else 1
        width = min(IDS_IN_SET, len(self._ids))
        return tuple(tuple(self._random.sample(self._ids, width)) for _ in range(many))

    def documents(self) -> Iterator[dict[str, Any]]:
        """Yield everything but the records."""
        made_at = f"{DAY_TEXTS[-1]}T00:00:00Z"
        for model_type, values in self._documents():
            document = {"reserved_model_type": model_type, "id": values.pop("id", None), **values}
            document["id"] = document["id"] or self._new_id()
            yield {**document, "createdAt": made_at, "updatedAt": made_at}

    def _documents(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for account_id, account in zip(self._accounts, words.ACCOUNTS, strict=True):
            yield "Account", {
                "id": account_id, "name": account.name, "accountType": account.account_type,
                "currencyCode": account.currency, "initialBalance": 1_000, "color": "#3a7d44",
            }  # fmt: skip
        for group, names in words.CATEGORIES.items():
            for name in names:
                yield "Category", {
                    "id": self._categories[name], "name": name, "group": group,
                    "color": "#2f6690", "customCategory": len(name) % 2 == 0,
                }  # fmt: skip
        for name, label_id in self._labels.items():
            yield "Label", {"id": label_id, "name": name, "color": "#9a031e"}
        for name in ("Groceries", "Restaurants", "Books"):
            yield "Budget", {
                "name": name, "type": "BUDGET_INTERVAL_MONTH", "currencyCode": "EUR",
                "limitAmount": 450, "categoryIds": [self._categories[name]],
            }  # fmt: skip
        yield "Goal", {
            "name": "New bicycle", "targetAmount": 1_200, "savedAmount": 450.5,
            "currencyCode": "EUR", "desiredDate": "2027-06-30",
        }  # fmt: skip
        for name, amount in (("Rent", -850), ("Energy", -89.9), ("Salary", 4_800)):
            yield "StandingOrder", {
                "name": name, "accountId": self._accounts[0], "amount": amount,
                "currencyCode": "EUR", "categoryId": self._categories[name],
                "recurrenceRule": "FREQ=MONTHLY;BYMONTHDAY=1", "startDate": "2020-01-01",
                "paymentType": "transfer",
            }  # fmt: skip
        yield "RecordRule", {
            "name": "Supermarkets", "keywords": ["supermarket"],
            "categoryId": self._categories["Groceries"],
        }  # fmt: skip

    def records(self) -> Iterator[bytes]:
        """Yield a line per record. Half of its random bytes are the id; the rest choose pieces."""
        accounts, spendings = self._account_pieces(), self._spending_pieces()
        labels, other_accounts = self._label_pieces(), self._other_accounts()
        # If the previous record began a transfer: account, cents, day, labels of its other record.
        other: tuple[str, int, int, str] | None = None
        minutes, days, states = _MINUTES_OF_DAY, DAY_TEXTS, _STATES
        draw, add = self._random.randbytes, self._ids.append
        for number in range(self._count):
            drawn = draw(_BYTES_OF_RECORD)
            digits = drawn[:16].hex()
            record_id = _id_of(digits)
            add(record_id)
            account, label = accounts[drawn[26] % len(accounts)], labels[drawn[31]]
            day = int.from_bytes(drawn[16:19], "big") % DAYS
            minute = minutes[int.from_bytes(drawn[19:21], "big") % 1_440]
            pieces, low, span = spendings[drawn[21] % len(spendings)]
            cents = low + int.from_bytes(drawn[22:25], "big") % span
            if other is not None:
                (account, cents, day, label), other = other, None
            elif drawn[31] < _TRANSFERS and account in other_accounts:
                label = f'"labelIds":[],"transferId":"{_id_of(drawn[16:].hex())}",'
                other = other_accounts[account], -cents, day, label
            moment = f"{days[day]}{minute}"
            sign = "-" if cents > 0 else ""
            cents = abs(cents)
            seconds = drawn[25] % 60
            yield (
                f'{{"reserved_model_type":"Record","id":"{record_id}",'
                f"{account},"
                f'"amount":{sign}{cents // 100}.{cents % 100:02},'
                f'"recordDate":"{moment}:{seconds:02}Z",'
                f'{pieces[drawn[27] % len(pieces)]},"note":"{self._note(number, drawn)}",'
                f'{label}"recordState":"{states[drawn[27] >> 5]}",'
                f'"createdAt":"{moment}:{seconds:02}Z","updatedAt":"{moment}:59Z"}}\n'
            ).encode()

    @staticmethod
    def _note(number: int, drawn: bytes) -> str:
        opening = words.OPENINGS[drawn[28] % len(words.OPENINGS)]
        subject = words.SUBJECTS[drawn[29] % len(words.SUBJECTS)]
        closing = words.CLOSINGS[drawn[30] % len(words.CLOSINGS)]
        if number % words.COMMON_EVERY == 7:
            opening = f"{words.COMMON_WORD.capitalize()} {drawn[28]}:"
        if number % words.RARE_EVERY == 11:
            closing = f"{words.RARE_WORD} {closing}"
        return f"{opening} {subject} {closing}"

    def _other_accounts(self) -> dict[str, str]:
        """Return, by account, the account that its transfers go to: the next account in euros."""
        pieces = list(dict.fromkeys(self._account_pieces()))
        euros = [
            piece
            for piece, account in zip(pieces, words.ACCOUNTS, strict=True)
            if account.currency == "EUR"
        ]
        return dict(zip(euros, [*euros[1:], euros[0]], strict=True))

    def _account_pieces(self) -> list[str]:
        """Return pieces for accounts; the first accounts occur more often."""
        pieces = [
            f'"accountId":"{account_id}","currencyCode":"{account.currency}"'
            for account_id, account in zip(self._accounts, words.ACCOUNTS, strict=True)
        ]
        return [piece for at, piece in enumerate(pieces) for _ in range(2 * (len(pieces) - at))]

    def _spending_pieces(self) -> list[tuple[list[str], int, int]]:
        """For each spending, return category, payee and payment type; lowest amount; span."""
        return [
            (
                [
                    f'"categoryId":"{self._categories[spending.category]}",'
                    f'"payee":"{payee}","paymentType":"{spending.payment_type}"'
                    for payee in spending.payees
                ],
                spending.low,
                spending.high - spending.low,
            )
            for spending in words.SPENDINGS
        ]

    def _label_pieces(self) -> list[str]:
        """Return 256 pieces for labels: most with no label, some with one, few with two."""
        ids = list(self._labels.values())
        one = [f'"labelIds":["{label}"],' for label in ids]
        two = [f'"labelIds":["{ids[n]}","{ids[n - 1]}"],' for n in range(len(ids))]
        return ['"labelIds":[],'] * 206 + one * 4 + two
