#!/usr/bin/env python3
"""Run the benchmark jobs with Daybook, DuckDB, Polars and Miller, and print a table.

First every tool runs every job once and the answers are compared; a disagreement ends the run with
exit code 1. Then the tools take turns, whole processes, the page cache warm, and the medians go
into the table. DuckDB and Polars are looked for in the Python that runs this, or in `--python`.
"""

import argparse
import json
import sys
from pathlib import Path

import make_data
import same_bytes
from benchmark import Benchmark, note
from cases import CASES, JOBS, KEYED, NESTED
from table import against_baselines, circumstances, table
from tools import HERE


def parse(words: list[str] | None = None) -> argparse.Namespace:
    jobs = {job.name: job for job in [*JOBS, *KEYED, *NESTED, *CASES]}
    parser = argparse.ArgumentParser(description="Run the benchmark jobs side by side and print a table.")
    parser.add_argument("--rows", type=int, default=make_data.ROWS, help="rows of input (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="timed runs of each tool (default: %(default)s)")
    parser.add_argument("--threads", type=int, nargs="+", default=[2], help="threads of each tool (default: 2)")
    parser.add_argument("--jobs", nargs="+", choices=jobs, metavar="NAME", help=f"what to run: {', '.join(jobs)}")
    parser.add_argument("--keyed", action="store_true", help="run the jobs with many keys instead of the five jobs")
    parser.add_argument("--cases", action="store_true", help="run the cases instead of the five jobs")
    parser.add_argument(
        "--same-bytes", action="store_true", help="time nothing, but prove that threads do not change Daybook's bytes"
    )
    parser.add_argument("--daybook", metavar="PATH", help="the program to measure (default: the release build)")
    parser.add_argument("--python", default=sys.executable, help="Python that has duckdb and polars (default: this one)")
    parser.add_argument("--skip-miller", action="store_true", help="leave Miller out; it is slow")
    parser.add_argument("--skip-daybook", action="store_true", help="run the peers alone")
    parser.add_argument("--data", type=Path, default=HERE / "data", help="folder of the input (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=HERE / "out", help="folder for the outputs (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every single measurement here")
    arguments = parser.parse_args(words)
    if arguments.rows < 1 or arguments.runs < 1 or min(arguments.threads) < 1:
        parser.error("--rows, --runs and --threads start at 1")
    arguments.data, arguments.out = arguments.data.resolve(), arguments.out.resolve()
    if arguments.jobs:
        arguments.chosen = [jobs[name] for name in arguments.jobs]
    else:
        arguments.chosen = (
            same_bytes.PROVEN if arguments.same_bytes else KEYED if arguments.keyed else CASES if arguments.cases else JOBS
        )
    return arguments


def main() -> int:
    arguments = parse()
    benchmark = Benchmark(arguments, arguments.chosen)
    for tool in benchmark.absent:
        note(f"{tool.name} is not there and is left out: {tool.remedy}")
    benchmark.jobs = [job for job in benchmark.jobs if benchmark.tools_of(job)]
    if not benchmark.jobs:
        note("nothing to run")
        return 1
    make_data.make(arguments.data, [file for job in benchmark.jobs for file in job.files], arguments.rows)
    if arguments.same_bytes:
        return 0 if same_bytes.prove(benchmark) else 1
    if not benchmark.check():
        return 1
    if len(benchmark.tools) == 1:
        note(f"only {benchmark.tools[0].title} ran, so no answer was compared")
    else:
        note("all answers agree")
    benchmark.time()
    around = circumstances(benchmark)
    print(table(benchmark) + "\n\n" + against_baselines(benchmark) + around)
    if arguments.json:
        versions = {tool.name: tool.version for tool in benchmark.tools}
        kept = {"circumstances": around, "versions": versions, "rows": arguments.rows, "runs": benchmark.results}
        arguments.json.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
