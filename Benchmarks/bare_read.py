"""Read files to their end, one after the other, and print what that cost, as JSON: bare_read.py FILE…

No tool can be quicker at the same bytes on one thread: each read goes into the same 1 MiB, and
nothing looks at it. Unlike that of a tool, the time does not hold the start of the process.
"""

import json
import os
import sys
import time

BUFFER = 1 << 20


def main() -> int:
    room = bytearray(BUFFER)
    room[:] = b"\1" * BUFFER  # so that its pages are there before the clock runs
    started, used = time.monotonic(), time.process_time()
    for path in sys.argv[1:]:
        place = os.open(path, os.O_RDONLY)
        while os.readv(place, [room]):
            pass
        os.close(place)
    measured = {
        "exit": 0,
        "wall_seconds": time.monotonic() - started,
        "cpu_seconds": time.process_time() - used,
        "peak_bytes": BUFFER,
    }
    print(json.dumps(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
