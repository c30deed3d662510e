"""Print what was measured, as Markdown."""

import os
import platform
import statistics

import make_data
from benchmark import BARE_READ, Benchmark, measure
from cases import Job
from tools import Daybook, Miller


def table(benchmark: Benchmark) -> str:
    lines = [
        "| Job | Threads | Tool | Wall s | CPU s | Peak MB | Speed, fastest peer = 1 | GB/s | Bare read = 1 |",
        "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for threads in benchmark.arguments.threads:
        for job in benchmark.jobs:
            lines += rows_of(benchmark, job, threads)
    return "\n".join(lines)


def rows_of(benchmark: Benchmark, job: Job, threads: int) -> list[str]:
    measured = benchmark.results[job.name][threads]
    tools = [tool for tool in benchmark.tools_of(job) if tool.name in measured]
    peers = [
        benchmark.median(job, threads, tool.name, "wall_seconds") for tool in tools if not isinstance(tool, Daybook)
    ]
    size = make_data.size(benchmark.home, job.source)
    bare = benchmark.median(job, threads, BARE_READ, "wall_seconds")
    lines = []
    for name, title in [*((tool.name, tool.title) for tool in tools), (BARE_READ, BARE_READ)]:
        wall = benchmark.median(job, threads, name, "wall_seconds")
        cpu = benchmark.median(job, threads, name, "cpu_seconds")
        peak = "" if name == BARE_READ else f"{benchmark.median(job, threads, name, 'peak_bytes') / 1e6:.0f}"
        speed = f"{min(peers) / wall:.2f} ×" if peers and name != BARE_READ else ""
        lines.append(
            f"| {job.title} | {threads} | {title} | {wall:.2f} | {cpu:.2f} | {peak} | {speed} "
            f"| {size / wall / 1e9:.2f} | {wall / bare:.1f} |"
        )
    for tool in benchmark.absent if job.peers else []:
        lines.append(f"| {job.title} | {threads} | {tool.name} | not found: {tool.remedy} | | | | | |")
    return lines


def against_baselines(benchmark: Benchmark) -> str:
    """What a case costs Daybook, as a multiple of what the plain input costs."""
    by_name = {job.name: job for job in benchmark.jobs}
    lines = []
    for threads in benchmark.arguments.threads:
        for job in benchmark.jobs:
            if job.baseline not in by_name or "Daybook" not in benchmark.results[job.name][threads]:
                continue
            plain = by_name[job.baseline]
            wall, cpu = (
                benchmark.median(job, threads, "Daybook", key) / benchmark.median(plain, threads, "Daybook", key)
                for key in ("wall_seconds", "cpu_seconds")
            )
            lines.append(f"| {job.title} | {plain.title} | {threads} | {wall:.2f} × | {cpu:.2f} × |")
    if not lines:
        return ""
    head = ["| Daybook on | held against | Threads | Wall | CPU |", "| --- | --- | ---: | ---: | ---: |"]
    return "\n".join([*head, *lines]) + "\n\n"


def circumstances(benchmark: Benchmark) -> str:
    """What a reader has to know to judge the table."""
    sources = dict.fromkeys(job.source for job in benchmark.jobs)
    sizes = ", ".join(f"{source} {make_data.size(benchmark.home, source) / 1e6:.0f} MB" for source in sources)
    start_ups = ", ".join(
        f"{tool.name} {statistics.median(measure(tool.start_up)['wall_seconds'] for _ in range(5)):.3f} s"
        for tool in benchmark.tools
    )
    floor = measure(["true"])["peak_bytes"] / 1e6
    runs = f"medians over {benchmark.arguments.runs} interleaved round(s)"
    if any(isinstance(tool, Miller) for tool in benchmark.tools):
        runs += f", Miller ran once, with {benchmark.arguments.threads[0]} thread(s)"
    return (
        f"{benchmark.arguments.rows:,} rows ({sizes}); {runs}.\n"
        f"{platform.system()} {platform.machine()}, {processor()}, {os.cpu_count()} cores.\n"
        f"Start-up alone: {start_ups}. Memory below {floor:.0f} MB cannot be told apart."
    )


def processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"
