"""Imports: from a user without data to records, and an undo, with and without scripts."""

from playwright.sync_api import expect

from support.uploads import OPEN

_DROP = """(files) => {
  const data = new DataTransfer();
  for (const [name, text] of files) data.items.add(new File([text], name));
  document.querySelector("main").dispatchEvent(
    new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


def test_dropped_files_are_checked_and_wait_in_a_list(site, page):
    site.enter(page.context, site.user())
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
