"""JSON Web Tokens and sessions: what a user ends is ended everywhere."""

import json
import re
from base64 import urlsafe_b64decode

from playwright.sync_api import Page, expect

from browser.site import PASSWORD

INTERNAL = "/internal/v1/get-docs?document_type=Account"
LOGIN = re.compile("/settings/login")


def issue_jwt(page: Page) -> str:
    page.goto("/settings/jwts")
    page.get_by_label("Valid for").select_option("15 minutes")
    page.get_by_role("button", name="Issue a JWT").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your new JWT")
    return page.locator("#token").inner_text()


def jti_of(jwt: str) -> str:
    _, claims, _ = jwt.split(".")
    padded = claims + "=" * (-len(claims) % 4)
    return str(json.loads(urlsafe_b64decode(padded))["jti"])


def test_a_jwt_works_until_it_is_revoked(site, page):
    site.enter(page.context, site.user())
    first, second, third = (issue_jwt(page) for _ in range(3))
    assert [site.get(INTERNAL, jwt) for jwt in (first, second, third)] == [200, 200, 200]

    page.get_by_role("link", name="I have copied it").click()
    rows = page.get_by_role("row")
    expect(rows.filter(has_text="Active")).to_have_count(3)
    rows.filter(has_text=jti_of(third)).get_by_role("link", name="Revoke").click()
    page.get_by_role("button", name="Revoke this JWT").click()
    expect(page.get_by_role("status").first).to_contain_text("The JWT is revoked")
    expect(rows.filter(has_text="Active")).to_have_count(2)
    assert [site.get(INTERNAL, jwt) for jwt in (first, second, third)] == [200, 200, 401]

    page.get_by_role("link", name="Revoke all JWTs").click()
    page.get_by_role("button", name="Revoke all JWTs").click()
    expect(page.get_by_role("status").first).to_contain_text("All your JWTs are revoked")
    expect(rows.filter(has_text="Active")).to_have_count(0)
    assert [site.get(INTERNAL, jwt) for jwt in (first, second, third)] == [401, 401, 401]
    assert site.get(INTERNAL, issue_jwt(page)) == 200


def test_a_changed_password_ends_all_other_browsers_and_jwts(site, windows):
    user = site.user(password=PASSWORD)
    contexts = [windows.open() for _ in range(2)]
    for context in contexts:
        site.enter(context, user)
    here, elsewhere = (context.new_page() for context in contexts)
    elsewhere.goto("/settings/security")
    jwt, _ = site.jwt(user)
    token = site.token(user, "Stays")
    assert site.get(INTERNAL, jwt) == 200

    here.goto("/settings/security")
    expect(here.get_by_role("row").filter(has_text="This browser")).to_have_count(1)
    sessions = here.get_by_role("table", name="Where you are signed in").get_by_role("rowheader")
    expect(sessions).to_have_count(2)
    here.get_by_label("Current password").fill(PASSWORD)
    for label in ("New password", "New password again"):
        here.get_by_label(label, exact=True).fill("four other words instead")
    here.get_by_role("button", name="Change the password").click()
    expect(here.get_by_role("status").first).to_contain_text("Your password is changed")
    expect(sessions).to_have_count(1)

    elsewhere.reload()
    expect(elsewhere).to_have_url(LOGIN)
    assert site.get(INTERNAL, jwt) == 401
    assert site.get("/v1/api/records", token) == 200
    elsewhere.get_by_label("E-mail").fill(user.email)
    elsewhere.get_by_label("Password").fill(PASSWORD)
    elsewhere.get_by_role("button", name="Sign in").click()
    expect(elsewhere.get_by_role("alert")).to_be_visible()
    elsewhere.get_by_label("Password").fill("four other words instead")
    elsewhere.get_by_role("button", name="Sign in").click()
    expect(elsewhere).to_have_url(re.compile("/settings/security"))


def test_signing_out_everywhere_ends_every_browser(site, windows):
    user = site.user()
    contexts = [windows.open() for _ in range(2)]
    for context in contexts:
        site.enter(context, user)
    here, elsewhere = (context.new_page() for context in contexts)
    elsewhere.goto("/overview")
    here.goto("/settings/security")
    here.get_by_role("link", name="Sign out everywhere").click()
    here.get_by_role("button", name="Sign out everywhere").click()
    expect(here.get_by_role("status").first).to_contain_text("You are signed out everywhere")
    elsewhere.reload()
    expect(elsewhere).to_have_url(LOGIN)
