"""Which failures Spark retries, and how a run ends."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from pyspark.sql import SparkSession

from daybook_spark import Options, run
from tests.scene import Scene, attempts, wrapper

GATE = """\
daybook: 1
job: gate
stages:
  - import_csv: { path: rows.csv }
  - normalise_dates: { column: date, formats: [iso] }
  - export_csv: { path: out/rows.csv }
"""

JOIN = """\
daybook: 1
job: lookup
stages:
  - import_csv: { path: rows.csv }
    id: rows
  - import_csv: { path: names.csv }
    id: names
  - join_rows: { by: id, kind: left, take: [name] }
    from: [rows, names]
  - export_csv: { path: out/rows.csv }
"""


def rows(scene: Scene, bad: str = "2026-11-21") -> None:
    lines = [f"{number},2026-11-{number % 28 + 1:02}" for number in range(400)]
    scene.write("rows.csv", "\n".join(["id,date", *lines, f"400,{bad}"]) + "\n")


def test_a_gate_fails_in_the_merge(scene: Scene, spark: SparkSession) -> None:
    rows(scene, bad="yesterday")
    job = scene.write("job.yaml", GATE)
    plain = scene.plain(job)
    assert plain.code == 1 and not plain.files and "yesterday" in plain.reports[1]
    assert scene.on_spark(spark, job) == plain


def test_what_another_attempt_would_meet_again_is_not_retried(
    scene: Scene, spark: SparkSession, capfd: pytest.CaptureFixture[str]
) -> None:
    rows(scene)
    scene.write("names.csv", "id,name\n1,a\n1,b\n")
    job = scene.write("job.yaml", JOIN)
    plain = scene.plain(job)
    assert plain.code in (1, 2)
    program = wrapper(scene.directory / "counting", scene.daybook, ":")
    capfd.readouterr()
    assert scene.on_spark(spark, job, options=Options(daybook=program)).code == plain.code
    assert "in lines 2 and 3 of names.csv [duplicate-key]" in capfd.readouterr().err
    assert attempts(program)[0] == 1
    assert set(attempts(program).values()) == {1}


@pytest.mark.parametrize("code", [1, 2])
def test_the_first_shard_that_stops_ends_the_run(
    code: int, scene: Scene, spark: SparkSession, capfd: pytest.CaptureFixture[str]
) -> None:
    rows(scene)
    job = scene.write("job.yaml", GATE)
    program = wrapper(
        scene.directory / "stopping",
        scene.daybook,
        f'((number < 2)) || {{ echo "stopped in $number" >&2; exit {code}; }}',
    )
    capfd.readouterr()
    assert scene.on_spark(spark, job, shards=40, options=Options(daybook=program)).code == code
    assert capfd.readouterr().err.endswith("stopped in 2\n")
    begun = attempts(program)
    assert set(begun.values()) == {1}
    # Those behind it are not begun any more.
    assert len(begun) < 40


@pytest.mark.parametrize("ending", ["exit 3", "kill -KILL $$", '"$daybook" "$@"; exit 3'])
def test_a_failure_of_the_machine_is_retried(ending: str, scene: Scene, spark: SparkSession) -> None:
    rows(scene)
    job = scene.write("job.yaml", GATE)
    plain = scene.plain(job)
    program = wrapper(
        scene.directory / "failing", scene.daybook, f"if [[ $number == 1 ]] && once failed; then {ending}; fi"
    )
    assert scene.on_spark(spark, job, shards=4, options=Options(daybook=program)) == plain
    assert attempts(program) == {0: 1, 1: 2, 2: 1, 3: 1}


def test_a_failure_that_stays_ends_the_run(
    scene: Scene, spark: SparkSession, capfd: pytest.CaptureFixture[str]
) -> None:
    rows(scene)
    job = scene.write("job.yaml", GATE)
    program = wrapper(
        scene.directory / "failing", scene.daybook, "[[ $number != 1 ]] || { echo 'no disk' >&2; exit 3; }"
    )
    parts = scene.directory / "parts"
    result = scene.on_spark(spark, job, shards=4, options=Options(daybook=program, parts=str(parts)))
    assert result.code == 3 and not result.files
    assert attempts(program)[1] == 4
    assert "no disk\nerror: shard 1 ended with 3 in attempt 4, on " in capfd.readouterr().err
    # Nothing is left of the run.
    assert not list(parts.iterdir())


def test_several_hosts_need_a_place_for_parts(scene: Scene, capfd: pytest.CaptureFixture[str]) -> None:
    rows(scene)
    job = scene.write("job.yaml", GATE)
    far = cast(SparkSession, SimpleNamespace(conf={"spark.master": "spark://head:7077"}))
    assert run(job, far, Options(daybook=scene.daybook)) == 2
    assert "give --parts ADDRESS" in capfd.readouterr().err


def test_a_wrong_job_starts_nothing(scene: Scene, spark: SparkSession, capfd: pytest.CaptureFixture[str]) -> None:
    job = scene.write("job.yaml", GATE.replace("normalise_dates", "normalize_dates"))
    rows(scene)
    assert scene.on_spark(spark, job).code == 2
    assert "did you mean 'normalise_dates'" in capfd.readouterr().err


def test_no_program(scene: Scene, spark: SparkSession, tmp_path: Path) -> None:
    rows(scene)
    job = scene.write("job.yaml", GATE)
    assert scene.on_spark(spark, job, options=Options(daybook=str(tmp_path / "none"))).code == 3
