"""Files at paths and at addresses that `pyarrow.fs` opens: `s3://`, `gs://`, `abfs://`, `hdfs://`, `file://`."""

import functools
import os
import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pyarrow import fs

from daybook_spark.errors import MACHINE_FAILED, RunError

_BLOCK = 8 << 20


@dataclass(frozen=True)
class Place:
    """A file or a directory, by a plain path or an address.

    Tasks receive the text and open it themselves; credentials come from the environment of each host.
    """

    text: str
    inner: str = ""

    @property
    def is_address(self) -> bool:
        """Whether it is opened by `pyarrow.fs`. A plain path is one that all hosts see."""
        return re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", self.text) is not None

    def __str__(self) -> str:
        # The query may hold credentials.
        head = self.text.partition("?")[0] if self.is_address else self.text
        return posixpath.join(head, self.inner) if self.inner else head

    def child(self, name: str) -> "Place":
        return Place(self.text, posixpath.join(self.inner, name)) if name not in ("", ".") else self

    @property
    def parent(self) -> "Place":
        assert self.inner, "a place is left only for places below its text"
        return Place(self.text, posixpath.dirname(self.inner))

    @property
    def name(self) -> str:
        return posixpath.basename(self.inner or self.path.rstrip("/"))

    @property
    def path(self) -> str:
        """The path within the file system."""
        root = _open(self.text)[1] if self.is_address else os.path.abspath(self.text)
        return posixpath.join(root, self.inner) if self.inner else root

    @property
    def system(self) -> Any:
        return _open(self.text)[0] if self.is_address else _local()

    def files(self) -> dict[str, int]:
        """The sizes of all files below, by their paths from here. None where nothing is there."""
        root = self.path
        selector = fs.FileSelector(root, recursive=True, allow_not_found=True)
        found = self.system.get_file_info(selector)
        sizes = {one.path[len(root) :].lstrip("/"): one.size for one in found if one.type == fs.FileType.File}
        for name in sizes:
            # Keys of an object store are any text, and a file of that name would lie anywhere.
            if any(part in ("", ".", "..") for part in name.split("/")):
                raise RunError(
                    MACHINE_FAILED, f"'{self}' has a file '{name}', which is no path below it: rename it there"
                )
        return sizes

    def size(self) -> int | None:
        """The size of the file; None where there is none."""
        found = self.system.get_file_info(self.path)
        return int(found.size) if found.type == fs.FileType.File else None

    def read(self) -> bytes:
        with self.system.open_input_stream(self.path) as stream:
            return bytes(stream.read())

    def write(self, content: bytes) -> None:
        self._make_parent()
        with self.system.open_output_stream(self.path) as stream:
            stream.write(content)

    def fetch(self, target: str) -> None:
        """Copy the whole file to a local path."""
        os.makedirs(os.path.dirname(target), exist_ok=True)
        fs.copy_files(self.path, target, source_filesystem=self.system, destination_filesystem=_local())

    def bring(self, target: str) -> None:
        """Make the file readable at a local path: by a link, or by a copy of what lies at an address."""
        if self.is_address:
            self.fetch(target)
        else:
            os.symlink(self.path, target)

    def fetch_ranges(self, target: str, size: int, ranges: Iterable[tuple[int, int]]) -> None:
        """Make a sparse local file of `size` bytes that holds the ranges (begin, end) of this one, and gaps elsewhere."""
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with self.system.open_input_file(self.path) as source, open(target, "wb") as file:
            file.truncate(size)
            for begin, end in ranges:
                while begin < end:
                    block = source.read_at(min(_BLOCK, end - begin), begin)
                    if not block:
                        raise OSError(f"'{self}' became shorter while it was read")
                    file.seek(begin)
                    file.write(block)
                    begin += len(block)

    def store(self, local: str) -> None:
        """Copy a local file here. Until it ends there may be a part of it, so nobody reads it before."""
        self._make_parent()
        fs.copy_files(local, self.path, source_filesystem=_local(), destination_filesystem=self.system)

    def move(self, target: "Place") -> None:
        if self.system.type_name == "hdfs" and target.size() is not None:
            target.delete()  # HDFS moves nothing over a file
        self.system.move(self.path, target.path)

    def delete(self) -> None:
        self.system.delete_file(self.path)

    def delete_directory(self) -> None:
        self.system.delete_dir(self.path)

    def _make_parent(self) -> None:
        # Object stores have no directories; asking for one would ask for the right to make buckets.
        if self.system.type_name in ("local", "hdfs"):
            self.system.create_dir(posixpath.dirname(self.path), recursive=True)


@functools.cache
def _open(address: str) -> tuple[Any, str]:
    system, root = fs.FileSystem.from_uri(address)
    return system, root.rstrip("/") or "/"


@functools.cache
def _local() -> Any:
    return fs.LocalFileSystem()
