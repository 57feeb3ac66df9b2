"""Every page with the longest names on the smallest screen, with bars that stick, and on paper."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from browser.rows import hostile
from browser.site import Site
from finance_api.storage.interface import User
from finance_api.values.time import date_text
from finance_api.web.object_pages import NAVIGATION, OBJECT_PAGES
from support.native_rows import account, budget, category, label, record, uid
from support.nightly import count

#: The width of WCAG 1.4.10.
WIDTH = 320
_FAULTS = """() => {
  const root = document.documentElement;
  const faults = [];
  for (const e of document.querySelectorAll("body *")) {
    const box = e.getBoundingClientRect();
    const clip = [...ancestors(e)].some((a) => getComputedStyle(a).overflowX !== "visible"
      || getComputedStyle(a).clipPath !== "none");
    if (box.right > root.clientWidth + 1 && !clip)
      faults.push(`${e.localName}.${e.className.baseVal ?? e.className} ends at ${box.right}`);
  }
  if (root.scrollWidth > root.clientWidth) faults.push(`the page is ${root.scrollWidth} wide`);
  return faults;
  function* ancestors(e) { for (let a = e.parentElement; a; a = a.parentElement) yield a; }
}"""
_LONG = "C" * 200
#: A file whose column of payees has a long name, and how it is read.
LONG_COLUMNS = f"date,amount,{_LONG}\n2026-03-01,-1.00,{'P' * 200}\n".encode()
MAPPED = {"payee": (_LONG,)}
#: No bar may cover the control that has the focus, however the page is scrolled (WCAG 2.4.11).
_COVERED = """() => {
  const covered = [];
  const all = "main a[href], main button, main input, main select, main summary";
  for (const e of document.querySelectorAll(all)) {
    if (!e.checkVisibility({ visibilityProperty: true }) || e.type === "hidden") continue;
    const top = e.getBoundingClientRect().top + scrollY;
    for (const from of [top, top + e.offsetHeight - innerHeight]) {
      document.activeElement.blur();
      scrollTo(0, from);
      e.focus();
      const box = e.getBoundingClientRect();
      for (const y of [box.top + 2, box.bottom - 2]) {
        const seen = document.elementFromPoint(box.left + box.width / 2, y);
        const bar = seen && [...ancestors(seen)].find(isBar);
        if (bar && !bar.contains(e))
          covered.push(`${e.id || e.textContent.trim() || e.value} by ${bar.className}`);
      }
    }
  }
  return [...new Set(covered)];
  function isBar(e) { return ["sticky", "fixed"].includes(getComputedStyle(e).position); }
  function* ancestors(e) { for (let a = e; a; a = a.parentElement) yield a; }
}"""


_LAYOUT = Path(__file__).with_name("layout.js").read_text()


@pytest.fixture(scope="module")
def owner(site: Site) -> User:
    user = site.user()
    site.load(user, hostile(site.now()))
    site.import_file(user, LONG_COLUMNS, account="N" * 200, currency="EUR", columns=MAPPED)
    return user


@pytest.fixture
def page(site: Site, page: Page, owner: User) -> Page:
    page.set_viewport_size({"width": WIDTH, "height": 640})
    site.enter(page.context, owner)
    return page


def paths_of(page: Page) -> list[str]:
    """The paths of all lists and forms, and of one record and one import."""
    paths = [path for _, entries in NAVIGATION for _, path, _ in entries]
    paths += ["/budget", "/rules/apply", "/settings/tokens/new", "/settings/jwts/revoke-all"]
    for name in ("records", "imports", *OBJECT_PAGES):
        page.goto(f"/{name}")
        link = page.locator(f"main a[href^='/{name}/']:not([href*='new'])").first
        path = str(link.get_attribute("href")).partition("?")[0]
        paths += [path, *([] if name == "imports" else [f"/{name}/new"])]
        paths += [f"{path}/undo"] if name == "imports" else [f"{path}/remove"]
    return paths


@pytest.mark.nightly
def test_no_page_scrolls_sideways_with_names_of_200_characters(page: Page) -> None:
    faults = {}
    for path in paths_of(page)[:: count(2, 1)]:
        page.goto(path)
        page.evaluate("document.querySelectorAll('main details').forEach((d) => d.open = true)")
        if found := page.evaluate(_FAULTS):
            faults[path] = found[:5]
    assert not faults, "\n".join(f"{p}: {f}" for p, f in faults.items())


@pytest.mark.parametrize("size", [(320, 640), (1280, 720)])
def test_no_bar_covers_what_has_the_focus(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for path in ("/records?select=page", "/overview", "/transfers", "/rules/apply", "/budgets/new"):
        page.goto(path)
        box = page.locator("main input[type=checkbox][name=id]").first
        if box.count():
            box.check()
        assert page.evaluate(_COVERED) == [], path


def test_the_form_for_several_records_is_folded_until_it_has_something_to_correct(
    page: Page,
) -> None:
    page.goto("/records?select=some")
    form = page.locator("#chosen")
    button = form.get_by_role("button", name="Set", exact=True)
    expect(button).to_be_hidden()
    form.get_by_text("Change them").click()
    button.click()
    expect(form.locator(".error").first).to_be_visible()
    expect(button).to_be_hidden()
    page.locator("main input[name=id]").first.check()
    form.get_by_text("Change them").click()
    button.click()
    expect(form.locator(".field .error").first).to_be_visible()
    expect(button).to_be_visible()


def test_the_opened_form_for_several_records_leaves_the_bar_of_the_phone_free(page: Page) -> None:
    page.goto("/records?select=all")
    form, bar = page.locator("#chosen"), page.locator(".menu-narrow")
    form.locator("strong").evaluate("e => { e.textContent = 'All 100,000 that match are chosen'; }")
    form.get_by_text("Change them").click()
    top, end = _box(form)["y"], _box(form)["y"] + _box(form)["height"]
    # The border of the bar may lie on that of the form.
    assert top > 0 and end <= _box(bar)["y"] + 1
    button = form.get_by_role("button", name="Delete")
    button.focus()
    assert _box(button)["y"] + _box(button)["height"] <= end
    assert form.evaluate("(e) => e.scrollWidth <= e.clientWidth")


@pytest.mark.parametrize(
    ("path", "selector", "largest"),
    [
        ("/overview", ".figure .money", "−493,827,155,831.36"),
        ("/records", ".record-list .money", "−123,456,789,012.34"),
        (f"/accounts/{uid('Account', 1)}", "#newest-table .money", "−123,456,789,012.34"),
        (f"/categories/{uid('Category', 1)}", "#newest-table .money", "−123,456,789,012.34"),
    ],
)
def test_the_digits_of_an_amount_stay_on_one_line(
    page: Page, path: str, selector: str, largest: str
) -> None:
    page.goto(path)
    figures = page.locator(selector)
    assert largest in " ".join(figures.all_inner_texts())
    broken = figures.evaluate_all(
        """(all) => all.filter((e) => {
          const range = document.createRange();
          range.selectNodeContents(e.firstChild);
          return new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1;
        }).map((e) => e.textContent)"""
    )
    assert broken == []


@pytest.mark.parametrize("width", [WIDTH, 360, 375, 390])
def test_a_field_shows_an_amount_of_twelve_digits(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto("/records/new")
    page.fill("#amount", "123456789012.34")
    assert page.locator("#amount").evaluate("e => e.scrollWidth <= e.clientWidth")


def test_what_a_page_of_records_offers_stands_beside_its_heading(page: Page) -> None:
    page.goto("/records")
    heading = page.get_by_role("heading", name="Records", exact=True).bounding_box()
    select = page.get_by_role("link", name="Select", exact=True).bounding_box()
    assert heading and select
    assert select["y"] < heading["y"] + heading["height"]


def test_no_text_lies_on_another(site, page: Page, owner: User) -> None:
    site.token(owner, "W" * 100)
    page.goto("/settings/tokens")
    for path in ("/records", page.locator("th.name a").first.get_attribute("href")):
        page.goto(str(path))
        assert page.evaluate(_LAYOUT) == [], path


def widths(page: Page, selector: str) -> list[int]:
    visible = page.locator(selector).locator("visible=true")
    return [round(_box(each)["width"]) for each in visible.all()]


def test_fields_and_buttons_of_a_phone_fill_its_width(site, page: Page, owner: User) -> None:
    page.goto("/settings/profile")
    (button,) = widths(page, "main form .button")
    assert widths(page, "main select") == [button] * 3
    page.goto("/duplicates")
    assert widths(page, ".page-head .button") == widths(page, ".page-head")
    page.goto("/settings/jwts")
    field, button = widths(page, ".in-line select, .in-line .button")
    assert field == button


def test_a_choice_of_long_names_is_not_wider_than_a_text(page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto("/categories/new")
    assert widths(page, "#parentId") == widths(page, "#name")
    page.goto("/records?from=never")
    assert widths(page, "[aria-invalid]") == [320]


def test_a_long_payee_without_a_category_has_four_lines(page: Page) -> None:
    page.goto("/payees/categories")
    (name,) = page.locator(".name-text").all()
    line = float(name.evaluate("(e) => parseFloat(getComputedStyle(e).lineHeight)"))
    assert _box(name)["height"] <= 4 * line + 1


def test_what_can_be_chosen_is_on_one_line(page: Page) -> None:
    page.goto("/records")
    for width in (1440, 768):
        page.set_viewport_size({"width": width, "height": 900})
        page.locator("main input[name=id]").first.check()
        tops = {
            round(_box(each)["y"] / 10) for each in page.locator(".chosen-lead > :visible").all()
        }
        assert len(tops) == 1, width


def test_what_stands_in_the_way_of_an_undo_has_room(site, page: Page) -> None:
    user = site.user()
    site.load(user, [account(1), record(1, payee="W" * 200)])
    site.enter(page.context, user)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"/records/{uid('Record', 1)}")
    page.get_by_text("Edit: ").click()
    page.locator("#payee").fill("A")
    page.get_by_role("button", name="Save", exact=True).click()
    page.goto("/imports/1/undo")
    sentence, reason = (page.locator(f"tbody {cell}") for cell in ("th", "td.what"))
    assert _box(sentence)["width"] > _box(reason)["width"] / 2


def test_a_row_of_a_list_has_its_name_its_figure_and_its_button_on_a_line(site, page: Page) -> None:
    user = site.user()
    accounts = [account(1, initialBalance=1023.09), account(2, name="Savings", initialBalance=1234)]
    spent = record(
        1, categoryId=uid("Category", 1), amount=-1018.09, recordDate=date_text(site.now())
    )
    site.load(user, [*accounts, label(1), category(1, name="Food"), spent])
    site.enter(page.context, user)
    for path, width, words in (
        ("/accounts", 390, ["5.00 EUR", "1,234.00 EUR"]),
        ("/accounts", 1440, ["Records", "Records"]),
        ("/labels", 390, ["Records"]),
        ("/categories", 390, ["−1,018.09 EUR"]),
    ):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        for row, word in zip(page.locator("tbody tr").all(), words, strict=True):
            name, other = (row.locator(".name-text"), row.get_by_text(word, exact=True).last)
            middles = [box["y"] + box["height"] / 2 for box in map(_box, (name, other))]
            assert abs(middles[0] - middles[1]) < 4, (width, word)


def _box(locator: Locator) -> FloatRect:
    box = locator.bounding_box()
    assert box is not None
    return box


def test_a_choice_of_three_periods_stands_on_one_line(page: Page) -> None:
    for period in ("30days", "12weeks", "12months"):
        page.goto(f"/settings/usage?period={period}")
        links = page.locator(".switch a").all()
        assert len(links) == 3 and len({_box(link)["y"] for link in links}) == 1, period


def test_a_standing_order_asks_how_long_as_chosen(page: Page) -> None:
    page.goto("/standing-orders/new")
    day, number = page.get_by_label("last day"), page.get_by_label("times")
    choices = (("never", []), ("on a date", [day]), ("after a number of times", [number]))
    for choice, shown in choices:
        page.get_by_label("ends").select_option(choice)
        for field in (day, number):
            expect(field).to_be_visible(visible=field in shown)


def test_records_are_printed_as_a_table(page: Page) -> None:
    page.goto("/records")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 900})
    table = page.locator(".record-list table")
    rows = table.locator("tbody tr")
    displays = rows.first.evaluate(
        "(row) => [row, ...row.children].map((e) => getComputedStyle(e).display)"
    )
    assert {*displays} <= {"table-row", "table-cell", "none"}
    for gone in (".menu-wide", ".filters", "#chosen", ".foot", ".top form"):
        for element in page.locator(gone).all():
            assert not element.is_visible(), gone
    for words in ("Payee", "Amount"):
        assert table.locator("thead").get_by_text(words).first.is_visible()
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 700
    # The list begins on the first page, and its categories are whole.
    assert page.locator(".record-list").evaluate("(e) => getComputedStyle(e).breakInside") == "auto"
    printed = rows.locator(".printed")
    typed = [box.input_value() for box in rows.locator("[name=category]").all()]
    assert printed.all_inner_texts() == [name.strip() for name in typed]


def test_paper_shows_all_columns_however_long_the_names_are(site, page: Page, owner: User) -> None:
    site.save_questions(owner, {"Newest": "records?limit=3", "Budgets": "budgets"})
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 900})
    page.goto("/questions")
    links = [str(each.get_attribute("href")) for each in page.locator("th.name a").all()]
    for path in ("/records", "/budgets", "/docs/guides/errors", *links):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 700, path
        for table in page.locator(":is(table, pre):visible").all():
            end = _box(table)["x"] + table.evaluate("(e) => e.scrollWidth")
            assert end <= 700, path


def test_paper_has_the_colours_of_a_legend_and_no_section_without_its_button(page: Page) -> None:
    page.emulate_media(media="print")
    page.goto(f"/categories/{uid('Category', 1)}")
    key = page.locator(".legend .key").first
    assert key.evaluate("(e) => getComputedStyle(e).printColorAdjust") == "exact"
    expect(page.get_by_text("Show the numbers")).to_be_hidden()
    expect(page.get_by_role("heading", name="Remove")).to_be_hidden()


def test_a_printed_list_of_budgets_fits_the_paper(site, page: Page) -> None:
    user = site.user()
    site.load(user, [budget(1, name="Everything", limitAmount=60_000, type="BUDGET_INTERVAL_YEAR")])
    site.enter(page.context, user)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 900})
    page.goto("/budgets")
    assert page.locator(".table-box").evaluate("(e) => e.scrollWidth - e.clientWidth") == 0
    assert not page.locator("meter").is_visible()


def test_a_phone_has_a_bar_with_the_pages_of_every_day(page: Page) -> None:
    page.goto("/budgets")
    bar = page.locator(".menu-narrow")
    expect(bar.locator("> ul a")).to_have_text(["Overview", "Records", "Add", "Import"])
    expect(bar.get_by_text("Usage")).to_be_hidden()
    here = bar.locator("summary").evaluate("(e) => getComputedStyle(e).backgroundColor")
    current = page.locator(".menu-wide [aria-current]")
    assert here == current.evaluate("(e) => getComputedStyle(e).backgroundColor")
    bar.get_by_text("More").click()
    expect(bar.get_by_role("list", name="Advanced").get_by_role("link")).to_have_text(
        ["Usage", "JWTs"]
    )
    bar.get_by_role("link", name="Add", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Add a record")


@pytest.mark.parametrize("width", [390, 1440])
def test_edit_leaves_the_actions_in_their_row_and_folds_what_is_rare(
    page: Page, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"/standing-orders/{uid('StandingOrder', 1)}")
    edit, remove = page.locator("#edit > summary"), page.get_by_role("link", name="Remove")
    edit.click()
    row, other = _box(edit), _box(remove)
    assert (row["y"], row["height"]) == (other["y"], other["height"])
    if width == 390:
        assert row["width"] == pytest.approx(other["width"], abs=1)
    form = _box(page.locator("#edit form"))
    assert form["y"] > row["y"] and form["width"] > row["width"]
    assert page.locator("#edit details[open]").count() == 0


def test_the_actions_of_a_found_payment_stand_on_one_line(site: Site, page: Page) -> None:
    user, today = site.user(), date.today()
    days = [f"{today - timedelta(30 * n)}" for n in range(6)]
    site.load(
        user,
        [
            account(1),
            *[record(n, payee="Films", amount=-9, recordDate=d) for n, d in enumerate(days)],
        ],
    )
    site.enter(page.context, user)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto("/standing-orders")
    buttons = page.locator("#found-table td.action .button:visible")
    expect(buttons).to_have_count(3)
    assert len({_box(each)["y"] for each in buttons.all()}) == 1


def test_printed_labels_are_not_larger_than_their_row(page: Page) -> None:
    page.emulate_media(media="print")
    page.goto("/records")
    sizes = page.locator(".record-list .name").evaluate_all(
        """(cells) => cells.flatMap((cell) => [...cell.querySelectorAll(".badge")]
             .map((e) => [getComputedStyle(e).fontSize, getComputedStyle(cell).fontSize]))"""
    )
    assert sizes
    assert all(label == text for label, text in sizes)
