"""Find and run the program `daybook`."""

import collections
import ctypes
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from daybook_spark.errors import MACHINE_FAILED, RunError

# Found before a process is forked: looking it up may wait for a lock that another thread holds.
_PRCTL = ctypes.CDLL(None).prctl
_PR_SET_PDEATHSIG = 1
_MESSAGE_LINES = 2000


@dataclass(frozen=True)
class Ended:
    """How a program ended."""

    code: int  # negative: the signal that killed it
    message: str  # the end of its standard error


def find(given: str | None) -> str:
    """The path of `daybook`: as given, beside this Python, or on PATH."""
    if given:
        return given
    beside = Path(sys.executable).parent / "daybook"
    found = str(beside) if os.access(beside, os.X_OK) else shutil.which("daybook")
    if found is None:
        message = "no program 'daybook' beside this Python or on PATH; install its wheel, or give --daybook PATH"
        raise RunError(MACHINE_FAILED, message)
    return found


def run_in_task(daybook: str, arguments: Sequence[str], *, directory: str, temporary: str) -> Ended:
    """Run `daybook` to its end, or to that of the task. Its standard error is passed on line by line, and its end is kept.

    For Python workers alone: the driver may hold connections of gRPC, which do not outlive a fork that runs Python.
    """
    if not os.path.isdir(directory):
        raise RunError(MACHINE_FAILED, f"this host has no directory '{directory}', in which the run was started")
    kept: collections.deque[bytes] = collections.deque(maxlen=_MESSAGE_LINES)
    try:
        process = subprocess.Popen(
            [daybook, *arguments],
            cwd=directory,
            env={**os.environ, "TMPDIR": temporary},
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=_end_with_parent,
        )
    except OSError as error:
        raise RunError(MACHINE_FAILED, f"cannot run '{daybook}': {error.strerror or error}") from error
    with process:
        assert process.stderr is not None
        for line in process.stderr:
            kept.append(line)
            sys.stderr.write(line.decode("utf-8", "replace"))
            sys.stderr.flush()
    return Ended(process.returncode, b"".join(kept).decode("utf-8", "replace"))


def _end_with_parent() -> None:
    """Spark kills a Python worker whose task it gives up; the program must not go on alone."""
    _PRCTL(_PR_SET_PDEATHSIG, signal.SIGTERM)
