"""What is run: the five jobs of the benchmark, those with many keys, one of nested data, and cases in which one job meets another input."""

from dataclasses import dataclass

DIARY = ("id", "date", "emotion", "count", "colour", "note")
MONTHS = ("month", "emotion", "count")
BAD_ROWS = ("line", "rule", "value")
EVENTS = ("date", "emotion", "colour", "count", "user", "place")
PLACES = ("place", "region", "height")
FARES = ("year", "fare")


@dataclass(frozen=True)
class Job:
    name: str
    title: str
    source: str  # a file or a pattern, as make_data.py names it
    columns: tuple[str, ...] = ()  # what has to agree
    sort: bool = False  # whether the order of the rows is undefined
    script: str = ""  # the name of the job file and of the peers' scripts, where it is not its own
    peers: bool = True  # whether the peers run it, too
    told: bool = False  # whether it writes nothing but a report
    lookup: str = ""  # a second file beside the source
    baseline: str = ""  # the job or case whose cost it is held against

    @property
    def work(self) -> str:
        return self.script or self.name

    @property
    def files(self) -> list[str]:
        return [self.source, *([self.lookup] if self.lookup else [])]


JOBS = [
    Job("monthly", "monthly emotion statistics", "diary.csv", MONTHS, sort=True),
    Job("dates", "mixed dates → ISO, hex check, D-day", "diary-mixed.csv", (*DIARY, "d_day")),
    Job("ndjson", "NDJSON → CSV", "diary.ndjson", DIARY),
    Job("gate", "quality gate, bad rows written", "gate.csv", BAD_ROWS, sort=True),
    Job("wide", "monthly, 3 columns of 200", "wide.csv", MONTHS, sort=True),
]

KEYED = [
    Job("group", "count, sum and maximum of 4.3 million users", "events.csv", ("user", "entries", "total", "latest"), True),
    Job("sort", "all rows by two texts and a number", "events.csv", ("emotion", "colour", "count")),
    Job("first", "first row of each of 4.9 million keys", "events.csv", EVENTS),
    Job("window", "windows over 210,000 places", "events.csv", (*EVENTS, "visit", "before", "so_far", "seven"), True),
    Job("running", "windows over nine emotions", "events.csv", (*EVENTS, "turn", "so_far", "most", "user_before"), True),
    Job("join", "left join with 200,000 places", "events.csv", (*EVENTS, "region", "height"), True, lookup="places.csv"),
    Job("join_1n", "the events of each of 200,000 places", "places.csv", (*PLACES, "count"), True, lookup="events.csv"),
    Job("join_nm", "every fare of the place of each event", "events.csv", (*EVENTS, *FARES), True, lookup="fares.csv"),
]

NESTED = [
    Job(
        "explode", "lines of orders as rows", "orders.ndjson",
        ("order", "name", "region", "sku", "quantity", "price", "note"),
    ),
]  # fmt: skip

CASES = [
    JOBS[0],
    Job("quoted", "monthly, every cell quoted", "diary-quoted.csv", MONTHS, True, "monthly", baseline="monthly"),
    Job("gzip", "monthly, gzip", "diary.csv.gz", MONTHS, True, "monthly", baseline="monthly"),
    Job("small", "monthly, 1,000 files", "small/diary-*.csv", MONTHS, True, "monthly", baseline="monthly"),
    Job("gate-clean", "gate, no row bad", "diary.csv", BAD_ROWS, True, "gate"),
    Job("gate-bad", "gate, every row bad", "gate-bad.csv", BAD_ROWS, True, "gate", baseline="gate-clean"),
    Job("told-clean", "gate that tells, no row bad", "diary.csv", (), False, "gate_told", False, True),
    Job("told-bad", "gate that tells, every row bad", "gate-bad.csv", (), False, "gate_told", False, True, baseline="told-clean"),
    Job("rejects-clean", "gate with a reject file, no row bad", "diary.csv", (), False, "gate_rejects", False),
    Job(
        "rejects-bad", "gate with a reject file, every row bad", "gate-bad.csv", (), False, "gate_rejects", False,
        baseline="rejects-clean",
    ),
]  # fmt: skip
