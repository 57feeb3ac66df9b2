"""One number for a partner: from the overview to a link, counted in actions."""

import pytest
from playwright.sync_api import expect

from browser.test_walk import Hand

#: Actions to share one number.
MOST = 3


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_one_number_is_shared_with_three_actions(site, windows, figures, width, height):
    user = site.user()
    site.load_demo(user)
    context = windows.open()
    site.enter(context, user)
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": height})
    page.goto("/overview")
    spent = page.locator("#sums .figure").nth(1).inner_text()
    hand = Hand(page, has_mouse=True)
    hand.press(page.get_by_role("link", name="Share: Spent this month, in EUR"))
    hand.button("Create the link")
    hand.press(page.locator("button[data-copy=address-html]"))
    expect(
        page.get_by_text("Copied", exact=True).or_(page.get_by_text("Selected")).first
    ).to_be_visible()
    figures(f"share one number: {hand.clicks} clicks, {hand.keys} keys")
    assert hand.clicks + hand.keys == MOST
    address = page.locator("#address-html").inner_text()
    stranger = windows.open().new_page()
    stranger.goto(address)
    expect(stranger.locator(".figure")).to_have_text(spent)
    expect(stranger.get_by_role("heading", level=1)).to_have_text("Spent this month, in EUR")


@pytest.mark.parametrize("has_scripts", [True, False])
def test_a_question_is_put_together_and_its_answer_shown(site, windows, has_scripts):
    user = site.user()
    site.load_demo(user)
    context = windows.open(java_script_enabled=has_scripts)
    site.enter(context, user)
    page = context.new_page()
    page.goto("/questions/new")
    main = page.get_by_role("main")
    main.get_by_label("Period", exact=True).select_option(label="This month")
    if not has_scripts:
        main.get_by_role("button", name="Show", exact=True).click()
    expect(main.locator(".figure")).to_contain_text("EUR")
    expect(main.get_by_label("Name", exact=True)).to_have_value("Spent: this month")
    address = "/v1/api/records/summary?columns=spent&recordDate=eq.this-month&fill=true"
    expect(main.get_by_label("API request", exact=True)).to_have_value(address)
    if has_scripts:
        expect(main.get_by_label("Period", exact=True)).to_be_focused()
    figure = main.locator(".figure").inner_text()
    main.get_by_role("button", name="Save", exact=True).click()
    expect(page).to_have_title("Spent: this month · finance_api")
    expect(main.locator(".figure")).to_have_text(figure)
    # Back, to what was chosen, and saving again.
    page.go_back()
    expect(main.get_by_label("Name", exact=True)).to_have_value("Spent: this month")
    main.get_by_role("button", name="Save", exact=True).click()
    expect(main.locator(".figure")).to_have_text(figure)
    page.goto("/questions")
    expect(main.get_by_role("row")).to_have_count(2)


@pytest.mark.parametrize("has_scripts", [True, False])
def test_a_typed_name_of_a_question_stays_while_choices_change(site, windows, has_scripts):
    user = site.user()
    site.load_demo(user)
    context = windows.open(java_script_enabled=has_scripts)
    site.enter(context, user)
    page = context.new_page()
    page.goto("/questions/new?what=spent")
    main = page.get_by_role("main")
    name = main.get_by_label("Name", exact=True)
    name.fill("Ours")

    def choose(label, choice):
        main.get_by_label(label, exact=True).select_option(label=choice)
        if not has_scripts:
            main.get_by_role("button", name="Show", exact=True).click()

    for label, choice in (("Period", "This month"), ("By", "By category"), ("By", "One sum")):
        choose(label, choice)
        page.wait_for_url("**name=Ours**")
        if has_scripts:
            expect(main.get_by_label(label, exact=True)).to_be_focused()
        expect(name).to_have_value("Ours")
    # Without a typed name it follows the choices again.
    name.fill("")
    choose("Period", "Last month")
    expect(name).to_have_value("Spent: last month")
    main.get_by_label("Text", exact=True).fill("taxi")
    main.get_by_label("Text", exact=True).press("Enter")
    expect(name).to_have_value("Spent: “taxi”, last month")
    name.fill("Ours")
    name.press("Enter")
    expect(page).to_have_title("Ours · finance_api")
