"""Corun in Python: the runner `corun` with its results as dictionaries, and as a data frame."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

#: The runner that this package brings along.
RUNNER = Path(__file__).with_name("corun.exe" if os.name == "nt" else "corun")


class CorunError(ValueError):
    """What the runner says against its input, a line for each problem."""


def _corun(command, work, options):
    """What the runner prints. `work` goes to its stdin, unless it is the name of something that the runner reads itself."""
    named = isinstance(work, (str, os.PathLike))
    words = [RUNNER, command, os.fspath(work) if named else "-", *map(str, options)]
    ended = subprocess.run(words, input="" if named else json.dumps(work), capture_output=True, encoding="utf-8")
    # At 1 there may be a result all the same: of a run that got stuck, and says so.
    if ended.returncode not in (0, 1) or not ended.stdout:
        raise CorunError(ended.stderr.strip() or f"corun {command} printed nothing and ended with {ended.returncode}")
    return ended.stdout


def run(experiment, *options):
    """The result of an experiment: of a dictionary, of a file by its path, or of an example by its name. Options are those of `corun run`."""
    return json.loads(_corun("run", experiment, ["--json", *options]))


def sweep(sweep, *options):
    """The points of a sweep, each with `axes` and `result`, run on every core. Options are those of `corun sweep`."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "points.jsonl")
        _corun("sweep", sweep, ["--out", out, *options])
        return [json.loads(line) for line in out.read_text("utf-8").splitlines()]


def frame(results):
    """A pandas.DataFrame with a row a kernel: of one result, or of a list of results or of a sweep's points.

    A number of the kernel has its path as its column: `slowdown`, `latency.mean`. The ends of its 95 % interval stand in `slowdown.low` and
    `slowdown.high`. `axes.PATH` is the value of a sweep's axis, `run.NAME` a value of the result that is no kernel's.
    """
    import pandas

    rows = []
    for point in [results] if isinstance(results, dict) else results:
        result = point.get("result", point)
        whole = {f"axes.{path}": value for path, value in point.get("axes", {}).items()}
        whole |= {f"run.{name}": value for name, value in result.items() if not isinstance(value, (dict, list))}
        whole["run.policy"] = result["policy"]["title"]
        for kernel, intervals in zip(result["kernels"], result["ci95"]["kernels"]):
            row = {**whole, **dict(_leaves(kernel))}
            for path, ends in _leaves(intervals):
                row[f"{path}.low"], row[f"{path}.high"] = ends or (None, None)
            rows.append(row)
    return pandas.DataFrame(rows)


def _leaves(value, above=""):
    """The values within dictionaries, each with its path."""
    for name, inner in value.items():
        if isinstance(inner, dict):
            yield from _leaves(inner, f"{above}{name}.")
        else:
            yield above + name, inner


def main():
    """The command `corun`."""
    words = [str(RUNNER), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.call(words))
    os.execv(RUNNER, words)
