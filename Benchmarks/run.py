#!/usr/bin/env python3
"""Run the benchmark jobs with Daybook, DuckDB, Polars and Miller, and print a table.

First every tool runs every job once and the answers are compared; a disagreement ends the run with
exit code 1. Then the tools take turns, whole processes, the page cache warm, and the medians go
into the table. DuckDB and Polars are looked for in the Python that runs this, or in `--python`.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path

import make_data
from compare import difference
from tools import HERE, JOBS, Daybook, Job, Miller, PythonPeer, Tool

Measured = dict[str, float]


def measure(command: list[str]) -> Measured:
    """Run a command and say what it cost; one that fails ends the benchmark."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(HERE / "measure.py"), *command], stdout=subprocess.PIPE, text=True, check=True
    )
    measured = json.loads(done.stdout)
    if measured["exit"] != 0:
        sys.exit(f"failed with exit code {measured['exit']}: {' '.join(command)}")
    return measured


class Benchmark:
    def __init__(self, arguments: argparse.Namespace):
        self.arguments = arguments
        self.absent: list[Tool] = []
        self.tools: list[Tool] = []
        python = arguments.python
        offered = [PythonPeer("DuckDB", "duckdb", python), PythonPeer("Polars", "polars", python)]
        offered += [] if arguments.skip_miller else [Miller()]
        offered = ([] if arguments.skip_daybook else [Daybook(arguments.daybook)]) + offered
        for tool in offered:
            (self.tools if tool.version else self.absent).append(tool)
        self.jobs = [job for job in JOBS if job.name in arguments.jobs]
        self.results: dict[str, dict[str, list[Measured]]] = {job.name: {} for job in self.jobs}

    def source(self, job: Job) -> Path:
        return make_data.place(self.arguments.data, self.arguments.rows) / job.source

    def target(self, job: Job, tool: Tool) -> Path:
        return self.arguments.out / job.name / f"{tool.name.lower()}.csv"

    def run_once(self, job: Job, tool: Tool) -> Measured:
        target = self.target(job, tool)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        os.sync()  # so that nobody pays for what the tool before it left to be written
        measured = measure(tool.command(job, self.source(job), target, self.arguments.threads))
        if not target.exists():
            sys.exit(f"{tool.title} wrote nothing for '{job.name}'")
        return measured

    def check(self) -> bool:
        """Run every tool once on every job, and compare each answer with the first tool's."""
        agreed = True
        for job in self.jobs:
            for tool in self.tools:
                note(f"{job.name}: {tool.title}")
                self.results[job.name][tool.name] = [self.run_once(job, tool)]
            first, *others = self.tools
            for other in others:
                found = difference(self.target(job, first), self.target(job, other), job.columns, job.sort)
                if found:
                    note(f"{job.name}: {first.title} and {other.title} disagree in {found}")
                    agreed = False
        return agreed

    def time(self) -> None:
        """Replace the first measurements by those of interleaved runs; Miller keeps its one run."""
        for job in self.jobs:
            timed = [tool for tool in self.tools if not isinstance(tool, Miller)]
            for tool in timed:
                self.results[job.name][tool.name] = []
            for number in range(self.arguments.runs):
                note(f"{job.name}: round {number + 1} of {self.arguments.runs}")
                for tool in timed:
                    self.results[job.name][tool.name].append(self.run_once(job, tool))

    def median(self, job: Job, tool: Tool, key: str) -> float:
        return statistics.median(run[key] for run in self.results[job.name][tool.name])

    def table(self) -> str:
        lines = [
            "| Job | Tool | Wall s | CPU s | Peak MB | Speed, fastest peer = 1 |",
            "| --- | --- | ---: | ---: | ---: | ---: |",
        ]
        for job in self.jobs:
            peers = [self.median(job, tool, "wall_seconds") for tool in self.tools if not isinstance(tool, Daybook)]
            for tool in self.tools:
                wall = self.median(job, tool, "wall_seconds")
                cpu = self.median(job, tool, "cpu_seconds")
                peak = self.median(job, tool, "peak_bytes") / 1e6
                speed = f"{min(peers) / wall:.2f} ×" if peers else "no peer"
                lines.append(f"| {job.title} | {tool.title} | {wall:.2f} | {cpu:.2f} | {peak:.0f} | {speed} |")
            for tool in self.absent:
                lines.append(f"| {job.title} | {tool.name} | not found: {tool.remedy} | | | |")
        return "\n".join(lines)

    def circumstances(self) -> str:
        """What a reader has to know to judge the table."""
        sizes = ", ".join(f"{job.source} {self.source(job).stat().st_size / 1e6:.0f} MB" for job in self.jobs)
        start_ups = ", ".join(
            f"{tool.name} {statistics.median(measure(tool.start_up)['wall_seconds'] for _ in range(5)):.3f} s"
            for tool in self.tools
        )
        floor = measure(["true"])["peak_bytes"] / 1e6
        runs = f"medians over {self.arguments.runs} interleaved round(s)"
        if any(isinstance(tool, Miller) for tool in self.tools):
            runs += ", Miller ran once"
        return (
            f"{self.arguments.rows:,} rows ({sizes}); {self.arguments.threads} threads; {runs}.\n"
            f"{platform.system()} {platform.machine()}, {processor()}, {os.cpu_count()} cores.\n"
            f"Start-up alone: {start_ups}. Memory below {floor:.0f} MB cannot be told apart."
        )


def processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"


def note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def parse(words: list[str] | None = None) -> argparse.Namespace:
    names = [job.name for job in JOBS]
    parser = argparse.ArgumentParser(description="Run the benchmark jobs side by side and print a table.")
    parser.add_argument("--rows", type=int, default=make_data.ROWS, help="rows of input (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="timed runs of each tool (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=2, help="threads of each tool (default: %(default)s)")
    parser.add_argument("--jobs", nargs="+", choices=names, default=names, help="jobs to run (default: all)")
    parser.add_argument("--daybook", metavar="PATH", help="the program to measure (default: the release build)")
    parser.add_argument("--python", default=sys.executable, help="Python that has duckdb and polars (default: this one)")
    parser.add_argument("--skip-miller", action="store_true", help="leave Miller out; it is slow")
    parser.add_argument("--skip-daybook", action="store_true", help="run the peers alone")
    parser.add_argument("--data", type=Path, default=HERE / "data", help="folder of the input (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=HERE / "out", help="folder for the outputs (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every single measurement here")
    arguments = parser.parse_args(words)
    if arguments.rows < 1 or arguments.runs < 1 or arguments.threads < 1:
        parser.error("--rows, --runs and --threads start at 1")
    arguments.data, arguments.out = arguments.data.resolve(), arguments.out.resolve()
    return arguments


def main() -> int:
    arguments = parse()
    benchmark = Benchmark(arguments)
    for tool in benchmark.absent:
        note(f"{tool.name} is not there and is left out: {tool.remedy}")
    if not benchmark.tools:
        note("nothing to run")
        return 1
    make_data.make(arguments.data, [job.source for job in benchmark.jobs], arguments.rows)
    if not benchmark.check():
        return 1
    if len(benchmark.tools) == 1:
        note(f"only {benchmark.tools[0].title} ran, so no answer was compared")
    else:
        note("all answers agree")
    benchmark.time()
    circumstances = benchmark.circumstances()
    print(benchmark.table() + "\n\n" + circumstances)
    if arguments.json:
        versions = {tool.name: tool.version for tool in benchmark.tools}
        kept = {"circumstances": circumstances, "versions": versions, "rows": arguments.rows, "runs": benchmark.results}
        arguments.json.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
