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
    "--calls",
    type=click.IntRange(1),
    default=8,
    help="Maximum number of calls that ask the service at once; further calls wait.",
)
def mcp(
    http: bool, host: str, port: int, hosts: tuple[str, ...], origins: tuple[str, ...], calls: int
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
        from finance_api.clients.mcp.server import serve_http, serve_stdio
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"the module {error.name} is missing; install finance-api with its extra mcp: "
            "pip install '.[mcp]' in a checkout, pip install 'FILE.whl[mcp]' with a wheel"
        ) from None
    if http:
        own = [f"{name}:{port}" for name in _LOOPBACK]
        serve_http(base, host=host, port=port, hosts=[*own, *hosts], origins=origins, calls=calls)
    else:
        serve_stdio(base, token)
