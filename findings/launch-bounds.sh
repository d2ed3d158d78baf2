#!/usr/bin/env bash
# __launch_bounds__(1024) halves a kernel's registers on some GPUs, though nothing asks for two CTAs.
#
# Version: nvidia-cuda-nvcc 13.5.37 (ptxas); no GPU.
# Guess: a bound on threads alone leaves each thread 65,536 / 1,024 = 64 registers; (1024) and (1024, 1) are the same.
# Seen, registers of one kernel that wants 128, for sm_80, sm_90 and sm_120:
#   (1024)     32 32 64    half, and more is spilled, so that two CTAs fit an SM of 2,048 threads
#   (1024, 1)  64 64 64    only a written 1 is one
#   (1024, 2)  32 32 64    what cannot be (1,536 threads an SM of sm_120) is dropped with a warning
#   (768)      40 40 40    two CTAs, where the bound alone leaves 80
#   (512)      128 128 128
# Hurts: registers, spills and resident CTAs of one source differ by GPU and by a bound that looks like a comment.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
python3 -m venv v
v/bin/pip install -q nvidia-cuda-nvcc==13.5.37 nvidia-cuda-crt==13.5.37 nvidia-cuda-runtime==13.5.37 nvidia-nvvm==13.5.37
export PATH="$(echo "$dir"/v/lib/python3*/site-packages/nvidia/cu13/bin):$PATH"
cat > k.txt <<'CU'
extern "C" __global__ void __launch_bounds__(BOUNDS) k(float *p) {
    float kept[100], sum = 0;
    for (int i = 0; i < 100; i++) kept[i] = p[i * 33 + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 100; i++) sum += kept[i] * p[i * 7];
    for (int i = 0; i < 100; i++) p[i * 5 + threadIdx.x] = kept[i] + sum;
}
CU
for bounds in 1024 1024,1 1024,2 768 512; do
    echo -n "($bounds)"
    sed "s/BOUNDS/$bounds/" k.txt > k.cu
    for sm in 80 90 120; do
        said=$(nvcc -arch=sm_$sm -cubin -Xptxas -v k.cu -o k.cubin 2>&1)
        echo -n " $(grep -o 'Used [0-9]*' <<< "$said" | cut -c6-)"
        ! grep -q 'minnctapersm will be ignored' <<< "$said" || echo -n ' (ignored)'
    done
    echo
done | tee seen
diff - seen <<'SEEN'
(1024) 32 32 64
(1024,1) 64 64 64
(1024,2) 32 32 64 (ignored)
(768) 40 40 40
(512) 128 128 128
SEEN
