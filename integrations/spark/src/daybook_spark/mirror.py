"""A copy of the tree around a job, for inputs and outputs that lie elsewhere.

A job names files by paths that start from itself. Where these stand for files at addresses, a process runs in a copy of
the tree: below a scratch directory the job stands where it stands outside, and beside it what it reads.
"""

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass

from daybook_spark.errors import WRONG_JOB, RunError
from daybook_spark.place import Place
from daybook_spark.plan import Input, Range, resolved


@dataclass(frozen=True)
class Mount:
    """A directory, as the job sees it, whose files lie at a place."""

    directory: str
    place: Place

    @staticmethod
    def read(text: str, job_directory: str) -> "Mount":
        """Read `DIR=ADDRESS`, of which DIR starts from the job; without DIR it is the directory of the job."""
        directory, mark, address = text.partition("=")
        # An address may have '=' in its query.
        if not mark or "://" in directory:
            directory, address = ".", text
        if not directory or not address:
            raise RunError(
                WRONG_JOB,
                f"expected an address, or a directory and an address such as DIR=s3://bucket/path, found '{text}'",
            )
        place = Place(address)
        return Mount(resolved(job_directory, directory), place if place.is_address else Place(os.path.abspath(address)))

    def inner(self, path: str) -> str | None:
        """The path below the directory; None for one that lies elsewhere."""
        inner = os.path.relpath(path, self.directory)
        return None if inner == ".." or inner.startswith("../") else inner


@dataclass(frozen=True)
class Mirror:
    """What makes the same tree on every host."""

    directory: str  # the working directory
    job: str  # the job file, from the root
    job_text: bytes
    inputs: tuple[Mount, ...]

    def make(self, root: str) -> str:
        """Make the tree with the job and without its inputs. Gives the working directory in it."""
        os.makedirs(root + self.directory, exist_ok=True)
        os.makedirs(os.path.dirname(root + self.job), exist_ok=True)
        with open(root + self.job, "wb") as file:
            file.write(self.job_text)
        return root + self.directory

    def make_stubs(self, root: str) -> None:
        """Put a stub in the place of each file of the inputs: a link to a file that all hosts see, or a pipe, which
        `daybook explain` finds and does not read."""
        for mount in self.inputs:
            for name in mount.place.files():
                target = resolved(root + mount.directory, name)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                if os.path.lexists(target):
                    continue
                if mount.place.is_address:
                    os.mkfifo(target)
                else:
                    os.symlink(mount.place.child(name).path, target)

    def fetch_whole(self, root: str, files: Iterable[str]) -> None:
        """Put the files themselves in the place of their stubs."""
        for file in files:
            target = root + resolved(self.directory, file)
            if not os.path.isabs(file) and os.path.exists(target) and stat.S_ISFIFO(os.stat(target).st_mode):
                os.unlink(target)
                place(self.inputs, resolved(self.directory, file), "--inputs").fetch(target)

    def fetch_ranges(self, root: str, inputs: Iterable[Input], ranges: Iterable[list[Range]]) -> None:
        """Put sparse copies of the inputs, or links to them, into the tree."""
        for one, wanted in zip(inputs, ranges, strict=True):
            if os.path.isabs(one.path):
                continue
            outside = resolved(os.path.dirname(self.job), one.path)
            source = place(self.inputs, outside, "--inputs")
            if source.is_address:
                source.fetch_ranges(root + outside, one.size, wanted)
            else:
                os.makedirs(os.path.dirname(root + outside), exist_ok=True)
                os.symlink(source.path, root + outside)


def place(mounts: Iterable[Mount], path: str, option: str) -> Place:
    """Where a file of the job lies; the innermost directory decides."""
    found = [
        (len(mount.directory), mount.place.child(inner)) for mount in mounts if (inner := mount.inner(path)) is not None
    ]
    if not found:
        raise RunError(WRONG_JOB, f"'{path}' lies in no directory that '{option}' names")
    return max(found, key=lambda one: one[0])[1]
