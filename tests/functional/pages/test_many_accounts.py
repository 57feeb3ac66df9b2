"""The overview of a user with many accounts: those that matter, the rest behind one control."""

from support.html import shown_text
from support.native_rows import account, record, uid
from support.service import on_one_storage

QUIET = [*range(1, 41)]
USED = [50, 45, 57, 48, 60, 41]


def panel(page, name):
    return page.text.split(f'aria-labelledby="{name}-title"')[1].split("</section>")[0]


@on_one_storage
def test_the_accounts_used_last_are_shown_and_what_needs_attention_stays_short(
    service, user, visitor
):
    """The clock says 2026-03-18."""
    names = {n: f"Account {n:02}" for n in range(1, 61)}
    accounts = [account(n, name=name) for n, name in names.items()]
    days = dict.fromkeys(QUIET, "2025-06-01") | dict.fromkeys(range(41, 61), "2026-02-20")
    # Records of days to come do not make an account used later than today.
    days |= dict.fromkeys(USED[1:], "2026-03-18") | {50: "2026-04-30"}
    rows = [
        record(n * 100 + at, accountId=uid("Account", n), recordDate=day)
        for n, day in days.items()
        for at in range(1 + 2 * (n in USED))
    ]
    # Used on the same day, with fewer records.
    late = record(1, accountId=uid("Account", 43), recordDate="2026-03-18")
    service.load(user, [*accounts, *rows, late])
    page = visitor.get("/overview")
    shown = shown_text(panel(page, "accounts"))
    assert [name for name in names.values() if name in shown] == [names[n] for n in sorted(USED)]
    assert "And 54 more accounts" in shown
    attention = panel(page, "attention")
    for kind, number in (("below zero today", 59), ("no record since", len(QUIET))):
        assert attention.count(kind) == number
        before, _, folded = attention.partition(f"<summary>{number - 3} more accounts</summary>")
        assert folded.partition("</details>")[0].count(kind) == number - 3
        assert before.count(kind) == 3
