#!/usr/bin/env bash
# A kernel of numba-cuda compiled for `float32[:]` has no global load or store.
#
# Versions: numba-cuda 0.30.4, numba 0.68.1, nvidia-cuda-nvcc and -cuobjdump 13.5.37; no GPU. `compile_ptx` wants a driver
#   unless `cc` is given.
# Guess: arrays that a kernel is given lie in global memory, so they are loaded by LDG, whatever their strides.
# Seen: `float32[:]`, any stride, is loaded by LD and stored by ST, generic, where nothing in the program says which memory that
#   is. `float32[::1]`, as an array of one piece is at a launch, gives LDG and STG.
# Hurts: a count of LDG says that the kernel has no memory traffic, and a trace's reader that knows LDG skips it.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
python3 -m venv v
v/bin/pip install -q numba-cuda==0.30.4 numba==0.68.1 nvidia-cuda-nvcc==13.5.37 nvidia-cuda-cuobjdump==13.5.37 nvidia-cuda-nvdisasm==13.5.37 \
    nvidia-cuda-nvrtc==13.5.37 nvidia-nvvm==13.5.37 nvidia-cuda-runtime==13.5.37
export PATH="$(echo "$dir"/v/lib/python3*/site-packages/nvidia/cu13/bin):$PATH"
cat > scale.py <<'PY'
import re, subprocess
from numba import cuda, float32, types

def scale(a, by):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = a[i] * by

for name, array in (("float32[:]", float32[:]), ("float32[::1]", float32[::1])):
    ptx, _ = cuda.compile_ptx(scale, types.void(array, float32), cc=(9, 0))
    open("k.ptx", "w").write(ptx)
    subprocess.run(["ptxas", "-arch=sm_90", "k.ptx", "-o", "k.cubin"], check=True)
    sass = subprocess.run(["cuobjdump", "-sass", "k.cubin"], capture_output=True, text=True, check=True).stdout
    print(name, *re.findall(r"\b(LDG?|STG?)\.E", sass))
PY
v/bin/python -W ignore scale.py | tee seen
diff - seen <<'SEEN'
float32[:] LD ST
float32[::1] LDG STG
SEEN
