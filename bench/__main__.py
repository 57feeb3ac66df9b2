"""The whole suite: `make bench`.

python -m bench           everything, some 15 minutes
python -m bench --quick   the small data and short runs, some 3 minutes
"""

import argparse
import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from bench import machine
from bench.bulk import measure_bulk
from bench.client import require_wrk
from bench.exports import measure_exports
from bench.loads import LOADS
from bench.measuring import measure
from bench.memory_use import measure_memory
from bench.postgresql import Postgresql, running
from bench.prepare import DATABASES, files_of, prepare
from bench.report import write_report
from bench.servers import SERVERS, serving, why_missing
from bench.sizes import FULL, QUICK
from bench.token_lookups import measure_lookups
from bench.workspace import Workspace, exclusive


def measure_everything(
    workspace: Workspace, postgresql: Postgresql | None, *, bulk_records: int
) -> dict[str, Any]:
    """Return the results in the form that `bench.report` reads."""
    found: dict[str, Any] = {
        "date": datetime.now(UTC).date().isoformat(),
        "size": workspace.size.name,
        "machine": machine.describe(),
        "left_out": [],
    }
    databases = [d for d in DATABASES if d == "sqlite" or postgresql is not None]
    imports = prepare(workspace, postgresql, again=True, with_plain=True)
    found["imports"] = {name: asdict(each) for name, each in imports.items()}
    wanted = []
    for database in DATABASES:
        for server in SERVERS:
            reason = why_missing(server, database, postgresql)
            if reason:
                found["left_out"].append(f"{server} on {database}: {reason}")
            else:
                wanted.append((server, database))
    with serving(workspace, postgresql, wanted) as servers:
        found["results"] = []
        sizes = {"runs": workspace.size.runs, "seconds": workspace.size.run_seconds}
        for result in measure(workspace, servers, LOADS, files_of(workspace, postgresql), **sizes):
            print(
                f"  {result.load:11} {result.server:10} {result.database:11}"
                f"{result.per_second:9,.0f}/s",
                flush=True,
            )
            found["results"].append(asdict(result))
        found["memory"] = [asdict(use) for use in measure_memory(workspace, servers)]
    found["exports"] = []
    for export in measure_exports(workspace, postgresql, databases):
        speed = export.rows / export.seconds
        print(f"  export {export.form:7} {export.database:11}{speed:9,.0f} rows/s", flush=True)
        found["exports"].append(asdict(export))
    found["tokens"], found["bulk"] = {}, {}
    for database in databases:
        print(f"tokens in {database} …", flush=True)
        pair = measure_lookups(workspace, database, postgresql)
        found["tokens"][database] = [asdict(lookup) for lookup in pair]
        if bulk_records:
            print(f"import of {bulk_records:,} records into {database} …", flush=True)
            measured = measure_bulk(workspace, database, postgresql, bulk_records)
            found["bulk"][database] = {**asdict(measured), "share": measured.share}
    return found


def _main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small data, short runs")
    parser.add_argument(
        "--bulk-records", type=int, help="records in the import of one file; 0: no such import"
    )
    options = parser.parse_args()
    require_wrk()
    workspace = Workspace(QUICK if options.quick else FULL)
    with exclusive(), running(workspace) as postgresql:
        bulk_records = options.bulk_records
        if bulk_records is None:
            bulk_records = workspace.size.bulk_records
        found = measure_everything(workspace, postgresql, bulk_records=bulk_records)
    workspace.results.write_text(json.dumps(found, indent=1), encoding="utf-8")
    print(write_report(workspace))


if __name__ == "__main__":
    _main()
