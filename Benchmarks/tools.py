"""The programs that are compared, and how each is started."""

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from cases import Job

HERE = Path(__file__).resolve().parent


@dataclass
class Tool:
    name: str
    version: str | None  # nothing when it cannot be run
    remedy: str  # what to do about that
    start_up: list[str] = field(default_factory=list)  # a command that starts it and does no work

    @property
    def title(self) -> str:
        return f"{self.name} {self.version}" if self.version else self.name

    def runs(self, job: Job) -> bool:
        """Whether it takes part in a job."""
        return job.peers

    def command(self, job: Job, source: Path, target: Path, threads: int) -> list[str]:
        raise NotImplementedError


class Daybook(Tool):
    def __init__(self, path: str | None, state: Path, sha256: str = "auto"):
        built = HERE.parent / ".build" / "release" / "daybook"
        self.path = path or (str(built) if built.exists() else shutil.which("daybook")) or str(built)
        self.state = state
        self.sha256 = sha256
        version = answer([self.path, "--version"])
        name = "Daybook" if sha256 == "auto" else f"Daybook-sha256-{sha256}"
        super().__init__(name, version, "swift build -c release, or --daybook PATH", [self.path, "--version"])

    def runs(self, job):
        return True

    def command(self, job, source, target, threads):
        return [
            self.path, "run", str(HERE / "jobs" / f"{job.work}.yaml"), "--set", f"data={source}",
            *(["--set", f"lookup={source.parent / job.lookup}"] if job.lookup else []),
            *(["--report", f"text={target}"] if job.told else ["--set", f"out={target}"]),
            "--threads", str(threads), "--state", str(self.state), "--quiet=failures", "--no-progress",
            "--sha256", self.sha256,
        ]  # fmt: skip


class PythonPeer(Tool):
    def __init__(self, name: str, module: str, python: str):
        self.python, self.module = python, module
        version = answer([python, "-c", f"import {module}; print({module}.__version__)"])
        super().__init__(name, version, f"pip install {module}", [python, "-c", f"import {module}"])

    def command(self, job, source, target, threads):
        script = HERE / "peers" / f"{self.module}_{job.work}.py"
        lookup = [str(source.parent / job.lookup)] if job.lookup else []
        return [self.python, str(script), str(source), *lookup, str(target), str(threads)]


class Miller(Tool):
    def __init__(self):
        super().__init__("Miller", answer(["mlr", "--version"]), "apt-get install miller", ["mlr", "--version"])

    def runs(self, job):
        return self.script(job).exists()

    def script(self, job):
        return HERE / "peers" / f"miller_{job.work}.sh"

    def command(self, job, source, target, threads):
        return ["sh", str(self.script(job)), str(source), str(target), str(threads)]


def answer(command: list[str]) -> str | None:
    """The last word that a version command prints, or nothing when it cannot be run."""
    if not (shutil.which(command[0]) or os.access(command[0], os.X_OK)):
        return None
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    words = done.stdout.split()
    return words[-1] if done.returncode == 0 and words else None
