"""Files damaged by transmission, editors or attackers; the same for the same seed."""

import json
import random
from collections.abc import Iterator, Sequence

from finance_api.importers.interface import ImportRefused

_COMMON = (b"", b"\n", b"\x00", b"\xff", b'"', b"-", b"0", b"'", b" ", b"\xff\xff\xff\xff")


def mutations(
    data: bytes, count: int, pieces: Sequence[bytes] = (), seed: float = 0
) -> Iterator[bytes]:
    """pieces: syntax of the format, which is inserted where it does not belong."""
    chance = random.Random(seed)
    for _ in range(count):
        damaged = bytearray(data)
        for _ in range(chance.randint(1, 4)):
            at, end = sorted(chance.randrange(len(damaged) + 1) for _ in range(2))
            match chance.randrange(5):
                case 0:
                    damaged[at : at + 1] = bytes([chance.randrange(256)])
                case 1:
                    del damaged[at : at + chance.randint(1, 40)]
                case 2:
                    damaged[at:at] = damaged[end : end + chance.randint(1, 200)]
                case 3:
                    damaged[at : at + chance.randint(0, 4)] = chance.choice((*_COMMON, *pieces))
                case 4 if chance.random() < 0.1:
                    del damaged[at:end]
        yield bytes(damaged)


def check_refusal(refused: ImportRefused) -> None:
    """Check that the refusal has a message that can be shown to a user."""
    assert len(refused.reason) > 15
    assert len(refused.reason) < 2_000
    assert refused.reason.isprintable()
    assert "nexpected" not in refused.reason
    assert refused.line is None or refused.line >= 1
    assert all(json.dumps(c.changes) for question in refused.questions for c in question.choices)
