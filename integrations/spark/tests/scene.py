"""A directory with jobs, in which a run in one process and one on Spark are held against each other."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pyspark.sql import SparkSession

from daybook_spark import Options, run

REPOSITORY = Path(__file__).resolve().parents[3]
BENCHMARKS = REPOSITORY / "Benchmarks"
# The name of the data of each job of the benchmark.
JOBS = {
    "monthly": "diary.csv",
    "dates": "diary-mixed.csv",
    "ndjson": "diary.ndjson",
    "gate": "gate.csv",
    "wide": "wide.csv",
}
AS_OF = "2026-11-21"
# The params of the nightly report as they are by themselves. A merge reports every param as one that was set.
NIGHTLY = (
    "diary=../samples/emotion-diary/entries-*.csv",
    "anniversaries=../samples/anniversaries/anniversaries.json",
)
_TIMES = re.compile(r'("(?:started_at|ended_at|seconds|milliseconds)" : )[^\n,]+|in [0-9.,]+ s\b')


@dataclass(frozen=True)
class Result:
    code: int
    files: dict[str, bytes]
    reports: list[str]  # the text and the JSON, of which times are masked


@dataclass(frozen=True)
class Scene:
    """Jobs run with this as their working directory; what they write is below `out`."""

    directory: Path
    daybook: str

    def copy_nightly(self) -> str:
        (self.directory / "pipelines").mkdir()
        shutil.copy(REPOSITORY / "pipelines" / "nightly-report.yaml", self.directory / "pipelines")
        (self.directory / "samples").symlink_to(REPOSITORY / "samples")
        return "pipelines/nightly-report.yaml"

    def write(self, name: str, text: str) -> str:
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return name

    def plain(self, job: str, *settings: str, state: Path | None = None) -> Result:
        """Run a job in one process."""
        arguments = [*(f"--set={one}" for one in settings), f"--as-of={AS_OF}", *self._reports()]
        if state is not None:
            arguments.append(f"--state={state}")
        ended = subprocess.run(
            [self.daybook, "run", job, *arguments], cwd=self.directory, capture_output=True, check=False
        )
        return self.result(ended.returncode)

    def on_spark(
        self, spark: SparkSession, job: str, *settings: str, shards: int = 8, options: Options = Options()
    ) -> Result:
        """Run a job on Spark; the working directory is already this one."""
        options = replace(
            options,
            shards=shards,
            set=settings,
            as_of=AS_OF,
            daybook=options.daybook or self.daybook,
            merge_options=self._reports(),
        )
        return self.result(run(job, spark, options))

    def _reports(self) -> Sequence[str]:
        return [f"--report={form}={self.directory / 'reports' / form}" for form in ("text", "json")]

    def result(self, code: int) -> Result:
        """What was written, which is then taken away for the next run."""
        out, reports = self.directory / "out", self.directory / "reports"
        files = {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
        texts = [_TIMES.sub(r"\1…", path.read_text(encoding="utf-8")) for path in sorted(reports.glob("*"))]
        for directory in (out, reports):
            shutil.rmtree(directory, ignore_errors=True)
        return Result(code, files, texts)


def wrapper(path: Path, daybook: str, before: str, command: str = "run --shard") -> str:
    """A program in the place of `daybook`, which for a command first does what `before` says in shell with its `number`.

    It notes every attempt in a file of its own name with `.log`, and makes `once NAME` true a single time.
    """
    path.write_text(
        f"""#!/bin/bash
once() {{ mkdir "{path}.$1" 2>/dev/null; }}
daybook={daybook}
if [[ "$* " == "{command} "* ]]; then
    number=$* number=${{number#*#}} number=${{number%% *}}
    echo "$number" >>"{path}.log"
    {before}
fi
exec "$daybook" "$@"
""",
        encoding="utf-8",
    )
    path.chmod(0o755)
    return str(path)


def attempts(program: str) -> dict[int, int]:
    """How often each number was begun."""
    numbers = [int(line) for line in Path(f"{program}.log").read_text().split()]
    return {number: numbers.count(number) for number in sorted(set(numbers))}


# Kills the executor that runs it: the nearest Java among its ancestors.
KILL_EXECUTOR = """if [[ $number == 3 ]] && once killed; then
        process=$$
        while [[ $(</proc/$process/comm) != java ]]; do read -r _ _ _ process _ </proc/$process/stat; done
        kill -KILL $process
        exec sleep 5
    fi"""
