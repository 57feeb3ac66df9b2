"""finance-api audit"""

import click

from finance_api.cli.context import CliContext, get_user, pass_cli_context
from finance_api.cli.output import instant, json_option, show_list
from finance_api.values.time import TimeError, parse_date


@click.command(epilog="Example: finance-api audit me@example.com --since 2026-11-01")
@click.argument("email", required=False)
@json_option
@click.option("--since", metavar="DATE", help="Only entries from this day on, in UTC.")
@pass_cli_context
def audit(cli: CliContext, email: str | None, as_json: bool, since: str | None) -> None:
    """Show who did what, when and from where, newest first.

    Without EMAIL: all users, and failed sign-ins with unknown addresses.
    """
    try:
        first = 0 if since is None else parse_date(since)
    except TimeError as error:
        raise click.BadParameter(f"{since!r} {error}", param_hint="--since") from None
    with cli.reading() as storage:
        user_id = None if email is None else get_user(storage, email).id
        emails: dict[int | None, str] = {user.id: user.email for user in storage.users.list_all()}
        entries = storage.audit.list_newest(user_id, since=first)
    rows = [
        {
            "at": instant(entry.at),
            "user": emails.get(entry.user_id),
            "action": entry.action,
            "origin": entry.origin,
            "detail": entry.detail,
        }
        for entry in entries
    ]
    show_list(rows, ("WHEN", "USER", "ACTION", "FROM", "WHAT"), as_json=as_json)
