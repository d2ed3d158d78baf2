#!/usr/bin/env bash
# How much shared memory does a CTA of a kernel take? Three tools give three answers for one GPU.
#
# Versions: nvidia-cuda-nvcc, -cuobjdump 13.5.37 (ptxas, cuobjdump), triton 3.9.0; no GPU.
# Guess: ptxas -v, cuobjdump -res-usage and a Triton cubin say what the source asks for.
# Seen, bytes for sm_80 | sm_90:
#   2,048 B of __shared__: ptxas 2048 | 2048, cuobjdump 2048 | 3072. From sm_90 on the second one adds the driver's 1 KB,
#   none:                  cuobjdump 0 | 0, but not where there is no other shared memory, though the driver takes it for every CTA.
#   Triton's product:      cuobjdump 0 | 1024; only the compiler's metadata has the real 65536 | 98304.
# Hurts: who computes occupancy counts 1 KB twice or not at all, and lets 32 CTAs of a GEMM into an SM that holds two.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
python3 -m venv v
v/bin/pip install -q nvidia-cuda-nvcc==13.5.37 nvidia-cuda-cuobjdump==13.5.37 nvidia-cuda-crt==13.5.37 \
    nvidia-cuda-runtime==13.5.37 nvidia-nvvm==13.5.37 triton==3.9.0
export PATH="$(echo "$dir"/v/lib/python3*/site-packages/nvidia/cu13/bin):$PATH" TRITON_CACHE_DIR="$dir/cache"
cat > k.cu <<'CU'
extern "C" __global__ void own(int *p) { __shared__ int s[512]; s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); *p = s[0]; }
extern "C" __global__ void none(int *p) { p[threadIdx.x] = 1; }
CU
cat > product.py <<'PY'
import sys, triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def product(a, b, c, n, S: tl.constexpr, K: tl.constexpr):
    rows, columns, inner = tl.arange(0, S), tl.arange(0, S), tl.arange(0, K)
    total = tl.zeros((S, S), dtype=tl.float32)
    left, right = a + rows[:, None] * n + inner[None, :], b + inner[:, None] * n + columns[None, :]
    for _ in range(0, n, K):
        total = tl.dot(tl.load(left), tl.load(right), total)
        left, right = left + K, right + K * n
    tl.store(c + rows[:, None] * n + columns[None, :], total)

types = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "n": "i32", "S": "constexpr", "K": "constexpr"}
source = ASTSource(product, types, {"S": 128, "K": 64}, {(i,): [["tt.divisibility", 16]] for i in range(4)})
kernel = triton.compile(source, GPUTarget("cuda", int(sys.argv[1]), 32), {"num_warps": 4, "num_stages": 3})
open("product.cubin", "wb").write(kernel.asm["cubin"])
print(kernel.metadata.shared)
PY
listed() { cuobjdump -res-usage "$1" | grep -A1 "Function $2:" | grep -o 'SHARED:[0-9]*' | cut -d: -f2; }
for sm in 80 90; do
    ptxas=$(nvcc -arch=sm_$sm -cubin -Xptxas -v k.cu -o k.cubin 2>&1 | grep -o '[0-9]* bytes smem' | tr -d ' a-z')
    metadata=$(v/bin/python -W ignore product.py $sm)
    echo "sm_$sm: own $ptxas $(listed k.cubin own), none $(listed k.cubin none), product $(listed product.cubin product) $metadata"
done | tee seen
diff - seen <<'SEEN'
sm_80: own 2048 2048, none 0, product 0 65536
sm_90: own 2048 3072, none 0, product 1024 98304
SEEN
