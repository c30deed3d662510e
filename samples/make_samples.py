#!/usr/bin/env python3
"""Write the sample files beside this script, the same bytes every time.

The people and entries are invented. The diaries look as real exports do: each year came from another
device, so spellings of dates, line ends and byte-order marks differ. What is wrong in them on purpose
stands in `FAULTS`, so that a test can count on it.
"""

import csv
import io
import json
import random
from datetime import date, timedelta
from pathlib import Path

HERE = Path(__file__).resolve().parent
SEED = 20_260_301
LAST_DAY = date(2026, 11, 20)
HEADER = ["id", "date", "emotion", "count", "colour", "note"]

# Emotions with the colour the diary paints them in, and how often they are felt.
EMOTIONS = {
    "행복해": ("#FFD54F", 20),
    "사랑해": ("#EC007F", 14),
    "좋아해": ("#FF8A65", 17),
    "당황해": ("#BA68C8", 7),
    "속상해": ("#64B5F6", 9),
    "우울해": ("#5C6BC0", 8),
    "심심해": ("#81C784", 11),
    "따분해": ("#A1887F", 8),
    "심란해": ("#90A4AE", 6),
}

PLAIN_NOTES = [
    "산책했다", "비가 왔다", "커피 한 잔", "일찍 잤다", "친구를 만났다", "늦잠", "야근", "떡볶이 먹음", "영화 봄", "엄마 전화",
    "버스를 놓쳤다", "첫눈", "새 책을 샀다", "강아지가 웃었다", "운동 끝", "long walk", "slept badly", "tea with Mina",
    "late train", "good news from home", "nothing much", "piano practice", "lost my umbrella", "soup for dinner",
]  # fmt: skip

AWKWARD_NOTES = [
    "커피, 빵, 그리고 산책",
    "rain, then sun",
    '엄마가 "괜찮아"라고 했다',
    'she said "see you, soon"',
    "오늘 한 일:\n- 빨래\n- 장보기",
    "first line\nsecond line",
    '그가 물었다. "왜?"\n대답은, 없었다',
    "우산, 또 잃어버림",
    "-5도, 너무 춥다",
    "=내일은 쉬자",
    "@성수 카페",
    "  들여쓴 메모  ",
]  # fmt: skip

EMOJI_NOTES = ["생일 🎂", "비 온다 ☔️", "👩‍👩‍👧 가족 모임", "so tired 😴", "벚꽃 🌸🌸", "🇰🇷 이겼다!"]

# Letters that CP949 has and plain EUC-KR has not.
LEGACY_NOTES = ["똠얌꿍 먹음", "펲시 말고 콜라", "아햏햏", "쓩 지나간 하루"]

ISO, KOREAN, SLASHED = "iso", "korean", "slashed"

# Year: (file, encoding, line end, end of the file, shares of ISO, Korean and slashed dates)
EXPORTS = {
    2022: ("legacy-cp949.csv", "cp949", "\r\n", "\r\n", (30, 70, 0)),
    2023: ("entries-2023.csv", "utf-8", "\n", "\n", (80, 10, 10)),
    2024: ("entries-2024.csv", "utf-8-sig", "\r\n", "\r\n", (15, 10, 75)),  # saved by a spreadsheet program
    2025: ("entries-2025.csv", "utf-8", "\n", "\n", (10, 80, 10)),
    2026: ("entries-2026.csv", "utf-8", "\n", "", (40, 40, 20)),  # the last line has no end
}

