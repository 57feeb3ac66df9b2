"""Builds the bundle that gives an agent's program the tools with one click.

    .venv/bin/python scripts/bundle.py dist/finance-api.mcpb

A bundle is a zip file with a manifest (https://github.com/modelcontextprotocol/mcpb). The program
asks its user for what `user_config` names, keeps sensitive values in the keychain of the operating
system, and starts the command with them.
"""

import json
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile, ZipInfo

from finance_api.clients.mcp.tool_table import TOOLS
from finance_api.values.version import __version__

#: The format wants a file that starts the server; the command starts the installed one.
_SERVER = '''"""Starts `finance-api mcp`, like the command in the manifest."""

import sys

from finance_api.cli import run

sys.argv[1:] = ["mcp"]
run()
'''


def _asked(title: str, description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "title": title, "description": description, "required": True, **more}


def manifest() -> dict[str, Any]:
    return {
        "manifest_version": "0.2",
        "name": "finance-api",
        "display_name": "Finance data",
        "version": __version__,
        "description": "Your records, sums, balances and budgets in finance_api, read-only.",
        "author": {"name": "finance_api"},
        "license": "MIT",
        "server": {
            "type": "python",
            "entry_point": "server.py",
            "mcp_config": {
                "command": "${user_config.program}",
                "args": ["mcp"],
                "env": {
                    "FINANCE_BASE": "${user_config.address}",
                    "FINANCE_TOKEN": "${user_config.token}",
                },
            },
        },
        "user_config": {
            "program": _asked(
                "Program",
                "The installed program finance-api, with its extra mcp.",
                type="file",
                default="${HOME}/finance-env/bin/finance-api",
            ),
            "address": _asked(
                "Address", "The address of your service.", default="http://127.0.0.1:6543"
            ),
            "token": _asked("Token", "A personal token for this program only.", sensitive=True),
        },
        "tools": [{"name": tool.name, "description": tool.purpose} for tool in TOOLS],
    }


def build(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(manifest(), indent=2, ensure_ascii=False) + "\n"
    with ZipFile(path, "w") as bundle:
        for name, content in (("manifest.json", text), ("server.py", _SERVER)):
            # A fixed time, so that the same version gives the same bytes.
            bundle.writestr(ZipInfo(name), content)


if __name__ == "__main__":
    build(Path(sys.argv[1]))
    print(sys.argv[1])
