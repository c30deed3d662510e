"""Plan a job, let Spark run its shards, and merge them."""

import os
import shutil
import subprocess
import sys
import tempfile
import uuid
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import SparkSession

from daybook_spark import program
from daybook_spark.delivery import Delivery
from daybook_spark.errors import MACHINE_FAILED, WRONG_JOB, RunError
from daybook_spark.mirror import Mirror, Mount
from daybook_spark.place import Place
from daybook_spark.plan import Explanation, Plan
from daybook_spark.stage import run_stage
from daybook_spark.task import ExchangeWork, ShardWork, Work


@dataclass(frozen=True)
class Options:
    """The options of a run, named and meant as those of the command."""

    shards: int | None = None
    shard_size: str = "256MiB"  # without `shards`
    exchange: int | None = None  # the number of partitions of keys
    set: Sequence[str] = ()
    as_of: str | None = None
    inputs: Sequence[str] = ()
    outputs: Sequence[str] = ()
    parts: str | None = None
    daybook: str | None = None
    manifest: str | None = None
    state: str | None = None
    # For `plan`, as it stands on its command line.
    plan_options: Sequence[str] = field(default=())
    # For `merge`: its other options, of which paths start from the working directory.
    merge_options: Sequence[str] = field(default=())


def run(job: str, spark: SparkSession, options: Options = Options()) -> int:
    """Run a job in shards on Spark; gives the exit code, which is that of `daybook run`.

    What is to be said goes to standard error, as from `daybook merge`.
    """
    scratch = tempfile.mkdtemp(prefix="daybook-spark-")
    try:
        return _Run(job, spark, options, scratch).run()
    except RunError as error:
        text = error.message
        sys.stderr.write(text if text.endswith("\n") else f"error: {text}\n")
        return error.code
    except OSError as error:
        sys.stderr.write(f"error: {error}\n")
        return MACHINE_FAILED
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


