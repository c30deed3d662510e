"""The programs that are compared, how each is started, and which jobs they run."""

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
DIARY = ["id", "date", "emotion", "count", "colour", "note"]


@dataclass(frozen=True)
class Job:
    name: str
    title: str
    source: str  # file in the folder of make_data.py
    columns: list[str]  # what has to agree
    sort: bool  # whether the order of the rows is undefined


JOBS = [
    Job("monthly", "monthly emotion statistics", "diary.csv", ["month", "emotion", "count"], sort=True),
    Job("dates", "mixed dates → ISO, hex check, D-day", "diary-mixed.csv", [*DIARY, "d_day"], sort=False),
    Job("ndjson", "NDJSON → CSV", "diary.ndjson", DIARY, sort=False),
    Job("gate", "quality gate, bad rows written", "gate.csv", ["line", "rule", "value"], sort=True),
    Job("wide", "3 columns of 200, counted", "wide.csv", ["date", "emotion", "count"], sort=True),
]


@dataclass
class Tool:
    name: str
    version: str | None  # nothing when it cannot be run
    remedy: str  # what to do about that
    start_up: list[str] = field(default_factory=list)  # a command that starts it and does no work

    @property
    def title(self) -> str:
        return f"{self.name} {self.version}" if self.version else self.name

    def command(self, job: Job, source: Path, target: Path, threads: int) -> list[str]:
        raise NotImplementedError


class Daybook(Tool):
    def __init__(self, path: str | None):
        built = HERE.parent / ".build" / "release" / "daybook"
        self.path = path or (str(built) if built.exists() else shutil.which("daybook")) or str(built)
        self.state = HERE / "out" / "state"
        version = answer([self.path, "--version"])
        super().__init__("Daybook", version, "swift build -c release, or --daybook PATH", [self.path, "--version"])

    def command(self, job, source, target, threads):
        return [
            self.path, "run", str(HERE / "jobs" / f"{job.name}.yaml"),
            "--set", f"data={source}", "--set", f"out={target}",
            "--threads", str(threads), "--state", str(self.state), "--quiet", "--no-progress",
        ]  # fmt: skip


class PythonPeer(Tool):
    def __init__(self, name: str, module: str, python: str):
        self.python, self.module = python, module
        version = answer([python, "-c", f"import {module}; print({module}.__version__)"])
        super().__init__(name, version, f"pip install {module}", [python, "-c", f"import {module}"])

    def command(self, job, source, target, threads):
        script = HERE / "peers" / f"{self.module}_{job.name}.py"
        return [self.python, str(script), str(source), str(target), str(threads)]


class Miller(Tool):
    def __init__(self):
        super().__init__("Miller", answer(["mlr", "--version"]), "apt-get install miller", ["mlr", "--version"])

    def command(self, job, source, target, threads):
        script = HERE / "peers" / f"miller_{job.name}.sh"
        return ["sh", str(script), str(source), str(target), str(threads)]


def answer(command: list[str]) -> str | None:
    """The last word that a version command prints, or nothing when it cannot be run."""
    if not (shutil.which(command[0]) or os.access(command[0], os.X_OK)):
        return None
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    words = done.stdout.split()
    return words[-1] if done.returncode == 0 and words else None
