#!/usr/bin/env bash
# One point of a sweep that dies takes finished and innocent points of a dask cluster with it.
#
# Version: distributed 2026.8.0, one worker of two threads, as LocalCluster starts them. (ray 2.60.0 runs the dying point four
#   times and no other one again.)
# Guess: the point that dies is tried a few times, then fails; points that have finished stay finished.
# Seen: of six points the fourth ends its process, as one does that runs out of memory. It is run 4 times and fails as
#   KilledWorker. The point that happened to run beside it fails so too, each time, and now and then one that never began. The first
#   two had finished: their results lay in that worker, so each is run again after each death, 5 times in all.
# Hurts: a sweep takes several times as long, appends the same rows five times to its files, and misses a point that is good.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
python3 -m venv v
v/bin/pip install -q distributed==2026.8.0 dask==2026.8.0
cat > sweep.py <<'PY'
import logging, os, time
from dask.distributed import Client, LocalCluster

def point(number):
    with open(f"ran.{number}", "a") as file:
        file.write("x")
    if number == 3:
        os._exit(137)
    time.sleep(0.3)
    return number

def ran(number):
    return os.path.getsize(f"ran.{number}") if os.path.exists(f"ran.{number}") else 0

if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    with LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None) as cluster, Client(cluster) as client:
        points = client.map(point, range(6))
        errors = [future.exception() for future in points]
        for number, error in enumerate(errors):
            print(number, "ran", ran(number), type(error).__name__ if error else "finished")
PY
v/bin/python -W ignore sweep.py | tee seen
# Which of its neighbours a dying point meets is a matter of time, that it meets some is not.
grep -q '^3 ran 4 KilledWorker' seen
[ "$(grep -c KilledWorker seen)" -ge 2 ]
grep -Eq '^[0-2] ran [2-5] finished' seen
