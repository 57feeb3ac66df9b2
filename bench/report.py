"""The tables of the last run, as Markdown.

python -m bench.report           prints them
python -m bench.report --docs    also puts them into bench/FIGURES.md, without the latencies
"""

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bench.loads import LOADS
from bench.servers import COMPETITORS, OURS, PLAIN, REFERENCE, WITH_TARGETS
from bench.sizes import FULL, QUICK, SIZES
from bench.workspace import PROJECT, Workspace

PAGE = PROJECT / "bench" / "FIGURES.md"
_BEGIN = "<!-- The tables begin: python -m bench.report --docs writes them. -->"
_END = "<!-- The tables end. -->"
_DATABASES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
_NAMES = {"fastapi": "FastAPI", "datasette": "Datasette", PLAIN: "waitress, no read model"}
#: With fewer responses, a 99th percentile means nothing.
_FEWEST_RESPONSES = 200
_MEGABYTE = 1_000_000


def write_report(workspace: Workspace) -> str:
    """Return the tables of the last run of this size, and write them beside its results."""
    text = report(json.loads(workspace.results.read_text("utf-8")))
    workspace.results.with_suffix(".md").write_text(text, encoding="utf-8")
    return text


def report(found: dict[str, Any], *, latency: bool = True) -> str:
    """Return the tables. found: the result of `bench.__main__.measure_everything`."""
    size = SIZES[found["size"]]
    parts = [
        f"Measured on {found['date']} with {size.records:,} records of {size.users:,} users, "
        f"{size.large_records:,} of them one user's.",
        _table(("Machine", ""), found["machine"].items()),
    ]
    results = {(r["load"], r["server"], r["database"]): r for r in found["results"]}
    for database, name in _DATABASES.items():
        if any(key[2] == database for key in results):
            parts += [f"### {name}: requests per second", _throughput(results, database)]
            if latency:
                parts += [f"### {name}: latency at 16 connections, milliseconds"]
                parts += [_latency(results, database)]
    parts += ["### Cost as data grows", _flatness(found, results)]
    parts += ["### Exports", _exports(found)]
    parts += ["### Import", _imports(found), "### Memory of a worker", _memory(found)]
    if found["left_out"]:
        parts += ["### Left out", "\n".join(f"- {reason}" for reason in found["left_out"])]
    return "\n\n".join(parts) + "\n"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    numbers = ["---" if n == 0 else "---:" for n in range(len(headings))]
    if len(headings) == 2 and not headings[1]:
        numbers[1] = "---"
    lines = [headings, numbers, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def _times(ratio: float) -> str:
    if ratio < 10:
        return f"{ratio:.1f}×"
    # A large ratio is inexact, because the slower server has sent few responses.
    return f"{ratio:.0f}×" if ratio < 100 else f"{round(ratio, -1):.0f}×"


def _throughput(results: dict[Any, Any], database: str) -> str:
    competitors = [name for name in COMPETITORS if ("page", name, database) in results]
    ours = [name for name in OURS if ("page", name, database) in results]
    headings = ["Load", *(_NAMES[name] for name in competitors)]
    for name in ours:
        headings += [_NAMES.get(name, name), "ratio"] + ["target"] * (name in WITH_TARGETS)
    rows = []
    for load in LOADS:
        row = [load.title]
        speed = {
            server: result["per_second"]
            for (name, server, where), result in results.items()
            if (name, where) == (load.name, database)
        }
        row += [_number(speed[name]) if name in speed else "" for name in competitors]
        for name in ours:
            row.append(_number(speed[name]))
            compared = load.target is not None
            row.append(_times(speed[name] / speed[REFERENCE]) if compared else "")
            if name in WITH_TARGETS:
                row.append(_times(load.target.of(database)) if load.target else "")
        rows.append(row)
    note = f"\n\n*ratio*: to {_NAMES[REFERENCE]} on the same database."
    return _table(headings, rows) + note


def _latency(results: dict[Any, Any], database: str) -> str:
    names = [name for name in (*OURS, REFERENCE) if ("page", name, database) in results]
    headings = ["Load"]
    for name in names:
        headings += [f"{_NAMES.get(name, name)} p50", "p99", "p99 / p50"]
    rows = []
    for load in LOADS:
        row = [load.title]
        for name in names:
            result = results.get((load.name, name, database))
            if result is None or result["requests"] < _FEWEST_RESPONSES:
                row += ["", "", ""]
                continue
            p50, p99 = result["p50"], result["p99"]
            row += [f"{p50:.1f}", f"{p99:.1f}", f"{p99 / p50:.1f}"]
        rows.append(row)
    return _table(headings, rows)


def _flatness(found: dict[str, Any], results: dict[Any, Any]) -> str:
    """Compare costs, which are the inverse of throughput."""
    rows = []
    for database, name in _DATABASES.items():
        for server in OURS:
            for what, costly, cheap, target in (
                ("first page, most records / 1,000 records", "large", "page", "1.3"),
                ("offset near the end / half-way", "deepest", "jump", "2"),
                ("sums, most records / 1,000 records", "sums", "sums-few", "1.5"),
                ("page of changes / first page", "changes", "page", "1"),
                ("first page below /wallet / first page", "wallet", "page", "1.4"),
                ("the same, from the response cache", "wallet-cached", "cached", "1.4"),
            ):
                if (costly, server, database) in results:
                    cost = (
                        results[cheap, server, database]["per_second"]
                        / results[costly, server, database]["per_second"]
                    )
                    rows.append(
                        [
                            what,
                            f"{_NAMES.get(server, server)}, {name}",
                            f"{cost:.2f}×",
                            f"≤ {target}×" if server in WITH_TARGETS else "",
                        ]
                    )
        if database in found["tokens"]:
            few, many = found["tokens"][database]
            cost = many["microseconds"] / few["microseconds"]
            what = (
                f"lookup of a token, {many['tokens']:,} ({many['microseconds']:.0f} µs) / "
                f"{few['tokens']:,} ({few['microseconds']:.0f} µs)"
            )
            rows.append([what, name, f"{cost:.2f}×", "≤ 1.2×"])
    return _table(("Cost of", "Where", "ratio", "target"), rows)


def _exports(found: dict[str, Any]) -> str:
    headings = (
        "Export",
        "From",
        "rows/s (≥ 60,000)",
        "first byte (≤ 100 ms)",
        "memory (≤ +20 MB)",
        "p99 of 50 others, alone and meanwhile (≤ 2×)",
    )
    rows = [
        [
            f"{each['rows']:,} records, {each['form']}",
            _DATABASES[each["database"]],
            _number(each["rows"] / each["seconds"]),
            f"{each['first_byte_seconds'] * 1000:.0f} ms",
            f"+{each['more_bytes'] / _MEGABYTE:.0f} MB",
            f"{each['p99_alone']:.1f} ms, {each['p99_meanwhile']:.1f} ms",
        ]
        for each in found["exports"]
    ]
    return _table(headings, rows)


def _imports(found: dict[str, Any]) -> str:
    rows = []
    for database, each in found["imports"].items():
        speed = each["records"] / each["seconds"]
        peak = f"{each['peak_bytes'] / _MEGABYTE:.0f} MB"
        what = f"{each['records']:,} records, a file for each user"
        rows.append([what, _DATABASES[database], _number(speed), "", "", peak])
    for database, each in found["bulk"].items():
        speed = each["records"] / each["seconds"]
        bare = each["records"] / each["bare_seconds"]
        peak = f"{each['peak_bytes'] / _MEGABYTE:.0f} MB"
        what = f"{each['records']:,} records, one file"
        row = [_number(speed), _number(bare), f"{each['share']:.2f}", peak]
        rows.append([what, _DATABASES[database], *row])
    headings = (
        "Import",
        "Into",
        "records/s",
        "bare records/s",
        "share (≥ 0.25)",
        "peak (≤ 300 MB)",
    )
    return _table(headings, rows)


def _memory(found: dict[str, Any]) -> str:
    rows = [
        [
            f"{_NAMES.get(each['server'], each['server'])}, {_DATABASES[each['database']]}",
            f"{each['bytes'] / _MEGABYTE:.0f} MB",
        ]
        for each in found["memory"]
    ]
    return _table(("Server", "private memory after all loads (target: ≤ 150 MB)"), rows)


def put_into_docs(page: Path, text: str) -> None:
    """Replace the text between the marks in the page."""
    before, _, rest = page.read_text("utf-8").partition(_BEGIN)
    _, mark, after = rest.partition(_END)
    if not mark:
        raise SystemExit(f"{page.name} has no marks for the tables")
    page.write_text(f"{before}{_BEGIN}\n\n{text}\n{_END}{after}", encoding="utf-8")


def _main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="the tables of the quick run")
    parser.add_argument("--docs", action="store_true", help="also write them into bench/FIGURES.md")
    options = parser.parse_args()
    workspace = Workspace(QUICK if options.quick else FULL)
    if not workspace.results.exists():
        raise SystemExit("there are no results yet: run python -m bench")
    print(write_report(workspace))
    if options.docs:
        put_into_docs(PAGE, report(json.loads(workspace.results.read_text("utf-8")), latency=False))


if __name__ == "__main__":
    _main()
