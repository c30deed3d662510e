#!/usr/bin/env python3
"""Make the inputs of the benchmark from a fixed seed, the same bytes every time.

Each number of rows has a folder of its own, and each set of files in it a stamp, so that nothing
is made twice. What the files hold is told where they are made, in `recipes/`.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from recipes import diary, gate, keyed, nested, shapes, wide

ROWS = 5_000_000
SEED = 20_260_301


@dataclass(frozen=True)
class FileSet:
    name: str
    files: list[str]  # a pattern counts as one
    write: Callable[[Path, int, int], None]
    recipe: int = 1  # one more whenever the recipe gives other bytes
    of_diary: bool = True  # whether it is made from diary.csv


SETS = [
    FileSet("diary", ["diary.csv", "diary-mixed.csv", "diary.ndjson"], diary.write, of_diary=False),
    FileSet("gate", ["gate.csv", "gate-bad.csv"], gate.write),
    FileSet("wide", ["wide.csv"], wide.write, of_diary=False),
    FileSet("keyed", ["events.csv", "places.csv", "fares.csv"], keyed.write, recipe=2, of_diary=False),
    FileSet("nested", ["orders.ndjson"], nested.write, of_diary=False),
    FileSet("quoted", ["diary-quoted.csv"], shapes.quote),
    FileSet("gzip", ["diary.csv.gz"], shapes.compress),
    FileSet("small", ["small/diary-*.csv"], shapes.scatter),
    FileSet("many", ["many/diary-*.csv"], shapes.scatter_widely),
]


def place(folder: Path, rows: int) -> Path:
    return folder / str(rows)


def make(folder: Path, files: Iterable[str], rows: int = ROWS, seed: int = SEED) -> None:
    """Make the sets that these files belong to, unless the folder already holds exactly them."""
    wanted = [one for one in SETS if any(file in one.files for file in files)]
    if any(one.of_diary for one in wanted) and SETS[0] not in wanted:
        wanted.insert(0, SETS[0])
    home = place(folder, rows)
    home.mkdir(parents=True, exist_ok=True)
    for one in wanted:
        stamp_file = home / f"made-{one.name}.json"
        stamp = {"rows": rows, "seed": seed, "recipe": one.recipe}
        if one.of_diary:
            stamp["diary"] = SETS[0].recipe
        if stamp_file.exists() and json.loads(stamp_file.read_text()) == stamp:
            continue
        stamp_file.unlink(missing_ok=True)  # so that an interrupted run is never taken for a whole one
        started = time.monotonic()
        one.write(home, rows, seed)
        stamp_file.write_text(json.dumps(stamp) + "\n")
        sizes = ", ".join(f"{file} {size(home, file) / 1e6:,.0f} MB" for file in one.files)
        print(f"made {rows:,} rows in {time.monotonic() - started:.1f} s: {sizes}", file=sys.stderr)


def size(home: Path, file: str) -> int:
    """The bytes of a file, or of all files of a pattern."""
    return sum(path.stat().st_size for path in home.glob(file))


def main() -> None:
    names = [one.name for one in SETS]
    parser = argparse.ArgumentParser(description="Make the inputs of the benchmark from a fixed seed.")
    parser.add_argument("sets", nargs="*", default=[], help=f"what to make, of {', '.join(names)} (default: all)")
    parser.add_argument("--rows", type=int, default=ROWS, help="rows of each set (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=SEED, help="seed of the draws (default: %(default)s)")
    parser.add_argument(
        "--to", type=Path, default=Path(__file__).parent / "data", help="folder to write to (default: %(default)s)"
    )
    arguments = parser.parse_args()
    for name in arguments.sets:
        if name not in names:
            parser.error(f"there is no set '{name}': choose of {', '.join(names)}")
    chosen = [one for one in SETS if one.name in (arguments.sets or names)]
    make(arguments.to, [file for one in chosen for file in one.files], arguments.rows, arguments.seed)


if __name__ == "__main__":
    main()
