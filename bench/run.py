"""Runs single loads on single servers, on data that `python -m bench.prepare` has made.

python -m bench.run --only page --server waitress --database sqlite
python -m bench.run --only jump,follow --server waitress,fastapi --quick --runs 1
"""

import argparse
from collections.abc import Callable, Sequence

from bench.client import CONNECTIONS, require_wrk
from bench.loads import BY_NAME, LOADS
from bench.measuring import measure
from bench.postgresql import running
from bench.prepare import DATABASES, files_of, prepare
from bench.servers import PLAIN, SERVERS, serving, why_missing
from bench.sizes import FULL, QUICK
from bench.workspace import Workspace, exclusive


def _names(known: Sequence[str]) -> Callable[[str], list[str]]:
    """Return a parser of names separated by commas."""

    def parse(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name} is not one of {', '.join(known)}")
        return names

    return parse


def _main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", type=_names(list(BY_NAME)), help=f"of {', '.join(BY_NAME)}")
    parser.add_argument("--server", type=_names(SERVERS), help=f"of {', '.join(SERVERS)}")
    parser.add_argument("--database", type=_names(DATABASES), help=f"of {', '.join(DATABASES)}")
    parser.add_argument("--quick", action="store_true", help="small data")
    parser.add_argument("--seconds", type=int, default=2, help="length of a run")
    parser.add_argument("--runs", type=int, default=3, help="of each load; the median counts")
    parser.add_argument("--connections", type=int, default=CONNECTIONS)
    options = parser.parse_args()
    require_wrk()
    workspace = Workspace(QUICK if options.quick else FULL)
    loads = [BY_NAME[name] for name in options.only] if options.only else LOADS
    databases, names = options.database or DATABASES, options.server or SERVERS
    with exclusive(), running(workspace) as postgresql:
        prepare(workspace, postgresql, databases=databases, with_plain=PLAIN in names)
        wanted = []
        for database in databases:
            for server in names:
                reason = why_missing(server, database, postgresql)
                if reason:
                    print(f"left out: {server} on {database}: {reason}")
                else:
                    wanted.append((server, database))
        print(
            f"{'load':14}{'server':12}{'database':12}{'requests/s':>10}{'p50 ms':>10}{'p99 ms':>10}"
            f"{'alone ms':>10}"
        )
        with serving(workspace, postgresql, wanted) as servers:
            for result in measure(
                workspace,
                servers,
                loads,
                files_of(workspace, postgresql),
                runs=options.runs,
                seconds=options.seconds,
                connections=options.connections,
            ):
                print(
                    f"{result.load:14}{result.server:12}{result.database:12}"
                    f"{result.per_second:10,.0f}{result.p50:10.1f}{result.p99:10.1f}"
                    f"{result.seconds * 1000:10.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    _main()
