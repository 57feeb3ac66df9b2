"""The tables of the last run, as Markdown.

python -m bench.report           prints them
python -m bench.report --docs    also puts them into docs/performance.md
"""

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bench.loads import LOADS
from bench.places import PROJECT, Place
from bench.servers import OURS, PEERS, REFERENCE
from bench.sizes import FULL, QUICK, SIZES

PAGE = PROJECT / "docs" / "performance.md"
_BEGIN = "<!-- The tables begin: python -m bench.report --docs writes them. -->"
_END = "<!-- The tables end. -->"
_DATABASES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
_NAMES = {"fastapi": "FastAPI", "datasette": "Datasette"}
#: Of fewer there is no slowest percent; most are longer than a run then, and not counted.
_FEWEST_ANSWERS = 200
_MEGABYTE = 1_000_000


def write_report(place: Place) -> str:
    """The tables of this size's last run; also kept beside its results."""
    text = report(json.loads(place.results.read_text("utf-8")))
    place.results.with_suffix(".md").write_text(text, encoding="utf-8")
    return text


def report(found: dict[str, Any]) -> str:
    """found: as `bench.__main__` keeps it."""
    size = SIZES[found["size"]]
    parts = [
        f"Measured on {found['date']} with {size.records:,} records of {size.users:,} users, "
        f"{size.large_records:,} of them one user's.",
        _table(("Machine", ""), found["machine"].items()),
    ]
    results = {(r["load"], r["server"], r["database"]): r for r in found["results"]}
    for database, name in _DATABASES.items():
        if any(key[2] == database for key in results):
            parts += [f"### {name}: answers a second", _throughput(results, database)]
            parts += [f"### {name}: latency at 16 connections, in milliseconds"]
            parts += [_latency(results, database)]
    parts += ["### How flat it is", _flatness(found, results)]
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
    # The larger it is, the fewer answers of the slower one it rests on.
    return f"{ratio:.0f}×" if ratio < 100 else f"{round(ratio, -1):.0f}×"


def _throughput(results: dict[Any, Any], database: str) -> str:
    peers = [name for name in PEERS if ("page", name, database) in results]
    ours = [name for name in OURS if ("page", name, database) in results]
    headings = ["Load", *(_NAMES[name] for name in peers)]
    for name in ours:
        headings += [name, "ratio", "aim"]
    rows = []
    for load in LOADS:
        row = [load.title]
        speed = {
            server: result["per_second"]
            for (name, server, where), result in results.items()
            if (name, where) == (load.name, database)
        }
        row += [_number(speed[name]) if name in speed else "" for name in peers]
        for name in ours:
            row.append(_number(speed[name]))
            if load.target is None:
                row += ["", ""]
                continue
            ratio = speed[name] / speed[REFERENCE]
            row += [_times(ratio), _times(load.target.of(database, name))]
        rows.append(row)
    note = f"\n\n*ratio*: to the peer {_NAMES[REFERENCE]} on the same database."
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
            if result is None or result["answers"] < _FEWEST_ANSWERS:
                row += ["", "", ""]
                continue
            p50, p99 = result["p50"], result["p99"]
            row += [f"{p50:.1f}", f"{p99:.1f}", f"{p99 / p50:.1f}"]
        rows.append(row)
    return _table(headings, rows)


def _flatness(found: dict[str, Any], results: dict[Any, Any]) -> str:
    """Costs are the inverse of throughput."""
    rows = []
    for database, name in _DATABASES.items():
        for server in OURS:
            for what, dear, cheap, aim in (
                ("first page, most records / 1,000 records", "large", "page", "1.3"),
                ("offset near the end / half-way", "deepest", "jump", "2"),
            ):
                if (dear, server, database) in results:
                    cost = (
                        results[cheap, server, database]["per_second"]
                        / results[dear, server, database]["per_second"]
                    )
                    rows.append([what, f"{server}, {name}", f"{cost:.2f}×", f"≤ {aim}×"])
        if database in found["tokens"]:
            few, many = found["tokens"][database]
            cost = many["microseconds"] / few["microseconds"]
            what = (
                f"look-up of a token, {many['tokens']:,} ({many['microseconds']:.0f} µs) / "
                f"{few['tokens']:,} ({few['microseconds']:.0f} µs)"
            )
            rows.append([what, name, f"{cost:.2f}×", "≤ 1.2×"])
    return _table(("Cost of", "Where", "ratio", "aim"), rows)


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
    headings = ("Import", "Into", "a second", "bare a second", "share (≥ 0.25)", "peak (≤ 300 MB)")
    return _table(headings, rows)


def _memory(found: dict[str, Any]) -> str:
    rows = [
        [
            f"{_NAMES.get(each['server'], each['server'])}, {_DATABASES[each['database']]}",
            f"{each['bytes'] / _MEGABYTE:.0f} MB",
        ]
        for each in found["memory"]
    ]
    return _table(("Server", "of its own, after all loads (aim: ≤ 150 MB)"), rows)


def put_into_docs(page: Path, text: str) -> None:
    """Replaces what stands between the marks."""
    before, _, rest = page.read_text("utf-8").partition(_BEGIN)
    _, mark, after = rest.partition(_END)
    if not mark:
        raise SystemExit(f"{page.name} has no marks for the tables")
    page.write_text(f"{before}{_BEGIN}\n\n{text}\n{_END}{after}", encoding="utf-8")


def _main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="of the quick run")
    parser.add_argument("--docs", action="store_true", help="put them into docs/performance.md")
    options = parser.parse_args()
    place = Place(QUICK if options.quick else FULL)
    if not place.results.exists():
        raise SystemExit("there are no results yet: run python -m bench")
    text = write_report(place)
    print(text)
    if options.docs:
        put_into_docs(PAGE, text)


if __name__ == "__main__":
    _main()
