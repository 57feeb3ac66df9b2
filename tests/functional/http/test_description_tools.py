"""Tools that read the API descriptions: schemathesis, and any installed generators."""

import shutil
import subprocess
import sys
import threading
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

from finance_api.http.surfaces import INTERNAL_DESCRIPTION, PUBLIC_DESCRIPTION, WALLET_DESCRIPTION
from support.native_rows import household
from support.nightly import NIGHTLY
from support.service import Service

_PYTHON = """
import sys
from public import AuthenticatedClient
from public.api.records import get_records
from wallet.api.records import get_records as get_wallet_records
from internal import models

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
pages = [get_records.sync(client=client, limit=2, offset=offset) for offset in (0, 2)]
print(*(row.id for page in pages for row in page.records))
given = {"client": client, "limit": 2, "record_date": ["gte.2000-01-01"]}
pages = [get_wallet_records.sync(**given, offset=offset) for offset in (0, 2)]
print(*(row.id for page in pages for row in page.records))
"""
#: As the README of openapi-fetch shows it.
_TYPESCRIPT = """
import createClient from "openapi-fetch";
import type { paths } from "./public";
import type { paths as Wallet } from "./wallet";
import type { paths as Internal } from "./internal";

export type { Internal };
const options = {
  baseUrl: process.argv[2],
  headers: { Authorization: `Bearer ${process.argv[3]}` },
};
const client = createClient<paths>(options), walletClient = createClient<Wallet>(options);
const own: string[] = [], wallet: string[] = [];
for (const offset of [0, 2]) {
  const { data, error } = await client.GET("/v1/api/records", {
    params: { query: { limit: 2, offset } },
  });
  if (error) throw new Error(error.detail);
  own.push(...data.records.map((row) => row.id));
  const other = await walletClient.GET("/wallet/v1/api/records", {
    params: { query: { limit: 2, offset, recordDate: ["gte.2000-01-01"] } },
  });
  wallet.push(...(other.data?.records ?? []).map((row) => row.id));
}
console.log(own.join(" "));
console.log(wallet.join(" "));
"""


class _Quiet(WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def client():
    service = Service("memory", {"finance_api.storage": "memory"})
    client = service.client()
    client.load(*household())
    yield client
    service.stop()


@pytest.fixture(scope="module")
def url(client):
    server = make_server("127.0.0.1", 0, client.service.app, handler_class=_Quiet)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def descriptions(client, tmp_path):
    """Return the files of the descriptions by the name of the API."""
    found = {}
    for name, path in (
        ("public", PUBLIC_DESCRIPTION),
        ("wallet", WALLET_DESCRIPTION),
        ("internal", INTERNAL_DESCRIPTION),
    ):
        found[name] = tmp_path / f"{name}.json"
        found[name].write_bytes(client.service.web.get(path).body)
    return found


def program(name):
    return shutil.which(name) or pytest.skip(f"{name} is not installed")


def ids_of(client):
    rows = client.get("records", limit=4).json["records"]
    wallet = "/wallet/v1/api/records?limit=4&recordDate=gte.2000-01-01"
    others = client.service.web.get(wallet, headers=client.headers).json["records"]
    return [[row["id"] for row in found] for found in (rows, others)]


def lines(output):
    return [line.split() for line in output.splitlines()]


@pytest.mark.nightly
def test_a_client_in_python_reads_two_pages(client, url, descriptions, tmp_path):
    generate = program("openapi-python-client")
    for name, file in descriptions.items():
        command = [generate, "generate", "--path", file, "--meta", "none"]
        subprocess.run([*command, "--output-path", tmp_path / name], check=True)
    # Use the generator's Python, whose environment has what generated clients need.
    python = Path(generate).resolve().with_name("python")
    command = [python, "-c", _PYTHON, url, client.token]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert lines(found.stdout) == ids_of(client)


@pytest.mark.nightly
def test_a_client_in_typescript_reads_two_pages(client, url, descriptions, tmp_path):
    generate, compile_, run = map(program, ("openapi-typescript", "tsc", "node"))
    modules = next(at for at in Path(generate).resolve().parents if at.name == "node_modules")
    if not (modules / "openapi-fetch").exists():
        pytest.skip("openapi-fetch is not installed")
    (tmp_path / "node_modules").symlink_to(modules)
    for name, file in descriptions.items():
        subprocess.run([generate, file, "-o", tmp_path / f"{name}.d.ts"], check=True)
    (tmp_path / "read.ts").write_text(_TYPESCRIPT)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    options = ["--strict", "--target", "es2022", "--module", "esnext"]
    options += ["--moduleResolution", "bundler", "--types", "node"]
    subprocess.run([compile_, *options, "read.ts"], cwd=tmp_path, check=True)
    command = [run, tmp_path / "read.js", url, client.token]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert lines(found.stdout) == ids_of(client)


@pytest.mark.nightly
@pytest.mark.parametrize("path", [PUBLIC_DESCRIPTION, WALLET_DESCRIPTION, INTERNAL_DESCRIPTION])
def test_schemathesis_finds_nothing(client, url, path, figures):
    """schemathesis.toml has the exceptions. By day only the examples are requested."""
    token = client.token
    if path == INTERNAL_DESCRIPTION:
        token = client.service.jwt(client.user)
    command = [Path(sys.executable).with_name("st"), "run", f"{url}{path}", "--seed", "1"]
    command += ["--header", f"Authorization: Bearer {token}"]
    command += ["--max-examples", "300"] if NIGHTLY else ["--phases", "examples"]
    top = Path(__file__).parents[3]
    found = subprocess.run(command, cwd=top, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout
    (cases,) = [line.strip() for line in found.stdout.splitlines() if " generated, " in line]
    figures(cases)
