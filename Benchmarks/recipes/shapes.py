"""The diary in other clothes: the same rows, differently kept.

    diary-quoted.csv        every cell quoted
    diary.csv.gz            compressed
    small/diary-000.csv …   a thousand files, each with a header
"""

import gzip
import shutil
from itertools import islice
from pathlib import Path

FILES = 1_000


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
    shutil.rmtree(folder / "small", ignore_errors=True)
    (folder / "small").mkdir()
    with open(folder / "diary.csv", "rb") as plain:
        header = next(plain)
        for number in range(FILES):
            share = rows * (number + 1) // FILES - rows * number // FILES
            with open(folder / "small" / f"diary-{number:03}.csv", "wb") as file:
                file.write(header)
                file.writelines(islice(plain, share))
