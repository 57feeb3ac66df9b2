"""Every page in every state that looks different, and the steps that lead there."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal

from playwright.sync_api import Page

from browser.rows import CORRECTED, _numbers, extremes, journeys, statement, usage_of
from browser.site import PASSWORD, Site
from finance_api.auth.personal_tokens import digest, new_token
from finance_api.auth.sessions import digest as session_digest
from finance_api.auth.sessions import new_secret
from finance_api.storage.interface import RatesState, Session, UploadState, User
from finance_api.values.rates import DayRates
from finance_api.values.time import DAY_SECONDS
from finance_api.web.object_pages import OBJECT_PAGES

_AGENTS = (
    "Mozilla/5.0 (X11; Linux x86_64; rv:152.0) Gecko/20100101 Firefox/152.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like "
    "Gecko) Version/19.1 Mobile/15E148 Safari/604.1",
)
#: What this browser calls itself in pictures.
AGENT = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 "
    "Safari/537.36"
)


#: The secret of a link to a page with a chart.
LINK_SECRET = "finq_" + "s" * 32


class People:
    """Who looks at the pages: each sees other states of them."""

    def __init__(self, site: Site, *, quota: bool = False) -> None:
        """quota: whether tokens have been used in the last hour, which takes a while to do."""
        self.site = site
        self.household = self._household(quota)
        self.newcomer = site.user("newcomer@example.org")
        self.free = site.user("no-premium@example.org", premium=False)
        #: Makes tokens, which would be too many in the household's list.
        self.maker = site.user("maker@example.org")
        site.save_questions(self.maker, {"Mine": "records?limit=5"})
        before = CORRECTED.replace(b"-9.99", b"-9.90").replace(b"7.25", b"7")
        site.import_file(self.maker, before, only=["State=completed"])
        site.upload(self.maker, "corrected.csv", CORRECTED)
        self.extreme = self._extreme()
        self.travelled = self._travelled()
        self.importer = self._importer()

    def _household(self, quota: bool) -> User:
        site, now = self.site, self.site.now()
        user = site.user("demo@example.com", password=PASSWORD)
        site.load_demo(user, records=2_000)
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
                "Budgets now": "budgets",
                "Outdated": "records?total=lt.0",
            },
        )
        site.link_questions(user, LINK_SECRET)
        _, first = site.jwt(user, at=now - 3_000)
        site.jwt(user, at=now - 7_000, seconds=86_400)
        site.jwt(user, at=now - 400, seconds=604_800)

        def work(storage):
            ids = [token.id for token in storage.tokens.list_by_user(user.id)]
            storage.tokens.revoke(ids[1], now - 9 * DAY_SECONDS)
            used = (now - 5 * DAY_SECONDS, now - 9 * DAY_SECONDS - 500, now - 7_300, now - 240)
            storage.tokens.set_used(dict(zip(ids, used, strict=False)))
            storage.jwts.revoke(first.jti, now - 1_000)
            days = usage_of(user, now)
            storage.usage.add(days)
            # Counted so in the last weeks only.
            storage.usage.add_by_token(
                {
                    (of, day, ids[n]): number * (4 - n) // 10
                    for (of, day), number in days.items()
                    for n in range(4)
                    if day > now - 20 * DAY_SECONDS
                }
            )
            for n, agent in enumerate(_AGENTS, 1):
                secret = session_digest(new_secret())
                storage.sessions.add(
                    Session(secret, user.id, now - n * 7_000, now - n * 600, agent)
                )

        site.change(work)
        return user

    def _extreme(self) -> User:
        """Everything is as long as it can be, and has no blanks to break a line at."""
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
            token = storage.tokens.list_by_user(user.id)[0]
            for n in range(6):
                storage.tokens.add(
                    replace(token, id=f"id{n}", sha256=digest(new_token()), revoked_at=now)
                )
            today = now - now % DAY_SECONDS
            storage.usage.add({(user.id, today): 9_999_999})
            storage.usage.add_by_token({(user.id, today, token.id): 9_999_999})
            agent = "Agent/" + "9" * 194
            secret = session_digest(new_secret())
            storage.sessions.add(Session(secret, user.id, now - 40_000, now - 1_000, agent))

        site.change(work)
        return user

    def _travelled(self) -> User:
        """Accounts in three currencies, exchange rates, and transfers to confirm."""
        site, now = self.site, self.site.now()
        user = site.user("travelled@example.org")
        site.load_demo(user, records=400)
        site.load(user, journeys(now))
        quoted = {"USD": Decimal("1.08"), "JPY": Decimal("161.5")}
        days = range(now - now % DAY_SECONDS - 460 * DAY_SECONDS, now, 5 * DAY_SECONDS)

        def work(storage):
            storage.rates.put([DayRates(day, "EUR", quoted) for day in days])
            storage.rates.set_state(RatesState(1, now, frozenset({"EUR", *quoted})))

        site.change(work)
        return user

    def _importer(self) -> User:
        """Has files in every state."""
        site = self.site
        user = site.user("importer@example.com")
        site.load_demo(user, records=400)
        site.upload(user, "Umsätze 2026-03.csv", statement(60, "Main account").encode())
        open_file = statement(6, "").replace("account", "").replace("amount", "betrag")
        site.upload(user, "card.csv", open_file.encode())
        site.upload(user, "scan.pdf", b"%PDF-1.7 ")
        why = "The server stopped while it worked at this file. Nothing was changed."
        failed = {"state": UploadState.FAILED, "outcome": {"why": why}}
        site.upload(user, "All my data.ndjson", b"{}", **failed)
        at_work = {"state": UploadState.CHECKING, "alive_at": site.now() + DAY_SECONDS}
        site.upload(user, "x" * 150 + ".csv", b"x" * 3_000_000, **at_work)
        return user

    def of(self, name: str | None) -> User | None:
        return None if name is None else getattr(self, name)


@dataclass(frozen=True)
class Screen:
    """A page in some state. who: of `People`; None is nobody. then: what is done on the page."""

    name: str
    who: str | None
    path: str
    then: Callable[[Page], object] | None = None

    def show(self, page: Page) -> None:
        page.goto(self.path)
        if self.then is not None:
            self.then(page)


def _submit(button: str, **fields: str) -> Callable[[Page], object]:
    """Fills in fields by their ids and sends the form; the page that comes is the answer's."""

    def then(page: Page) -> None:
        for key, text in fields.items():
            page.locator(f"#{key}").fill(text)
        with page.expect_response(lambda r: r.request.method == "POST"):
            page.get_by_role("button", name=button, exact=True).click()
        page.wait_for_load_state()

    return then


