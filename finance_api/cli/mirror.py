"""finance-api mirror"""

from pathlib import Path

import click

from finance_api.cli.output import say
from finance_api.cli.remote import TOKEN, base_of_environment, token_of_environment
from finance_api.clients.mirror.source import Source, SourceError
from finance_api.clients.mirror.updating import MirrorRefused, update


@click.command(epilog="Example: finance-api mirror finance.db")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def mirror(file: Path) -> None:
    """Bring the SQLite file FILE up to date with the service, or create it.

    The command asks the service at $FINANCE_BASE (default http://127.0.0.1:6543) with the
    personal token in $FINANCE_TOKEN, and reads only what has changed since the last run.
    """
    token = token_of_environment(f"{TOKEN} must be a personal token.")
    source = Source(base_of_environment(), token, lambda text: say(text, err=True))
    try:
        outcome = update(file, source)
    except (MirrorRefused, SourceError) as error:
        raise click.ClickException(str(error)) from None
    for name in sorted(outcome.unknown):
        say(f"{name} were left out: a newer finance-api has a table for them", err=True)
    whole = "all data read again: " if outcome.started_over else ""
    say(
        f"{file}: {whole}{outcome.put:,} rows written, {outcome.deleted:,} removed; "
        f"revision {outcome.revision}"
    )
