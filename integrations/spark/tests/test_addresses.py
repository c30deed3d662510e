"""Inputs and outputs at addresses: a local server of S3, and a directory as `file://`."""

import os
import sqlite3
import subprocess
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from daybook_spark import Options
from daybook_spark.mirror import Mirror, Mount
from daybook_spark.place import Place
from daybook_spark.plan import HEAD, TAIL, Explanation, Plan
from tests.scene import BENCHMARKS, JOBS, KILL_EXECUTOR, NIGHTLY, REPOSITORY, Result, Scene, wrapper

ELSEWHERE = ["s3", "file"]


@pytest.fixture(params=ELSEWHERE)
def elsewhere(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A place that the job does not see, of its own for each test."""
    if request.param == "file":
        return Place(f"file://{tmp_path}/elsewhere")
    return Place(f"s3://bucket/{tmp_path.name}{request.getfixturevalue('s3')}")


def upload(directory: Path, place: Place) -> None:
    for path in directory.rglob("*"):
        if path.is_file():
            place.child(str(path.relative_to(directory))).store(str(path))


def address(place: Place, name: str) -> str:
    head, mark, query = place.text.partition("?")
    return f"{head}/{name}{mark}{query}"


def fetched(result: Result, place: Place) -> Result:
    """A result with the files that were delivered there, of which nothing else may lie beside the job."""
    assert not result.files
    names = place.files()
    return Result(result.code, {name: place.child(name).read() for name in sorted(names)}, result.reports)


def test_the_nightly_report(elsewhere: Place, scene: Scene, spark: SparkSession) -> None:
    job = scene.copy_nightly()
    plain = scene.plain(job, *NIGHTLY)
    # Only what the job reads: beside it lies a package of Swift, whose build may be thousands of files.
    for name in ("emotion-diary", "anniversaries"):
        upload(REPOSITORY / "samples" / name, elsewhere.child("samples").child(name))
    (scene.directory / "samples").unlink()
    options = Options(
        inputs=[f"../samples={address(elsewhere, 'samples')}"],
        outputs=[f"../out={address(elsewhere, 'out')}"],
        parts=address(elsewhere, "parts"),
        manifest=address(elsewhere, "manifests/run.json"),
        daybook=wrapper(scene.directory / "killer", scene.daybook, KILL_EXECUTOR),
    )
    sharded = scene.on_spark(spark, job, *NIGHTLY, options=options)
    assert fetched(sharded, elsewhere.child("out")) == plain
    assert b'"exit_code" : 0' in elsewhere.child("manifests/run.json").read()
    assert not elsewhere.child("parts").files()
    # The history of the job stays beside it.
    assert (scene.directory / "pipelines" / ".daybook").is_dir()


@pytest.mark.parametrize("name", JOBS)
def test_a_job_of_the_benchmark_from_s3(name: str, s3: str, scene: Scene, spark: SparkSession, data: Path) -> None:
    job = scene.write(f"jobs/{name}.yaml", (BENCHMARKS / "jobs" / f"{name}.yaml").read_text())
    (scene.directory / "input").mkdir()
    (scene.directory / "input" / JOBS[name]).symlink_to(data / JOBS[name])
    settings = [f"data=../input/{JOBS[name]}", "out=../out/rows.csv"]
    plain = scene.plain(job, *settings)
    assert plain.code == 0 and plain.files["rows.csv"]
    place = Place(f"s3://bucket/{scene.directory.name}{s3}")
    place.child(JOBS[name]).store(str(data / JOBS[name]))
    options = Options(inputs=[f"../input={place.text}"], outputs=["../out=out"])
    assert scene.on_spark(spark, job, *settings, options=options) == plain


def test_what_rows_are_looked_up_in_is_fetched_whole(scene: Scene, spark: SparkSession, data: Path) -> None:
    job = scene.write("jobs/join.yaml", (BENCHMARKS / "jobs" / "join.yaml").read_text())
    (scene.directory / "input").symlink_to(data)
    settings = ["data=../input/events.csv", "lookup=../input/places.csv", "out=../out/rows.csv"]
    plain = scene.plain(job, *settings)
    assert plain.code == 0 and plain.files["rows.csv"]
    options = Options(inputs=[f"../input=file://{data}"], outputs=["../out=out"])
    assert scene.on_spark(spark, job, *settings, options=options) == plain


def test_a_failed_gate_delivers_the_rejects_alone(elsewhere: Place, scene: Scene, spark: SparkSession) -> None:
    job = scene.write(
        "job.yaml",
        "daybook: 1\njob: gate\nrejects: { path: out/rejects.ndjson }\nstages:\n"
        "  - import_csv: { path: 'input/*.csv' }\n  - normalise_dates: { column: date, formats: [iso] }\n"
        "  - export_csv: { path: out/rows.csv }\n",
    )
    scene.write("input/a.csv", "date\n2026-11-21\nyesterday\n")
    scene.write("input/b.csv", "date\n2026-11-22\n")
    plain = scene.plain(job)
    assert plain.code == 1 and list(plain.files) == ["rejects.ndjson"]
    elsewhere.child("out/rows.csv").write(b"old\n")
    # A plain path is read where it lies.
    options = Options(inputs=["input=input"], outputs=[f"out={address(elsewhere, 'out')}"])
    delivered = fetched(scene.on_spark(spark, job, shards=2, options=options), elsewhere.child("out"))
    assert delivered.files.pop("rows.csv") == b"old\n"
    assert delivered == plain


def test_a_database_keeps_its_other_tables(scene: Scene, spark: SparkSession, tmp_path: Path) -> None:
    scene.write("rows.csv", "id\n1\n2\n")
    text = "daybook: 1\njob: table\nstages:\n  - import_csv: {{ path: rows.csv }}\n  - export_sqlite: {{ path: out/all.sqlite, table: {} }}\n"
    for table in ("first", "second"):
        job = scene.write(f"{table}.yaml", text.format(table))
        options = Options(inputs=["file://" + str(tmp_path)], outputs=[f"out=file://{tmp_path}/elsewhere"])
        assert scene.on_spark(spark, job, shards=1, options=options).code == 0
    with sqlite3.connect(tmp_path / "elsewhere" / "all.sqlite") as database:
        tables = database.execute("select name from sqlite_master order by name").fetchall()
    assert tables == [("first",), ("second",)]


def test_what_would_vanish_is_refused(scene: Scene, spark: SparkSession, capfd: pytest.CaptureFixture[str]) -> None:
    job = scene.copy_nightly()
    options = Options(inputs=["../samples=samples"], outputs=["../other=other"])
    assert scene.on_spark(spark, job, options=options).code == 2
    assert "out/nightly-" in capfd.readouterr().err
    assert scene.on_spark(spark, job, options=Options(outputs=["../out=out"])).code in (1, 2, 3)


def test_a_shard_fetches_its_slices(scene: Scene, daybook: str, tmp_path: Path) -> None:
    """Of an input of 40 MB a shard of eight holds an eighth, and what every process looks at."""
    line = b"2026-11-21,\xed\x96\x89\xeb\xb3\xb5\xed\x95\xb4,1,#FFD54F," + b"x" * 60 + b"\n"
    (tmp_path / "elsewhere").mkdir()
    with open(tmp_path / "elsewhere" / "rows.csv", "wb") as file:
        file.write(b"date,emotion,count,colour,note\n")
        file.writelines(line for _ in range(400_000))
    scene.write("input/rows.csv", "")
    (tmp_path / "input" / "rows.csv").unlink()
    (tmp_path / "input" / "rows.csv").symlink_to(tmp_path / "elsewhere" / "rows.csv")
    job = scene.write(
        "job.yaml",
        "daybook: 1\njob: slices\nstages:\n  - import_csv: { path: 'input/*.csv' }\n  - export_csv: { path: out.csv }\n",
    )
    subprocess.run([daybook, "plan", job, "--shards", "8", "-o", "plan.json"], check=True)
    told = subprocess.run([daybook, "explain", job, "--format", "json"], check=True, capture_output=True, text=True)
    plan, sources = Plan.read(Path("plan.json").read_bytes()), Explanation.read(told.stdout).sources
    mounts = (Mount.read(f"input=file://{tmp_path}/elsewhere", str(tmp_path)),)
    mirror = Mirror(str(tmp_path), str(tmp_path / "job.yaml"), Path(job).read_bytes(), mounts)
    for shard in (0, 5, 7):
        tree = str(tmp_path / f"tree-{shard}")
        directory = mirror.make(tree)
        mirror.fetch_ranges(tree, plan.inputs, plan.ranges(shard, sources))
        status = os.stat(f"{directory}/input/rows.csv")
        assert status.st_size == (tmp_path / "elsewhere" / "rows.csv").stat().st_size
        assert status.st_blocks * 512 < status.st_size / 8 + HEAD + TAIL + (1 << 20)
        command = [daybook, "run", "--shard", f"{tmp_path}/plan.json#{shard}", "--into", f"{tmp_path}/parts"]
        subprocess.run(command, cwd=directory, check=True)
