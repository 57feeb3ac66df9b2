"""Walks of people, counted: a new user's in clicks and keys, and everyday ones in actions.

An action is a tap, a choice in a list, or a field that is filled in.
"""

import json
from collections import Counter
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.site import PASSWORD, Site
from finance_api.values.time import DAY_SECONDS, Period, date_text, from_date, start_of
from support.chromium import Windows
from support.native_rows import account, category, record, uid
from support.nightly import count

_SHOPS = [(f"Corner Shop 47{n}", Decimal(f"-1{n}.45")) for n in range(9)]
_CAFES = [(f"Café {name}", Decimal("-4.20")) for name in "ABCDEFGHIJ"]
_OTHERS = [(f"Kiosk {name}", Decimal("-60.05")) for name in "KLMNOPQRST"]
_ENTRIES = [*_SHOPS, *_CAFES, *_OTHERS]
_STATEMENT = (
    "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nENCODING:UTF-8\nCHARSET:NONE\n\n"
    "<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR\n"
    "<BANKACCTFROM><BANKID>50010517<ACCTID>0648479930<ACCTTYPE>CHECKING</BANKACCTFROM>\n"
    "<BANKTRANLIST><DTSTART>20260301<DTEND>20260331\n"
    + "".join(
        f"<STMTTRN><TRNTYPE>POS<DTPOSTED>202603{n:02}<TRNAMT>{amount}<FITID>{n}<NAME>{payee}"
        "</STMTTRN>\n"
        for n, (payee, amount) in enumerate(_ENTRIES, 1)
    )
    + "</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n"
)
#: No profile knows these columns.
_CSV = "When,How much,Where\n" + "".join(
    f"2026-03-{n:02},{amount},{payee}\n" for n, (payee, amount) in enumerate(_ENTRIES, 1)
)
_WRONG = "When,How much,Where\n2026-03-01,-12.50,Elsewhere\n2026-03-02,-20.00,Nowhere\n"
#: Whether the focus is on the link that leads past the navigation.
_SKIPS = "document.activeElement.matches('.skip')"


