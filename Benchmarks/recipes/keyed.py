"""Events whose keys are nearly as many as its rows, and two tables to look their places up in.

    events.csv  about 60 bytes a row, of 6 columns
    places.csv  one row for each of 200,000 places
    fares.csv   one to three rows for each of them, 400,000 in all

Of 5,000,000 rows the users are 4.3 million different ones, and (date, emotion, colour) 4.9 million.
One event in twenty was at a place that stands in no row of places.csv. No cell needs quotes.
"""

import random
from pathlib import Path

from . import diary

USERS = 1 << 24  # so many are drawn from
COLOURS = 1 << 13
PLACES = 200_000
UNLISTED = PLACES // 19
NAMES = [
    "minseo", "jiwoo", "haeun", "dohyun", "seoyeon", "junho", "yuna", "taeyang",
    "amelia", "oliver", "freya", "arthur", "isla", "george", "민아", "준호",
]  # fmt: skip
REGIONS = ["Seoul", "Busan", "Daegu", "Incheon", "Gwangju", "Daejeon", "Ulsan", "Jeju"]


def write(folder: Path, rows: int, seed: int) -> None:
    draw = random.Random(seed).random
    # Shuffled, so that the order of the numbers is not that of the places.
    places = [f"p-{number * 2_654_435_761 % (1 << 32):08x}" for number in range(PLACES + UNLISTED)]
    days = [iso for iso, spelling in diary.dates() if iso == spelling]
    emotions = diary.EMOTIONS
    day_count, emotion_count, name_count, place_count = len(days), len(emotions), len(NAMES), len(places)
    with open(folder / "places.csv", "w", encoding="utf-8", newline="") as file:
        file.write("place,region,height\n")
        for place in places[:PLACES]:
            file.write(f"{place},{REGIONS[int(draw() * 8)]},{int(draw() * 1_950)}\n")
    with open(folder / "fares.csv", "w", encoding="utf-8", newline="") as file:
        file.write("place,year,fare\n")
        for year in range(3):
            for number, place in enumerate(places[:PLACES]):
                if number % 3 >= year:
                    file.write(f"{place},{2_024 + year},{(number * 7_919 + year * 31) % 900 / 10}\n")
    with open(folder / "events.csv", "w", encoding="utf-8", newline="") as file:
        file.write("date,emotion,colour,count,user,place\n")
        for start in range(0, rows, diary.BLOCK):
            lines = []
            for _ in range(start, min(start + diary.BLOCK, rows)):
                user = int(draw() * USERS)
                number = user * 61_803_398_875 % (1 << 40)
                shade = int(draw() * COLOURS) * 2_047 + 255
                lines.append(
                    f"{days[int(draw() * day_count)]},{emotions[int(draw() * emotion_count)]},#{shade:06X},"
                    f"{1 + int(draw() * 12)},{NAMES[user % name_count]}-{number:010x},{places[int(draw() * place_count)]}\n"
                )
            file.write("".join(lines))
