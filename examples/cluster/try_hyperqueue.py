"""Runs the tasks of sweep.toml on a real HyperQueue server with two workers, and compares the result with one undivided sweep.

The package `hyperqueue` of PyPI brings server, workers and a client for Python, but not the program `hq`; so this reads the job file and
submits its tasks itself. Needs Python 3.11 and a `corun` on PATH:

    python3 -m venv /tmp/hq && /tmp/hq/bin/pip install hyperqueue
    PATH=$PWD/target/release:$PATH /tmp/hq/bin/python examples/cluster/try_hyperqueue.py examples/sweeps/policies.json
"""

import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig


def ids(text):
    """Task ids, as in "1-4" or "1,3-5"."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def main(folder):
    sweep = Path(sys.argv[1]).resolve()
    file = tomllib.loads((Path(__file__).parent / "sweep.toml").read_text())
    array = file["array"]
    parts = list(ids(array["ids"]))
    with LocalCluster() as cluster:
        for _ in range(2):
            cluster.start_worker(WorkerConfig(cores=1))
        job = Job(default_workdir=folder, name=file["name"], max_fails=None)
        for part in parts:
            env = {"SWEEP": str(sweep), "PATH": os.environ["PATH"]}
            # The client for Python numbers tasks from 0, whatever the file says.
            program, flag, script = array["command"]
            job.program([program, flag, f"export HQ_TASK_ID={part}; {script}"], env=env, crash_limit=array["crash_limit"])
        client = cluster.client()
        client.wait_for_jobs([client.submit(job)])
    run = lambda *words: subprocess.run(["corun", *map(str, words)], cwd=folder, check=True)
    run("merge", *[f"results/{part}.jsonl" for part in parts], "--out", "merged.jsonl")
    run("sweep", sweep, "--out", "whole.jsonl")
    same = (folder / "merged.jsonl").read_bytes() == (folder / "whole.jsonl").read_bytes()
    print(f"{'the same bytes' if same else 'NOT the same bytes'} in {len(parts)} parts and in one")
    return same


with tempfile.TemporaryDirectory(prefix="corun-hyperqueue-") as here:
    sys.exit(not main(Path(here)))