def _faulty_token(page: Page) -> None:
    for box in page.get_by_role("checkbox").all():
        box.uncheck()
    page.get_by_label("On a date").check()
    _submit("Create the token", name=" ", expires_on="2020-02-29")(page)


def _made_token(page: Page) -> None:
    page.get_by_label("Records", exact=True).check()
    _submit("Create the token", name="Spreadsheet at home")(page)


def _follow(*links: str) -> Callable[[Page], object]:
    def then(page: Page) -> None:
        for link in links:
            page.get_by_role("link", name=link).first.click()
        page.wait_for_load_state()

    return then


def _open_table(page: Page) -> None:
    page.get_by_text("Show the numbers in a table").click()


def _open_all(page: Page) -> None:
    page.evaluate("document.querySelectorAll('main details').forEach(d => d.open = true)")


def _open_menu(page: Page) -> None:
    summary = page.locator(".menu-narrow summary")
    if summary.is_visible():
        summary.click()


def _click(button: str) -> Callable[[Page], object]:
    def then(page: Page) -> None:
        page.get_by_role("button", name=button, exact=True).first.click()
        page.wait_for_load_state()

    return then


def _first_record(page: Page) -> None:
    page.locator(".record-list .name-text").first.click()
    page.wait_for_load_state()


def _link_without_name(page: Page) -> None:
    _follow("Newest records", "Create a link")(page)
    page.locator("#name").fill("")
    _click("Create the link")(page)


def _make_link(page: Page) -> None:
    _follow("Mine", "Create a link")(page)
    page.locator("#name").fill("Sheet")
    _click("Create the link")(page)


def _split_form(page: Page) -> None:
    _first_record(page)
    _follow("Split this record")(page)
    _click("Add a part")(page)


def _split_faults(page: Page) -> None:
    _split_form(page)
    page.locator("#amount-1").fill("some")
    _click("Split")(page)


def _first_part(page: Page) -> None:
    _first_record(page)
    if page.get_by_role("link", name="Change the parts").is_visible():
        return
    _follow("Split this record")(page)
    total = float(page.locator("form .money").first.inner_text().split()[0])
    page.locator("#amount-1").fill("1")
    page.locator("#amount-2").fill(f"{total - 1:.2f}")
    _click("Split")(page)
    _follow("Back to the record")(page)


def _of_record(*then: Callable[[Page], object]) -> Callable[[Page], object]:
    """Open the first record, and then go on from there."""

    def steps(page: Page) -> None:
        _first_record(page)
        for step in then:
            step(page)

    return steps


def _first_object(page: Page) -> None:
    page.locator("th.name .name-text").first.click()
    page.wait_for_load_state()


