"""Runs sweep.slurm on a real Slurm of one node on this machine, as arrays of several shapes and with a requeue, and compares each result with one
undivided sweep.

Needs Debian's packages slurm-wlm and munge, the rights of root, and a `corun` on PATH:

    PATH=$PWD/target/release:$PATH python3 examples/cluster/try_slurm.py examples/sweeps/bandwidth.json
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "sweep.slurm"
CONFIGURATION = """\
ClusterName=corun
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={daemon}
SlurmUser=root
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=1
MinJobAge=600
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory=2048
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Cluster:
    """A munge and a Slurm below a folder. They end with the block."""

    def __init__(self, folder):
        self.folder, self.daemons = folder, []
        for name in ("state", "spool", "log"):
            (folder / name).mkdir()
        (folder / "munge.key").write_bytes(os.urandom(128))
        (folder / "munge.key").chmod(0o400)
        host = socket.gethostname().partition(".")[0]
        text = CONFIGURATION.format(host=host, folder=folder, cores=os.cpu_count(), controller=free_port(), daemon=free_port())
        (folder / "slurm.conf").write_text(text)
        self.env = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}

    def __enter__(self):
        at = self.folder
        munge = ["munged", "--foreground", "--force", f"--socket={at}/munge.socket", f"--key-file={at}/munge.key"]
        self.start("munged", *munge, *[f"--{what}-file={at}/munge.{what}" for what in ("log", "pid", "seed")])
        self.wait("munge answers", lambda: (at / "munge.socket").exists())
        self.start("slurmctld", "slurmctld", "-D", "-c")
        self.start("slurmd", "slurmd", "-D")
        self.wait("the node is idle", lambda: "idle" in self.say("sinfo", "--noheader", "--format=%T", check=False))
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in reversed(self.daemons):
            daemon.wait()

    def start(self, name, *words):
        log = open(self.folder / "log" / name, "w")
        self.daemons.append(subprocess.Popen(words, env=self.env, stdout=log, stderr=log))

    def say(self, *words, check=True, **more):
        return subprocess.run(words, env=self.env, check=check, text=True, capture_output=True, **more).stdout

    def wait(self, what, holds):
        for _ in range(600):
            if holds():
                return
            time.sleep(0.1)
        logs = "".join(file.read_text() for file in sorted((self.folder / "log").iterdir()))
        sys.exit(f"a minute has passed, and not yet: {what}\n{logs}")

    def submit(self, array, sweep, place):
        place.mkdir(exist_ok=True)
        words = ["sbatch", "--parsable", f"--array={array}", f"--export=ALL,SWEEP={sweep}", str(SCRIPT)]
        return self.say(*words, cwd=place).strip()

    def left(self, job):
        return self.say("squeue", "--noheader", f"--jobs={job}", "--format=%T", check=False).split()

    def end(self, job):
        self.wait(f"job {job} has ended", lambda: not self.left(job))


def main(folder):
    sweep = Path(sys.argv[1]).resolve()
    corun = lambda *words: subprocess.run(["corun", *map(str, words)], cwd=folder, check=True, capture_output=True)
    corun("sweep", sweep, "--out", "whole.jsonl")
    whole = (folder / "whole.jsonl").read_bytes()

    def same(name, place):
        merged = folder / f"{name}.jsonl"
        corun("merge", *[place / "results" / f"{part}.jsonl" for part in range(1, 5)], "--out", merged)
        equal = merged.read_bytes() == whole
        print(f"{name}: {'the same bytes' if equal else 'NOT the same bytes'} as of one undivided sweep")
        return equal

    with Cluster(folder) as cluster:
        held = []
        for array in ("1-4", "0-3"):
            cluster.end(cluster.submit(array, sweep, folder / array))
            held.append(same(array, folder / array))
        # Tasks whose results were lost, named alone. The script gives task N the part behind N.
        for array in ("3", "2,4"):
            for task in array.split(","):
                (folder / "1-4" / "results" / f"{int(task) % 4 + 1}.jsonl").unlink()
            cluster.end(cluster.submit(array, sweep, folder / "1-4"))
            held.append(same(array, folder / "1-4"))
        # Started again while it runs: it goes on where its file ends.
        place = folder / "requeue"
        job = cluster.submit("1-4", sweep, place)
        again = []

        def one_has_results():
            rows = cluster.say("squeue", "--noheader", "--array", f"--jobs={job}", "--states=RUNNING", "--format=%A %K", check=False)
            for one, task in (row.split() for row in rows.splitlines()):
                file = place / "results" / f"{int(task) % 4 + 1}.jsonl"
                if file.exists() and file.stat().st_size:
                    again.append(one)
            return again

        cluster.wait("a task that runs has a result", one_has_results)
        cluster.say("scontrol", "requeue", again[0])
        # Slurm would wait for two minutes, and forgets a time that it is given before the job is pending.
        cluster.wait("the task is to start again", lambda: "PENDING" in cluster.left(again[0]))
        cluster.say("scontrol", "update", f"JobId={again[0]}", "StartTime=now")
        cluster.end(job)
        starts = cluster.say("scontrol", "show", "job", again[0])
        assert "Restarts=1" in starts, starts
        held.append(same("requeue", place))
    return all(held)


with tempfile.TemporaryDirectory(prefix="corun-slurm-") as here:
    sys.exit(not main(Path(here)))
