#!/usr/bin/env python3
"""Run Daybook on more and more rows, and print what that takes.

Long inputs come through a pipe, one block of a million rows again and again, so that they need no
disk. Sums and sorted rows are checked; a wrong one ends this with exit code 1.
"""

import argparse
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import make_data
from tools import HERE, Daybook

BLOCK_ROWS = 1_000_000


@dataclass
class Trial:
    title: str
    job: str
    rows: int
    source: str  # what the job reads; - is the pipe
    target: str  # what it writes; - is nowhere
    fed: tuple[bytes, bytes] = (b"", b"")  # header and block, for the pipe
    fault: Callable[[Path], str | None] = lambda target: None  # what is wrong with the output


@dataclass
class Cost:
    wall: float
    cpu: float
    peak: int
    descriptors: int  # the most that were seen open at once


def run(daybook: Daybook, trial: Trial, threads: int) -> Cost:
    command = [
        daybook.path, "run", str(HERE / "jobs" / f"{trial.job}.yaml"),
        "--set", f"data={trial.source}", "--set", f"out={trial.target}",
        "--threads", str(threads), "--state", str(daybook.state), "--quiet=failures", "--no-progress",
    ]  # fmt: skip
    measuring = subprocess.Popen(
        [sys.executable, "-I", "-S", str(HERE / "measure.py"), *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    most = [0]
    watching = threading.Thread(target=watch, args=(measuring, most))
    watching.start()
    feed(measuring.stdin, trial)
    printed = measuring.stdout.read()
    measuring.wait()
    watching.join()
    measured = json.loads(printed)
    if measured["exit"] != 0:
        sys.exit(f"failed with exit code {measured['exit']}: {' '.join(command)}")
    return Cost(measured["wall_seconds"], measured["cpu_seconds"], measured["peak_bytes"], most[0])


def feed(pipe, trial: Trial) -> None:
    header, block = trial.fed
    try:
        pipe.write(header)
        for _ in range(trial.rows // BLOCK_ROWS if block else 0):
            pipe.write(block)
        pipe.close()
    except BrokenPipeError:
        pass  # the exit code says what was wrong


def watch(measuring: subprocess.Popen, most: list[int]) -> None:
    """Count the open descriptors of the measured program every few milliseconds, where /proc tells."""
    children = Path(f"/proc/{measuring.pid}/task/{measuring.pid}/children")
    while measuring.poll() is None:
        try:
            child = children.read_text().split()[0]
            most[0] = max(most[0], sum(1 for _ in Path(f"/proc/{child}/fd").iterdir()))
        except (OSError, IndexError):
            pass  # not started yet, ended already, or no such file on this system
        time.sleep(0.002)


def groups_block() -> bytes:
    """A million different keys, neighbours far apart."""
    return "".join(f"k{number * 611_953 % BLOCK_ROWS:06},{number % 12 + 1}\n" for number in range(BLOCK_ROWS)).encode()


def wrong_groups(target: Path, rows: int) -> str | None:
    with open(target, "rb") as file:
        next(file)
        entries = [int(line.split(b",")[1]) for line in file]
    expected = [rows // BLOCK_ROWS] * BLOCK_ROWS
    return None if entries == expected else f"{len(entries):,} groups of {sum(entries):,} rows"


def wrong_order(target: Path, rows: int) -> str | None:
    before, count = b"", 0
    with open(target, "rb") as file:
        next(file)
        for count, line in enumerate(file, start=1):
            colour = line.split(b",", 5)[4]
            if colour < before:
                return f"row {count:,} is out of order"
            before = colour
    return None if count == rows else f"{count:,} rows of {rows:,}"


def trials(arguments: argparse.Namespace) -> list[Trial]:
    home, out = make_data.place(arguments.data, BLOCK_ROWS), arguments.out / "scale"
    out.mkdir(parents=True, exist_ok=True)
    plain, mixed = (split(home / name) for name in ("diary.csv", "diary-mixed.csv"))
    groups = (b"key,count\n", groups_block())
    listed = []
    for rows in arguments.rows:
        listed.append(Trial("monthly statistics", "monthly", rows, "-", str(out / "monthly.csv"), plain))
        listed.append(Trial("dates, hex check, D-day", "dates", rows, "-", "-", mixed))
    for rows in [rows for rows in arguments.rows if rows <= arguments.most_folded]:
        listed.append(
            Trial(
                "fold with 1,000,000 groups", "scale_groups", rows, "-", str(out / "groups.csv"), groups,
                lambda target, rows=rows: wrong_groups(target, rows),
            )
        )  # fmt: skip
        listed.append(
            Trial(
                "sort in 64 MiB", "scale_sort", rows, "-", str(out / "sorted.csv"), plain,
                lambda target, rows=rows: wrong_order(target, rows),
            )
        )  # fmt: skip
    for pattern in ("diary.csv", "small/diary-*.csv", "many/diary-*.csv"):
        number = len(list(home.glob(pattern)))
        listed.append(
            Trial(
                f"monthly statistics of {number:,} file(s)", "monthly", BLOCK_ROWS,
                str(home / pattern), str(out / "monthly.csv"),
            )
        )  # fmt: skip
    return listed


def split(path: Path) -> tuple[bytes, bytes]:
    header, block = path.read_bytes().split(b"\n", 1)
    return header + b"\n", block


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run Daybook on more and more rows, and print what that takes.")
    parser.add_argument(
        "--rows", type=int, nargs="+", default=[1_000_000, 10_000_000, 100_000_000],
        help="rows of the long inputs, in millions (default: 1, 10 and 100 million)",
    )  # fmt: skip
    parser.add_argument(
        "--most-folded", type=int, default=10_000_000,
        help="most rows of the fold and of the sort, which write to disk (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--threads", type=int, default=2, help="threads (default: %(default)s)")
    parser.add_argument("--daybook", metavar="PATH", help="the program to measure (default: the release build)")
    parser.add_argument("--data", type=Path, default=HERE / "data", help="folder of the input (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=HERE / "out", help="folder for the outputs (default: %(default)s)")
    arguments = parser.parse_args()
    if any(rows < 1 or rows % BLOCK_ROWS for rows in arguments.rows):
        parser.error("--rows counts whole millions")
    arguments.data, arguments.out = arguments.data.resolve(), arguments.out.resolve()
    return arguments


def main() -> int:
    arguments = parse()
    daybook = Daybook(arguments.daybook, arguments.out / "state")
    if not daybook.version:
        print(f"Daybook is not there: {daybook.remedy}", file=sys.stderr)
        return 1
    make_data.make(
        arguments.data, ["diary.csv", "diary-mixed.csv", "small/diary-*.csv", "many/diary-*.csv"], BLOCK_ROWS
    )
    print("| Trial | Rows | Wall s | CPU s | Rows/s | Peak MB | Descriptors |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    sound = True
    for trial in trials(arguments):
        cost = run(daybook, trial, arguments.threads)
        print(
            f"| {trial.title} | {trial.rows:,} | {cost.wall:.2f} | {cost.cpu:.2f} "
            f"| {trial.rows / cost.wall:,.0f} | {cost.peak / 1e6:.0f} | {cost.descriptors or ''} |",
            flush=True,
        )
        if trial.target != "-":
            found = trial.fault(Path(trial.target))
            if found:
                print(f"{trial.title}, {trial.rows:,} rows: {found}", file=sys.stderr)
                sound = False
            Path(trial.target).unlink()
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