def _first_object_removed(page: Page) -> None:
    _first_object(page)
    page.get_by_role("link", name="Remove this").click()
    page.wait_for_load_state()


def _first_token_without_name(page: Page) -> None:
    _first_object(page)
    _submit("Rename", name=" ")(page)


def _stay(page: Page) -> None:
    """The page would load itself anew while it is looked at."""
    page.evaluate("for (let timer = 1; timer < 100; timer++) clearTimeout(timer)")


def _look_at_progress(page: Page) -> None:
    _follow("Show: xxx")(page)
    _stay(page)


def _import(page: Page) -> None:
    """The whole walk, with a file that nobody has sent before."""
    content = statement(12, f"Savings {next(_numbers)}").encode()
    file = {"name": "Umsätze 2026-03.csv", "mimeType": "text/csv", "buffer": content}
    page.locator("#file").set_input_files(file)
    page.get_by_role("button", name="Check the files").click()
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("The file is imported.").wait_for()


SCREENS = (
    Screen("sign-in", None, "/settings/login"),
    Screen("sign-in-empty", None, "/settings/login", _submit("Sign in")),
    Screen(
        "sign-in-wrong",
        None,
        "/settings/login",
        _submit("Sign in", email="demo@example.com", password="wrong"),
    ),
    Screen("error-signed-out", None, "/settings/nothing"),
    Screen("guide", None, "/docs/guides/errors"),
    Screen("overview", "household", "/overview"),
    Screen("overview-first", "newcomer", "/overview"),
    Screen("overview-no-premium", "free", "/overview"),
    Screen("overview-extreme", "extreme", "/overview"),
    Screen("tokens", "household", "/settings/tokens"),
    Screen("tokens-none", "newcomer", "/settings/tokens"),
    Screen("tokens-no-premium", "free", "/settings/tokens"),
    Screen("tokens-extreme", "extreme", "/settings/tokens"),
    Screen("tokens-revoked", "household", "/settings/tokens?done=token-revoked"),
    Screen("token-new", "household", "/settings/tokens/new"),
    Screen("token-new-faults", "household", "/settings/tokens/new", _faulty_token),
    Screen("token-new-no-premium", "free", "/settings/tokens/new"),
    Screen(
        "token-created",
        "maker",
        "/settings/tokens/new",
        _made_token,
    ),
    Screen("token-revoke", "household", "/settings/tokens", _follow("Revoke Spreadsheet")),
    Screen("token-revoke-extreme", "extreme", "/settings/tokens", _follow("Revoke")),
    Screen("token", "household", "/settings/tokens", _first_object),
    Screen("token-ended", "household", "/settings/tokens", _follow("Old laptop")),
    Screen("token-extreme", "extreme", "/settings/tokens", _first_object),
    Screen("token-faults", "household", "/settings/tokens", _first_token_without_name),
    Screen("questions", "household", "/questions"),
    Screen("questions-none", "newcomer", "/questions"),
    Screen("questions-extreme", "extreme", "/questions"),
    Screen("question-of-months", "household", "/questions", _follow("Groceries by month")),
    Screen("question-of-records", "household", "/questions", _follow("Newest records")),
    Screen("question-of-budgets", "household", "/questions", _follow("Budgets now")),
    Screen("question-extreme", "extreme", "/questions", _first_object),
    Screen("question-outdated", "household", "/questions", _follow("Outdated")),
    Screen("question-new", "household", "/questions/new"),
    Screen("question-new-faults", "household", "/questions/new", _submit("Save", address="x")),
    Screen("link-new", "household", "/questions", _follow("Newest records", "Create a link")),
    Screen("link-new-faults", "household", "/questions", _link_without_name),
    Screen("link-made", "maker", "/questions", _make_link),
    Screen("link-revoke", "household", "/questions", _follow("Newest records", "Revoke Sheet")),
    Screen("links-revoke", "household", "/questions", _follow("Newest records", "Revoke all")),
    Screen("link", None, f"/q/{LINK_SECRET}.html"),
    Screen("question-remove", "household", "/questions", _follow("Newest records", "Remove this")),
    Screen("jwts", "household", "/settings/jwts"),
    Screen("jwts-none", "newcomer", "/settings/jwts"),
    Screen("jwt-created", "maker", "/settings/jwts", _submit("Issue a JWT")),
    Screen("jwt-revoke", "household", "/settings/jwts", _follow("Revoke")),
    Screen("jwt-revoke-all", "household", "/settings/jwts/revoke-all"),
    Screen("profile", "household", "/settings/profile"),
    Screen("profile-no-premium", "free", "/settings/profile"),
    Screen("session-end", "household", "/settings/security", _follow("End the session of Safari")),
    Screen("sign-out-everywhere", "household", "/settings/security/sign-out-everywhere"),
    Screen("usage-30-days", "household", "/settings/usage"),
    Screen("usage-12-weeks", "household", "/settings/usage?period=12weeks"),
    Screen("usage-12-months", "household", "/settings/usage?period=12months", _open_table),
    Screen("usage-none", "newcomer", "/settings/usage"),
    Screen("usage-extreme", "extreme", "/settings/usage", _open_table),
    Screen("overview-year", "household", "/overview?period=2026", _open_all),
    Screen("overview-days", "household", "/overview?from=2026-01-05&to=2026-02-07"),
    Screen("overview-currencies", "travelled", "/overview"),
    Screen("overview-converted", "travelled", "/overview?convertTo=EUR"),
    Screen("records", "household", "/records"),
    Screen("records-found", "household", "/records?q=market&from=2026-01-01", _open_all),
    Screen("records-none-found", "household", "/records?q=nothing+of+this"),
    Screen("records-faults", "household", "/records?from=never&select=some", _click("Set")),
    Screen("records-none", "newcomer", "/records"),
    Screen("records-extreme", "extreme", "/records"),
    Screen("record", "household", "/records", _first_record),
    Screen("record-split", "household", "/records", _split_form),
    Screen("record-split-faults", "household", "/records", _split_faults),
    Screen("record-split-extreme", "extreme", "/records", _split_form),
    Screen("record-part", "importer", "/records", _first_part),
    Screen("record-new", "household", "/records/new"),
    Screen("record-new-none", "newcomer", "/records/new"),
    Screen(
        "record-faults",
        "household",
        "/records/new",
        _submit("Add the record", amount="1.250", recordDate="0001-01-01"),
    ),
    Screen("record-link", "household", "/records", _of_record(_follow("Choose the other half"))),
    Screen("record-remove", "household", "/records", _of_record(_follow("Delete this record"))),
    Screen("record-rule", "household", "/records", _of_record(_follow("Make a rule"))),
    Screen("records-selecting", "household", "/records?select=page"),
    Screen("rules-apply", "household", "/rules/apply", _click("Preview")),
    Screen("transfers", "travelled", "/transfers"),
    Screen("transfers-none", "household", "/transfers"),
    Screen("transfers-faults", "travelled", "/transfers", _click("Not transfers")),
    # They share their templates: of each the list, of some the other states.
    *(Screen(name, "household", f"/{name}") for name in OBJECT_PAGES),
    Screen("labels-none", "newcomer", "/labels"),
    Screen("accounts-extreme", "extreme", "/accounts"),
    Screen("budgets-new", "household", "/budgets/new"),
    Screen("rules-new", "household", "/rules/new"),
    Screen(
        "budgets-faults", "household", "/budgets/new", _submit("Add the budget", limitAmount="x")
    ),
    Screen("accounts-one", "household", "/accounts", _first_object),
    Screen("accounts-remove", "household", "/accounts", _first_object_removed),
    Screen("categories-remove", "household", "/categories", _first_object_removed),
    Screen("menu", "household", "/labels", _open_menu),
    Screen("security", "household", "/settings/security"),
    Screen("security-extreme", "extreme", "/settings/security"),
    Screen(
        "security-faults",
        "household",
        "/settings/security",
        _submit(
            "Change the password",
            current_password="x",
            new_password="12345678",
            repeated_password="1",
        ),
    ),
    Screen("security-changed", "household", "/settings/security?done=password-changed"),
    Screen("import", "importer", "/import", _stay),
    Screen("import-first", "newcomer", "/import"),
    Screen("import-none", "newcomer", "/import", _submit("Check the files")),
    Screen("import-preview", "importer", "/import", _follow("Continue: Ums")),
    Screen(
        "import-options",
        "importer",
        "/import",
        _follow("Continue: Ums", "Change how it is read"),
    ),
    Screen("import-updates", "maker", "/import", _follow("Continue: corrected")),
    Screen("import-asking", "importer", "/import", _follow("Continue: card")),
    Screen("import-refused", "importer", "/import", _follow("Continue: scan")),
    Screen("import-failed", "importer", "/import", _follow("Continue: All")),
    Screen("import-progress", "importer", "/import", _look_at_progress),
    Screen("import-done", "maker", "/import", _import),
    Screen("imports", "importer", "/imports"),
    Screen("imports-none", "newcomer", "/imports"),
    Screen("imports-entry", "importer", "/imports/1"),
    Screen("imports-undo", "importer", "/imports/1/undo"),
    Screen("notice", "household", "/labels/new", _submit("Add the label", name="Trip")),
    Screen("error", "household", "/settings/tokens/nothing/revoke"),
    Screen("error-lost", "household", "/budget"),
)