# (year, record of that year counted from 1, column): what stands there instead
FAULTS = {
    (2023, 171, "date"): "2023-02-29",
    (2023, 402, "colour"): "red",
    (2023, 655, "emotion"): "행복",
    (2023, 901, "colour"): "",
    (2024, 88, "colour"): "#12345",
    (2024, 320, "date"): "2024/04/31",
    (2024, 511, "date"): "03/04/2024",
    (2024, 777, "emotion"): "설레",
    (2024, 1002, "colour"): "#GG0011",
    (2025, 140, "colour"): "EC007F",
    (2025, 189, "date"): "2025-02-30",
    (2025, 433, "emotion"): "happy",
    (2025, 612, "colour"): "#GG0011",
    (2025, 1030, "date"): "2025년 11월 31일",
    (2026, 77, "colour"): "#12345",
    (2026, 290, "colour"): "red",
    (2026, 505, "date"): "어제",
    (2026, 648, "emotion"): "슬퍼해",
    (2026, 801, "colour"): "",
    (2026, 930, "colour"): "#EC007F0",
}


def spelt(day: date, spelling: str) -> str:
    if spelling == KOREAN:
        return f"{day.year}년 {day.month}월 {day.day}일"
    return day.isoformat().replace("-", "/") if spelling == SLASHED else day.isoformat()


class Draws:
    """Draws that are the same in every version of Python: only `random()` is promised to be."""

    def __init__(self, seed: int):
        self.random = random.Random(seed).random

    def below(self, bound: int) -> int:
        return int(self.random() * bound)

    def one_of(self, choices):
        return choices[self.below(len(choices))]

    def weighted(self, weights: dict):
        left = self.random() * sum(weights.values())
        for choice, weight in weights.items():
            left -= weight
            if left < 0:
                return choice
        return choice


def entry(draws: Draws, day: date, spelling: str, legacy: bool) -> list[str]:
    emotion = draws.weighted({name: weight for name, (_, weight) in EMOTIONS.items()})
    count = 1 + min(draws.below(4), draws.below(9))
    colour = EMOTIONS[emotion][0]
    if draws.below(10) == 0:  # the writer picked a colour of their own
        colour = f"#{draws.below(0x1000000):06X}"
    if draws.below(6) == 0:
        colour = colour.lower()
    special = LEGACY_NOTES if legacy else EMOJI_NOTES
    pool = draws.weighted({"none": 50, "plain": 42, "awkward": 5, "special": 3})
    note = {"none": [""], "plain": PLAIN_NOTES, "awkward": AWKWARD_NOTES, "special": special}[pool]
    return [spelt(day, spelling), emotion, str(count), colour, draws.one_of(note)]


def diaries(folder: Path, draws: Draws) -> None:
    folder.mkdir(exist_ok=True)
    number = 0
    for year, (name, encoding, line_end, last_end, shares) in EXPORTS.items():
        legacy = encoding == "cp949"
        spellings = dict(zip((ISO, KOREAN, SLASHED), shares))
        rows = []
        day = date(year, 1, 1)
        while day.year == year and day <= LAST_DAY:
            entries_a_day = {0: 1, 1: 2, 2: 1} if legacy else {1: 2, 2: 3, 3: 4, 4: 3, 5: 2}
            for _ in range(draws.weighted(entries_a_day)):
                number += 1
                identifier = f"{number:05}" if legacy else str(number)
                rows.append([identifier, *entry(draws, day, draws.weighted(spellings), legacy)])
            day += timedelta(days=1)
        for (faulty_year, record, column), value in FAULTS.items():
            if faulty_year == year:
                rows[record - 1][HEADER.index(column)] = value
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator=line_end).writerows([HEADER, *rows])
        whole = text.getvalue().removesuffix(line_end) + last_end
        (folder / name).write_bytes(whole.encode(encoding))
        print(f"{name}: {len(rows)} entries")


