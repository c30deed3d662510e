"""The diary with bad rows, for the quality gate.

    gate.csv      diary.csv with one row in a hundred made bad
    gate-bad.csv  diary.csv with every row made bad

A bad row repeats an id, has no emotion or an unknown one, a colour that is none or a count that is
out of range, each as often as the others; and one bad row in six has two faults or more. No cell
has a line break, so the line of a row is its number and one more.
"""

import random
from array import array
from pathlib import Path

UNKNOWN_EMOTIONS = ["행복", "기뻐", "슬퍼", "심심해!", "sad", "사랑헤", "-", "좋아해 "]
NO_COLOURS = ["#FFD54", "FFD54F", "#FFD54G", "#ffd54f0", "pink", "#12 456", "#", "# EC007F"]
COUNTS_OUT_OF_RANGE = ["0", "-1", "13", "99", "1200", "-40000", "2147483648", "14"]
SHARE = 0.01


def write(folder: Path, rows: int, seed: int) -> None:
    _spoil(folder / "diary.csv", folder / "gate.csv", SHARE, rows, seed)
    _spoil(folder / "diary.csv", folder / "gate-bad.csv", 1, rows, seed)


def _spoil(clean: Path, spoilt: Path, share: float, rows: int, seed: int) -> None:
    draw = random.Random(seed).random
    ids = array("q", [0]) * rows  # as they stand in the new file, so that a repeat repeats something
    with (
        open(clean, encoding="utf-8", newline="") as before,
        open(spoilt, "w", encoding="utf-8", newline="") as after,
    ):
        after.write(next(before))
        for row, line in enumerate(before):
            ids[row] = row + 1
            if share < 1 and draw() >= share:
                after.write(line)
                continue
            cells = line.split(",", 5)
            fault = int(draw() * 6)
            faults = {int(draw() * 5), int(draw() * 5)} if fault == 5 else {fault}
            if 0 in faults and row == 0:
                faults = {1}  # the first row has nothing to repeat
            if 0 in faults:
                ids[row] = ids[int(draw() * row)]
                cells[0] = str(ids[row])
            if 2 in faults:
                cells[2] = UNKNOWN_EMOTIONS[int(draw() * 8)]
            if 1 in faults:
                cells[2] = ""
            if 3 in faults:
                cells[4] = NO_COLOURS[int(draw() * 8)]
            if 4 in faults:
                cells[3] = COUNTS_OUT_OF_RANGE[int(draw() * 8)]
            after.write(",".join(cells))
