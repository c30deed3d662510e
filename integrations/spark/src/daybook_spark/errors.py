"""What ends a run, with the exit code of the command."""

WRONG_JOB = 2
MACHINE_FAILED = 3


class RunError(Exception):
    """Ends the run with an exit code and a message for the user."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class ShardFailed(Exception):
    """A shard met a failure of the machine, which another attempt may not meet. Spark retries the task."""
