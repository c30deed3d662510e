"""The command `daybook-spark`."""

import argparse
import os
import sys
import traceback
from collections.abc import Sequence

from pyspark.sql import SparkSession

from daybook_spark.driver import Options, run
from daybook_spark.errors import MACHINE_FAILED

_EPILOG = """\
Examples:
  daybook-spark run nightly.yaml --master 'local[4,4]'
  daybook-spark run nightly.yaml --master spark://head:7077 --parts /shared/parts --shard-size 1GiB
  daybook-spark run pipelines/nightly.yaml --inputs ../samples=s3://bucket/samples \\
      --outputs ../out=s3://bucket/out --parts s3://bucket/parts --manifest s3://bucket/out/run.json

Exit codes are those of 'daybook run': 0 done, 1 the data failed its gate, 2 the job or the command line is wrong,
3 reading, writing, the machine or Spark failed.
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="daybook-spark", description="Run Daybook jobs on Apache Spark.", allow_abbrev=False
    )
    commands = parser.add_subparsers(required=True, metavar="run")
    command = commands.add_parser(
        "run",
        help="run a job in shards on Spark",
        description="Plan a job, let Spark run its shards, and merge them: the outputs are those of one process, byte for byte.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = command.add_argument
    add("job", metavar="JOB", help="the job file")

    session = command.add_argument_group("Spark")
    add = session.add_argument
    add("--master", metavar="URL", help="local[4,4], spark://…, yarn, k8s://…; without it, what spark-submit says")
    add("--remote", metavar="URL", help="a server of Spark Connect, sc://…, in the place of --master")
    add("--conf", metavar="NAME=VALUE", action="append", default=[], help="a setting of Spark; may be repeated")

    work = command.add_argument_group("shards")
    add = work.add_argument
    add("--shards", metavar="N", type=int, help="how many shards to make")
    add("--shard-size", metavar="SIZE", help=f"about how large shards are (default: {Options.shard_size})")
    add(
        "--exchange",
        metavar="P",
        type=int,
        help="settle keys in so many partitions, where they are too many for a merge",
    )
    add("--parts", metavar="ADDRESS", help="where shards leave what they made; needed unless all runs on this host")
    add("--daybook", metavar="PATH", help="the program on every host (default: beside Python, or on PATH)")

    files = command.add_argument_group("files that lie elsewhere")
    add = files.add_argument
    add("--inputs", metavar="[DIR=]ADDRESS", action="append", default=[],
        help="what the job reads below DIR lies at ADDRESS; DIR starts from the job; may be repeated")  # fmt: skip
    add("--outputs", metavar="[DIR=]ADDRESS", action="append", default=[],
        help="what the job writes below DIR goes to ADDRESS; may be repeated")  # fmt: skip
    add("--manifest", metavar="FILE", help="write the manifest there too, behind all outputs; a path or an address")

    same = command.add_argument_group("as of 'daybook run'")
    add = same.add_argument
    add("--set", metavar="NAME=VALUE", action="append", default=[])
    add("--as-of", metavar="DATE")
    add("--state", metavar="DIR")
    add("--max-findings", metavar="N")
    add("--sha256", choices=["auto", "always", "never"])
    add("--baseline", metavar="FILE")
    add("--report", metavar="FORMAT[=FILE]", action="append", default=[])
    add("--quiet", nargs="?", const="clean", choices=["clean", "failures"])
    add("--wait", action="store_true")
    add("--threads", metavar="N", help="of the merge; a task has as many as Spark gives it (spark.task.cpus)")
    add("--no-progress", action="store_true")
    return parser


def _options(given: argparse.Namespace) -> Options:
    sha256 = [f"--sha256={given.sha256}"] if given.sha256 else []
    plan = [*sha256, *([f"--max-findings={given.max_findings}"] if given.max_findings else [])]
    merge = list(sha256)
    for report in given.report:
        form, mark, file = report.partition("=")
        merge.append(f"--report={form}{mark}{os.path.abspath(file) if file else ''}")
    if given.baseline:
        merge.append(f"--baseline={os.path.abspath(given.baseline)}")
    if given.quiet:
        merge.append(f"--quiet={given.quiet}")
    if given.threads:
        merge.append(f"--threads={given.threads}")
    merge += [flag for flag, is_on in (("--wait", given.wait), ("--no-progress", given.no_progress)) if is_on]
    return Options(
        shards=given.shards,
        shard_size=given.shard_size or Options.shard_size,
        exchange=given.exchange,
        set=given.set,
        as_of=given.as_of,
        inputs=given.inputs,
        outputs=given.outputs,
        parts=given.parts,
        daybook=given.daybook,
        manifest=given.manifest,
        state=given.state,
        plan_options=plan,
        merge_options=merge,
    )


def _session(given: argparse.Namespace) -> SparkSession:
    builder = SparkSession.builder.appName(f"daybook {os.path.basename(given.job)}")
    if given.remote:
        builder = builder.remote(given.remote)
    elif given.master:
        builder = builder.master(given.master)
    if (given.remote or given.master or "").startswith("local"):
        # Spark would take any python3 that it finds.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if not given.remote:
        # Its bar would cover the lines of the merge; what is done is shown by the driver.
        builder = builder.config("spark.ui.showConsoleProgress", "false")
    for setting in given.conf:
        name, _, value = setting.partition("=")
        builder = builder.config(name, value)
    return builder.getOrCreate()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; gives its exit code."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.shards is not None and given.shard_size is not None:
        parser.error("give '--shards' or '--shard-size'")
    if given.master and given.remote:
        parser.error("give '--master' or '--remote'")
    try:
        spark = _session(given)
    except Exception as error:  # Spark raises anything from its start
        sys.stderr.write(f"error: Spark did not start: {error}\n")
        return MACHINE_FAILED
    try:
        return run(given.job, spark, _options(given))
    except KeyboardInterrupt:
        sys.stderr.write("error: the run was stopped\n")
        return MACHINE_FAILED
    except Exception:  # Python would end with 1, which says that the data failed their gate
        traceback.print_exc()
        return MACHINE_FAILED
    finally:
        spark.stop()
