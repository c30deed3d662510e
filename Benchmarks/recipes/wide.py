"""A table of 200 columns, of which the job reads three.

    wide.csv  about 1,000 bytes a row

The three stand far apart: `date`, `emotion` and `count`, drawn like those of the diary. The others
hold short whole numbers, decimals, words, dates and nothing; one word in a hundred needs quotes.
"""

import random
from pathlib import Path

from . import diary

USED = {20: "date", 97: "emotion", 171: "count"}
COLUMNS = [USED.get(place, f"c{place:03}") for place in range(200)]
WORDS = ["yes", "no", "often", "rarely", "비", "눈", "맑음", "home", "work", "school", "left", "right", "red", "서울"]
QUOTED_WORDS = ['"yes, often"', '"no, never"', '"so ""so"""']
POOL = 4_096  # stretches of cells that rows are put together from, for each gap between the three
BLOCK = 20_000


def write(folder: Path, rows: int, seed: int) -> None:
    draw = random.Random(seed).random
    date, emotion, count = sorted(USED)
    first = [",".join(cells) for cells in _stretches(draw, date)]
    second = [",".join(["", *cells, ""]) for cells in _stretches(draw, emotion - date - 1)]
    third = [",".join(["", *cells, ""]) for cells in _stretches(draw, count - emotion - 1)]
    last = [",".join(["", *cells]) + "\n" for cells in _stretches(draw, len(COLUMNS) - count - 1)]
    days = ["," + iso for iso, spelling in diary.dates() if iso == spelling]
    emotions, counts = diary.EMOTIONS, [str(number) for number in range(1, 13)]
    day_count, emotion_count = len(days), len(emotions)
    with open(folder / "wide.csv", "w", encoding="utf-8", newline="") as file:
        file.write(",".join(COLUMNS) + "\n")
        for start in range(0, rows, BLOCK):
            pieces = []
            for _ in range(start, min(start + BLOCK, rows)):
                pieces += (
                    first[int(draw() * POOL)],
                    days[int(draw() * day_count)],
                    second[int(draw() * POOL)],
                    emotions[int(draw() * emotion_count)],
                    third[int(draw() * POOL)],
                    counts[int(draw() * 12)],
                    last[int(draw() * POOL)],
                )
            file.write("".join(pieces))


def _stretches(draw, length: int) -> list[list[str]]:
    days = [iso for iso, spelling in diary.dates() if iso == spelling]
    words = WORDS * (99 * len(QUOTED_WORDS) // len(WORDS)) + QUOTED_WORDS

    def cell() -> str:
        kind = draw()
        if kind < 0.40:
            return str(int(draw() * 10_000))
        if kind < 0.60:
            return f"{draw() * 100:.2f}"
        if kind < 0.78:
            return words[int(draw() * len(words))]
        if kind < 0.84:
            return days[int(draw() * len(days))]
        return ""

    return [[cell() for _ in range(length)] for _ in range(POOL)]
