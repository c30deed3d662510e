"""Bring the outputs of a merge to the places that are meant."""

import contextlib
import os
import posixpath
import uuid

from daybook_spark.errors import MACHINE_FAILED, WRONG_JOB, RunError
from daybook_spark.mirror import Mount, place
from daybook_spark.place import Place
from daybook_spark.plan import Explanation, resolved


class Delivery:
    """The way of outputs from the tree, where the merge writes them, to their places.

    Each output is stored under a temporary name first; when all are there, they are put in place one by one, and the
    manifest last. A move is atomic where the file system makes it so; all of them together are not.
    """

    def __init__(
        self, tree: str, directory: str, mounts: tuple[Mount, ...], manifest: str | None, scratch: str
    ) -> None:
        self.tree = tree
        self.directory = directory
        self.mounts = mounts
        # What `merge` is told of its manifest, and where that goes from there.
        self.manifest = manifest and os.path.abspath(manifest)
        self.manifest_place: Place | None = None
        if manifest is not None and Place(manifest).is_address:
            head, _, name = manifest.partition("?")[0].rpartition("/")
            self.manifest_place = Place(manifest.replace(f"{head}/{name}", head, 1)).child(name)
            self.manifest = os.path.join(scratch, "manifest.json")
        self._before: dict[str, tuple[int, int]] = {}

    def check(self, explanation: Explanation) -> None:
        """Refuse outputs that would vanish with the tree."""
        for output in explanation.outputs:
            if output.path != "-" and not os.path.isabs(output.path):
                place(self.mounts, resolved(self.directory, output.path), "--outputs")
        if explanation.publish is not None and not os.path.isabs(explanation.publish):
            message = f"the job publishes '{explanation.publish}', a link that is switched, and places have no links"
            raise RunError(WRONG_JOB, message)

    def prepare(self, explanation: Explanation) -> None:
        """Bring the old files of which outputs keep something."""
        for output in explanation.outputs:
            if output.keeps and output.path != "-" and not os.path.isabs(output.path) and self.tree:
                path = resolved(self.directory, output.path)
                old = place(self.mounts, path, "--outputs")
                if old.size() is not None:
                    old.fetch(self.tree + path)
        self._before = self._files()

    def deliver(self) -> None:
        """Store what the merge has written, and put it in place."""
        new = [path for path, status in self._files().items() if self._before.get(path) != status]
        targets = [(self.tree + path, place(self.mounts, path, "--outputs")) for path in sorted(new)]
        if self.manifest_place is not None and self.manifest is not None and os.path.exists(self.manifest):
            targets.append((self.manifest, self.manifest_place))
        mark = uuid.uuid4().hex
        waiting = [(target.parent.child(f".{target.name}.{mark}"), target) for _, target in targets]
        try:
            for (file, _), (temporary, _) in zip(targets, waiting, strict=True):
                temporary.store(file)
        except OSError as error:
            for temporary, _ in waiting:
                with contextlib.suppress(OSError):
                    temporary.delete()
            raise RunError(MACHINE_FAILED, f"no output was replaced: {error}") from error
        for number, (temporary, target) in enumerate(waiting):
            try:
                temporary.move(target)
            except OSError as error:
                old = ", ".join(f"'{one}'" for _, one in waiting[number:])
                raise RunError(MACHINE_FAILED, f"outputs are new but for {old}: {error}") from error

    def _files(self) -> dict[str, tuple[int, int]]:
        """Every file in the directories of outputs as the job sees it, and what tells whether it is a new one."""
        found = {}
        for mount in self.mounts:
            for directory, _, names in os.walk(self.tree + mount.directory):
                for name in names:
                    path = posixpath.join(directory, name)
                    status = os.lstat(path)
                    found[path.removeprefix(self.tree)] = (status.st_ino, status.st_mtime_ns)
        return found
