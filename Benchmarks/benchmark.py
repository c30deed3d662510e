"""Run jobs with every tool: once to compare the answers, then in turns to measure them."""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import make_data
from cases import Job
from compare import difference
from tools import HERE, Daybook, Miller, PythonPeer, Tool

BARE_READ = "bare read"
Measured = dict[str, float]


def measure(command: list[str]) -> Measured:
    """Run a command and say what it cost; one that fails ends the benchmark."""
    measured = costs("measure.py", command)
    if measured["exit"] != 0:
        sys.exit(f"failed with exit code {measured['exit']}: {' '.join(command)}")
    return measured


def costs(script: str, words: list[str]) -> Measured:
    """What one of the two measuring scripts prints, run in a Python as small as can be."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(HERE / script), *words], stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout)


class Benchmark:
    def __init__(self, arguments: argparse.Namespace, jobs: list[Job]):
        self.arguments, self.jobs = arguments, jobs
        self.home = make_data.place(arguments.data, arguments.rows)
        self.absent: list[Tool] = []
        self.tools: list[Tool] = []
        python = arguments.python
        offered = [PythonPeer("DuckDB", "duckdb", python), PythonPeer("Polars", "polars", python)]
        offered += [] if arguments.skip_miller else [Miller()]
        if not arguments.skip_daybook:
            state = arguments.out / "state"
            offered = [Daybook(arguments.daybook, state, sha256) for sha256 in ("auto", "always")] + offered
        for tool in offered:
            (self.tools if tool.version else self.absent).append(tool)
        self.results: dict[str, dict[int, dict[str, list[Measured]]]] = {
            job.name: {threads: {} for threads in arguments.threads} for job in jobs
        }

    def tools_of(self, job: Job) -> list[Tool]:
        return [tool for tool in self.tools if tool.runs(job)]

    def target(self, job: Job, tool: Tool) -> Path:
        return self.arguments.out / job.name / f"{tool.name.lower()}.csv"

    def run_once(self, job: Job, tool: Tool, threads: int) -> Measured:
        target = self.target(job, tool)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        os.sync()  # so that nobody pays for what the tool before it left to be written
        measured = measure(tool.command(job, self.home / job.source, target, threads))
        if not target.exists():
            sys.exit(f"{tool.title} wrote nothing for '{job.name}'")
        return measured

    def check(self) -> bool:
        """Run every tool once on every job, and compare each answer with the first tool's."""
        agreed = True
        threads = self.arguments.threads[0]
        for job in self.jobs:
            first, *others = self.tools_of(job)
            self.results[job.name][threads][first.name] = [self.announced(job, first, threads)]
            for other in others:
                self.results[job.name][threads][other.name] = [self.announced(job, other, threads)]
                found = difference(self.target(job, first), self.target(job, other), job.columns, job.sort)
                if found:
                    note(f"{job.name}: {first.title} and {other.title} disagree in {found}")
                    agreed = False
                else:
                    self.target(job, other).unlink()
        return agreed

    def announced(self, job: Job, tool: Tool, threads: int) -> Measured:
        note(f"{job.name}: {tool.title}")
        return self.run_once(job, tool, threads)

    def time(self) -> None:
        """Replace the first measurements by those of interleaved rounds; Miller keeps its one run.

        Jobs that are held against one another take turns, too.
        """
        for threads in self.arguments.threads:
            for jobs in self.groups():
                for job in jobs:
                    self.results[job.name][threads].update({name: [] for name in self.timed(job)})
                for number in range(self.arguments.runs):
                    for job in jobs:
                        note(f"{job.name}: round {number + 1} of {self.arguments.runs}, --threads {threads}")
                        self.time_round(job, threads)

    def groups(self) -> list[list[Job]]:
        """Each job with those that are held against it."""
        groups: dict[str, list[Job]] = {}
        for job in self.jobs:
            groups.setdefault(job.baseline or job.name, []).append(job)
        return list(groups.values())

    def timed(self, job: Job) -> list[str]:
        return [*(tool.name for tool in self.tools_of(job) if not isinstance(tool, Miller)), BARE_READ]

    def time_round(self, job: Job, threads: int) -> None:
        results = self.results[job.name][threads]
        for tool in self.tools_of(job):
            if isinstance(tool, Miller):
                continue
            results[tool.name].append(self.run_once(job, tool, threads))
            if not isinstance(tool, Daybook):
                self.target(job, tool).unlink()
        files = [str(path) for path in sorted(self.home.glob(job.source))]
        results[BARE_READ].append(costs("bare_read.py", files))

    def median(self, job: Job, threads: int, name: str, key: str) -> float:
        return statistics.median(run[key] for run in self.results[job.name][threads][name])


def note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
