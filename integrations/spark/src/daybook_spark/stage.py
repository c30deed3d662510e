"""Run numbered pieces of work as the tasks of a Spark job."""

import contextlib
import re
import sys
import threading
from collections.abc import Iterator

from pyspark.sql import SparkSession

from daybook_spark.errors import MACHINE_FAILED, RunError
from daybook_spark.place import Place
from daybook_spark.task import SCHEMA, Done, Notes, Work, attempting


def run_stage(spark: SparkSession, title: str, count: int, work: Work, run: Place) -> list[Done]:
    """Do the pieces 0 to `count` of some work, each in a task of its own; rows come back in the order of the numbers.

    Only data frames are used, so that Spark Connect serves as well.
    """
    frame = spark.range(0, count, 1, count).mapInArrow(attempting(work, run), SCHEMA)
    with _named(spark, title), _progress(work, run, count):
        try:
            rows = frame.collect()
        except KeyboardInterrupt:
            spark.interruptTag(_tag(title))
            raise
        except Exception as error:  # beside its own, Spark lets those of Py4J and gRPC through
            raise RunError(MACHINE_FAILED, _failure(work, run) or _reason(work, error)) from error
    return sorted((Done(**row.asDict()) for row in rows), key=lambda one: one.number)


def _failure(work: Work, run: Place) -> str | None:
    return Notes(run.child(f"notes/{work.noun}")).last_failure()


def _reason(work: Work, error: Exception) -> str:
    text = str(error).partition("\nDriver stacktrace:")[0].strip()
    return f"error: Spark could not finish the {work.noun}s\n{text}\n"


def _tag(title: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "-", title)


@contextlib.contextmanager
def _named(spark: SparkSession, title: str) -> Iterator[None]:
    """Show the work under its title in Spark's web page."""
    # Spark Connect has no context; it shows tags.
    context = getattr(spark, "sparkContext", None)
    spark.addTag(_tag(title))
    if context is not None:
        context.setJobGroup(_tag(title), title, interruptOnCancel=True)
    try:
        yield
    finally:
        spark.removeTag(_tag(title))
        if context is not None:
            for name in ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel"):
                context.setLocalProperty(name, None)


@contextlib.contextmanager
def _progress(work: Work, run: Place, count: int) -> Iterator[None]:
    """Show on a terminal how many pieces are done, counted by the files that they left."""
    if not sys.stderr.isatty():
        yield
        return
    ended = threading.Event()

    def show() -> None:
        # An address is asked less often, for each list of its files is a request.
        while not ended.wait(3 if run.is_address else 1):
            with contextlib.suppress(OSError):
                done = {name.partition("-")[0] for name in run.child(work.folder).files()}
                sys.stderr.write(f"\r{len(done)} of {count} {work.noun}s done")
                sys.stderr.flush()

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
