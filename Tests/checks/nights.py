"""What checks of many nights share: how they fail, how they end runs at random moments, and what the history says of days."""

import random
import sqlite3
import subprocess
import time
from pathlib import Path


class Failure(Exception):
    pass


def expect(holds: bool, message: str) -> None:
    if not holds:
        raise Failure(message)


def end_at_random(
    command: list, folder: Path, seconds: float, chance: random.Random, earliest: float = 0.0, latest: float = 1.2, env: dict | None = None
) -> int:
    """Ends a command by `kill -9` at a random share of the seconds that it may take, and returns what it ended with."""
    process = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(seconds * chance.uniform(earliest, latest))
    process.kill()
    return process.wait()


def last_figures(history: Path) -> dict[tuple[str, str], float | None]:
    """The figures of rules and measures by name and day, as the last run that passed has found them."""
    with sqlite3.connect(history) as connection:
        rows = connection.execute(
            "SELECT name, day, value FROM day_figures LEFT JOIN runs ON runs.id = day_figures.run WHERE ifnull(exit_code, 0) = 0 ORDER BY day_figures.run"
        ).fetchall()
    return {(name, day): value if value is None else round(value, 2) for name, day, value in rows}


def expect_figures(found: dict, wanted: dict) -> None:
    other = next((key for key in sorted(found.keys() | wanted.keys()) if found.get(key, "none") != wanted.get(key, "none")), None)
    expect(other is None, f"the figure {other} is {found.get(other, 'none')}, not {wanted.get(other, 'none')}")
