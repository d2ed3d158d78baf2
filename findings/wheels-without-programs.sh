#!/usr/bin/env bash
# Packages of PyPI that are named after a program do not bring it.
#
# Versions: hyperqueue 0.27.0, perfetto 0.59.1, nvidia-cuda-cuobjdump 13.5.37.
# Guess: `pip install` on a cluster's login node is all that a sweep, a trace's analysis or a listing of SASS needs.
# Seen: hyperqueue has the Python client and no `hq`, so nothing that starts a server or a worker. perfetto has no trace processor:
#   it fetches one from a store of Google's with curl at the first use, which fails on a node without that route. cuobjdump comes,
#   but `cuobjdump -sass` looks for `nvdisasm`, which no dependency names: `Could not find executable file 'nvdisasm'`.
# Hurts: what was tried on a laptop fails in a job, on nodes that reach a mirror of PyPI alone.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
python3 -m venv v
v/bin/pip download -q --no-deps -d wheels hyperqueue==0.27.0 perfetto==0.59.1 nvidia-cuda-cuobjdump==13.5.37
cat > look.py <<'PY'
import re, zipfile, pathlib
for path in sorted(pathlib.Path("wheels").iterdir()):
    wheel = zipfile.ZipFile(path)
    # Programs: ELF files that are no libraries, and what an installer makes of entry points.
    programs = [name.split("/")[-1] for name in wheel.namelist()
                if wheel.read(name)[:4] == b"\x7fELF" and ".so" not in name or name.endswith("entry_points.txt")]
    metadata = next(wheel.read(name).decode() for name in wheel.namelist() if name.endswith("/METADATA"))
    needs = sorted({need.split("-")[-1] for need in re.findall(r"^Requires-Dist: ([\w-]+)", metadata, re.M) if need.startswith("nvidia")})
    fetches = any(b"trace_processor_shell" in wheel.read(name) and b"https://" in wheel.read(name) for name in wheel.namelist())
    print(path.name.split("-")[0], "programs", programs, "needs", needs, "fetches" if fetches else "")
PY
v/bin/python look.py | sed 's/ *$//' | tee seen
diff - seen <<'SEEN'
hyperqueue programs [] needs []
nvidia_cuda_cuobjdump programs ['cuobjdump'] needs []
perfetto programs [] needs [] fetches
SEEN
