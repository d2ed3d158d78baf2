#!/usr/bin/env bash
# The instructions of one CUDA source are another program on another GPU, and an FFMA is no fixed number of FLOPs.
#
# Versions: nvidia-cuda-nvcc, -cuobjdump 13.5.37; no GPU.
# Guess: the loop over tiles of a 16 x 16 product stays a loop everywhere (2 loads), and two FFMAs or one FFMA2 do a packed multiply-add.
# Seen: for sm_80 and sm_90 it has 2 LDG and 2 barriers; for sm_100 and sm_120 it is unrolled, 14 LDG and 14 barriers in a
#   program four times as long. fma on pairs is one FFMA2 on sm_100, two FFMA on sm_120.
# Hurts: who counts instructions in a cubin to describe a kernel for one GPU, and simulates another with them.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
python3 -m venv v
v/bin/pip install -q nvidia-cuda-nvcc==13.5.37 nvidia-cuda-cuobjdump==13.5.37 nvidia-cuda-nvdisasm==13.5.37 \
    nvidia-cuda-crt==13.5.37 nvidia-cuda-runtime==13.5.37 nvidia-nvvm==13.5.37
export PATH="$(echo "$dir"/v/lib/python3*/site-packages/nvidia/cu13/bin):$PATH"
cat > k.cu <<'CU'
extern "C" __global__ void tiles(const float *a, const float *b, float *c, int n) {
    __shared__ float left[16][16], right[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int tile = 0; tile < n / 16; tile++) {
        left[y][x] = a[row * n + tile * 16 + x];
        right[y][x] = b[(tile * 16 + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += left[y][k] * right[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
#if __CUDA_ARCH__ >= 1000
extern "C" __global__ void pairs(float2 *x, float2 a) { x[threadIdx.x] = __ffma2_rn(a, x[threadIdx.x], a); }
#endif
CU
for sm in 80 90 100 120; do
    nvcc -arch=sm_$sm -cubin k.cu -o k.cubin
    count() { cuobjdump -sass -fun "$1" k.cubin | grep -cE "^\s+/\*[0-9a-f]{4}\*/.* $2" || true; }
    echo -n "sm_$sm: tiles LDG $(count tiles LDG) BAR $(count tiles BAR.SYNC)"
    [ $sm -lt 100 ] || echo -n ", pairs FFMA2 $(count pairs FFMA2) FFMA $(count pairs 'FFMA ')"
    echo
done | tee seen
diff - seen <<'SEEN'
sm_80: tiles LDG 2 BAR 2
sm_90: tiles LDG 2 BAR 2
sm_100: tiles LDG 14 BAR 14, pairs FFMA2 1 FFMA 0
sm_120: tiles LDG 14 BAR 14, pairs FFMA2 0 FFMA 2
SEEN
