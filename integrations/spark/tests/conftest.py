import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from daybook_spark import program
from tests.scene import BENCHMARKS, Scene

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
# Most of the time of these tests is the start of Java: this takes a third off.
os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
# For the local server; executors take them from the environment of the driver.
os.environ.update(AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test", AWS_EC2_METADATA_DISABLED="true")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--daybook", help="the program (default: beside Python, or on PATH)")
    parser.addoption("--rows", type=int, default=5000, help="rows of the data of the benchmark (default: 5000)")
    parser.addoption("--memory", type=int, default=1024, help="memory of each executor in MiB (default: 1024)")


@pytest.fixture(scope="session")
def daybook(pytestconfig: pytest.Config) -> str:
    given = pytestconfig.getoption("--daybook")
    return os.path.abspath(given) if given else program.find(None)


@pytest.fixture(scope="session")
def spark(pytestconfig: pytest.Config) -> Iterator[SparkSession]:
    """Two executors, each a process of its own with one core."""
    session = (
        SparkSession.builder.master(f"local-cluster[2,1,{pytestconfig.getoption('--memory')}]")
        .appName("daybook-spark tests")
        .config("spark.executor.memory", f"{pytestconfig.getoption('--memory')}m")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture(scope="session")
def data(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the jobs of the benchmark read."""
    place = tmp_path_factory.mktemp("data")
    rows = str(pytestconfig.getoption("--rows"))
    subprocess.run(
        [sys.executable, BENCHMARKS / "make_data.py", "diary", "gate", "wide", "keyed", "--rows", rows, "--to", place],
        check=True,
    )
    return place / rows


@pytest.fixture
def scene(tmp_path: Path, daybook: str, monkeypatch: pytest.MonkeyPatch) -> Scene:
    monkeypatch.chdir(tmp_path)
    return Scene(tmp_path, daybook)


@pytest.fixture(scope="session")
def s3() -> Iterator[str]:
    """The query of addresses of a local server of S3, with a bucket named `bucket`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        endpoint = f"http://127.0.0.1:{port}"
        request = urllib.request.Request(f"{endpoint}/bucket", method="PUT")
        for left in range(300, -1, -1):
            try:
                urllib.request.urlopen(request, timeout=5).close()
                break
            except OSError:
                if left == 0 or server.poll() is not None:
                    raise
                time.sleep(0.2)
        yield f"?scheme=http&endpoint_override=127.0.0.1:{port}&region=us-east-1"
    finally:
        server.terminate()
        server.wait()
