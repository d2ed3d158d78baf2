#!/usr/bin/env bash
# A Triton kernel compiled without a GPU is another one than runs, and num_stages is not its number of buffers.
#
# Versions: triton 3.9.0, nvidia-cuda-cuobjdump 13.5.37; no GPU.
# Guess: types and constants say which kernel it is; num_stages=3 keeps three tiles of each operand in shared memory.
# Seen: a product of 128 x 128 x 64 in FP16, whose two tiles take 32,768 B. What a launch finds out about its arguments (pointers
#   and sizes that are multiples of 16) must be said. Then it copies asynchronously (48 LDGSTS, no LDG) into 2 buffers on sm_80
#   and sm_120, 3 on sm_90. Else it has 128 LDG, no LDGSTS, spills, a program more than twice as long, and a buffer less.
# Hurts: who takes registers, shared memory or a mix of instructions from a kernel compiled ahead.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
python3 -m venv v
v/bin/pip install -q triton==3.9.0 nvidia-cuda-cuobjdump==13.5.37 nvidia-cuda-nvdisasm==13.5.37
export PATH="$(echo "$dir"/v/lib/python3*/site-packages/nvidia/cu13/bin):$PATH" TRITON_CACHE_DIR="$dir/cache"
cat > product.py <<'PY'
import re, subprocess, triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def product(a, b, c, n, S: tl.constexpr, K: tl.constexpr):
    rows = tl.program_id(0) * S + tl.arange(0, S)
    columns, inner = tl.program_id(1) * S + tl.arange(0, S), tl.arange(0, K)
    total = tl.zeros((S, S), dtype=tl.float32)
    left, right = a + rows[:, None] * n + inner[None, :], b + inner[:, None] * n + columns[None, :]
    for _ in range(0, n, K):
        total = tl.dot(tl.load(left), tl.load(right), total)
        left, right = left + K, right + K * n
    tl.store(c + rows[:, None] * n + columns[None, :], total)

types = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "n": "i32", "S": "constexpr", "K": "constexpr"}
for sm in (80, 90, 120):
    for said in (True, False):
        known = {(i,): [["tt.divisibility", 16]] for i in range(4)} if said else {}
        source = ASTSource(product, types, {"S": 128, "K": 64}, known)
        kernel = triton.compile(source, GPUTarget("cuda", sm, 32), {"num_warps": 4, "num_stages": 3})
        open("k.cubin", "wb").write(kernel.asm["cubin"])
        tool = lambda what: subprocess.run(["cuobjdump", what, "k.cubin"], capture_output=True, text=True, check=True).stdout
        sass, spills = tool("-sass"), int(re.search(r"STACK:(\d+)", tool("-res-usage"))[1]) > 0
        print(f"sm_{sm}", "multiples of 16" if said else "nothing said", "buffers", kernel.metadata.shared // 32768,
              "LDGSTS", sass.count("LDGSTS"), "LDG", sass.count("LDG."), "spills" if spills else "no spills")
PY
v/bin/python -W ignore product.py | tee seen
diff - seen <<'SEEN'
sm_80 multiples of 16 buffers 2 LDGSTS 48 LDG 0 no spills
sm_80 nothing said buffers 1 LDGSTS 0 LDG 128 spills
sm_90 multiples of 16 buffers 3 LDGSTS 48 LDG 0 no spills
sm_90 nothing said buffers 2 LDGSTS 0 LDG 128 spills
sm_120 multiples of 16 buffers 2 LDGSTS 48 LDG 0 no spills
sm_120 nothing said buffers 1 LDGSTS 0 LDG 128 spills
SEEN
