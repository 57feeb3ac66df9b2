"""Imports: from a user without data to records, and an undo, with and without scripts."""

import pytest
from playwright.sync_api import expect

from finance_api.resources import RECORDS
from support.uploads import OPEN


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_a_file_becomes_data_and_is_undone(site, windows, scripts):
    context = windows.open(java_script_enabled=scripts)
    user = site.user()
    site.enter(context, user)
    page = context.new_page()

    def records():
        found = site.change(lambda storage: storage.data.scan_rows(user.id, RECORDS))
        return sorted(row["amount"] for row in found)

    page.goto("/imports")
    page.get_by_role("main").get_by_role("link", name="Import a file").click()
    file = {"name": "Karte März.csv", "mimeType": "text/csv", "buffer": OPEN}
    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Check the files").click()
    expect(page.get_by_role("heading", name="More about this file")).to_be_visible()
    # The page asks what a positive amount means, and chooses no answer by itself.
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)
    page.get_by_role("radio", name="The amount of line 2 goes out").check()
    page.get_by_label("Name", exact=True).fill("Card")
    page.get_by_label("Currency", exact=True).first.fill("EUR")
    page.get_by_role("button", name="Check it again").click()
    expect(page.get_by_role("heading", name="Preview")).to_be_visible()
    expect(page.get_by_role("row", name="Corner Shop").first).to_contain_text("−12.50")
    assert records() == []
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("The file is imported.")).to_be_visible()
    assert records() == [-200_000, -125_000]

    page.get_by_role("link", name="See this import").click()
    expect(page.get_by_role("heading", name="Import 1")).to_be_visible()
    page.get_by_role("link", name="Undo", exact=True).click()
    expect(page.get_by_text("1 account, 2 records")).to_be_visible()
    assert len(records()) == 2
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_text("Undone. Your data is as it was before.")).to_be_visible()
    assert records() == []


_DROP = """(files) => {
  const data = new DataTransfer();
  for (const [name, text] of files) data.items.add(new File([text], name));
  document.querySelector("main").dispatchEvent(
    new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


def test_dropped_files_are_checked_and_wait_in_a_list(site, windows):
    context = windows.open()
    site.enter(context, site.user())
    page = context.new_page()
    page.goto("/import")
    expect(page.get_by_text("You can also drop files on this page.")).to_be_visible()
    page.evaluate(_DROP, [["March.csv", OPEN.decode()], ["April.csv", OPEN.decode()]])
    expect(page.get_by_role("row", name="March.csv")).to_contain_text("Needs an answer")
    expect(page.get_by_role("row", name="April.csv")).to_contain_text("Needs an answer")
    page.get_by_role("button", name="Discard: March.csv").click()
    expect(page.get_by_text("The file was discarded.")).to_be_visible()
    expect(page.get_by_role("row", name="March.csv")).to_have_count(0)
    page.get_by_role("link", name="Continue: April.csv").click()
    expect(page.get_by_role("heading", name="More about this file")).to_be_visible()
