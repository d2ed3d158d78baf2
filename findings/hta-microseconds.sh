#!/usr/bin/env bash
# HolisticTraceAnalysis counts whole microseconds: a kernel of 1.5 us takes 1 or 0 of them, by where it starts.
#
# Versions: HolisticTraceAnalysis 0.5.0, pandas 2.3.3; a trace in Kineto's form, whose ts and dur are us with digits behind the point.
# Guess: times keep their digits, as the format has them; at worst a sum is rounded.
# Seen: 100 kernels of 1.5 us, one every 2.5 us, are busy for 150 of 249 us, 60 %. HTA says 50 of 248 us, 20 %, and of two kernels
#   that take turns it gives one 50 us and the other none: starts are rounded up, ends down.
# Hurts: a decode step is made of such kernels. Idle time, the share of each kernel and what is worth sharing a GPU are wrong.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
python3 -m venv v
v/bin/pip install -q pandas==2.3.3 networkx plotly pydot psutil pyyaml
# Without JupyterLab, which it names too and which takes a minute.
v/bin/pip install -q --no-deps HolisticTraceAnalysis==0.5.0
cat > busy.py <<'PY'
import json, logging, os, warnings
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
from hta.trace_analysis import TraceAnalysis

events = []
for i in range(100):
    at, args = 1000.3 + 2.5 * i, {"correlation": i + 1, "External id": i + 1}
    launch = {"name": "cudaLaunchKernel", "cat": "cuda_runtime", "pid": 9, "tid": 9, "ts": at - 5, "dur": 2, "args": args}
    kernel = {"name": ["even", "odd"][i % 2], "cat": "kernel", "pid": 0, "tid": 7, "ts": at, "dur": 1.5, "args": args | {"stream": 7, "device": 0}}
    events += [{"ph": "X"} | launch, {"ph": "X"} | kernel]
os.mkdir("trace")
json.dump({"schemaVersion": 1, "distributedInfo": {"rank": 0}, "traceEvents": events}, open("trace/0.json", "w"))
analysis = TraceAnalysis(trace_files={0: "trace/0.json"}, trace_dir="trace")
time = analysis.get_temporal_breakdown(visualize=False).iloc[0]
print("busy", int(time["compute_time(us)"]), "of", int(time["kernel_time(us)"]))
kernels = analysis.get_gpu_kernel_breakdown(visualize=False)[1]
print(sorted(zip(kernels["name"], kernels["sum (us)"].astype(int))))
PY
v/bin/python busy.py | tee seen
diff - seen <<'SEEN'
busy 50 of 248
[('even', 0), ('odd', 50)]
SEEN
