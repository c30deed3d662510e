"""The diary in other clothes: the same rows, differently kept.

    diary-quoted.csv        every cell quoted
    diary.csv.gz            compressed
    small/diary-000.csv …   a thousand files, each with a header
    many/diary-0000.csv …   ten thousand files
"""

import gzip
import shutil
from itertools import islice
from pathlib import Path


def quote(folder: Path, rows: int, seed: int) -> None:
    with (
        open(folder / "diary.csv", encoding="utf-8", newline="") as plain,
        open(folder / "diary-quoted.csv", "w", encoding="utf-8", newline="") as quoted,
    ):
        for line in plain:
            *cells, note = line[:-1].split(",", 5)
            note = note if note.startswith('"') else f'"{note}"'
            quoted.write('"' + '","'.join(cells) + f'",{note}\n')


def compress(folder: Path, rows: int, seed: int) -> None:
    with (
        open(folder / "diary.csv", "rb") as plain,
        open(folder / "diary.csv.gz", "wb") as file,
        gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as compressed,
    ):
        shutil.copyfileobj(plain, compressed, 1 << 20)


def scatter(folder: Path, rows: int, seed: int) -> None:
    _scatter(folder, rows, folder / "small", 1_000)


def scatter_widely(folder: Path, rows: int, seed: int) -> None:
    _scatter(folder, rows, folder / "many", 10_000)


def _scatter(folder: Path, rows: int, place: Path, files: int) -> None:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    digits = len(str(files - 1))
    with open(folder / "diary.csv", "rb") as plain:
        header = next(plain)
        for number in range(files):
            share = rows * (number + 1) // files - rows * number // files
            with open(place / f"diary-{number:0{digits}}.csv", "wb") as file:
                file.write(header)
                file.writelines(islice(plain, share))
