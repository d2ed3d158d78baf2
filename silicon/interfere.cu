// Measures eight kernels on a real GPU, alone and beside each other, and writes what it saw as CSV. `corun silicon FILE.csv` reads it.
//
//   nvcc -O3 -arch=native -o interfere interfere.cu
//   ./interfere > gpu.csv          everything, one to three minutes
//   ./interfere alone dram 40      one launch of so many passes, for a profiler or beside another process
//
// The first six kernels are the ones of "Understanding GPU Resource Interference One Level Deeper" (SoCC 2025), written from their description: each fills
// one resource and leaves the others alone. Four bytes a lane do not fill the memory of a GPU with HBM, so two copies of 16 bytes a lane stand beside them.
//
// A row of two kernels has the time of `kernel` while `beside` is on the GPU for all of it. In the study `pair` `beside` is there first, in the study `first`
// it comes just after `kernel`: where a scheduler favours the older or the younger warps, the two differ. In the study `slots` both have one launch of equal
// length.
//
// Nothing of the GPU's settings is changed. A kernel alone and the same one beside another can run at different clocks, so each row has the clock that the
// SM counted.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#define CHECK(call)                                                                                     \
    do {                                                                                                \
        cudaError_t error = (call);                                                                     \
        if (error != cudaSuccess) {                                                                     \
            fprintf(stderr, "interfere: %s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));   \
            exit(1);                                                                                    \
        }                                                                                               \
    } while (0)

// What a kernel tells of its own run: the SM of each CTA, and both clocks where CTA 0 begins and ends.
struct Trace {
    unsigned *sm;
    long long *clocks;         // cycles and nanoseconds at the beginning, cycles and nanoseconds at the end
    volatile unsigned *begun;  // in the host's memory
};

__device__ long long nanoseconds() {
    long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

__device__ void begin(const Trace &trace) {
    if (threadIdx.x != 0) return;
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    trace.sm[blockIdx.x] = sm;
    if (blockIdx.x != 0) return;
    *trace.begun = 1;
    trace.clocks[0] = clock64();
    trace.clocks[1] = nanoseconds();
}

__device__ void end(const Trace &trace) {
    if (threadIdx.x != 0 || blockIdx.x != 0) return;
    trace.clocks[2] = clock64();
    trace.clocks[3] = nanoseconds();
}

// Holds its warps' slots and does nothing.
__global__ void sleep(Trace trace, long passes) {
    begin(trace);
    for (long pass = 0; pass < passes; pass++) __nanosleep(1000);
    end(trace);
}

// All CTAs copy one array, a word a lane. `in` and `out` may overlap as far as the compiler knows, so a warp has one load in flight and none is left out.
template <typename Word> __global__ void copy(Trace trace, long passes, const Word *in, Word *out, long words) {
    begin(trace);
    long stride = (long)gridDim.x * blockDim.x;
    for (long pass = 0; pass < passes; pass++) {
#pragma unroll 1
        for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += stride) out[i] = in[i];
    }
    end(trace);
}

// Each CTA copies a region of its own.
__global__ void regions(Trace trace, long passes, const float *in, float *out, long words, long apart) {
    begin(trace);
    in += blockIdx.x * apart;
    out += blockIdx.x * apart;
    for (long pass = 0; pass < passes; pass++) {
#pragma unroll 1
        for (long i = threadIdx.x; i < words; i += blockDim.x) out[i] = in[i];
    }
    end(trace);
}

// Independent chains of multiply-adds, 64 of each chain a pass.
template <typename T, int CHAINS> __global__ void chains(Trace trace, long passes, T *out) {
    begin(trace);
    T a = (T)0.999, b = (T)0.001, x[CHAINS];
    for (int k = 0; k < CHAINS; k++) x[k] = (T)(threadIdx.x + k);
#pragma unroll 1
    for (long pass = 0; pass < passes; pass++) {
#pragma unroll
        for (int step = 0; step < 64; step++)
            for (int k = 0; k < CHAINS; k++) x[k] = x[k] * a + b;
    }
    T sum = 0;
    for (int k = 0; k < CHAINS; k++) sum += x[k];
    out[(long)blockIdx.x * blockDim.x + threadIdx.x] = sum;
    end(trace);
}

// One thread follows pointers around a ring; a pass is one load.
__global__ void chase(Trace trace, long passes, const uint32_t *ring, uint32_t *out) {
    begin(trace);
    uint32_t at = 0;
#pragma unroll 8
    for (long pass = 0; pass < passes; pass++) at = ring[at];
    *out = at;
    end(trace);
}

struct Kernel {
    std::string name;
    int ctas, threads;
    long bytes;  // of the array, or of a CTA's region, that is read; as much is written
    int chains;
    std::function<void(cudaStream_t, Trace, long)> launch;
    long passes = 0;  // that take about TARGET_MS alone
};

struct Measured {
    double median, least, most, mhz;
    int shared_sms;
};

const double TARGET_MS = 20;
const int REPETITIONS = 5;
const long MB = 1 << 20, KB = 1 << 10;
const long SHARED = 32 * KB;  // of each SM, taken from its L1: 32 CTAs need it for themselves

cudaDeviceProp gpu;
cudaStream_t streams[2];
cudaEvent_t started, ended;
Trace traces[2];
unsigned *flags;
std::vector<float *> arrays;  // two of each kernel in flight: read, written

float *array(int which, long bytes) {
    static std::vector<long> sizes;
    if ((int)arrays.size() <= which) arrays.resize(which + 1, nullptr), sizes.resize(which + 1, 0);
    if (sizes[which] < bytes) {
        if (arrays[which]) CHECK(cudaFree(arrays[which]));
        CHECK(cudaMalloc(&arrays[which], bytes));
        std::vector<float> words(bytes / 4);
        for (auto &word : words) word = (float)rand() / (float)RAND_MAX;
        CHECK(cudaMemcpy(arrays[which], words.data(), bytes, cudaMemcpyHostToDevice));
        sizes[which] = bytes;
    }
    return arrays[which];
}

// All kernels ask for the same division of an SM's memory into L1 and shared memory: a kernel that wants another one waits until the SM is empty.
void divide_memory(std::initializer_list<const void *> functions) {
    int percent = (int)((100 * SHARED + gpu.sharedMemPerMultiprocessor - 1) / gpu.sharedMemPerMultiprocessor);
    for (auto function : functions) CHECK(cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
}

// `side` keeps the arrays of two kernels apart that run together.
template <typename Word> Kernel copying(const char *name, int side, int ctas, int threads, long bytes) {
    auto in = (Word *)array(2 * side, bytes), out = (Word *)array(2 * side + 1, bytes);
    long words = bytes / sizeof(Word);
    return {name, ctas, threads, bytes, 0, [=](cudaStream_t s, Trace t, long passes) { copy<Word><<<ctas, threads, 0, s>>>(t, passes, in, out, words); }};
}

Kernel regional(const char *name, int side, int threads, long bytes) {
    int ctas = gpu.multiProcessorCount;
    long apart = std::max(bytes, 128 * KB);
    float *in = array(2 * side, ctas * apart), *out = array(2 * side + 1, ctas * apart);
    return {name, ctas, threads, bytes, 0,
            [=](cudaStream_t s, Trace t, long passes) { regions<<<ctas, threads, 0, s>>>(t, passes, in, out, bytes / 4, apart / 4); }};
}

template <typename T> Kernel chained(const char *name, int side, int threads, int count) {
    int ctas = gpu.multiProcessorCount;
    T *out = (T *)array(2 * side, MB * 2);
    return {name, ctas, threads, 0, count, [=](cudaStream_t s, Trace t, long passes) {
                if (count == 1) chains<T, 1><<<ctas, threads, 0, s>>>(t, passes, out);
                if (count == 2) chains<T, 2><<<ctas, threads, 0, s>>>(t, passes, out);
                if (count == 3) chains<T, 3><<<ctas, threads, 0, s>>>(t, passes, out);
                if (count == 4) chains<T, 4><<<ctas, threads, 0, s>>>(t, passes, out);
            }};
}

Kernel sleeping(const char *name, int ctas, int threads) {
    return {name, ctas, threads, 0, 0, [=](cudaStream_t s, Trace t, long passes) { sleep<<<ctas, threads, 0, s>>>(t, passes); }};
}

const char *NAMES[] = {"sleep", "dram", "l2", "l1", "fma", "fp64", "dram-wide", "l2-wide"};

Kernel named(const std::string &name, int side) {
    int sms = gpu.multiProcessorCount;
    if (name == "sleep") return sleeping("sleep", sms, 768);
    if (name == "dram") return copying<float>("dram", side, sms, 512, 512 * MB);
    if (name == "l2") return copying<float>("l2", side, sms, 512, 16 * MB);
    if (name == "dram-wide") return copying<float4>("dram-wide", side, sms, 1024, 512 * MB);
    if (name == "l2-wide") return copying<float4>("l2-wide", side, sms, 1024, 16 * MB);
    if (name == "l1") return regional("l1", side, 64, 32 * KB);
    if (name == "fma") return chained<float>("fma", side, 128, 4);
    if (name == "fp64") return chained<double>("fp64", side, 128, 4);
    fprintf(stderr, "interfere: no kernel '%s': sleep, dram, l2, l1, fma, fp64, dram-wide, l2-wide\n", name.c_str());
    exit(2);
}

void put_beside(const Kernel &beside, long longer) {
    flags[1] = 0;
    beside.launch(streams[1], traces[1], beside.passes * longer);
    CHECK(cudaGetLastError());
}

// Waits until a kernel's first CTA runs, or the kernel has ended.
void wait_for(int side) {
    while (!*(volatile unsigned *)&flags[side])
        if (cudaStreamQuery(streams[side]) == cudaSuccess) break;
}

double time_once(const Kernel &kernel, long passes, const Kernel *then = nullptr, long longer = 0) {
    flags[0] = 0;
    CHECK(cudaEventRecord(started, streams[0]));
    kernel.launch(streams[0], traces[0], passes);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(ended, streams[0]));
    if (then) wait_for(0), put_beside(*then, longer);
    CHECK(cudaEventSynchronize(ended));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, started, ended));
    return ms;
}

void calibrate(Kernel &kernel) {
    kernel.passes = 1;
    time_once(kernel, 1);
    double ms = time_once(kernel, 1);
    while (ms < TARGET_MS / 4) {
        kernel.passes *= ms < TARGET_MS / 40 ? 10 : 2;
        ms = time_once(kernel, kernel.passes);
    }
    kernel.passes = std::max(1L, (long)(kernel.passes * TARGET_MS / ms + .5));
}

double counted_mhz(int side) {
    long long clocks[4];
    CHECK(cudaMemcpy(clocks, traces[side].clocks, sizeof clocks, cudaMemcpyDeviceToHost));
    return 1000.0 * (clocks[2] - clocks[0]) / (double)(clocks[3] - clocks[1]);
}

std::vector<int> ctas_of_sms(int side, int ctas) {
    std::vector<unsigned> sms(ctas);
    std::vector<int> count(1024);
    CHECK(cudaMemcpy(sms.data(), traces[side].sm, ctas * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (unsigned sm : sms) count[sm]++;
    return count;
}

Measured measure(const Kernel &kernel, const Kernel *beside, int repetitions, bool first, bool once) {
    std::vector<double> times, clocks;
    int shared = 0;
    long longer = once ? 1 : 8;
    time_once(kernel, kernel.passes);
    while ((int)times.size() < repetitions) {
        if (beside && !first) put_beside(*beside, longer), wait_for(1);
        double ms = time_once(kernel, kernel.passes, first ? beside : nullptr, longer);
        bool outlasted = !beside || cudaStreamQuery(streams[1]) == cudaErrorNotReady;
        CHECK(cudaDeviceSynchronize());
        if (!outlasted && !once) {
            longer *= 2;
            if (longer <= 256) continue;
            // It starts when the other has ended: its time is then of no use, and the row says so.
            return {NAN, NAN, NAN, NAN, 0};
        }
        times.push_back(ms);
        clocks.push_back(counted_mhz(0));
        if (beside) {
            auto mine = ctas_of_sms(0, kernel.ctas), theirs = ctas_of_sms(1, beside->ctas);
            shared = 0;
            for (size_t sm = 0; sm < mine.size(); sm++) shared += mine[sm] && theirs[sm];
        }
    }
    std::sort(times.begin(), times.end());
    std::sort(clocks.begin(), clocks.end());
    return {times[times.size() / 2], times.front(), times.back(), clocks[clocks.size() / 2], shared};
}

void row(const char *study, const Kernel &kernel, const Kernel *beside, int repetitions) {
    Measured m = measure(kernel, beside, repetitions, !strcmp(study, "first"), !strcmp(study, "slots"));
    printf("%s,%s,%s,%d,%d,%ld,%d,%ld,%.4f,%.4f,%.4f,%.0f,%d\n", study, kernel.name.c_str(), beside ? beside->name.c_str() : "", kernel.ctas, kernel.threads,
           kernel.bytes, kernel.chains, kernel.passes, m.median, m.least, m.most, m.mhz, m.shared_sms);
    fflush(stdout);
}

void matrix() {
    std::vector<Kernel> rows, columns;
    for (const char *name : NAMES) rows.push_back(named(name, 0)), calibrate(rows.back());
    for (const char *name : NAMES) columns.push_back(named(name, 1)), calibrate(columns.back());
    for (auto &kernel : rows) row("alone", kernel, nullptr, REPETITIONS);
    for (auto &kernel : rows)
        for (auto &beside : columns) row("pair", kernel, &beside, REPETITIONS), row("first", kernel, &beside, 3);
    // Whether slots alone cost anything: two of these fill an SM; two with twice the CTAs do not fit, so that one waits for the other.
    int sms = gpu.multiProcessorCount, half = gpu.maxThreadsPerMultiProcessor / 2;
    for (int ctas : {1, 2}) {
        Kernel a = sleeping(ctas == 1 ? "sleep-half" : "sleep-full", sms * ctas, half);
        calibrate(a);
        row("slots", a, nullptr, REPETITIONS), row("slots", a, &a, REPETITIONS);
    }
}

void curves() {
    int sms = gpu.multiProcessorCount;
    for (long mb : {4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 72, 80, 96, 112, 128}) {
        Kernel a = copying<float>("copy", 0, sms / 2, 1024, mb * MB), b = copying<float>("copy", 1, sms / 2, 1024, mb * MB);
        calibrate(a), b.passes = a.passes;
        row("size", a, nullptr, 3), row("size", a, &b, 3);
    }
    for (long kb : {4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224}) {
        Kernel a = regional("region", 0, 64, kb * KB), b = regional("region", 1, 64, kb * KB);
        calibrate(a), b.passes = a.passes;
        row("region", a, nullptr, 3), row("region", a, &b, 3);
    }
    for (int count = 1; count <= 4; count++) {
        Kernel a = chained<float>("fma", 0, 128, count), b = chained<double>("fp64", 0, 128, count);
        calibrate(a), calibrate(b);
        row("chains", a, nullptr, 3), row("chains", b, nullptr, 3);
    }
    for (int ctas : {8, 16, 32, 48, 64, 96, sms, 3 * sms / 2, 2 * sms}) {
        Kernel a = copying<float>("stream", 0, ctas, 1024, 512 * MB);
        calibrate(a);
        row("ctas", a, nullptr, 3);
    }
}

// Latencies: a ring of lines in random order, so that no prefetcher and no row buffer helps; each line holds one pointer. A launch visits each line, so that a
// ring that does not fit a cache misses it.
void latencies() {
    for (long kb : {16, 64, 128, 1024, 4 * 1024, 16 * 1024, 24 * 1024, 32 * 1024, 40 * 1024, 64 * 1024, 128 * 1024, 256 * 1024}) {
        long lines = kb * KB / 128;
        std::vector<uint32_t> order(lines), ring(lines * 32);
        for (long i = 0; i < lines; i++) order[i] = (uint32_t)i;
        srand(1);
        for (long i = lines - 1; i > 0; i--) std::swap(order[i], order[((long)rand() * RAND_MAX + rand()) % (i + 1)]);
        for (long i = 0; i < lines; i++) ring[order[i] * 32L] = order[(i + 1) % lines] * 32;
        uint32_t *in, *out;
        CHECK(cudaMalloc(&in, kb * KB));
        CHECK(cudaMalloc(&out, 4));
        CHECK(cudaMemcpy(in, ring.data(), kb * KB, cudaMemcpyHostToDevice));
        Kernel a = {"chase", 1, 1, kb * KB, 0, [=](cudaStream_t s, Trace t, long passes) { chase<<<1, 1, 0, s>>>(t, passes, in, out); }};
        a.passes = std::max(20000L, lines);
        row("latency", a, nullptr, 3);
        CHECK(cudaFree(in));
        CHECK(cudaFree(out));
    }
}

int main(int argc, char **argv) {
    if (argc != 1 && !(argc == 4 && !strcmp(argv[1], "alone") && atol(argv[3]) > 0)) {
        fprintf(stderr, "usage: interfere [alone KERNEL PASSES]\n");
        return 2;
    }
    int driver, runtime, core_khz, memory_khz;
    CHECK(cudaGetDeviceProperties(&gpu, 0));
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    CHECK(cudaDeviceGetAttribute(&core_khz, cudaDevAttrClockRate, 0));
    CHECK(cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0));
    CHECK(cudaHostAlloc(&flags, 2 * sizeof(unsigned), cudaHostAllocMapped));
    for (int side = 0; side < 2; side++) {
        CHECK(cudaStreamCreateWithFlags(&streams[side], cudaStreamNonBlocking));
        CHECK(cudaMalloc(&traces[side].sm, 4096 * sizeof(unsigned)));
        CHECK(cudaMalloc(&traces[side].clocks, 4 * sizeof(long long)));
        CHECK(cudaHostGetDevicePointer((void **)&traces[side].begun, flags + side, 0));
    }
    divide_memory({(void *)sleep, (void *)copy<float>, (void *)copy<float4>, (void *)regions, (void *)chase, (void *)chains<float, 1>, (void *)chains<float, 2>,
                   (void *)chains<float, 3>, (void *)chains<float, 4>, (void *)chains<double, 1>, (void *)chains<double, 2>, (void *)chains<double, 3>,
                   (void *)chains<double, 4>});
    CHECK(cudaEventCreate(&started));
    CHECK(cudaEventCreate(&ended));
    if (argc == 4) {
        printf("%.4f\n", time_once(named(argv[2], 0), atol(argv[3])));
        return 0;
    }
    char date[32];
    time_t now = time(nullptr);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    printf("# corun silicon 1\n# gpu: %s\n# sms: %d\n# core_mhz: %d\n# memory_mhz: %d\n# l2_bytes: %d\n# shared_bytes: %ld\n# driver: %d\n# cuda: %d\n# date: %s\n", gpu.name,
           gpu.multiProcessorCount, core_khz / 1000, memory_khz / 1000, gpu.l2CacheSize, SHARED, driver, runtime, date);
    printf("study,kernel,beside,ctas,threads,bytes,chains,passes,ms,ms_least,ms_most,mhz,shared_sms\n");
    // Greatest arrays first, so that none is made anew under a kernel that holds it.
    for (int which = 0; which < 4; which++) array(which, 512 * MB);
    matrix();
    curves();
    latencies();
    return 0;
}
