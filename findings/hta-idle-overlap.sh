#!/usr/bin/env bash
# HolisticTraceAnalysis takes what kernels of a stream overlap off the time in which the GPU has none.
#
# Versions: HolisticTraceAnalysis 0.5.0, pandas 2.3.3; a trace in Kineto's form, in whole microseconds. Since Hopper, kernels of one
#   stream overlap: the next may start before the one before has ended (programmatic dependent launch).
# Guess: idle time is that in which no kernel runs, and both functions that print it agree.
# Seen: 100 times a kernel of 10 us, one of 9 us that starts 2 us after it, then 9 us of nothing. A kernel runs in 1100 of 1991 us, so
#   891 are idle: get_temporal_breakdown says so. get_idle_time_breakdown says 91: each overlap is a negative gap, and they are added.
# Hurts: who asks for the causes of idle time is told a tenth of it, the less the more kernels overlap.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
python3 -m venv v
v/bin/pip install -q pandas==2.3.3 networkx plotly pydot psutil pyyaml
# Without JupyterLab, which it names too and which takes a minute.
v/bin/pip install -q --no-deps HolisticTraceAnalysis==0.5.0
cat > idle.py <<'PY'
import json, logging, os, warnings
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
from hta.trace_analysis import TraceAnalysis

events = []
for i in range(200):
    at, took = 1000 + 20 * (i // 2) + 2 * (i % 2), [10, 9][i % 2]
    args = {"correlation": i + 1, "External id": i + 1}
    launch = {"name": "cudaLaunchKernel", "cat": "cuda_runtime", "pid": 9, "tid": 9, "ts": at - 500, "dur": 1, "args": args}
    kernel = {"name": "k", "cat": "kernel", "pid": 0, "tid": 7, "ts": at, "dur": took, "args": args | {"stream": 7, "device": 0}}
    events += [{"ph": "X"} | launch, {"ph": "X"} | kernel]
os.mkdir("trace")
json.dump({"schemaVersion": 1, "distributedInfo": {"rank": 0}, "traceEvents": events}, open("trace/0.json", "w"))
analysis = TraceAnalysis(trace_files={0: "trace/0.json"}, trace_dir="trace")
print("temporal breakdown:", int(analysis.get_temporal_breakdown(visualize=False)["idle_time(us)"].iloc[0]))
print("idle breakdown:", int(analysis.get_idle_time_breakdown(visualize=False)[0]["idle_time"].sum()))
PY
v/bin/python idle.py | tee seen
diff - seen <<'SEEN'
temporal breakdown: 891
idle breakdown: 91
SEEN
