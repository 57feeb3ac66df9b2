"""The size of a run: the full suite, and a quick one."""

from dataclasses import dataclass

PAGE = 100


@dataclass(frozen=True, slots=True)
class Size:
    """Numbers of users and records, and how long loads last.

    large_records: number of records of the first user. regular_users: number of users with exactly
    ``regular_records`` each; the remaining users share ``shared_records``.
    run_seconds: length of each of the ``runs`` of a load. memory_seconds: length of each load
    before the memory of workers is measured; 0: only a sample of its queries is sent.
    bulk_records: default number of records in the import of one file.
    token_counts: numbers of tokens whose lookup times are compared.
    """

    name: str
    users: int
    large_records: int
    regular_users: int
    regular_records: int
    shared_records: int
    bulk_records: int = 25_000
    token_counts: tuple[int, int] = (1_000, 20_000)
    run_seconds: int = 1
    runs: int = 1
    memory_seconds: int = 0

    @property
    def records(self) -> int:
        return self.large_records + self.regular_users * self.regular_records + self.shared_records

    @property
    def deep_offset(self) -> int:
        """Return the offset half-way through the large user's records."""
        return self.large_records // 2

    @property
    def deepest_offset(self) -> int:
        return self.large_records * 95 // 100


FULL = Size(
    name="full",
    users=1_000,
    large_records=200_000,
    regular_users=600,
    regular_records=1_000,
    shared_records=200_000,
    bulk_records=250_000,
    token_counts=(1_000, 1_000_000),
    runs=3,
    memory_seconds=1,
)

QUICK = Size(
    name="quick",
    users=80,
    large_records=20_000,
    regular_users=30,
    regular_records=1_000,
    shared_records=10_000,
)

#: For `bench.pages`: nearly everything is one user's.
ONE_USER = Size(
    name="one-user",
    users=2,
    large_records=346_656,
    regular_users=0,
    regular_records=0,
    shared_records=1_000,
)

SIZES = {size.name: size for size in (FULL, QUICK, ONE_USER)}
