"""The keys by which SQLite's index for searching knows records, in the order of their list.

An index of FTS5 finds what it holds in the order of whole numbers, and a part of them as fast as
all. So the number of a record says whose it is, then its day, the newest first, then which one of
the day's it is. Where a day has more records than there are numbers for, they get some that come
before all days: what is there has to be looked at in any case.
"""

from finance_api.values.time import DAY_SECONDS, MAX_SECONDS

#: Bits for the days, and for a day's records. Users have the rest: 16 million.
_DAY_BITS = 22
_RECORD_BITS = 17
#: What comes before the first day, for records that their own days have no number for.
_OVERFLOW_DAYS = 256

#: The last user that keys of 63 bits have room for.
MAX_USER_ID = (1 << (63 - _DAY_BITS - _RECORD_BITS)) - 1


def day_of(newest_first: int) -> int:
    """The number of a record's day, the newest day first. newest_first: of `records_by_date`."""
    return _OVERFLOW_DAYS + (newest_first + MAX_SECONDS) // DAY_SECONDS


def first_key(user_id: int, day: int) -> int:
    """The lowest key that a day has, which comes next to the highest one of the day before."""
    return ((user_id << _DAY_BITS) + day) << _RECORD_BITS


def keys_between(user_id: int, first: int | None, last: int | None) -> tuple[int, int]:
    """The lowest and highest key of the days of some bounds of newest_first; None: no bound.

    Without a first one they are next to the overflow's, and begin with those.
    """
    lowest, highest = first_key(user_id, 0), first_key(user_id + 1, 0) - 1
    high = highest if last is None else first_key(user_id, day_of(last) + 1) - 1
    if first is None:
        return lowest, min(high, highest)
    return first_key(user_id, max(day_of(first), _OVERFLOW_DAYS)), min(high, highest)


def overflow_keys(user_id: int) -> tuple[int, int]:
    """The lowest and highest key for what its own day has no number for."""
    return first_key(user_id, 0), first_key(user_id, _OVERFLOW_DAYS) - 1


def last_of_whole_days(key: int) -> int:
    """The newest_first up to which consecutive keys, of which ``key`` is the last, are complete.

    Its own day may have more of them; and before all days there are records of any.
    """
    day = (key >> _RECORD_BITS) & ((1 << _DAY_BITS) - 1)
    return (day - _OVERFLOW_DAYS) * DAY_SECONDS - MAX_SECONDS - 1
