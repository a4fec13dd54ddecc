"""Files broken in the ways in which files break, and in which people break them; from a seed."""

import random
import re
from collections.abc import Callable

STREAM = re.compile(rb"stream\r?\n(.*?)endstream", re.DOTALL)
OBJECT = re.compile(rb"\d+ \d+ obj\b.*?endobj", re.DOTALL)
REFERENCE = re.compile(rb"\d+ 0 R\b")
NUMBER = re.compile(rb"(?<=[\s\[])-?\d+(?:\.\d+)?(?=[\s\]/>])")
NUMBERS = (
    b"2147483647", b"-2147483648", b"4294967296", b"99999999999999999999", b"-1", b"0", b"1e308",
    b"1.0E-40", b"0.00000000000000000000001", b"9" * 400,
)  # fmt: skip

Break = Callable[[bytes, bytes, random.Random], bytes]


def _truncated(pdf: bytes, _other: bytes, rng: random.Random) -> bytes:
    return pdf[: rng.randrange(10, len(pdf))]


def _beheaded(pdf: bytes, _other: bytes, rng: random.Random) -> bytes:
    return pdf[:9] + pdf[rng.randrange(10, len(pdf)) :]


def _flipped(pdf: bytes, _other: bytes, rng: random.Random) -> bytes:
    broken = bytearray(pdf)
    for _ in range(rng.choice((1, 20, 200, 2000))):
        broken[rng.randrange(9, len(broken))] ^= 1 << rng.randrange(8)
    return bytes(broken)


def _flipped_outside_streams(pdf: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Only the skeleton is hit: names, numbers, brackets."""
    inside = [match.span(1) for match in STREAM.finditer(pdf)]
    gaps = [
        (end, start)
        for (_, end), (start, _) in zip([(0, 9), *inside], [*inside, (len(pdf),) * 2], strict=True)
    ]
    broken = bytearray(pdf)
    for start, end in rng.choices([gap for gap in gaps if gap[0] < gap[1]], k=40):
        broken[rng.randrange(start, end)] = rng.choice(b"<>[]()/ 0123456789\x00\xff")
    return bytes(broken)


def _without_xref(pdf: bytes, _other: bytes, rng: random.Random) -> bytes:
    at = max(pdf.rfind(b"startxref"), 10)
    end = pdf[at:] if rng.random() < 0.5 else b"startxref\n%d\n%%%%EOF" % rng.randrange(1 << 40)
    return pdf[:at] + end.replace(b"startxref", rng.choice((b"startxref", b"startxxxx")))


def _spliced(pdf: bytes, other: bytes, rng: random.Random) -> bytes:
    """Objects of another file stand among its own, under the numbers that they had there."""
    for part in rng.choices(OBJECT.findall(other) or [b""], k=5):
        at = rng.randrange(9, len(pdf))
        at = max(pdf.rfind(b"endobj", 0, at) + 6, 9)
        pdf = pdf[:at] + b"\n" + part + b"\n" + pdf[at:]
    return pdf


def _swapped_streams(pdf: bytes, _other: bytes, rng: random.Random) -> bytes:
    spans = [match.span(1) for match in STREAM.finditer(pdf)]
    if len(spans) < 2:
        return pdf[::-1]
    (a, b), (c, d) = sorted(rng.sample(spans, 2))
    return pdf[:a] + pdf[c:d] + pdf[b:c] + pdf[a:b] + pdf[d:]


def _swapped_references(pdf: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Objects refer to others than they did: pages to fonts, parents to their children."""
    found = REFERENCE.findall(pdf) or [b"1 0 R"]
    return REFERENCE.sub(lambda m: rng.choice(found) if rng.random() < 0.1 else m[0], pdf)


def _huge_numbers(pdf: bytes, _other: bytes, rng: random.Random) -> bytes:
    share = rng.choice((0.01, 0.1, 0.5))
    return NUMBER.sub(lambda m: rng.choice(NUMBERS) if rng.random() < share else m[0], pdf)


def _holed(pdf: bytes, _other: bytes, rng: random.Random) -> bytes:
    """A block that was never written, as after a broken download."""
    size = min(rng.choice((512, 4096, 65536)), len(pdf) // 2)
    at = rng.randrange(9, len(pdf) - size)
    return pdf[:at] + bytes(size) + pdf[at + size :]


def _nested(pdf: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Brackets a hundred thousand deep where a value was."""
    deep = rng.choice((b"[", b"<<", b"<</A", b"(")) * 100_000
    return NUMBER.sub(lambda m: deep if rng.random() < 0.002 else m[0], pdf, count=2000)


def _doubled(pdf: bytes, other: bytes, rng: random.Random) -> bytes:
    return rng.choice((pdf + pdf, pdf + other, other[: len(other) // 2] + pdf, pdf[:1024] + other))


BREAKS: tuple[Break, ...] = (
    _truncated, _beheaded, _flipped, _flipped_outside_streams, _without_xref, _spliced,
    _swapped_streams, _swapped_references, _huge_numbers, _holed, _nested, _doubled,
)  # fmt: skip


def broken(pdf: bytes, other: bytes, seed: int) -> bytes:
    """The file broken in one of the ways; seeds in a row are one way after the other."""
    return BREAKS[seed % len(BREAKS)](pdf, other, random.Random(seed))
