"""Every layer, in microseconds a call: `make bench-micro`.

python -m bench.micro --database sqlite
python -m bench.micro --profile "app: first page of 100"    the profile of one layer
"""

import argparse
import cProfile
import gc
import pstats
import statistics
import time
from collections.abc import Callable, Sequence

from bench import data
from bench.ini import write_ini
from bench.micro.application import opened
from bench.micro.layers import Layer, layers
from bench.postgresql import running
from bench.prepare import DATABASES, prepare, url_of
from bench.sizes import FULL, QUICK
from bench.workspace import Workspace, exclusive

_PROFILED_CALLS = 2_000
_ROUNDS = 7
_ROUND_SECONDS = 0.08


def _microseconds(call: Callable[[], object]) -> float:
    """Return the median over several rounds of many calls each."""
    call()
    begin = time.perf_counter()
    call()
    calls = max(3, int(_ROUND_SECONDS / (time.perf_counter() - begin + 1e-7)))
    found = []
    gc.disable()
    try:
        for _ in range(_ROUNDS):
            begin = time.perf_counter()
            for _ in range(calls):
                call()
            found.append((time.perf_counter() - begin) / calls)
    finally:
        gc.enable()
    return statistics.median(found) * 1e6


def _print_all(found: Sequence[Layer]) -> None:
    for layer in found:
        print(f"  {layer.name:42}{_microseconds(layer.call):10,.1f}", flush=True)


def _print_profile(layer: Layer) -> None:
    profile = cProfile.Profile()
    layer.call()
    profile.enable()
    for _ in range(_PROFILED_CALLS):
        layer.call()
    profile.disable()
    pstats.Stats(profile).sort_stats("tottime").print_stats(40)


def _main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--full", action="store_true", help="large data")
    parser.add_argument("--database", choices=DATABASES, action="append")
    parser.add_argument("--profile", metavar="LAYER", help="profile this layer instead")
    options = parser.parse_args()
    workspace = Workspace(FULL if options.full else QUICK)
    databases = options.database or DATABASES
    with exclusive(), running(workspace) as postgresql:
        prepare(workspace, postgresql, databases=databases)
        people = data.prepare(workspace)[1 : 1 + workspace.size.regular_users]
        for database in databases:
            if database == "postgresql" and postgresql is None:
                print("PostgreSQL is not installed: left out")
                continue
            url = url_of(workspace, database, postgresql)
            ini = write_ini(workspace.scratch("micro.ini"), url=url, cached=False)
            print(f"{database}, microseconds a call")
            with opened(ini, people) as application:
                found = layers(application, people)
                if options.profile:
                    _print_profile(next(x for x in found if x.name == options.profile))
                else:
                    _print_all(list(found))


if __name__ == "__main__":
    _main()
