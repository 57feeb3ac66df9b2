"""finance-api mcp"""

import os

import click

from finance_api.cli.remote import TOKEN, base_of_environment, token_of_environment

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@click.command(epilog="Example: finance-api mcp --http --port 7001")
@click.option("--http", is_flag=True, help="Serve over Streamable HTTP instead of stdio.")
@click.option("--host", default="127.0.0.1", help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65_535), default=6544, help="Port to listen on.")
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="HOST[:PORT]",
    help="Another accepted Host header, in addition to this machine's names; repeatable.",
)
@click.option(
    "--allow-origin",
    "origins",
    multiple=True,
    metavar="ORIGIN",
    help="An accepted Origin header; without this option, requests from web pages are refused.",
)
@click.option(
    "--per-address",
    type=click.IntRange(1),
    default=200,
    help="Maximum number of connections from one address; a further connection closes "
    "the one that has been idle longest.",
)
@click.option(
    "--request-seconds",
    type=click.FloatRange(0, min_open=True),
    default=10,
    help="Seconds within which a request must arrive completely, and after which an idle "
    "connection is closed.",
)
@click.option(
    "--calls",
    type=click.IntRange(1),
    default=8,
    help="Maximum number of calls at a time; further calls wait for their turn.",
)
@click.option(
    "--wait-seconds",
    type=click.FloatRange(0, min_open=True),
    default=30,
    help="How long a call may wait for its turn before it gets 503.",
)
def mcp(
    http: bool,
    host: str,
    port: int,
    hosts: tuple[str, ...],
    origins: tuple[str, ...],
    **limits: float,
) -> None:
    """Serve the API as tools for agents, by the Model Context Protocol.

    It asks the service at $FINANCE_BASE (default http://127.0.0.1:6543). Over stdio it uses the
    personal token in $FINANCE_TOKEN; over HTTP the token of each caller, which it does not keep.
    """
    base = base_of_environment()
    if http and os.environ.get(TOKEN):
        raise click.UsageError(f"--http uses the token of each caller: unset {TOKEN}.")
    if not http:
        token = token_of_environment(f"Over stdio, {TOKEN} must be a personal token.")
    try:
        from finance_api.clients.mcp.callers import Limits
        from finance_api.clients.mcp.server import serve_http, serve_stdio
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"the module {error.name} is missing; install finance-api with its extra mcp: "
            "pip install '.[mcp]' in a checkout, pip install 'FILE.whl[mcp]' with a wheel"
        ) from None
    if http:
        own = [f"{name}:{port}" for name in _LOOPBACK]
        serve_http(
            base,
            host=host,
            port=port,
            hosts=[*own, *hosts],
            origins=origins,
            limits=Limits(**limits),  # type: ignore[arg-type]
        )
    else:
        serve_stdio(base, token)
