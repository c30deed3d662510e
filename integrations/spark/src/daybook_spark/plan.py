"""What `daybook plan` and `daybook explain` say of a job, and which bytes of its inputs each shard reads."""

import json
import posixpath
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from daybook_spark.errors import MACHINE_FAILED, RunError

# A process looks at up to a mebibyte of text at the beginning of every input; compressed text may take a little more.
HEAD = 2 << 20
# Every process holds the last 64 KiB of every input against the digest in the plan.
TAIL = 64 << 10
# Importers that read an input from its beginning, or a slice of it. All others need the whole file.
_STREAMED = frozenset({"import_csv", "import_json"})
# Exports that never look at the file that they replace.
_REPLACED = frozenset({"export_csv", "export_json", "export_html"})

Range = tuple[int, int]


@dataclass(frozen=True)
class Source:
    """A stage that imports."""

    id: str
    stage: str
    files: tuple[str, ...]  # as seen from the working directory


@dataclass(frozen=True)
class Output:
    path: str  # as seen from the working directory
    keeps: bool  # whether something of the old file is kept


@dataclass(frozen=True)
class Explanation:
    """What `daybook explain --format json` says of a job."""

    job: str
    sources: tuple[Source, ...]
    outputs: tuple[Output, ...]
    publish: str | None

    @staticmethod
    def read(text: str) -> "Explanation":
        told = json.loads(text)
        stages = told["stages"]
        sources = [Source(one["id"], one["stage"], tuple(one["files"])) for one in stages if one["role"] == "source"]
        outputs = [Output(one["output"], one["stage"] not in _REPLACED) for one in stages if one["output"]]
        rejects = {one["rejects"] for one in [told, *stages] if one["rejects"]}
        outputs += [Output(path, False) for path in sorted(rejects)]
        return Explanation(told["job"], tuple(sources), tuple(outputs), told["publish"])


@dataclass(frozen=True)
class Input:
    path: str  # as the job names it
    size: int


@dataclass(frozen=True)
class Slice:
    stage: str
    text: int
    offset: int | None  # None: the whole text
    size: int


@dataclass(frozen=True)
class Plan:
    """What `daybook plan` has written."""

    inputs: tuple[Input, ...]
    shards: tuple[tuple[Slice, ...], ...]

    @staticmethod
    def read(content: bytes) -> "Plan":
        told: dict[str, Any] = json.loads(content)
        inputs = tuple(Input(one["path"], one["bytes"]) for one in told["inputs"])
        shards = tuple(
            tuple(Slice(one["stage"], one["text"], one.get("offset"), one["bytes"]) for one in shard["slices"])
            for shard in told["shards"]
        )
        return Plan(inputs, shards)

    def ranges(self, shard: int, sources: Iterable[Source]) -> list[list[Range]]:
        """For each input the ranges (begin, end) that a shard reads, in order and apart from each other."""
        sources = list(sources)
        if sum(len(one.files) for one in sources) != len(self.inputs):
            raise RunError(MACHINE_FAILED, "the inputs changed while they were planned; run again")
        result = []
        inputs = iter(self.inputs)
        for source in sources:
            is_whole = source.stage not in _STREAMED or self._may_be_looked_up(source.id, sources)
            for text in range(len(source.files)):
                size = next(inputs).size
                if is_whole:
                    wanted = [(0, size)]
                else:
                    slices = [one for one in self.shards[shard] if (one.stage, one.text) == (source.id, text)]
                    wanted = [
                        (0, size) if one.offset is None else (one.offset, min(size, one.offset + one.size))
                        for one in slices
                    ]
                result.append(_joined([(0, min(HEAD, size)), (max(0, size - TAIL), size), *wanted]))
        return result

    def _may_be_looked_up(self, stage: str, sources: list[Source]) -> bool:
        """Whether every shard may read the stage whole: the plan counts such rows in the first shard, and nowhere else."""
        shards = [number for number, slices in enumerate(self.shards) if any(one.stage == stage for one in slices)]
        return len(sources) > 1 and shards == [0]


def _joined(ranges: list[Range]) -> list[Range]:
    joined: list[Range] = []
    for begin, end in sorted(one for one in ranges if one[0] < one[1]):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((begin, end))
    return joined


def resolved(directory: str, path: str) -> str:
    """A path as seen from `directory`, without `.` and `..`."""
    return posixpath.normpath(posixpath.join(directory, path))