class Hand:
    """Uses the page with the mouse and the keyboard, or with the keyboard alone, and counts."""

    def __init__(self, page: Page, *, has_mouse: bool, has_scripts: bool = True) -> None:
        self.page = page
        self.has_scripts = has_scripts
        self.main = page.get_by_role("main")
        self.clicks = self.keys = self.actions = 0
        self._has_mouse = has_mouse

    def link(self, name: str) -> None:
        self.press(self.main.get_by_role("link", name=name, exact=True).first)

    def menu(self, name: str) -> None:
        menu = self.page.get_by_role("navigation", name="Pages")
        self.press(menu.get_by_role("link", name=name, exact=True))

    def button(self, name: str) -> None:
        self.press(self.main.get_by_role("button", name=name, exact=True).first)

    def press(self, target: Locator, key: str = "Enter") -> None:
        self.actions += 1
        if self._has_mouse:
            target.click()
            self.clicks += 1
        else:
            self.reach(target)
            self.key(key)

    def tick(self, name: str) -> None:
        self.press(self.main.get_by_label(name, exact=True), "Space")

    def write(self, name: str, text: str) -> None:
        self.write_in(self.main.get_by_label(name, exact=True), text)

    def write_in(self, target: Locator, text: str) -> None:
        self.actions += 1
        self.reach(target)
        self.page.keyboard.type(text)
        self.keys += len(text)

    def choose(self, name: str, option: str) -> None:
        """Choose an option from the last list of this name; with the keyboard, by typing its
        text.
        """
        target = self.main.get_by_label(name, exact=True).last
        if self._has_mouse:
            target.select_option(label=option)
            self.clicks += 2
            self.actions += 1
        else:
            self.write_in(target, option)
        expect(target.locator("option:checked")).to_have_text(option)

    def send(self, name: str, content: str) -> None:
        with self.page.expect_file_chooser() as chooser:
            self.press(self.main.get_by_label("Files", exact=True))
        file = {"name": name, "mimeType": "text/plain", "buffer": content.encode()}
        chooser.value.set_files(file)

    def key(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.keys += 1

    def reach(self, target: Locator) -> None:
        """Give the target the focus, unless it has it already."""
        expect(target).to_be_visible()
        for _ in range(150):
            if target.evaluate("e => e === document.activeElement"):
                return
            if self._has_mouse:
                target.click()
                self.clicks += 1
                continue
            self.key("Tab")
            if self.page.evaluate(_SKIPS) and target.evaluate("e => !!e.closest('main')"):
                self.key("Enter")
        raise AssertionError(f"Tab does not lead to {target}")


def _sign_in(hand: Hand) -> None:
    hand.write("Password", PASSWORD)
    hand.key("Enter")
    expect(hand.page).to_have_title("Overview · finance_api")


def _import_statement(hand: Hand) -> None:
    hand.link("Import a file")
    hand.send("March.ofx", _STATEMENT)
    hand.button("Check the files")
    hand.button("Import")
    expect(hand.main).to_contain_text("The file is imported.")
    hand.link("29 have no category: sort them")
    expect(hand.main.locator("#totals-title")).to_contain_text("29 records")


def _import_csv(hand: Hand) -> None:
    hand.link("Import a file")
    _send_csv(hand, "March.csv", _CSV, Name="Checking")
    hand.link("29 have no category: sort them")
    expect(hand.main.locator("#totals-title")).to_contain_text("29 records")


def _send_csv(hand: Hand, name: str, content: str, **account: str) -> None:
    """account: its name by the label of its field, which depends on whether accounts exist."""
    hand.send(name, content)
    hand.button("Check the files")
    expect(hand.main.get_by_role("heading", name="More about this file")).to_be_visible()
    ((label, called),) = account.items()
    hand.write(label, called)
    hand.write("Currency", "EUR")
    hand.button("Check it again")
    hand.button("Import")
    expect(hand.main).to_contain_text("The file is imported.")


def _make_rule(hand: Hand) -> None:
    hand.press(hand.main.get_by_role("link", name="Make a rule of Corner Shop 478"))
    expect(hand.main.get_by_label("Keyword")).to_have_value("Corner Shop")
    hand.write("Or a new category, named", "Groceries")
    hand.button("Add and apply")
    expect(hand.main.get_by_role("status").first).to_contain_text("9 records changed")


def _categorise(hand: Hand) -> None:
    """Categorise ten records at once, and ten row by row."""
    main = hand.main
    hand.write("Search", "café")
    hand.key("Enter")
    hand.link("Select")
    all_rows = main.get_by_label("Choose this page", exact=True)
    if all_rows.is_visible():
        hand.press(all_rows, "Space")
    else:
        hand.link("This page")
    hand.write("New category", "Eating out")
    hand.key("Enter")
    expect(main).to_contain_text("Set the category of 10 records to Eating out?")
    hand.button("Change them")
    expect(main.get_by_role("status").first).to_contain_text("10 records")
    hand.press(main.get_by_role("link", name="Remove the filter “café”"))
    expect(main.locator("#totals-title")).to_contain_text("10 records")
    for payee, _ in reversed(_OTHERS):
        row = main.get_by_role("combobox", name=f"Category of {payee}")
        hand.write_in(row, "groc")
        hand.key("Enter")
        expect(row).to_have_count(0)
    expect(main.get_by_role("heading", level=2)).to_have_text("Nothing found")


def _add_cash(hand: Hand) -> None:
    hand.menu("Records")
    hand.link("Add a record")
    hand.write("Amount", "7,50")
    hand.write("Payee", "Market")
    hand.choose("Category", "Groceries")
    hand.button("Add the record")
    expect(hand.main.get_by_role("row", name="Market")).to_contain_text("−7.50")


def _split(hand: Hand) -> None:
    hand.link("Kiosk T")
    hand.link("Split")
    hand.write_in(hand.main.locator("#amount-1"), "40")
    if not hand.has_scripts:
        hand.button("Fill in the rest")
    expect(hand.main.locator("#amount-2")).to_have_value("20.05")
    hand.choose("Category", "Eating out")
    hand.button("Split")
    expect(hand.main.get_by_role("status").first).to_contain_text("split into parts")


def _make_budget(hand: Hand) -> None:
    hand.menu("Budgets")
    hand.link("New budget")
    hand.write("Name", "Food")
    hand.write("Limit", "400")
    hand.tick("Groceries")
    hand.button("Add the budget")
    expect(hand.main.get_by_role("status").first).to_have_text("Budget Food added.")


def _import_wrong(hand: Hand) -> None:
    hand.menu("Import")
    _send_csv(hand, "other.csv", _WRONG, **{"Or a new account, named": "Card"})


def _undo_wrong(hand: Hand) -> None:
    hand.button("Undo")
    expect(hand.main).to_contain_text("Undone. Your data is as it was before.")


STEPS: dict[str, Callable[[Hand], None]] = {
    "sign in": _sign_in,
    "import a statement (OFX)": _import_statement,
    "make and apply a rule": _make_rule,
    "categorise 20 records": _categorise,
    "add a cash payment": _add_cash,
    "split a receipt": _split,
    "make a budget": _make_budget,
    "import a CSV that no profile knows": _import_wrong,
    "undo it": _undo_wrong,
}


#: The devices used, and the format of the first statement.
WALKS = (
    ("keyboard alone", "OFX"),
    ("mouse", "CSV that no profile knows"),
    ("mouse", "OFX"),
    ("mouse without scripts", "CSV that no profile knows"),
)


@pytest.mark.nightly
@pytest.mark.parametrize(("way", "statement"), count(WALKS[1:2], WALKS))
def test_the_walk_of_a_new_user(site, windows, figures, way, statement):
    user = site.user(password=PASSWORD)
    has_scripts = "without scripts" not in way
    context = windows.open(java_script_enabled=has_scripts)
    page = context.new_page()
    page.goto("/overview")
    hand = Hand(page, has_mouse="mouse" in way, has_scripts=has_scripts)
    hand.write("E-mail", user.email)
    for name, step in STEPS.items():
        if step is _import_statement and statement != "OFX":
            name, step = f"import a {statement}", _import_csv
        clicks, keys = hand.clicks, hand.keys
        step(hand)
        figures(f"{name}: {hand.clicks - clicks} clicks, {hand.keys - keys} keys")
    figures(f"in all: {hand.clicks} clicks, {hand.keys} keys")
    assert _sums(page, site.token(user, "To check")) == {
        "Eating out": Decimal("-62.05"),
        "Groceries": Decimal("-718.00"),
    }


# -- everyday walks


PHONE, DESKTOP = (390, 844), (1440, 900)


@pytest.fixture
def enter(site: Site, windows: Windows) -> Callable[..., Hand]:
    """Return a function that opens a page for a new user with these rows."""

    def enter(path: str, size: tuple[int, int], *rows: dict[str, Any]) -> Hand:
        user = site.user()
        site.load(user, [account(1, name="Giro"), *rows])
        context = windows.open(width=size[0], height=size[1])
        site.enter(context, user)
        page = context.new_page()
        page.goto(path)
        return Hand(page, has_mouse=True)

    return enter


def _is_in_view(hand: Hand, target: Locator) -> bool:
    """Whether all of it is on the first screen, above the bar of a phone."""
    box, size = target.bounding_box(), hand.page.viewport_size
    bar = hand.page.locator(".menu-narrow").bounding_box()
    assert box is not None and size is not None
    end = size["height"] if bar is None else bar["y"]
    return bool(box["y"] >= 0 and box["y"] + box["height"] <= end)


@pytest.mark.parametrize("size", [PHONE, DESKTOP])
def test_the_overview_says_what_is_left_and_in_the_accounts_without_an_action(enter, size):
    today = date.today()
    rows = [
        record(1, amount=2_000, payee="Acme", recordDate=f"{today}"),
        record(2, amount=-300, payee="Rent", recordDate=f"{today}"),
        *(account(n, name=f"Account {n}") for n in (2, 3, 4)),
    ]
    hand = enter("/overview", size, *rows)
    figures, accounts = hand.main.locator(".figure-rows dd"), hand.main.locator("#accounts-table")
    assert figures.count() >= 9
    for each in (*figures.all(), accounts.locator("tbody")):
        assert _is_in_view(hand, each), each
    expect(figures.first).to_have_text("1,700.00 EUR")
    expect(accounts).to_contain_text("Account 4")


def test_a_cash_payment_takes_five_actions_on_a_phone_without_scrolling(enter, figures):
    rows = [category(1, name="Groceries"), record(1, payee="Market", categoryId=uid("Category", 1))]
    hand = enter("/overview", PHONE, *rows)
    hand.menu("Add")
    hand.write("Amount", "7,50")
    hand.write("Payee", "Market")
    category_field = hand.main.get_by_label("Category", exact=True)
    expect(category_field.locator("option:checked")).to_have_text("Groceries")
    assert _is_in_view(hand, hand.main.get_by_role("button", name="Add the record"))
    assert hand.page.evaluate("scrollY") == 0
    hand.button("Add the record")
    expect(hand.main.get_by_role("row", name="Market").first).to_contain_text("−7.50")
    figures(f"a cash payment on a phone: {hand.actions} actions")
    assert hand.actions <= 5


def test_a_second_cash_payment_needs_no_scrolling_either(enter):
    rows = [category(1, name="Groceries"), record(1, payee="Market", categoryId=uid("Category", 1))]
    hand = enter("/records/new", PHONE, *rows)
    for _ in range(2):
        hand.write("Amount", "7,50")
        hand.write("Payee", "Market")
        another = hand.main.get_by_role("button", name="Add, then add another")
        assert _is_in_view(hand, hand.main.get_by_role("button", name="Add the record"))
        assert hand.page.evaluate("scrollY") == 0
        hand.press(another)
        expect(hand.main.get_by_role("status").first).to_contain_text("Record Market of ")


def test_too_much_in_the_parts_of_a_split_is_said_at_the_field(enter):
    hand = enter("/records", PHONE, record(1, payee="Market", amount=-60))
    hand.link("Market")
    hand.link("Split")
    first, last = (hand.main.locator(f"#amount-{n}") for n in (1, 2))
    hand.write_in(first, "148.88")
    error = hand.main.locator(".field:has(#amount-1) .error")
    expect(error).to_have_text("88.88 EUR too much.")
    hand.write_in(last, "20")
    expect(hand.main.locator(".field:has(#amount-2) .error")).to_have_text("108.88 EUR too much.")
    expect(error).to_have_count(0)
    hand.button("Split")
    expect(hand.main.locator("#amount-2-error")).to_have_text("108.88 EUR too much.")
    last.fill("30")
    expect(hand.main.locator(".field:has(#amount-2) .error")).to_have_text("118.88 EUR too much.")
    last.fill("20")
    first.fill("40")
    expect(hand.main.locator(".error")).to_have_count(0)


def test_a_record_is_split_on_a_phone(enter, figures):
    rows = [category(n, name=name) for n, name in ((1, "Groceries"), (2, "Fun"))]
    rows.append(record(1, payee="Market", amount=-60, categoryId=uid("Category", 1)))
    hand = enter("/records", PHONE, *rows)
    hand.link("Market")
    hand.link("Split")
    hand.write_in(hand.main.locator("#amount-1"), "40")
    expect(hand.main.locator("#amount-2")).to_have_value("20.00")
    hand.choose("Category", "Fun")
    hand.button("Split")
    expect(hand.main.get_by_role("status").first).to_contain_text("split into parts")
    figures(f"a split on a phone: {hand.actions} actions")
    assert hand.actions <= 5


@pytest.mark.parametrize("size", [PHONE, DESKTOP])
def test_all_purchases_of_a_merchant_last_quarter_are_found_with_their_sum(enter, figures, size):
    first = from_date(date.today())
    last = start_of(Period.QUARTER, first) - DAY_SECONDS
    names = ["Amazon"] * 5 + ["AMZN Mktp DE*2K4LL8"] * 3
    rows = [
        record(n, payee=name, amount=-n, recordDate=date_text(last - n * DAY_SECONDS))
        for n, name in enumerate(names, 1)
    ]
    others = (("Amazon", first), ("Market", last))
    rows += [
        record(20 + n, payee=name, amount=-100, recordDate=date_text(day))
        for n, (name, day) in enumerate(others)
    ]
    hand = enter("/overview", size, *rows)
    hand.menu("Records")
    if size == PHONE:
        hand.press(hand.main.locator(".filters summary"))
    hand.write("Search", "amazon OR amzn")
    hand.choose("Period", "Last quarter")
    expect(hand.main.locator("#totals-title")).to_have_text("8 records")
    expect(hand.main.locator("#sums > summary")).to_contain_text("−36.00 EUR")
    figures(f"purchases of a merchant, {size[0]} wide: {hand.actions} actions")
    assert hand.actions <= 4


def test_an_import_with_later_edits_is_undone(enter, figures):
    hand = enter("/import", DESKTOP, category(1, name="Groceries"))
    hand.send("March.ofx", _STATEMENT)
    hand.button("Check the files")
    hand.button("Import")
    expect(hand.main).to_contain_text("The file is imported.")
    hand.page.goto("/records")
    row = hand.main.get_by_role("combobox", name="Category of Kiosk T")
    hand.write_in(row, "groc")
    hand.key("Enter")
    expect(hand.main.get_by_role("button", name="Undo: Category of Kiosk T")).to_be_visible()
    hand.actions = 0
    hand.menu("History")
    hand.press(hand.main.get_by_role("link", name="Undo 2").first)
    expect(hand.main).to_contain_text("Category of Kiosk T")
    hand.link("Keep later manual edits")
    expect(hand.main.get_by_role("row", name="Kept with manual edits")).to_contain_text("1")
    hand.button("Undo")
    expect(hand.main).to_contain_text("Undone, but 2 items stayed, edited manually since")
    hand.page.goto("/records")
    expect(hand.main.locator("#totals-title")).to_have_text("1 record")
    figures(f"undo of an import with a later edit: {hand.actions} actions")
    assert hand.actions <= 4


def _sums(page: Page, token: str) -> dict[str, Decimal]:
    """The sums by category as the API adds them up, equal to those of its records."""
    sums: Counter[str] = Counter()
    headers = {"Authorization": f"Bearer {token}"}

    def rows(path: str, key: str) -> list[dict[str, Any]]:
        answer = page.request.get(f"/v1/api/{path}", headers=headers)
        assert answer.ok, answer.text()
        found: list[dict[str, Any]] = json.loads(answer.text(), parse_float=Decimal)[key]
        return found

    for row in rows("records?limit=100", "records"):
        sums[row["category"]] += row["amount"]
    groups = rows("records/summary?groupBy=category", "groups")
    assert sums == {group["category"]: group["net"] for group in groups}
    return dict(sums)
