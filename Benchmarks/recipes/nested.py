"""Orders with their lines as JSON Lines, as web APIs give them: five lines to an order.

    orders.ndjson  about 80 bytes a line of an order, so that ROWS counts lines

One order in a hundred has none; its five go to the order before. One text in sixty-four has an escape.
"""

import random
from pathlib import Path

from . import diary, keyed

LINES = 5
ESCAPED = r"2\u20ac \"off\""


def write(folder: Path, rows: int, seed: int) -> None:
    draw = random.Random(seed).random
    names, regions = keyed.NAMES, keyed.REGIONS
    left, order = rows, 0
    with open(folder / "orders.ndjson", "w", encoding="utf-8", newline="") as file:
        while left > 0:
            out = []
            for _ in range(diary.BLOCK // LINES):
                if left <= 0:
                    break
                order += 1
                count = 0 if order % 100 == 0 else 2 * LINES if order % 100 == 99 else LINES
                count = min(count, left)
                left -= count
                items = []
                for _ in range(count):
                    note = ESCAPED if draw() < 1 / 64 else diary.EMOTIONS[int(draw() * len(diary.EMOTIONS))]
                    items.append(
                        f'{{"sku":"A-{int(draw() * 1_000_000):06d}","quantity":{1 + int(draw() * 12)},'
                        f'"price":{int(draw() * 10_000) / 100},"note":"{note}"}}'
                    )
                out.append(
                    f'{{"order":{order},"customer":{{"name":"{names[int(draw() * len(names))]}",'
                    f'"region":"{regions[int(draw() * 8)]}"}},"items":[{",".join(items)}]}}\n'
                )
            file.write("".join(out))
