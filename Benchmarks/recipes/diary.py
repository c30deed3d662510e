"""The diary, three times: the same bytes for the same number of rows and the same seed.

    diary.csv        ISO dates
    diary-mixed.csv  the same rows, dates in three spellings
    diary.ndjson     the same rows, one JSON object a line

One row in a hundred has a note that needs quoting (a comma or a doubled quote), one in
twenty-five has no note at all. Every date and every colour is valid, so each tool writes every
row and the outputs can be compared.
"""

import json
import random
from datetime import date, timedelta
from pathlib import Path

BLOCK = 50_000
FIRST_DAY, LAST_DAY = date(2021, 1, 1), date(2025, 12, 31)

HEADER = "id,date,emotion,count,colour,note\n"
EMOTIONS = ["행복해", "사랑해", "좋아해", "당황해", "속상해", "우울해", "심심해", "따분해", "심란해"]

OPENINGS = [
    "비가 와서", "아침에", "저녁에", "퇴근길에", "친구랑", "혼자", "엄마와", "버스에서",
    "after lunch", "at work", "on the bus", "late again", "at home", "with Mina", "before bed", "by the river",
]
CLOSINGS = [
    "산책했다", "커피 한 잔", "노래를 들었다", "독서", "많이 웃었다", "낮잠",
    "a long walk", "tea and a book", "nothing much", "slept well", "sang along", "rang home",
]
QUOTED_NOTES = [
    "rain, then sun", "커피, 빵, 산책", "called mum, then dad", "오늘은 쉼, 내일은 일",
    'she said "later"', '"괜찮아"라고 했다', 'read "Pachinko", ch. 3', '"hm", again',
]


def dates() -> list[tuple[str, str]]:
    """The pool that dates are drawn from: each day three times, as (ISO, one of its spellings)."""
    spelt = []
    for offset in range((LAST_DAY - FIRST_DAY).days + 1):
        day = FIRST_DAY + timedelta(days=offset)
        iso = day.isoformat()
        spelt.append((iso, iso))
        spelt.append((iso, f"{day.year}년 {day.month}월 {day.day}일"))
        spelt.append((iso, iso.replace("-", "/")))
    return spelt


def notes() -> list[tuple[str, str]]:
    """The pool that notes are drawn from, as (CSV cell, JSON value)."""
    plain = [f"{opening} {closing}" for opening in OPENINGS for closing in CLOSINGS]
    pool = [(note, json.dumps(note, ensure_ascii=False)) for note in plain * 4]
    share = len(pool) / 95  # rows of the pool in one per cent
    quoted = [
        ('"' + note.replace('"', '""') + '"', json.dumps(note, ensure_ascii=False)) for note in QUOTED_NOTES
    ]
    pool += quoted * round(share / len(quoted))
    pool += [("", "null")] * round(4 * share)
    return pool


def write(folder: Path, rows: int, seed: int) -> None:
    # Only `random()` itself is promised to give the same numbers in every version of Python, so
    # all draws are made from it. Notes, dates and emotions come ready in both notations.
    draw = random.Random(seed).random
    day_pool, note_pool = dates(), notes()
    emotion_pool = EMOTIONS
    day_count, note_count, emotion_count = len(day_pool), len(note_pool), len(emotion_pool)

    with (
        open(folder / "diary.csv", "w", encoding="utf-8", newline="") as plain_file,
        open(folder / "diary-mixed.csv", "w", encoding="utf-8", newline="") as mixed_file,
        open(folder / "diary.ndjson", "w", encoding="utf-8", newline="") as json_file,
    ):
        plain_file.write(HEADER)
        mixed_file.write(HEADER)
        for start in range(1, rows + 1, BLOCK):
            plain, mixed, lines = [], [], []
            for number in range(start, min(start + BLOCK, rows + 1)):
                iso, spelling = day_pool[int(draw() * day_count)]
                emotion = emotion_pool[int(draw() * emotion_count)]
                count = 1 + int(draw() * 12)
                shade = int(draw() * 0x1000000)
                colour = f"#{shade:06x}" if shade & 7 == 0 else f"#{shade:06X}"
                note, json_note = note_pool[int(draw() * note_count)]
                tail = f",{emotion},{count},{colour},{note}\n"
                plain.append(f"{number},{iso}{tail}")
                mixed.append(f"{number},{spelling}{tail}")
                lines.append(
                    f'{{"id":{number},"date":"{iso}","emotion":"{emotion}",'
                    f'"count":{count},"colour":"{colour}","note":{json_note}}}\n'
                )
            plain_file.write("".join(plain))
            mixed_file.write("".join(mixed))
            json_file.write("".join(lines))
