from pathlib import Path

import pytest
from pyarrow import fs

from daybook_spark.errors import RunError
from daybook_spark.mirror import Mirror, Mount, place
from daybook_spark.place import Place
from daybook_spark.plan import HEAD, TAIL, Input, Plan, Slice, Source

SIZE = 100 << 20
A = Source("a", "import_csv", ("a.csv",))
B = Source("b", "import_json", ("b.json",))


def plan(*shards: tuple[Slice, ...], inputs: int = 1) -> Plan:
    return Plan(tuple(Input(f"{number}", SIZE) for number in range(inputs)), shards)


def test_a_slice_and_what_every_process_looks_at() -> None:
    offset = 50 << 20
    one = plan((), (Slice("a", 0, offset, 1000),))
    assert one.ranges(1, [A]) == [[(0, HEAD), (offset, offset + 1000), (SIZE - TAIL, SIZE)]]
    assert one.ranges(0, [A]) == [[(0, HEAD), (SIZE - TAIL, SIZE)]]


def test_ranges_that_meet_are_one() -> None:
    assert plan((Slice("a", 0, 10, HEAD),)).ranges(0, [A]) == [[(0, HEAD + 10), (SIZE - TAIL, SIZE)]]
    assert plan((Slice("a", 0, None, SIZE),)).ranges(0, [A]) == [[(0, SIZE)]]


def test_a_database_is_fetched_whole_by_every_shard() -> None:
    database = Source("a", "import_sqlite", ("a.sqlite",))
    assert plan((Slice("a", 0, None, SIZE),), ()).ranges(1, [database]) == [[(0, SIZE)]]


def test_what_may_be_looked_up_is_fetched_whole_by_every_shard() -> None:
    shards = (Slice("a", 0, 0, 10), Slice("b", 0, 10, 10)), (Slice("a", 0, 10, 10),)
    assert plan(*shards, inputs=2).ranges(1, [A, B])[1] == [(0, SIZE)]
    assert plan(*shards, inputs=2).ranges(1, [A, B])[0] == [(0, HEAD), (SIZE - TAIL, SIZE)]


def test_a_small_input() -> None:
    assert Plan((Input("a", 5), Input("b", 0)), ((),)).ranges(0, [A, B]) == [[(0, 5)], []]


def test_other_inputs_than_were_planned() -> None:
    with pytest.raises(RunError, match="changed"):
        plan((), inputs=2).ranges(0, [A])


@pytest.mark.parametrize(
    ("text", "directory", "found"),
    [
        ("s3://bucket/in", "/home/jobs", "s3://bucket/in"),
        ("../data=s3://bucket/in", "/home/data", "s3://bucket/in"),
        ("s3://bucket/in?region=a&scheme=http", "/home/jobs", "s3://bucket/in?region=a&scheme=http"),
        ("in=s3://bucket/in?region=a", "/home/jobs/in", "s3://bucket/in?region=a"),
        ("/data=hdfs://head/in", "/data", "hdfs://head/in"),
        (".=/shared", "/home/jobs", "/shared"),
    ],
)
def test_a_mount(text: str, directory: str, found: str) -> None:
    assert Mount.read(text, "/home/jobs") == Mount(directory, Place(found))


@pytest.mark.parametrize("text", ["", "=s3://bucket", "data="])
def test_no_mount(text: str) -> None:
    with pytest.raises(RunError, match="expected an address"):
        Mount.read(text, "/home/jobs")


def test_the_innermost_mount_decides() -> None:
    mounts = [Mount("/home", Place("s3://a")), Mount("/home/data", Place("s3://b"))]
    assert str(place(mounts, "/home/data/x/y.csv", "--inputs")) == "s3://b/x/y.csv"
    assert str(place(mounts, "/home/database.csv", "--inputs")) == "s3://a/database.csv"
    with pytest.raises(RunError, match="no directory that '--inputs' names"):
        place(mounts, "/elsewhere", "--inputs")


def test_a_place_does_not_tell_its_query() -> None:
    assert str(Place("s3://bucket/in?access_key=a&secret_key=b").child("x")) == "s3://bucket/in/x"


def test_stubs_and_files(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "a.csv").write_text("a\n")
    mounts = (Mount("/jobs/in", Place(f"file://{tmp_path}/there")), Mount("/jobs/near", Place(str(tmp_path / "there"))))
    mirror = Mirror("/", "/jobs/job.yaml", b"daybook: 1\n", mounts)
    root = str(tmp_path / "tree")
    mirror.make(root)
    mirror.make_stubs(root)
    assert Path(root, "jobs/in/a.csv").is_fifo() and Path(root, "jobs/near/a.csv").is_symlink()
    mirror.fetch_whole(root, ["jobs/in/a.csv", "jobs/near/a.csv"])
    assert Path(root, "jobs/in/a.csv").read_text() == "a\n" == Path(root, "jobs/near/a.csv").read_text()
    assert Path(root, "jobs/job.yaml").read_text() == "daybook: 1\n"


@pytest.mark.parametrize("key", ["../../etc/passwd", "a/../../b", "a//b", "./a"])
def test_keys_that_are_no_paths_are_refused(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    class System:
        def get_file_info(self, selector: object) -> list[fs.FileInfo]:
            return [fs.FileInfo(f"bucket/data/{name}", type=fs.FileType.File, size=1) for name in ("day/a.csv", key)]

    monkeypatch.setattr("daybook_spark.place._open", lambda text: (System(), "bucket/data"))
    with pytest.raises(RunError, match="is no path below it"):
        Place("s3://bucket/data").files()


def test_files_are_named_from_their_place(tmp_path: Path) -> None:
    (tmp_path / "day").mkdir()
    (tmp_path / "day" / "a.csv").write_text("1")
    assert Place(str(tmp_path)).files() == {"day/a.csv": 1}
