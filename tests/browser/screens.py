"""Every page in every state that looks different, and the steps that lead there."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from playwright.sync_api import Page

from browser.people import DATA_SETS, LINK_SECRET
from browser.rows import serial_numbers, statement
from browser.site import PASSWORD
from finance_api.web.object_pages import OBJECT_PAGES

#: The User-Agent that pictures show.
AGENT = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 "
    "Safari/537.36"
)


@dataclass(frozen=True)
class Screen:
    """A page in some state. who: an attribute of `People`; None: nobody. then: the steps on the
    page.
    """

    name: str
    who: str | None
    path: str
    then: Callable[[Page], object] | None = None

    def show(self, page: Page) -> None:
        page.goto(self.path)
        if self.then is not None:
            self.then(page)


def _submit(button: str, **fields: str) -> Callable[[Page], object]:
    """Fill in fields by their ids and send the form; the screen is the page that follows."""

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
            page.locator("main").get_by_role("link", name=link).first.click()
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


def _set_no_category(page: Page) -> None:
    """Send the form that changes the chosen records; it is folded on a narrow screen."""
    _open_all(page)
    _click("Set")(page)
    page.locator("#chosen .error").first.wait_for()


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
    _follow("Split")(page)
    _click("Add a part")(page)


def _split_faults(page: Page) -> None:
    _split_form(page)
    page.locator("#amount-1").fill("some")
    _click("Split")(page)


def _first_part(page: Page) -> None:
    _first_record(page)
    if page.get_by_role("link", name="Change the parts").is_visible():
        return
    _follow("Split")(page)
    total = float(page.locator("form .money").first.inner_text().split()[0].replace(",", ""))
    page.locator("#amount-1").fill("1")
    page.locator("#amount-2").fill(f"{total - 1:.2f}")
    _click("Split")(page)
    _follow("Back to the record")(page)


def _of_record(*then: Callable[[Page], object]) -> Callable[[Page], object]:
    """Open the first record, and do the steps there."""

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
    page.get_by_role("link", name="Remove", exact=True).click()
    page.wait_for_load_state()


def _top_payee(page: Page) -> None:
    page.locator("#payees-table th a").first.click()
    page.wait_for_load_state()


def _open_first_object(page: Page) -> None:
    _first_object(page)
    _open_all(page)


def _first_token_without_name(page: Page) -> None:
    _first_object(page)
    _submit("Rename", name=" ")(page)


def _stay(page: Page) -> None:
    """Stop the timers: the page would reload while the test looks at it."""
    page.evaluate("for (let timer = 1; timer < 100; timer++) clearTimeout(timer)")


def _tick(page: Page) -> None:
    page.locator(".record-list tbody [name=id]").first.check()


def _delete_ticked(page: Page) -> None:
    _tick(page)
    _open_all(page)
    _click("Delete")(page)


def _unknown_category(page: Page) -> None:
    field = page.locator(".row-category [name=category]").first
    field.fill("Nothing like it")
    field.press("Enter")
    page.locator(".row-category ~ .error").first.wait_for()


def _save_changed_elsewhere(page: Page) -> None:
    """Save a record that another tab has changed since its form was opened."""
    _first_record(page)
    other = page.context.new_page()
    other.goto(page.url)
    for tab, note in ((other, "In another tab"), (page, "In this tab")):
        _open_all(tab)
        tab.locator("#note").fill(f"{note} {next(serial_numbers)}")
        _click("Save")(tab)
    other.close()


def _send_without_token(page: Page) -> None:
    page.evaluate("document.querySelector('main [name=csrf_token]').value = ''")
    page.evaluate("document.querySelector('main [name=form-user]').value = ''")
    _click("Add the label")(page)


def _sign_out_and_send(page: Page) -> None:
    page.locator("#amount").fill("12.50")
    page.locator("#payee").fill("Corner Shop")
    page.context.clear_cookies()
    _click("Add the record")(page)


def _sign_in_again(page: Page) -> None:
    """Sign in again and see the same form; the next screens use the new session."""
    email = page.locator(".who-email").inner_text()
    _sign_out_and_send(page)
    _submit("Sign in", email=email, password=PASSWORD)(page)


def _look_at_progress(page: Page) -> None:
    _follow("Show: xxx")(page)
    _stay(page)


def _import(page: Page) -> None:
    """Import a file that nobody has sent before, from the first step to the last."""
    content = statement(12, f"Savings {next(serial_numbers)}").encode()
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
    Screen("payee", "household", "/overview", _top_payee),
    Screen("tokens", "household", "/settings/tokens"),
    Screen("tokens-none", "newcomer", "/settings/tokens"),
    Screen("tokens-no-premium", "free", "/settings/tokens"),
    Screen("tokens-extreme", "extreme", "/settings/tokens"),
    Screen("tokens-revoked", "household", "/settings/tokens?done=token-revoked"),
    Screen("token-new", "household", "/settings/tokens/new"),
    Screen("token-new-faults", "household", "/settings/tokens/new", _faulty_token),
    Screen("token-new-no-premium", "free", "/settings/tokens/new"),
    Screen("token-created", "maker", "/settings/tokens/new", _made_token),
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
    Screen("question-of-series", "household", "/questions", _follow("Categories by month")),
    Screen("question-of-records", "household", "/questions", _follow("Newest records")),
    Screen("question-of-budgets", "household", "/questions", _follow("Budgets now")),
    Screen("question-extreme", "extreme", "/questions", _first_object),
    Screen("question-outdated", "household", "/questions", _follow("Outdated")),
    Screen("question-new", "household", "/questions/new"),
    Screen("question-built", "household", "/questions/new?what=spent&period=this-year"),
    Screen("question-built-faults", "household", "/questions/new?what=balance&by=payee&payee=W"),
    Screen("question-new-faults", "household", "/questions/new", _submit("Save", address="x")),
    Screen("link-new", "household", "/questions", _follow("Newest records", "Create a link")),
    Screen("link-new-faults", "household", "/questions", _link_without_name),
    Screen("link-made", "maker", "/questions", _make_link),
    Screen("link-revoke", "household", "/questions", _follow("Newest records", "Revoke Sheet")),
    Screen("links-revoke", "household", "/questions", _follow("Newest records", "Revoke all")),
    Screen("link", None, f"/q/{LINK_SECRET}.html"),
    Screen("question-edit", "household", "/questions", _follow("Newest records", "Change it")),
    Screen("question-remove", "household", "/questions", _follow("Newest records", "Remove")),
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
    Screen("overview-month", "household", "/overview?period=last-month"),
    Screen("overview-empty", "household", "/overview?period=2001-01"),
    Screen("overview-faults", "household", "/overview?from=never&to=2026-02-07"),
    Screen("overview-days", "household", "/overview?from=2026-01-05&to=2026-02-07"),
    Screen("overview-currencies", "travelled", "/overview"),
    Screen("overview-converted", "travelled", "/overview?convertTo=EUR"),
    Screen("records", "household", "/records"),
    Screen("records-found", "household", "/records?q=market&from=2026-01-01", _open_all),
    Screen(
        "records-filtered",
        "household",
        "/records?period=last-year&type=expense&min=10&note=none&sort=-amount&size=100&offset=100",
    ),
    Screen("records-remove", "household", "/records", _delete_ticked),
    Screen("records-ticked", "household", "/records", _tick),
    Screen("records-category-unknown", "household", "/records", _unknown_category),
    Screen("records-none-found", "household", "/records?q=nothing+of+this"),
    Screen("records-faults", "household", "/records?from=never&select=some", _set_no_category),
    Screen("records-none", "newcomer", "/records"),
    Screen("records-extreme", "extreme", "/records"),
    Screen("record", "household", "/records", _first_record),
    Screen("record-conflict", "household", "/records", _save_changed_elsewhere),
    Screen("record-copy", "household", "/records", _of_record(_follow("Duplicate"))),
    Screen("record-split", "household", "/records", _split_form),
    Screen("record-split-faults", "household", "/records", _split_faults),
    Screen("record-split-extreme", "extreme", "/records", _split_form),
    Screen("record-new", "household", "/records/new"),
    Screen("record-new-none", "newcomer", "/records/new"),
    Screen(
        "record-faults",
        "household",
        "/records/new",
        _submit("Add the record", amount="1.250", recordDate="0001-01-01"),
    ),
    Screen("record-link", "household", "/records", _of_record(_follow("Link as a transfer"))),
    Screen("record-remove", "household", "/records", _of_record(_follow("Delete"))),
    Screen("record-rule", "household", "/records", _of_record(_follow("Make a rule"))),
    # Last of these: it splits the first record.
    Screen("record-part", "importer", "/records?type=income", _first_part),
    Screen("records-selecting", "household", "/records?select=page"),
    Screen("payees-categories", "importer", "/payees/categories"),
    Screen(
        "payees-categories-faults", "importer", "/payees/categories", _click("Set the categories")
    ),
    Screen("rules-apply", "household", "/rules/apply", _click("Preview")),
    Screen("transfers", "travelled", "/transfers"),
    Screen("transfers-none", "household", "/transfers"),
    Screen("transfers-faults", "travelled", "/transfers", _click("Not transfers")),
    Screen("duplicates", "travelled", "/duplicates"),
    Screen("duplicates-faults", "travelled", "/duplicates", _click("Both are right")),
    # These pages share their templates: show the list of each, and other states of some.
    *(Screen(name, "household", f"/{name}") for name in OBJECT_PAGES),
    *(Screen(f"{name}-new", "household", f"/{name}/new") for name in OBJECT_PAGES),
    *(Screen(f"{name}-one", "household", f"/{name}", _first_object) for name in OBJECT_PAGES),
    Screen("labels-none", "newcomer", "/labels"),
    Screen("accounts-extreme", "extreme", "/accounts"),
    Screen(
        "budgets-faults", "household", "/budgets/new", _submit("Add the budget", limitAmount="x")
    ),
    Screen("account-edit", "household", "/accounts", _open_first_object),
    Screen(
        "standing-orders-faults",
        "household",
        "/standing-orders/new",
        _submit("Add the standing order", amount="1.250"),
    ),
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
        "import-options", "importer", "/import", _follow("Continue: Ums", "Change how it is read")
    ),
    Screen("import-updates", "maker", "/import", _follow("Continue: corrected")),
    Screen("import-asking", "importer", "/import", _follow("Continue: card")),
    Screen("import-refused", "importer", "/import", _follow("Continue: scan")),
    Screen("import-failed", "importer", "/import", _follow("Show: All")),
    Screen("import-progress", "importer", "/import", _look_at_progress),
    Screen("import-done", "maker", "/import", _import),
    Screen("imports", "importer", "/imports"),
    Screen("imports-none", "newcomer", "/imports"),
    Screen("imports-entry", "importer", "/imports/1"),
    Screen("imports-undo", "importer", "/imports/1/undo"),
    Screen("notice", "household", "/labels/new", _submit("Add the label", name="Trip")),
    Screen("error", "household", "/settings/tokens/nothing/revoke"),
    Screen("error-lost", "household", "/budget"),
    Screen("error-method", "household", "/settings/security/password"),
    Screen("error-expired", "household", "/labels/new", _send_without_token),
    Screen("form-carried", "maker", "/records/new", _sign_out_and_send),
    Screen("form-kept", "household", "/records/new", _sign_in_again),
)


def _swept() -> Iterator[Screen]:
    """Yield the screens of the household and of imports for each of the other data sets."""
    for screen in SCREENS:
        path = screen.path.partition("?")[0]
        needs_data = screen.then is not None and not path.endswith("/new")
        if screen.who == "importer" or screen.who == "household":
            for who in DATA_SETS:
                if who != "newcomer" or (not needs_data and screen.who == "household"):
                    yield replace(screen, name=f"{screen.name}-{who}", who=who)


#: Every page of a new user, of 100,000 records and of names that no page expects.
SWEPT = tuple(_swept())