ANNIVERSARIES = [
    ("처음 만난 날", "2019-11-23", ("민아", "준호"), "#EC007F", ["couple"], "비 오는 홍대"),
    ("사귄 날", "2020-02-29", ("민아", "준호"), "#EC007F", ["couple", "main"], None),
    ("프러포즈", "2023-12-24", ("민아", "준호"), "#C2185B", ["couple"], "눈이 왔다"),
    ("결혼식", "2024-10-05", ("민아", "준호"), "#AD1457", ["couple", "main"], "비, 그래도 좋았다"),
    ("First date", "2024-02-29", ("Jae", "Sora"), "#7e57c2", ["couple"], 'a café called "Leap"'),
    ("Moved in together", "2025-06-14", ("Jae", "Sora"), "#26A69A", ["home"], None),
    ("엄마 생신", "1961-05-08", None, "#FFB300", ["family"], "카네이션"),
    ("아빠 생신", "1958-12-31", None, "#FFB300", ["family"], None),
    ("동생 입대", "2026-03-16", None, "#558B2F", ["family"], "논산"),
    ("동생 전역", "2027-09-15", None, "#558B2F", ["family"], "D-Day까지 화이팅 💪"),
    ("강아지 입양", "2022-03-01", None, "pink", ["pet"], "이름은 '보리'"),
    ("수능", "2026-11-19", None, "#1E88E5", ["school"], None),
    ("오늘", "2026-11-21", None, "#000000", [], "기준일"),
    ("크리스마스", "2026-12-25", None, "#2E7D32", ["holiday"], None),
    ("New flat, first rent", "2026-12-01", None, "#GG0011", ["home", "money"], "account 0071-204"),
]


def anniversaries(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    listed = [
        {
            "title": title,
            "start": start,
            "couple": {"a": couple[0], "b": couple[1]} if couple else None,
            "colour": colour,
            "tags": tags,
            "note": note,
        }
        for title, start, couple, colour, tags, note in ANNIVERSARIES
    ]
    text = json.dumps(listed, ensure_ascii=False, indent=2)
    (folder / "anniversaries.json").write_bytes(text.encode() + b"\n")


PALETTE = [
    ("brand", "#EC007F", "widget background"), ("brand dark", "#C2185B", "pressed button"),
    ("brand light", "#f8bbd0", "empty state"), ("ink", "#000000", "text"), ("paper", "#FFFFFF", "page"),
    ("행복", "#FFD54F", "행복해"), ("사랑", "#EC007F", "사랑해"), ("좋아", "#FF8A65", "좋아해"),
    ("당황", "#BA68C8", "당황해"), ("속상", "#64B5F6", "속상해"), ("우울", "#5C6BC0", "우울해"),
    ("심심", "#81C784", "심심해"), ("따분", "#A1887F", "따분해"), ("심란", "#90A4AE", "심란해"),
    ("short white", "#FFF", "old web page"), ("short pink", "#e07", "old web page"), ("short grey", "#9AB", "old web page"),
    ("short with alpha", "#E07C", "overlay"), ("short faint", "#000a", "shadow"),
    ("overlay", "#EC007F80", "selection"), ("shadow", "#00000033", "card"), ("clear", "#ffffff00", "spacer"),
    ("Sunday", "#E53935", "calendar"), ("Saturday", "#1E88E5", "calendar"), ("today", "#FB8C00", "calendar, ring"),
    ("done", "#bdbdbd", "todo"), ("warm", "#FF7043", "weather"), ("cold", "#29B6F6", "weather"),
    ("mid grey", "#767676", 'the "just readable" grey'), ("mid grey, lighter", "#777777", "contrast test"),
    ("one digit short", "#12345", "typo"), ("one digit long", "#1234567", "typo"), ("not a digit", "#GG0011", "typo"),
    ("a word", "red", "typo"), ("no hash", "EC007F", "typo"), ("full-width hash", "＃EC007F", "typed on a phone"),
    ("letter O", "#OOFFOO", "typo"), ("spaces", " #EC007F ", "pasted"), ("two digits", "#FF", "typo"),
    ("hash alone", "#", "typo"), ("functional", "rgb(236,0,127)", "from a style sheet"), ("nothing", "", "forgotten"),
]  # fmt: skip


def palette(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([("name", "colour", "used_for"), *PALETTE])
    (folder / "palette.csv").write_bytes(text.getvalue().encode())


def main() -> None:
    diaries(HERE / "emotion-diary", Draws(SEED))
    anniversaries(HERE / "anniversaries")
    palette(HERE / "colours")


if __name__ == "__main__":
    main()
