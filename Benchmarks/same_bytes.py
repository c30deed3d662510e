"""Prove that Daybook writes the same bytes at any number of threads."""

import filecmp
import hashlib
import subprocess
import sys
from pathlib import Path

from benchmark import Benchmark, note
from cases import CASES, JOBS, KEYED, NESTED, Job
from tools import Daybook

THREADS = [1, 2, 7]
WITH_REJECTS = [job for job in CASES if job.name == "rejects-bad"]
PROVEN = [*JOBS, *KEYED, *NESTED, *WITH_REJECTS]


def prove(benchmark: Benchmark) -> bool:
    """Run every job at each number of threads, and compare what it wrote with what the first wrote."""
    daybook = next((tool for tool in benchmark.tools if isinstance(tool, Daybook)), None)
    if daybook is None:
        note("Daybook is not there, so there is nothing to compare")
        return False
    same = True
    for job in benchmark.jobs:
        written = [write(benchmark, daybook, job, threads) for threads in THREADS]
        differing = [
            threads
            for threads, file in zip(THREADS, written, strict=True)
            if not filecmp.cmp(written[0], file, shallow=False)
        ]
        if differing:
            print(f"{job.name}: {differing} threads give other bytes than {THREADS[0]}: see {written[0].parent}")
            same = False
            continue
        size = written[0].stat().st_size
        print(f"{job.name}: the same {size:,} bytes at {THREADS} threads, SHA-256 {digest(written[0])}")
        for file in written:
            file.unlink()
    return same


def digest(path: Path) -> str:
    digested = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            digested.update(chunk)
    return digested.hexdigest()


def write(benchmark: Benchmark, daybook: Daybook, job: Job, threads: int) -> Path:
    target = benchmark.arguments.out / "same-bytes" / f"{job.name}-{threads}"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    command = daybook.command(job, benchmark.home / job.source, target, threads)
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit(f"failed: {' '.join(command)}")
    return target
