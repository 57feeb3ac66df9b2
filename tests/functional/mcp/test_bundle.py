"""The bundle that installs the tools with one click: its manifest, and what it starts."""

import json
import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from support.mcp_client import run_async
from support.mcp_server import PROGRAM

mcp = pytest.importorskip("mcp")
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """The files of the bundle that `make mcpb` builds."""
    path = tmp_path_factory.mktemp("bundle") / "dist" / "finance-api.mcpb"
    subprocess.run([sys.executable, ROOT / "scripts" / "bundle.py", path], check=True)
    with ZipFile(path) as parts:
        return {name: parts.read(name).decode() for name in parts.namelist()}


@pytest.fixture(scope="module")
def manifest(bundle):
    return json.loads(bundle["manifest.json"])


def test_the_manifest_has_what_its_format_needs(bundle, manifest):
    assert {"manifest_version", "name", "version", "description", "author", "server"} <= {*manifest}
    assert re.fullmatch(r"\d+\.\d+\.\d+", manifest["version"])
    assert manifest["server"]["entry_point"] in bundle
    compile(bundle["server.py"], "server.py", "exec")
    for option in manifest["user_config"].values():
        assert {"type", "title", "description"} <= {*option}
    named = re.findall(r"\$\{user_config\.(\w+)\}", json.dumps(manifest["server"]))
    assert {*named} == {*manifest["user_config"]}


def test_the_token_is_kept_in_the_keychain(manifest):
    token = manifest["user_config"]["token"]
    assert (token["sensitive"], token["required"], "default" in token) == (True, True, False)
    # Other programs see arguments.
    assert "token" not in json.dumps(manifest["server"]["mcp_config"]["args"])


def test_the_command_serves_the_tools_of_the_manifest(site, manifest):
    values = {"program": str(PROGRAM), "address": site.base, "token": site.one.token}

    def filled(text):
        return re.sub(r"\$\{user_config\.(\w+)\}", lambda found: values[found[1]], text)

    config = manifest["server"]["mcp_config"]
    parameters = mcp.StdioServerParameters(
        command=filled(config["command"]),
        args=config["args"],
        env={name: filled(text) for name, text in config["env"].items()},
    )

    async def asked():
        async with mcp.Client(parameters) as client:
            tools = (await client.list_tools()).tools
            return tools, await client.call_tool("list_accounts", {})

    tools, answer = run_async(asked)
    assert [{"name": each.name, "description": each.description} for each in tools] == (
        manifest["tools"]
    )
    assert answer.structured_content["accounts"][0]["name"] == "Main"
