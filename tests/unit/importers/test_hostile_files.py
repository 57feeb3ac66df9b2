"""Files made to keep a server busy are refused in linear time, and in little memory.

A separate process reads each file at two sizes. The tests compare the CPU time for each unpacked
byte: if time were quadratic, it would be four times as long at the larger size.
"""

import io
import multiprocessing
import resource
from collections.abc import Callable
from multiprocessing.connection import Connection

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import make_order
from finance_api.storage.interface import StorageBackend
from support.hostile_files import HOSTILE, reason
from support.ledger import IMPORT_SETTINGS, Person
from support.nightly import count

SMALL, LARGE = count(150_000, 250_000), count(600_000, 1_000_000)
#: Quadratic time would be fourfold; the start of a process and a busy machine add less.
MOST_GROWTH = 2.0
#: Below this a measurement says nothing.
_LEAST_SECONDS = 0.1
#: Limits of the time, and of the memory for each byte of the larger file.
_SECONDS = 20
_BYTES_PER_BYTE = 32
_FORK = multiprocessing.get_context("fork")


def _seconds() -> float:
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1_024


def _read(data: bytes, person: Person, answer: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, resource.RLIM_INFINITY))
    settings = IMPORT_SETTINGS | {"finance_api.transfers.link_by_number": True}
    before, peak_before = _seconds(), _peak()
    said = ""
    try:
        how = {"email": person.user.email, "now": person.clock.now(), "name": "file"}
        import_file(person.backend, make_order(io.BytesIO(data), {}, settings, **how))
    except ImportRefused as refused:
        said = str(refused)
    answer.send((_seconds() - before, _peak() - peak_before, said))


def measure(data: bytes, person: Person) -> tuple[float, int, str]:
    """Return the seconds and bytes for reading a file, and why it is refused."""
    here, there = _FORK.Pipe(duplex=False)
    with here:
        process = _FORK.Process(target=_read, args=(data, person, there))
        process.start()
        there.close()
        try:
            found: tuple[float, int, str] = here.recv()
        except EOFError:
            pytest.fail(f"{len(data):,} bytes took {_SECONDS} seconds and more")
        finally:
            process.join()
    return found


@pytest.mark.parametrize(("kind", "make"), HOSTILE.items(), ids=HOSTILE)
def test_time_and_memory_grow_with_the_file_only(
    kind: str, make: Callable[[int], bytes], new_backend: Callable[[str], StorageBackend]
) -> None:
    person = Person(new_backend("memory"))
    small, large = make(SMALL), make(LARGE)
    seconds, peak, said = measure(large, person)
    assert reason(kind) in said and len(said) < 2_000
    assert peak < LARGE * _BYTES_PER_BYTE
    if seconds > _LEAST_SECONDS:
        # Take the minimum of several runs, which other programs disturb least.
        least = min(measure(small, person)[0] for _ in range(2))
        seconds = min(seconds, measure(large, person)[0])
        assert seconds / LARGE < MOST_GROWTH * least / SMALL
