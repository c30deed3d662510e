"""Decide whether two CSV files give the same answer.

Two files agree when they have the same rows under the named columns. Columns that only one of them
has are left aside. Two cells agree when their texts are the same, or when both are numbers of the
same value (`12` and `12.0`). How a cell is quoted, and so whether an empty cell is written as
nothing or as `""`, does not count; the order of the rows does, unless `sort` is set.
"""

import csv
import filecmp
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from itertools import zip_longest
from pathlib import Path

Row = list[str]


def rows(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.reader(file, strict=True)
        header = next(reader, [])
        missing = [column for column in columns if column not in header]
        if missing:
            raise ValueError(f"{path.name} has no column {', '.join(missing)}; it has {', '.join(header)}")
        if header == list(columns):
            yield from reader
            return
        places = [header.index(column) for column in columns]
        for row in reader:
            # A short row keeps its length, so that it is shown as the difference it is.
            yield [row[place] for place in places if place < len(row)]


def in_order(unordered: Iterator[Row]) -> Iterator[Row]:
    # Joined, since a row as a list of its cells takes four times the memory.
    return (row.split("\0") for row in sorted("\0".join(row) for row in unordered))


def same_cell(one: str, other: str) -> bool:
    if one == other:
        return True
    try:
        return Decimal(one) == Decimal(other)
    except InvalidOperation:
        return False


def same_row(one: Row | None, other: Row | None) -> bool:
    if one == other:
        return True
    if one is None or other is None or len(one) != len(other):
        return False
    return all(map(same_cell, one, other))


def difference(one: Path, other: Path, columns: Sequence[str], sort: bool) -> str | None:
    """The first row in which the files differ, in words, or nothing when they agree."""
    if filecmp.cmp(one, other, shallow=False):
        return None
    try:
        left, right = rows(one, columns), rows(other, columns)
        if sort:
            left, right = in_order(left), in_order(right)
        for number, (mine, theirs) in enumerate(zip_longest(left, right), start=1):
            if not same_row(mine, theirs):
                place = f"row {number}" + (" after sorting" if sort else "")
                return f"{place}\n  {one.name}: {shown(mine)}\n  {other.name}: {shown(theirs)}"
    except (ValueError, csv.Error) as problem:
        return f"not comparable: {problem}"
    return None


def shown(row: Row | None) -> str:
    return "(no such row)" if row is None else ",".join(f'"{cell}"' for cell in row)
