"""What a task does in the Python worker of an executor."""

import json
import os
import sys
import tempfile
import time
import uuid
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import ClassVar

import pyarrow as pa
from pyspark import TaskContext

from daybook_spark import program
from daybook_spark.errors import RunError, ShardFailed
from daybook_spark.mirror import Mirror
from daybook_spark.place import Place
from daybook_spark.plan import Plan, Source

# Whole numbers are bigint on both sides: an int column that is filled with 64-bit numbers kills the executor.
SCHEMA = "number bigint, attempt bigint, host string, code bigint, file string, message string, seconds double"
SKIPPED = -1
# The exit codes of a shard that another attempt would meet again: the data, the job.
_FINAL = (1, 2)


@dataclass(frozen=True)
class Done:
    """The row that a task returns. Of several attempts Spark keeps the row of one, and so the file of one."""

    number: int
    attempt: int
    host: str
    code: int
    file: str  # the name of what it left, but for its ending
    message: str
    seconds: float


@dataclass(frozen=True)
class Notes:
    """What attempts leave for others to read beside their files: that a shard has ended the run, or that an attempt failed."""

    run: Place

    def write(self, kind: str, number: int, attempt: int, message: str) -> None:
        text = json.dumps({"number": number, "attempt": attempt, "message": message})
        self.run.child(f"{kind}/{number}.json").write(text.encode())

    def numbers(self, kind: str) -> list[int]:
        return sorted(int(name.removesuffix(".json")) for name in self.run.child(kind).files())

    def last_failure(self) -> str | None:
        """The message of the failed attempt before which the most others of its shard had failed."""
        failures = [json.loads(self.run.child(f"failed/{number}.json").read()) for number in self.numbers("failed")]
        if not failures:
            return None
        return str(max(failures, key=lambda one: (one["attempt"], -one["number"]))["message"])


@dataclass(frozen=True)
class Attempt:
    """One attempt of a numbered piece of work, in scratch space that goes with it."""

    number: int
    attempt: int
    cores: int
    scratch: str


@dataclass(frozen=True)
class Work:
    """Runs `daybook` for a number. The same for all tasks, and all that they need beside files that all hosts see."""

    daybook: str | None
    plan: bytes  # compressed
    sources: tuple[Source, ...]
    directory: str
    mirror: Mirror | None
    run: Place
    is_quiet: bool

    # What has the number, for messages.
    noun: ClassVar[str]
    # Where the files go, below the directory of the run.
    folder: ClassVar[str]

    def arguments(self, plan: str, attempt: Attempt) -> list[str]:
        """What is run."""
        raise NotImplementedError

    def fetch(self, plan: Plan, tree: str, attempt: Attempt) -> None:
        """Bring what the program reads into the tree."""

    def __call__(self, attempt: Attempt) -> tuple[int, str, str]:
        """Gives the exit code, the name of what it left but for its ending, and the message."""
        directory = self.directory
        content = zlib.decompress(self.plan)
        if self.mirror is not None:
            tree = os.path.join(attempt.scratch, "tree")
            directory = self.mirror.make(tree)
            self.fetch(Plan.read(content), tree, attempt)
        plan = os.path.join(attempt.scratch, "plan.json")
        with open(plan, "wb") as stream:
            stream.write(content)
        into = os.path.join(attempt.scratch, "into")
        arguments = [*self.arguments(plan, attempt), "--into", into, "--threads", str(attempt.cores)]
        if self.is_quiet:
            arguments.append("--quiet")
        ended = program.run_in_task(
            program.find(self.daybook), arguments, directory=directory, temporary=attempt.scratch
        )  # fmt: skip
        if ended.code != 0:
            return ended.code, "", ended.message
        # A name of its own for each attempt: none writes over the files of another, and the row says which ones count.
        name = f"{attempt.number}-{uuid.uuid4().hex}"
        for made in sorted(os.listdir(into)):
            ending = made[made.index(".") :]
            self.run.child(f"{self.folder}/{name}{ending}").store(os.path.join(into, made))
        return 0, name, ""


@dataclass(frozen=True)
class ShardWork(Work):
    """Runs `daybook run --shard`."""

    noun = "shard"
    folder = "parts"

    def arguments(self, plan: str, attempt: Attempt) -> list[str]:
        return ["run", "--shard", f"{plan}#{attempt.number}"]

    def fetch(self, plan: Plan, tree: str, attempt: Attempt) -> None:
        if self.mirror is not None:
            self.mirror.fetch_ranges(tree, plan.inputs, plan.ranges(attempt.number, self.sources))


@dataclass(frozen=True)
class ExchangeWork(Work):
    """Runs `daybook exchange`."""

    # What the shards left, in their order.
    shards: tuple[str, ...]

    noun = "partition"
    folder = "settled"

    def arguments(self, plan: str, attempt: Attempt) -> list[str]:
        keys = os.path.join(attempt.scratch, "keys")
        os.makedirs(keys)
        for shard in self.shards:
            name = f"{shard}.{attempt.number}.daybook-keys"
            self.run.child(f"{ShardWork.folder}/{name}").bring(os.path.join(keys, name))
        return ["exchange", f"{plan}#{attempt.number}", keys]


def attempting(work: Work, run: Place) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function for `mapInArrow`, which makes a row of each number."""

    def attempt_all(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield pa.RecordBatch.from_pylist([asdict(_attempt(work, number, run))])

    return attempt_all


def _attempt(work: Work, number: int, run: Place) -> Done:
    context = TaskContext.get()
    attempt, cores = (context.attemptNumber(), context.cpus()) if context else (0, 1)
    begun = time.monotonic()
    notes = Notes(run.child(f"notes/{work.noun}"))

    def done(code: int, file: str = "", message: str = "") -> Done:
        return Done(number, attempt, os.uname().nodename, code, file, message, time.monotonic() - begun)

    # The run ends with the first shard that stops it; those before it are still done, so that it is always the same one.
    if any(stopped < number for stopped in notes.numbers("stopped")):
        return done(SKIPPED)
    try:
        with tempfile.TemporaryDirectory(prefix="daybook-", dir=_local_directory()) as scratch:
            code, file, message = work(Attempt(number, attempt, max(1, cores), scratch))
    except (OSError, RunError) as error:
        code, file, message = 3, "", f"error: {error}\n"
        sys.stderr.write(message)
    if code in _FINAL:
        notes.write("stopped", number, attempt, message)
    elif code != 0:
        ending = f"was ended by signal {-code}" if code < 0 else f"ended with {code}"
        failure = f"{message}error: {work.noun} {number} {ending} in attempt {attempt + 1}, on {os.uname().nodename}\n"
        notes.write("failed", number, attempt, failure)
        raise ShardFailed(failure)
    return done(code, file, message)


def _local_directory() -> str | None:
    """Where Spark lets its tasks write, and clears up after them."""
    for name in ("LOCAL_DIRS", "SPARK_LOCAL_DIRS"):
        for directory in os.environ.get(name, "").split(","):
            if directory and os.access(directory, os.W_OK):
                return directory
    return None
