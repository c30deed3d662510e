"""Run one command and print what it cost, as JSON: measure.py COMMAND [ARGUMENT…]

This is a program of its own because a child's peak memory can never read lower than that of the
process that started it (Linux counts the moment before `exec`). A bare Python keeps that floor
near 10 MB; measuring `true` shows it.
"""

import json
import os
import sys
import time

MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024


def main() -> int:
    command = sys.argv[1:]
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    started = time.monotonic()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=quiet)
    _, status, used = os.wait4(child, 0)
    wall = time.monotonic() - started
    measured = {
        "exit": os.waitstatus_to_exitcode(status),
        "wall_seconds": wall,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_bytes": used.ru_maxrss * MAXRSS_UNIT,
    }
    print(json.dumps(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
