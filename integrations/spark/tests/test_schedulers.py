"""The files to copy in the guide of schedulers, run as the schedulers would run them."""

import os
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.scene import AS_OF, REPOSITORY, Scene

FILES = REPOSITORY / "docs" / "guides" / "schedulers"


@pytest.fixture
def environment(scene: Scene, tmp_path: Path) -> dict[str, str]:
    """A plan beside the job, and `daybook` on PATH."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "daybook").symlink_to(scene.daybook)
    command = [scene.daybook, "plan", scene.copy_nightly(), "--as-of", AS_OF, "--shards", "4", "-o", "plan.json"]
    subprocess.run(command, check=True)
    return {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}


def test_slurm(environment: dict[str, str], tmp_path: Path) -> None:
    script = FILES / "shards.sbatch"
    subprocess.run(["bash", "-n", script], check=True)
    variables = {"SLURM_SUBMIT_DIR": str(tmp_path), "SLURM_ARRAY_TASK_ID": "3", "SLURM_CPUS_PER_TASK": "2"}
    subprocess.run(["bash", script], check=True, env={**environment, **variables}, cwd="/")
    assert (tmp_path / "parts" / "shard-3.daybook-shard").exists()


def test_kubernetes(environment: dict[str, str], tmp_path: Path) -> None:
    job = yaml.safe_load((FILES / "shards.yaml").read_text())
    assert job["kind"] == "Job" and job["spec"]["completionMode"] == "Indexed"
    [container] = job["spec"]["template"]["spec"]["containers"]
    assert job["spec"]["podFailurePolicy"]["rules"][0]["onExitCodes"]["containerName"] == container["name"]
    subprocess.run(container["command"], check=True, env={**environment, "JOB_COMPLETION_INDEX": "2"})
    assert (tmp_path / "parts" / "shard-2.daybook-shard").exists()
