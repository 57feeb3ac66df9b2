"""What changes data works in a browser that runs no scripts, too.

Signing in, importing, rules, categories, a budget and undo: see `test_walk`; questions and their
links: see `test_sharing`.
"""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from browser.rows import journeys
from support.native_rows import account, category, label, record, uid

FOOD, BREAD = uid("Category", 1), uid("Category", 2)
_PAYEES = ("Market Hall", "MARKET HALL 0441", "Bakery")


@pytest.fixture
def page(site, windows) -> Page:
    """A page without scripts, of a user with a few records, proposed transfers and duplicates."""
    user = site.user()
    records = [
        record(
            900 + n, accountId=uid("Account", 9), amount=-10 * n, payee=payee, categoryId=category
        )
        for n, (payee, category) in enumerate(zip(_PAYEES, (FOOD, FOOD, BREAD), strict=True), 1)
    ]
    site.load(
        user,
        [
            *(account(9, name="Giro"), *journeys(site.now())),
            *(category(1, name="Food"), category(2, name="Bread"), label(1, name="home")),
            *records,
        ],
    )
    site.load(user, journeys(site.now(), first=500)[3:4])
    context = windows.open(java_script_enabled=False)
    site.enter(context, user)
    return context.new_page()


def _press(page: Page, name: str) -> None:
    page.get_by_role("main").get_by_role("button", name=name, exact=True).first.click()


def _follow(page: Page, name: str) -> None:
    page.get_by_role("main").get_by_role("link", name=name, exact=True).first.click()


def _expect_done(page: Page, words: str) -> None:
    expect(page.get_by_role("main").get_by_role("status").first).to_contain_text(words)


def _undo(page: Page) -> None:
    page.get_by_role("main").get_by_role("button", name="Undo").first.click()
    _expect_done(page, "Undone")


def _split_and_join(page: Page) -> None:
    page.goto("/records?q=bakery")
    _follow(page, "Bakery")
    _follow(page, "Split")
    page.locator("#amount-1").fill("12")
    _press(page, "Add a part")
    page.locator("#amount-2").fill("8.50")
    _press(page, "Fill in the rest")
    expect(page.locator("#amount-3")).to_have_value("9.50")
    _press(page, "Split")
    _expect_done(page, "split into parts")
    page.goto("/records?q=bakery")
    expect(page.locator("#totals-title")).to_have_text("3 records")
    page.goto("/imports")
    page.get_by_role("link", name="Undo").first.click()
    _undo(page)
    page.goto("/records?q=bakery")
    expect(page.locator("#totals-title")).to_have_text("1 record")


def _merge_payees(page: Page) -> None:
    page.goto("/payees?q=market")
    for payee in _PAYEES[:2]:
        page.get_by_label(f"Choose {payee}", exact=True).check()
    page.get_by_label("Name for all chosen payees").fill("The Market")
    _press(page, "Merge")
    page.goto("/records?q=the+market")
    expect(page.locator("#totals-title")).to_have_text("2 records")


def _merge_categories(page: Page) -> None:
    page.goto(f"/categories/{BREAD}/remove")
    page.get_by_label("Move them to").select_option(label="Food")
    _press(page, "Move them, and remove this category")
    _expect_done(page, "Category Bread merged into Food")
    _undo(page)


def _settle_duplicates(page: Page) -> None:
    page.goto("/duplicates")
    button = page.get_by_role("button", name="Void this one: second", exact=False).first
    expect(page.locator("caption")).to_contain_text("To decide 1")
    button.click()
    expect(page.get_by_role("heading", name="No duplicates found")).to_be_visible()


def _confirm_transfers(page: Page) -> None:
    page.goto("/transfers")
    boxes = page.locator("tbody [name=pair]")
    expect(boxes.first).to_be_visible()
    number = boxes.count()
    boxes.first.check()
    _press(page, "Transfers")
    expect(boxes).to_have_count(number - 1)


def _change_several(page: Page) -> None:
    page.goto("/records?q=market+OR+bakery")
    _follow(page, "Select")
    for box in page.locator("tbody [name=id]").all():
        box.check()
    page.get_by_label("Label", exact=True).last.select_option(label="home")
    _press(page, "Add")
    expect(page.get_by_role("main")).to_contain_text("Add the label home to 3 records?")
    _press(page, "Change them")
    expect(page.locator(".record-list .badge-label")).to_have_text(["home"] * 3)


def _set_one_category(page: Page) -> None:
    page.goto("/records?q=bakery")
    page.get_by_role("combobox", name="Category of Bakery").fill("food")
    page.locator(".row-category").get_by_role("button", name="Set").click()
    _expect_done(page, "Bread → Food")
    _undo(page)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "steps",
    [
        _split_and_join,
        _merge_payees,
        _merge_categories,
        _settle_duplicates,
        _confirm_transfers,
        _change_several,
        _set_one_category,
    ],
    ids=lambda steps: steps.__name__,
)
def test_a_change_is_made_without_scripts(page: Page, steps: Callable[[Page], None]) -> None:
    steps(page)
