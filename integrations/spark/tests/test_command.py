"""The command, in processes of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from daybook_spark.command import main
from tests.scene import AS_OF, NIGHTLY, Scene

SET = [f"--set={one}" for one in NIGHTLY]


def command(scene: Scene, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "daybook_spark", "run", *arguments, f"--daybook={scene.daybook}"],
        cwd=scene.directory,
        capture_output=True,
        check=False,
        text=True,
    )


def test_local(scene: Scene) -> None:
    job = scene.copy_nightly()
    plain = scene.plain(job, *NIGHTLY)
    ended = command(
        scene, job, "--master=local[2]", "--shards=3", f"--as-of={AS_OF}", *SET,
        "--report=text=reports/text", "--report=json=reports/json", "--manifest=manifest.json",
    )  # fmt: skip
    assert "the ledger balances: 4,198 rows read" in ended.stderr
    assert "Stage 0" not in ended.stderr and not ended.stdout
    assert scene.result(ended.returncode) == plain
    assert '"exit_code" : 0' in (scene.directory / "manifest.json").read_text()


def test_connect(scene: Scene) -> None:
    """Spark Connect has no context of Spark; what is used is data frames alone."""
    pytest.importorskip("grpc", reason="pyspark[connect] is not installed")
    job = scene.copy_nightly()
    plain = scene.plain(job, *NIGHTLY)
    ended = command(
        scene, job, "--remote=local", "--shards=3", f"--as-of={AS_OF}", *SET, f"--parts={scene.directory / 'parts'}",
        "--report=text=reports/text", "--report=json=reports/json",
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert scene.result(ended.returncode) == plain


def test_spark_that_does_not_start(scene: Scene, tmp_path: Path) -> None:
    ended = command(scene, scene.copy_nightly(), "--master=nowhere://host")
    assert ended.returncode == 3
    assert "error: Spark did not start" in ended.stderr


@pytest.mark.parametrize(
    "arguments", [[], ["run"], ["run", "job.yaml", "--shards=1", "--shard-size=1MiB"], ["run", "job.yaml", "--typo"]]
)
def test_wrong_arguments(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert os.environ.get("SPARK_REMOTE") is None
