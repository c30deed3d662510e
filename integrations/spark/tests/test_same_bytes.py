"""A run on Spark writes what one process writes."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from daybook_spark import Options
from tests.scene import BENCHMARKS, JOBS, KILL_EXECUTOR, NIGHTLY, Scene, attempts, wrapper


def test_the_nightly_report_with_an_executor_killed(scene: Scene, spark: SparkSession) -> None:
    job = scene.copy_nightly()
    plain = scene.plain(job, *NIGHTLY)
    killer = wrapper(scene.directory / "killer", scene.daybook, KILL_EXECUTOR)
    sharded = scene.on_spark(spark, job, *NIGHTLY, options=Options(daybook=killer))
    assert plain.code == 0 and len(plain.files) == 4 and len(plain.reports) == 2
    assert "the ledger balances" in plain.reports[1]
    assert sharded == plain
    assert attempts(killer)[3] >= 2


@pytest.mark.parametrize("name", JOBS)
def test_a_job_of_the_benchmark(name: str, scene: Scene, spark: SparkSession, data: Path) -> None:
    job = str(BENCHMARKS / "jobs" / f"{name}.yaml")
    settings = [f"data={data / JOBS[name]}", f"out={scene.directory / 'out' / 'rows.csv'}"]
    state = scene.directory / "state"
    plain = scene.plain(job, *settings, state=state)
    sharded = scene.on_spark(spark, job, *settings, options=Options(state=str(state)))
    assert plain.code == 0 and plain.files["rows.csv"]
    assert "the ledger balances" in plain.reports[1]
    assert sharded == plain


KEYS = """\
daybook: 1
job: keys
params: { data: { default: rows.csv } }
stages:
  - import_csv: { path: "${data}" }
    id: rows
  - check_rows: { rules: [{ unique: [date, note], warn: "> 0" }] }
  - export_csv: { path: out/checked.csv }
  - deduplicate_rows: { by: note }
    from: rows
  - export_csv: { path: out/notes.csv }
  - summarise_rows: { by: date, values: { rows: count } }
    from: rows
  - export_csv: { path: out/dates.csv }
"""


def test_keys_are_exchanged_with_an_executor_killed(scene: Scene, spark: SparkSession) -> None:
    lines = [f"2026-11-{number % 28 + 1:02},note {number % 1777}" for number in range(20_000)]
    scene.write("rows.csv", "\n".join(["date,note", *lines]) + "\n")
    job = scene.write("job.yaml", KEYS)
    plain = scene.plain(job, "data=rows.csv")
    assert plain.code == 0 and len(plain.files) == 3
    killer = wrapper(scene.directory / "killer", scene.daybook, KILL_EXECUTOR, command="exchange")
    sharded = scene.on_spark(spark, job, "data=rows.csv", options=Options(daybook=killer, exchange=4))
    assert sharded == plain
    assert set(attempts(killer)) == {0, 1, 2, 3} and attempts(killer)[3] >= 2


def test_the_work_is_named_after_the_job(scene: Scene, spark: SparkSession) -> None:
    job = scene.copy_nightly()
    before = spark.sparkContext.statusTracker().getJobIdsForGroup("daybook-nightly-report--shards")
    assert scene.on_spark(spark, job, shards=2).code == 0
    after = spark.sparkContext.statusTracker().getJobIdsForGroup("daybook-nightly-report--shards")
    assert len(after) == len(before) + 1
    assert spark.sparkContext.getLocalProperty("spark.job.description") is None
