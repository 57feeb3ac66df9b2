"""Imports: from a user without data to records, and an undo, with and without scripts."""

from playwright.sync_api import expect

from support.uploads import ONE_OPEN, OPEN

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


def test_one_click_answers_what_is_open_without_scripts_and_with_keys(site, windows):
    for has_scripts in (False, True):
        context = windows.open(java_script_enabled=has_scripts)
        page = context.new_page()
        site.enter(context, site.user())
        page.goto("/import")
        file = {"name": "March.csv", "mimeType": "text/csv", "buffer": ONE_OPEN}
        page.set_input_files("input[type=file]", file)
        page.get_by_role("button", name="Check").click()
        out = page.get_by_role("button", name="The amount of line 2 goes out")
        expect(out).to_have_accessible_description(
            "Line 2: −12.50 on 1 Mar 2026 Line 3: −3.00 on 2 Mar 2026"
        )
        # Enter in a field of the other options chooses nothing.
        page.get_by_text("More options").click()
        page.get_by_text("Layout of the file", exact=True).click()
        page.get_by_label("Rows at the end to leave out").press("Enter")
        expect(out).to_be_visible()
        out.focus()
        out.press("Enter")
        expect(page.get_by_role("heading", name="Preview")).to_be_visible()
        expect(page.get_by_text("−15.50").first).to_be_visible()
