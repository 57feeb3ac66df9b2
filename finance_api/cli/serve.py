"""finance-api serve"""

import click

from finance_api.cli.context import CliContext, pass_cli_context
from finance_api.cli.demo import choose_ini, prepare_demo
from finance_api.runtime.settings import SettingError
from finance_api.settings import SERVER_SETTINGS


@click.command(epilog="Example: finance-api serve --port 7000")
@click.option(
    "--host", envvar="FINANCE_API_SERVER_HOST", help="Listen on this address, not the ini file's."
)
@click.option(
    "--port", type=click.IntRange(1, 65_535), help="Listen on this port, not the ini file's."
)
@click.option("--demo", is_flag=True, help="First create what is missing, with demo data.")
@pass_cli_context
def serve(cli: CliContext, host: str | None, port: int | None, demo: bool) -> None:
    """Run the service with the server that the ini file names."""
    given = {"http_host": host, "http_port": port}
    options = {name: str(value) for name, value in given.items() if value is not None}
    if demo:
        choose_ini(cli)
    with cli.reading_ini() as loader:
        loader.setup_logging(options)
        server = loader.get_wsgi_server(defaults=options)
        section = loader.get_settings("server:main", options)
        # If this section has a fault, this raises an error that does not show any values.
        loader.get_wsgi_app_settings("main", options)
    checked = _checked_port(section.get("port"))
    if section.get("host") == "::" and "waitress" in section.get("use", ""):
        # waitress would serve IPv6 only.
        options["http_host"] = "*"
        server = loader.get_wsgi_server(defaults=options)
    if demo:
        prepare_demo(cli, section.get("host", "127.0.0.1"), port or checked)
    cli.close()
    app = loader.get_wsgi_app(defaults=options)
    try:
        server(app)
    except OSError as error:
        from finance_api.server.wsgi import not_listening

        # Only the address can cause this: errors of requests become responses.
        raise not_listening(section.get("host", "127.0.0.1"), port or checked, error) from None
    except ValueError as error:
        raise SettingError(f"[server:main]: {error}") from None


def _checked_port(text: str | None) -> int:
    """Return the port in the ini file, or the default. Raises SettingError."""
    (setting,) = (setting for setting in SERVER_SETTINGS if setting.name == "server.port")
    try:
        return int(setting.parse(setting.default if text is None else text))
    except ValueError as error:
        raise SettingError(f"{setting.name}: {text!r} {error}") from None
