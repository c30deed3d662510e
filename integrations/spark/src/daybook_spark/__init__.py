"""Run Daybook jobs on Apache Spark."""

from daybook_spark.driver import Options, run

__all__ = ["Options", "run"]