class _Run:
    def __init__(self, job: str, spark: SparkSession, options: Options, scratch: str) -> None:
        self.spark = spark
        self.options = options
        self.scratch = scratch
        self.daybook = program.find(options.daybook and os.path.abspath(options.daybook))
        self.is_local = str(spark.conf.get("spark.master", "") or "").startswith("local")
        # As `daybook` is to see it: a job from the root has its own directory for the working directory of a tree.
        self.job, self.directory = job, os.getcwd()
        self.mirror: Mirror | None = None
        self.tree = ""
        outputs: tuple[Mount, ...] = ()
        if options.inputs or options.outputs:
            outside = os.path.abspath(job)
            if os.path.isabs(job):
                self.job, self.directory = os.path.basename(job), os.path.dirname(outside)
            if not os.path.isfile(outside):
                raise RunError(WRONG_JOB, f"there is no job file '{job}'")
            with open(outside, "rb") as file:
                text = file.read()
            home = os.path.dirname(outside)
            inputs = tuple(Mount.read(one, home) for one in options.inputs)
            outputs = tuple(Mount.read(one, home) for one in options.outputs)
            self.mirror = Mirror(self.directory, outside, text, inputs)
            self.tree = os.path.join(scratch, "tree")
            self.mirror.make(self.tree)
            self.mirror.make_stubs(self.tree)
        self.delivery = Delivery(self.tree, self.directory, outputs, options.manifest, scratch)

    def run(self) -> int:
        place = self._place()
        job = [self.job, *(f"--set={one}" for one in self.options.set)]
        if self.options.as_of:
            job.append(f"--as-of={self.options.as_of}")
        explanation = Explanation.read(self._call(["explain", "--format", "json", *job]))
        if self.mirror is not None:
            self.delivery.check(explanation)
            self.mirror.fetch_whole(self.tree, [file for one in explanation.sources for file in one.files])
        try:
            files = self._shards(explanation, self._plan(job), place)
            return self._merge(files, explanation, place)
        finally:
            _discard(place)

    def _place(self) -> Place:
        """Where shards leave what they made: in a directory of this run."""
        if self.options.parts is None:
            if not self.is_local:
                raise RunError(
                    WRONG_JOB, "several hosts need a place for parts that all of them see: give --parts ADDRESS"
                )
            return Place(os.path.join(self.scratch, "run"))
        parts = Place(self.options.parts)
        parts = parts if parts.is_address else Place(os.path.abspath(self.options.parts))
        return parts.child(f"daybook-{uuid.uuid4().hex}")

    def _call(self, arguments: list[str]) -> str:
        """Run `daybook` and give what it says on standard output; what it says of a failure ends the run."""
        told = subprocess.run(
            [self.daybook, *arguments],
            cwd=self.tree + self.directory,
            capture_output=True,
            check=False,
            text=True,
            errors="replace",
        )
        if told.returncode != 0:
            raise RunError(
                _exit_code(told.returncode), told.stderr or f"'daybook {arguments[0]}' ended with {told.returncode}"
            )
        return told.stdout

    def _plan(self, job: list[str]) -> bytes:
        file = os.path.join(self.scratch, "plan.json")
        cut = ["--shard-size", self.options.shard_size]
        if self.options.shards is not None:
            cut = ["--shards", str(self.options.shards)]
        if self.options.exchange is not None:
            cut += ["--exchange", str(self.options.exchange)]
        arguments = ["plan", *job, *cut, "--output", file, *self.options.plan_options]
        self._call(arguments)
        with open(file, "rb") as stream:
            return stream.read()

    def _shards(self, explanation: Explanation, plan: bytes, place: Place) -> list[str]:
        """Let Spark run all shards and, where keys are exchanged, settle these; gives what the merge reads."""
        common: dict[str, Any] = {
            "daybook": self.options.daybook and self.daybook,
            "plan": zlib.compress(plan),
            "sources": explanation.sources,
            "directory": self.directory,
            "mirror": self.mirror,
            "run": place,
            # There the tasks share the terminal of the driver.
            "is_quiet": self.is_local,
        }
        shards = self._stage(explanation, len(Plan.read(plan).shards), ShardWork(**common), place)
        files = [f"{ShardWork.folder}/{name}.daybook-shard" for name in shards]
        if self.options.exchange is None:
            return files
        exchange = ExchangeWork(**common, shards=tuple(shards))
        settled = self._stage(explanation, self.options.exchange, exchange, place)
        return files + [f"{exchange.folder}/{name}.{number}.daybook-settled" for number, name in enumerate(settled)]

    def _stage(self, explanation: Explanation, count: int, work: Work, place: Place) -> list[str]:
        """Do some work in Spark; gives the name of what each piece left."""
        done = run_stage(self.spark, f"daybook {explanation.job}: {work.noun}s", count, work, place)
        stopped = next((one for one in done if one.code > 0), None)
        if stopped is not None:
            raise RunError(stopped.code, stopped.message)
        again = sum(one.attempt > 0 for one in done)
        if again:
            sys.stderr.write(f"{again} of {count} {work.noun}s came from a second or later attempt\n")
        return [one.file for one in done]

    def _merge(self, files: list[str], explanation: Explanation, place: Place) -> int:
        parts = os.path.join(self.scratch, "parts")
        os.makedirs(parts)
        for file in files:
            place.child(file).bring(os.path.join(parts, os.path.basename(file)))
        arguments = ["merge", os.path.join(self.scratch, "plan.json"), parts, *self.options.merge_options]
        if self.delivery.manifest is not None:
            arguments += ["--manifest", self.delivery.manifest]
        state = self.options.state
        if self.mirror is not None and state is None:
            state = os.path.join(os.path.dirname(self.mirror.job), ".daybook")
        if state is not None:
            arguments += ["--state", os.path.abspath(state)]
        self.delivery.prepare(explanation)
        code = subprocess.run([self.daybook, *arguments], cwd=self.tree + self.directory, check=False).returncode
        self.delivery.deliver()
        return _exit_code(code)


def _exit_code(code: int) -> int:
    """That of the run, where the program ended with `code`, or by a signal."""
    return code if code >= 0 else MACHINE_FAILED


def _discard(place: Place) -> None:
    """Remove what the shards left. What cannot be removed does no harm: nobody reads it."""
    try:
        if place.files():
            place.delete_directory()
    except OSError as error:
        sys.stderr.write(f"warning: '{place}' could not be removed: {error}\n")
