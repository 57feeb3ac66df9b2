"""The people whose pages the tests look at, each with data that makes the pages look different."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from functools import cached_property

from browser.rows import CORRECTED, extremes, hostile, journeys, statement, usage_of
from browser.site import PASSWORD, Site
from finance_api.auth.personal_tokens import digest, new_token
from finance_api.auth.sessions import digest as session_digest
from finance_api.auth.sessions import new_secret
from finance_api.resources.currencies import DayRates
from finance_api.storage.interface import Jwt, RatesState, Session, Token, UploadState, User
from finance_api.values.time import DAY_SECONDS

_AGENTS = (
    "Mozilla/5.0 (X11; Linux x86_64; rv:152.0) Gecko/20100101 Firefox/152.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like "
    "Gecko) Version/19.1 Mobile/15E148 Safari/604.1",
)

#: The secret of a link to a page with a chart.
LINK_SECRET = "finq_" + "s" * 32


#: Who sees every page, besides the household.
DATA_SETS = ("newcomer", "crowd", "hostile")


class People:
    """The users who look at the pages; each sees them in other states."""

    def __init__(self, site: Site, *, quota: bool = False) -> None:
        """quota: whether tokens have been used in the last hour, which takes a while to do."""
        self.site = site
        self.household = self._household(quota)
        self.newcomer = site.user("newcomer@example.org", password=PASSWORD)
        self.free = site.user("no-premium@example.org", premium=False)
        #: The user for whom tests create tokens; they would make the household's list too long.
        self.maker = site.user("maker@example.org")
        site.save_questions(self.maker, {"Mine": "records?limit=5"})
        before = CORRECTED.replace(b"-9.99", b"-9.90").replace(b"7.25", b"7")
        site.import_file(self.maker, before, only=["State=completed"])
        site.upload(self.maker, "corrected.csv", CORRECTED)
        self.extreme = self._extreme()
        self.travelled = self._travelled()
        self.importer = self._importer()

    def _household(self, quota: bool) -> User:
        user = self.site.user("demo@example.com", password=PASSWORD)
        self.site.load_demo(user, records=2_000)
        self._furnish(user, quota, LINK_SECRET)
        return user

    @cached_property
    def crowd(self) -> User:
        user = self.site.user("crowd@example.com", password=PASSWORD)
        self.site.load_demo(user, records=100_000)
        self._furnish(user)
        self._send_files(user)
        return user

    @cached_property
    def hostile(self) -> User:
        """Names of the maximum length, from right to left, and like markup."""
        site, now = self.site, self.site.now()
        user = site.user("h" * 64 + "@" + "example." * 22 + "org", password=PASSWORD)
        site.load(user, hostile(now))
        for name in ("x" * 100, "👩‍👩‍👧‍👦" * 14, "ثم نفس سقطت وبالتحديد " * 4):
            site.token(user, name[:100], expires_at=now + 3_000 * DAY_SECONDS)
        self._furnish(user)
        self._send_files(user)
        return user

    def _furnish(self, user: User, quota: bool = False, secret: str | None = None) -> None:
        """Add tokens, saved questions with links, JWTs, sessions and usage."""
        site, now = self.site, self.site.now()
        made = [
            site.token(user, "Trial", at=now - 200 * DAY_SECONDS, expires_at=now - 3 * DAY_SECONDS),
            site.token(user, "Old laptop", at=now - 160 * DAY_SECONDS, scopes=["records"]),
            site.token(user, "Spreadsheet at home", at=now - 120 * DAY_SECONDS),
            site.token(
                user,
                "Home automation",
                at=now - 41 * DAY_SECONDS,
                scopes=["accounts", "budgets"],
                expires_at=now + 49 * DAY_SECONDS,
            ),
            site.token(
                user,
                "Power BI, monthly report",
                at=now - 2 * DAY_SECONDS,
                scopes=["records", "accounts", "categories", "budgets", "labels"],
                expires_at=now + 363 * DAY_SECONDS,
            ),
        ]
        if quota:
            site.spend(made[2], 88)
            site.spend(made[3], 437)
        site.save_questions(
            user,
            {
                "Groceries by month": "records/summary?groupBy=month&category=eq.Groceries",
                "Newest records": "records?limit=30",
                "Categories by month": "records/summary?groupBy=topCategory,month&columns=spent",
                "Budgets now": "budgets",
                "Outdated": "records?total=lt.0",
            },
        )
        site.link_questions(user, secret or new_secret())
        _, first = site.jwt(user, at=now - 3_000)
        site.jwt(user, at=now - 7_000, seconds=86_400)
        site.jwt(user, at=now - 400, seconds=604_800)

        def work(storage):
            ids = [token.id for token in storage.users.list_owned(Token, user.id)]
            storage.users.revoke(Token, ids[1], now - 9 * DAY_SECONDS)
            used = (now - 5 * DAY_SECONDS, now - 9 * DAY_SECONDS - 500, now - 7_300, now - 240)
            storage.users.set_used(Token, dict(zip(ids, used, strict=False)))
            storage.users.revoke(Jwt, first.jti, now - 1_000)
            days = usage_of(user, now)
            # Only the last weeks have numbers by token.
            by_token = {
                (of, day, ids[n]): number * (4 - n) // 10
                for (of, day), number in days.items()
                for n in range(4)
                if day > now - 20 * DAY_SECONDS
            }
            storage.usage.add(by_token)
            counted = Counter()
            for (of, day, _), number in by_token.items():
                counted[of, day] += number
            storage.usage.add({(*day, ""): number - counted[day] for day, number in days.items()})
            for n, agent in enumerate(_AGENTS, 1):
                secret = session_digest(new_secret())
                storage.users.add_owned(
                    Session(secret, user.id, now - n * 7_000, now - n * 600, agent)
                )

        site.change(work)

    def _extreme(self) -> User:
        """Every text has the maximum length, and no blanks at which a line could break."""
        site, now = self.site, self.site.now()
        user = site.user("a" * 64 + "@" + "b" * 63 + "." + "c" * 63 + "." + "d" * 57 + ".ex")
        for name in ("x" * 100, "W" * 100, "👩‍👩‍👧‍👦" * 14, "ثم نفس سقطت وبالتحديد " * 4):
            site.token(user, name[:100], expires_at=now + 3_000 * DAY_SECONDS)
        site.jwt(user)
        site.load_demo(user, records=50)
        site.load(user, extremes(now))
        long = f"records?note=contains.{'x' * 200}&payee=contains.{'y' * 200}"
        site.save_questions(user, {"W" * 100: "records?limit=9", "x" * 100: long})

        def work(storage):
            token = storage.users.list_owned(Token, user.id)[0]
            for n in range(6):
                storage.users.add_owned(
                    replace(token, id=f"id{n}", sha256=digest(new_token()), revoked_at=now)
                )
            today = now - now % DAY_SECONDS
            storage.usage.add({(user.id, today, token.id): 9_999_999})
            agent = "Agent/" + "9" * 194
            secret = session_digest(new_secret())
            storage.users.add_owned(Session(secret, user.id, now - 40_000, now - 1_000, agent))

        site.change(work)
        return user

    def _travelled(self) -> User:
        """Accounts in three currencies, exchange rates, transfers to confirm, and duplicates."""
        site, now = self.site, self.site.now()
        user = site.user("travelled@example.org")
        site.load_demo(user, records=400)
        site.load(user, journeys(now))
        site.load(user, journeys(now, first=500)[3:4])
        quoted = {"USD": Decimal("1.08"), "JPY": Decimal("161.5")}
        days = range(now - now % DAY_SECONDS - 460 * DAY_SECONDS, now, 5 * DAY_SECONDS)

        def work(storage):
            storage.rates.put([DayRates(day, "EUR", quoted) for day in days])
            storage.rates.set_state(RatesState(1, now, frozenset({"EUR", *quoted})))

        site.change(work)
        return user

    def _importer(self) -> User:
        """Has files in every state."""
        user = self.site.user("importer@example.com")
        self.site.load_demo(user, records=400)
        self._send_files(user)
        return user

    def _send_files(self, user: User) -> None:
        site = self.site
        site.upload(user, "Umsätze 2026-03.csv", statement(60, "Main account").encode())
        open_file = statement(6, "").replace("account", "").replace("amount", "betrag")
        site.upload(user, "card.csv", open_file.encode())
        site.upload(user, "scan.pdf", b"%PDF-1.7 ")
        why = "The server stopped while it worked at this file. Nothing was changed."
        failed = {"state": UploadState.FAILED, "outcome": {"why": why}}
        site.upload(user, "All my data.ndjson", b"{}", **failed)
        at_work = {"state": UploadState.CHECKING, "alive_at": site.now() + DAY_SECONDS}
        site.upload(user, "x" * 150 + ".csv", b"x" * 3_000_000, **at_work)

    def of(self, name: str | None) -> User | None:
        return None if name is None else getattr(self, name)
